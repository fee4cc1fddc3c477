"""What every form does: it reads texts by an encoder, and says how wrong it is about labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.models.encoders import Tokens

Places = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens that are read of a context and of each text; what is longer is cut: texts at their end, contexts in their
    middle. `shared`: a context has what the texts beside it leave, and more beside short ones.
    """

    context: int
    text: int
    shared: bool = False


class Learner(torch.nn.Module, ABC):
    """A form: what is trained."""

    encoder: torch.nn.Module
    limits: Limits

    @abstractmethod
    def loss(self, tokens: Tokens, context: Places, rows: Any) -> torch.Tensor:
        """What training makes small, of the rows of its kind; `context`: of each text (T,)."""

    def always_read(self, tokens: Tokens) -> Limits:
        """The tokens of a context and of a text that are read of these, as far as they have so many."""
        return Limits(min(self.limits.context, tokens.longest - 2), min(self.limits.text, tokens.longest - 2))

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
