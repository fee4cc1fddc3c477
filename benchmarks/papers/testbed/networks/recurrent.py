"""Two recurrent layers with attention between them (Sutskever and others 2014, with gated units)."""

from __future__ import annotations

import torch
from benchmarks.papers.testbed.networks.network import Attention, Network
from benchmarks.papers.testbed.texts import PADDING
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Recurrent(Network):
    """One layer reads in both directions, one writes."""

    def __init__(self, vocabulary: int, width: int, dropout: float) -> None:
        super().__init__(vocabulary, width, dropout)
        self.reader = torch.nn.GRU(width, width // 2, batch_first=True, bidirectional=True)
        self.writer = torch.nn.GRU(width, width, batch_first=True)
        self.attention = Attention(width)

    def encode(self, source: torch.Tensor) -> torch.Tensor:
        lengths = (source != PADDING).sum(1)
        packed = pack_padded_sequence(self.embedded(source), lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.reader(packed)[0], batch_first=True, total_length=source.shape[1])
        return states

    def decode(self, memory: torch.Tensor, source: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
        mean = memory.sum(1) / (source != PADDING).sum(1, keepdim=True)  # of padding the reader's states are zero
        states, _ = self.writer(self.embedded(written), mean[None].contiguous())
        read: torch.Tensor = self.attention(states, memory, source)
        return torch.tanh(read)
