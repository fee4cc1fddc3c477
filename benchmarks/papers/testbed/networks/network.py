"""What the three networks have in common: embeddings, which are the output weights too, and a loss."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from benchmarks.papers.testbed.texts import BEGIN, PADDING
from torch.nn import functional


class Network(torch.nn.Module, ABC):
    """Writes a text for another, token by token. Sources (n, S) and what was written so far (n, T) are numbers."""

    def __init__(self, vocabulary: int, width: int, dropout: float) -> None:
        super().__init__()
        self.embeddings = torch.nn.Embedding(vocabulary, width, padding_idx=PADDING)
        torch.nn.init.normal_(self.embeddings.weight, std=width**-0.5)
        self.dropout = torch.nn.Dropout(dropout)
        self.width = width

    @abstractmethod
    def encode(self, source: torch.Tensor) -> torch.Tensor:
        """What the decoder reads of a source (n, S, width)."""

    @abstractmethod
    def decode(self, memory: torch.Tensor, source: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
        """A state (n, T, width) for each token that was written, from which the next one follows."""

    def embedded(self, numbers: torch.Tensor) -> torch.Tensor:
        """Embeddings of about unit size, some dropped out."""
        found: torch.Tensor = self.dropout(self.embeddings(numbers) * self.width**0.5)
        return found

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Of every token of the vocabulary (..., V)."""
        return functional.linear(states, self.embeddings.weight)

    def loss(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """The sum of -log p over the tokens of the targets (n, T), each with its <end>."""
        begin = torch.full_like(target[:, :1], BEGIN)
        states = self.decode(self.encode(source), source, torch.cat([begin, target[:, :-1]], 1))
        real = target != PADDING
        return functional.cross_entropy(self.logits(self.dropout(states[real])), target[real], reduction="sum")


class Attention(torch.nn.Module):
    """One head: each state reads the memory, and what it reads is added to it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.out = torch.nn.Linear(width, width), torch.nn.Linear(width, width)

    def forward(self, states: torch.Tensor, memory: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        scores = self.query(states) @ memory.transpose(1, 2) * memory.shape[2] ** -0.5
        scores = scores.masked_fill((source == PADDING)[:, None], float("-inf"))
        read: torch.Tensor = self.out(scores.softmax(2) @ memory)
        return states + read


def positions(length: int, width: int, device: torch.device) -> torch.Tensor:
    """Sines and cosines of each place (length, width), as in Vaswani and others (2017)."""
    places = torch.arange(length, device=device)[:, None]
    rates = 10_000 ** (-torch.arange(0, width, 2, device=device) / width)
    return torch.cat([torch.sin(places * rates), torch.cos(places * rates)], 1)[:, :width]
