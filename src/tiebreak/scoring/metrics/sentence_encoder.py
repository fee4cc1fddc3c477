"""Vectors of texts by a sentence-transformers model in a folder: BERT in numpy, any other encoder by transformers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import TiebreakError
from tiebreak.scoring.metrics.models import device_of, quietly, torch_and_transformers
from tiebreak.scoring.metrics.numpy_bert import NumpyBert

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

_TOKENS_AT_ONCE: Final = 4_096
_REMEMBERED: Final = 10_000  # texts
_LONGEST: Final = 512  # tokens, where the model does not say
_POOLING: Final = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
}


class Encoder(Protocol):
    """What makes states of tokens."""

    def hidden(self, tokens: Integers, known: NDArray[np.bool_]) -> Floats:
        """States (n, length, size) of the last layer."""


class SentenceEncoder:
    """The model of a folder. `pooling`: how states of tokens become a vector; `longest`: tokens beyond are cut off."""

    def __init__(self, folder: Path) -> None:
        _check_modules(folder)
        config = _json(folder / "config.json")
        self.pooling = _pooling(folder)
        self.longest = int(_json(folder / "sentence_bert_config.json").get("max_seq_length") or _LONGEST)
        self._pad = int(config.get("pad_token_id") or 0)
        self._recent: dict[str, Floats] = {}
        self._tokens = _tokenizer(folder, self.longest)
        self._encoder = _encoder(folder, config)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Vectors (n, size) of length 1. Those of the last texts are remembered: systems share their references."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._recent]
        known = self._recent | (dict(zip(fresh, self._encoded(fresh), strict=True)) if fresh else {})
        self._recent = dict(islice(known.items(), max(len(known) - _REMEMBERED, 0), None))
        return np.array([known[text] for text in texts], dtype=np.float32)

    def _encoded(self, texts: Sequence[str]) -> Floats:
        numbers = self._tokens(texts)
        order = sorted(range(len(texts)), key=lambda k: len(numbers[k]))
        vectors: list[Floats | None] = [None] * len(texts)
        for rows in _groups(order, [len(of) for of in numbers]):
            for row, vector in zip(rows, self._vectors([numbers[row] for row in rows]), strict=True):
                vectors[row] = vector
        found: Floats = np.array(vectors, dtype=np.float32)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-12))
        return found

    def _vectors(self, numbers: Sequence[Sequence[int]]) -> Floats:
        longest = max(map(len, numbers))
        tokens = np.full((len(numbers), longest), self._pad, dtype=np.int64)
        known = np.zeros(tokens.shape, dtype=np.bool_)
        for row, of in enumerate(numbers):
            tokens[row, : len(of)], known[row, : len(of)] = of, True
        states = self._encoder.hidden(tokens, known)
        pooled: Floats
        if self.pooling == "cls":
            pooled = states[:, 0]
        elif self.pooling == "max":
            pooled = np.where(known[:, :, None], states, -np.inf).max(axis=1)
        else:
            pooled = (states * known[:, :, None]).sum(axis=1) / known.sum(axis=1, keepdims=True).astype(np.float32)
        return pooled


@lru_cache(maxsize=1)
def sentence_encoder(folder: Path) -> SentenceEncoder:
    """The model of a folder, loaded once."""
    return SentenceEncoder(folder)


def _groups(order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Rows of like lengths together, as many as fit."""
    groups: list[list[int]] = []
    for row in order:  # by length, so that the row is the longest of its group
        if not groups or (len(groups[-1]) + 1) * lengths[row] > _TOKENS_AT_ONCE:
            groups.append([])
        groups[-1].append(row)
    return groups


class _TorchEncoder:
    """An encoder of transformers."""

    def __init__(self, folder: Path) -> None:
        self._torch, transformers = torch_and_transformers()
        self._device = device_of(self._torch)
        with quietly(transformers):
            model = transformers.AutoModel.from_pretrained(folder, local_files_only=True)
        self._model = model.to(self._device).eval()

    def hidden(self, tokens: Integers, known: NDArray[np.bool_]) -> Floats:
        """States (n, length, size) of the last layer."""
        ids, mask = (self._torch.from_numpy(of).to(self._device) for of in (tokens, known.astype(np.int64)))
        with self._torch.inference_mode():
            states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
        found: Floats = states.float().cpu().numpy()
        return found


def _encoder(folder: Path, config: dict[str, Any]) -> Encoder:
    plain = config.get("model_type") == "bert" and config.get("hidden_act", "gelu") == "gelu"
    absolute = config.get("position_embedding_type", "absolute") == "absolute"
    if plain and absolute and (folder / "model.safetensors").is_file():
        return NumpyBert.read(folder, config)
    return _TorchEncoder(folder)


def _tokenizer(folder: Path, longest: int) -> Callable[[Sequence[str]], list[list[int]]]:
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    if not file.is_file():
        raise TiebreakError(f"{folder} has no tokenizer.json, which its texts are read by")
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=longest)
    return lambda texts: [found.ids for found in tokenizer.encode_batch(list(texts))]


def _check_modules(folder: Path) -> None:
    """A sentence-transformers model is a row of modules; those beyond an encoder, a pooling and a norm are not ours."""
    if not (folder / "modules.json").is_file():
        return
    known = {"Transformer", "Pooling", "Normalize"}
    others = {str(module["type"]).rpartition(".")[2] for module in _json(folder / "modules.json")} - known
    if others:
        raise TiebreakError(
            f"the model in {folder} has a {', '.join(sorted(others))} beside encoder, pooling and norm, "
            "which tiebreak does not know: name another model"
        )


def _pooling(folder: Path) -> str:
    config = _json(folder / "1_Pooling" / "config.json")
    chosen = [mode for mode, on in config.items() if mode.startswith("pooling_mode") and on is True]
    if not chosen:
        return "mean"
    if len(chosen) > 1 or chosen[0] not in _POOLING:
        raise TiebreakError(f"{folder} pools tokens by {', '.join(chosen)}, which tiebreak does not know")
    return _POOLING[chosen[0]]


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
