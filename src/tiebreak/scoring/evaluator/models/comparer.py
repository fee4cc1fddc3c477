"""What every way of comparing two texts does: three logits for a pair, in a given order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from tiebreak.scoring.evaluator.models.encoders import Tokens

Places = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens that are read of a context and of each text; what is longer is cut: texts at their end, contexts in their
    middle.
    """

    context: int
    text: int


class Comparer(torch.nn.Module, ABC):
    """Compares texts of one context. Outcomes in the order better, tie, worse."""

    encoder: torch.nn.Module
    limits: Limits

    def most_read(self, longest: int) -> Limits:
        """The tokens of a context and of a text that are read at most, where the encoder reads so many at once."""
        return Limits(min(self.limits.context, longest - 2), min(self.limits.text, longest - 2))

    @abstractmethod
    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        """For training (n, 3), or (2n, 3): in both orders. Of pairs (n,) of texts; `context`: of each text (T,)."""

    @abstractmethod
    def probabilities(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> Floats:
        """For judging (n, 3), the mean of both orders; `at_once`: tokens in one batch."""

    def comparing(self, tokens: Tokens, context: Places, at_once: int) -> Callable[[Places, Places], Floats]:
        """`probabilities` of pairs (n,) of these texts, for many calls."""
        return lambda a, b: self.probabilities(tokens, context, a, b, at_once)

    @abstractmethod
    def flips(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> float:
        """The share of pairs whose answer changes with the order in which they are read."""

    def loss(self, tokens: Tokens, context: Places, a: Places, b: Places, shares: Floats) -> torch.Tensor:
        """The mean of -log of the probability of what was told (learning-to-compare, equation 1, for shares)."""
        found = self.logits(tokens, context, a, b).float()
        told = torch.from_numpy(shares).float().to(found.device).repeat(found.shape[0] // a.size, 1)
        return -(told * functional.log_softmax(found, dim=1)).sum(1).mean()

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device


def cut(ids: list[int], most: int) -> list[int]:
    """The first tokens of a text."""
    return ids[:most]


def cut_middle(ids: list[int], most: int) -> list[int]:
    """The first and the last tokens of a context: how a document begins, and the last turn of a dialogue."""
    if len(ids) <= most:
        return ids
    first = most // 2
    return [*ids[:first], *ids[len(ids) - (most - first) :]]
