"""Vectors of tokens (for BERTScore) and of texts (for VecSim) by an encoder of transformers in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import TiebreakError
from tiebreak.scoring.metrics.models import device_of, quietly, torch_and_transformers

Floats = NDArray[np.float32]

_TEXTS_AT_ONCE: Final = 32
_LONGEST: Final = 512  # tokens, where the model does not say less
_REMEMBERED: Final = 10_000  # texts
_POOLING: Final = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
}


class TokenStates(NamedTuple):
    """Of a text: states (n, size), and which (n,) are of its own tokens, not of its ends."""

    states: Floats
    own: NDArray[np.bool_]


class Encoder:
    """The model of a folder. `depth`: its layers; `longest`: tokens of a text beyond are cut off."""

    def __init__(self, folder: Path, longest: int | None = None) -> None:
        self._torch, transformers = torch_and_transformers()
        self._device = device_of(self._torch)
        with quietly(transformers):
            self._tokens = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = transformers.AutoModel.from_pretrained(folder, local_files_only=True)
        self._model = model.float().to(self._device).eval()
        self.depth = int(model.config.num_hidden_layers)
        self.longest = longest or min(int(self._tokens.model_max_length), _LONGEST)

    def states(self, texts: Sequence[str], layer: int | None = None) -> Iterator[tuple[int, TokenStates]]:
        """The number of each text, those of like lengths together, and the states of its tokens at a layer (None: what
        the model gives out at last).
        """
        order = sorted(range(len(texts)), key=lambda k: len(texts[k]))
        for start in range(0, len(order), _TEXTS_AT_ONCE):
            rows = order[start : start + _TEXTS_AT_ONCE]
            yield from zip(rows, self._batch([texts[row] for row in rows], layer), strict=True)

    def _batch(self, texts: list[str], layer: int | None) -> list[TokenStates]:
        encoded: Any = self._tokens(
            texts, padding=True, truncation=True, max_length=self.longest, return_special_tokens_mask=True,
            return_token_type_ids=False, return_tensors="pt",
        )  # fmt: skip
        ends = encoded.pop("special_tokens_mask").numpy().astype(np.bool_)
        known = encoded["attention_mask"].numpy().astype(np.bool_)
        with self._torch.inference_mode():
            made = self._model(**encoded.to(self._device), output_hidden_states=layer is not None)
        states = (made.last_hidden_state if layer is None else made.hidden_states[layer]).cpu().numpy()
        return [TokenStates(of[here], ~end[here]) for of, here, end in zip(states, known, ends, strict=True)]


class SentenceEncoder:
    """A sentence-transformers model. `pooling`: how states of tokens become a vector; `longest`: as of an encoder."""

    def __init__(self, folder: Path) -> None:
        _check_modules(folder)
        self.pooling = _pooling(folder)
        self._encoder = Encoder(folder, _json(folder / "sentence_bert_config.json").get("max_seq_length"))
        self.longest = self._encoder.longest
        self._recent: dict[str, Floats] = {}

    def encode(self, texts: Sequence[str]) -> Floats:
        """Vectors (n, size) of length 1. Those of the last texts are remembered: systems share their references."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._recent]
        known = self._recent | {fresh[row]: self._vector(of.states) for row, of in self._encoder.states(fresh)}
        self._recent = dict(islice(known.items(), max(len(known) - _REMEMBERED, 0), None))
        return np.array([known[text] for text in texts])

    def _vector(self, states: Floats) -> Floats:
        if self.pooling == "cls":
            return normed(states[0])
        return normed(states.max(axis=0) if self.pooling == "max" else states.mean(axis=0))


def normed(vectors: Floats) -> Floats:
    """The same with length 1."""
    found: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return found


@lru_cache(maxsize=1)
def encoder(folder: Path) -> Encoder:
    """A model, loaded once."""
    return Encoder(folder)


@lru_cache(maxsize=1)
def sentence_encoder(folder: Path) -> SentenceEncoder:
    """A model, loaded once."""
    return SentenceEncoder(folder)


def _check_modules(folder: Path) -> None:
    """A sentence-transformers model is a row of modules; those beyond an encoder, a pooling and a norm are not ours."""
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
