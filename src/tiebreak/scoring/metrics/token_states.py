"""Vectors of the tokens of texts from a layer of an encoder, by transformers; for BERTScore."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.scoring.metrics.models import device_of, quietly, torch_and_transformers

Floats = NDArray[np.float32]

_TEXTS_AT_ONCE: Final = 32
_LONGEST: Final = 512


class TokenStates(NamedTuple):
    """Of a text: vectors (n, size) of length 1, and which (n,) are of its own tokens, not of its ends."""

    vectors: Floats
    own: NDArray[np.bool_]


class TokenEncoder:
    """An encoder from a folder, up to a layer; of `layer` None, that at three quarters of its depth."""

    def __init__(self, folder: Path, layer: int | None) -> None:
        self._torch, transformers = torch_and_transformers()
        self._device = device_of(self._torch)
        with quietly(transformers):
            self._tokens = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = transformers.AutoModel.from_pretrained(folder, local_files_only=True)
        self._model = model.float().to(self._device).eval()
        depth = int(model.config.num_hidden_layers)
        self.layer = round(0.75 * depth) if layer is None else min(layer, depth)
        self._longest = min(int(getattr(self._tokens, "model_max_length", _LONGEST) or _LONGEST), _LONGEST)

    def of(self, texts: Sequence[str]) -> list[TokenStates]:
        """Those of every text."""
        order = sorted(range(len(texts)), key=lambda k: len(texts[k]))
        found: dict[int, TokenStates] = {}
        for start in range(0, len(order), _TEXTS_AT_ONCE):
            rows = order[start : start + _TEXTS_AT_ONCE]
            found.update(zip(rows, self._batch([texts[row] for row in rows]), strict=True))
        return [found[row] for row in range(len(texts))]

    def _batch(self, texts: list[str]) -> list[TokenStates]:
        encoded: Any = self._tokens(
            texts, padding=True, truncation=True, max_length=self._longest, return_special_tokens_mask=True,
            return_tensors="pt",
        )  # fmt: skip
        ends = encoded.pop("special_tokens_mask").numpy().astype(np.bool_)
        known = encoded["attention_mask"].numpy().astype(np.bool_)
        with self._torch.inference_mode():
            made = self._model(**encoded.to(self._device), output_hidden_states=True).hidden_states[self.layer]
        states = made.cpu().numpy()
        states /= np.maximum(np.linalg.norm(states, axis=-1, keepdims=True), 1e-12)
        return [TokenStates(of[here], ~end[here]) for of, here, end in zip(states, known, ends, strict=True)]


@lru_cache(maxsize=1)
def token_encoder(folder: Path, layer: int | None) -> TokenEncoder:
    """A model, loaded once."""
    return TokenEncoder(folder, layer)
