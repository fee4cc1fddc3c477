"""A transformer of a layer that reads and one that writes (Vaswani and others 2017)."""

from __future__ import annotations

import torch
from benchmarks.papers.testbed.networks.network import Network, positions
from benchmarks.papers.testbed.texts import PADDING

_HEADS = 4
_LAYERS = 1


class Transformer(Network):
    """Layers are normalised before they read, so that it learns from the first step on."""

    def __init__(self, vocabulary: int, width: int, dropout: float) -> None:
        super().__init__(vocabulary, width, dropout)
        shape = {"d_model": width, "nhead": _HEADS, "dim_feedforward": 2 * width, "dropout": dropout}
        reader = torch.nn.TransformerEncoderLayer(**shape, batch_first=True, norm_first=True)
        writer = torch.nn.TransformerDecoderLayer(**shape, batch_first=True, norm_first=True)
        normal = torch.nn.LayerNorm
        self.reader = torch.nn.TransformerEncoder(reader, _LAYERS, normal(width), enable_nested_tensor=False)
        self.writer = torch.nn.TransformerDecoder(writer, _LAYERS, normal(width))

    def encode(self, source: torch.Tensor) -> torch.Tensor:
        states = self.embedded(source) + positions(source.shape[1], self.width, source.device)
        found: torch.Tensor = self.reader(states, src_key_padding_mask=source == PADDING)
        return found

    def decode(self, memory: torch.Tensor, source: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
        length = written.shape[1]
        later = torch.ones(length, length, dtype=torch.bool, device=written.device).triu(1)
        states = self.embedded(written) + positions(length, self.width, written.device)
        found: torch.Tensor = self.writer(
            states, memory, tgt_mask=later, memory_key_padding_mask=source == PADDING, tgt_is_causal=True
        )
        return found
