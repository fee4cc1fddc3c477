"""The encoder of BERT (Devlin et al. 2019) in numpy, for inference: no PyTorch to install, or to wait for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

_NEVER: Final = np.float32(-1e9)  # what attention to padding has


class NumpyBert:
    """A model with the configuration of a folder, and its weights by name."""

    def __init__(self, config: Mapping[str, Any], weights: Mapping[str, Floats]) -> None:
        self._weights = weights
        self._layers, self._heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
        self._eps = np.float32(config.get("layer_norm_eps", 1e-12))

    @classmethod
    def read(cls, folder: Path, config: Mapping[str, Any]) -> NumpyBert:
        """That of a folder with model.safetensors."""
        from safetensors.numpy import load_file

        found = load_file(folder / "model.safetensors")
        return cls(config, {name.removeprefix("bert."): values for name, values in found.items()})

    def hidden(self, tokens: Integers, known: NDArray[np.bool_]) -> Floats:
        """Of token numbers (n, length), of which those `known` (n, length) are no padding, the last layer's states
        (n, length, size).
        """
        length = tokens.shape[1]
        states = self._weights["embeddings.word_embeddings.weight"][tokens]
        states = states + self._weights["embeddings.position_embeddings.weight"][:length]
        states = states + self._weights["embeddings.token_type_embeddings.weight"][0]
        states = self._norm(states, "embeddings.LayerNorm")
        mask = np.where(known, np.float32(0), _NEVER)[:, None, None, :]
        for layer in range(self._layers):
            at = f"encoder.layer.{layer}"
            attended = self._dense(self._attention(states, mask, at), f"{at}.attention.output.dense")
            states = self._norm(states + attended, f"{at}.attention.output.LayerNorm")
            wide = _gelu(self._dense(states, f"{at}.intermediate.dense"))
            states = self._norm(states + self._dense(wide, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        return states

    def _attention(self, states: Floats, mask: Floats, at: str) -> Floats:
        count, length, size = states.shape
        width = size // self._heads

        def split(name: str) -> Floats:
            made = self._dense(states, f"{at}.attention.self.{name}")
            return made.reshape(count, length, self._heads, width).transpose(0, 2, 1, 3)

        query, key, value = (split(name) for name in ("query", "key", "value"))
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width)) + mask
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        attended: Floats = (scores @ value).transpose(0, 2, 1, 3).reshape(count, length, size)
        return attended

    def _dense(self, states: Floats, name: str) -> Floats:
        flat: Floats = states.reshape(-1, states.shape[-1]) @ self._weights[f"{name}.weight"].T  # one product: fastest
        flat += self._weights[f"{name}.bias"]
        return flat.reshape(*states.shape[:-1], -1)

    def _norm(self, states: Floats, name: str) -> Floats:
        centred: Floats = states - states.mean(axis=-1, keepdims=True)
        centred /= np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + self._eps)
        centred *= self._weights[f"{name}.weight"]
        centred += self._weights[f"{name}.bias"]
        return centred


def _gelu(values: Floats) -> Floats:
    """The exact one, of float32 as PyTorch has it."""
    half: Floats = np.float32(0.5) * values
    half *= 1 + erf(values * np.float32(np.sqrt(0.5)))
    return half
