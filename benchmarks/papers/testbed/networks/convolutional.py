"""Gated convolutions that read and write, with attention (Gehring and others 2017)."""

from __future__ import annotations

import torch
from benchmarks.papers.testbed.networks.network import Attention, Network, positions
from benchmarks.papers.testbed.texts import PADDING
from torch.nn import functional

_KERNEL = 3
_LAYERS = 2


class Convolutional(Network):
    """Two layers on each side, each of three tokens; those that write see what came before alone."""

    def __init__(self, vocabulary: int, width: int, dropout: float) -> None:
        super().__init__(vocabulary, width, dropout)
        self.readers = torch.nn.ModuleList(Gated(width, before=_KERNEL // 2) for _ in range(_LAYERS))
        self.writers = torch.nn.ModuleList(Gated(width, before=_KERNEL - 1) for _ in range(_LAYERS))
        self.attentions = torch.nn.ModuleList(Attention(width) for _ in range(_LAYERS))

    def encode(self, source: torch.Tensor) -> torch.Tensor:
        states = self.embedded(source) + positions(source.shape[1], self.width, source.device)
        real = (source != PADDING)[:, :, None]
        for reader in self.readers:
            states = reader(self.dropout(states) * real)
        return states

    def decode(self, memory: torch.Tensor, source: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
        states = self.embedded(written) + positions(written.shape[1], self.width, written.device)
        for writer, attention in zip(self.writers, self.attentions, strict=True):
            states = attention(writer(self.dropout(states)), memory, source) * 0.5**0.5
        return states


class Gated(torch.nn.Module):
    """A convolution whose one half opens the other, added to what it read; `before`: tokens seen on the left."""

    def __init__(self, width: int, before: int) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv1d(width, 2 * width, _KERNEL)
        self.padding = (before, _KERNEL - 1 - before)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        columns = functional.pad(states.transpose(1, 2), self.padding)
        found: torch.Tensor = functional.glu(self.convolution(columns), dim=1).transpose(1, 2)
        return (states + found) * 0.5**0.5
