"""What every form does: it reads texts by an encoder, says how wrong it is about labels, and what it did not read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.models.encoders import Tokens


def by_length(lengths: Sequence[int], at_once: int, most_rows: int | None = None) -> Iterator[NDArray[np.intp]]:
    """Numbers of rows, the longest first, in batches whose rows times their longest are at most `at_once` tokens, and
    of `most_rows` rows at most.

    The longest first: what does not fit into the memory fails at once. A row that is longer is a batch of its own.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.intp), kind="stable")
    start = 0
    while start < order.size:
        most = max(at_once // max(lengths[order[start]], 1), 1)
        most = most if most_rows is None else min(most, most_rows)
        yield order[start : start + most]
        start += most


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


@dataclass(frozen=True, slots=True)
class Lost:
    """Distinct texts and contexts that are longer than the `limits`, the tokens that are read of each."""

    limits: Limits
    texts: frozenset[str] = frozenset()
    contexts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, limits: Limits, texts: Sequence[str], contexts: Sequence[str], tokens: Tokens) -> Lost:
        """`limits`: what the model always reads; `tokens`: of these texts and contexts, in their order."""
        return cls(
            limits,
            frozenset(text for text, ids in zip(texts, tokens.texts, strict=True) if len(ids) > limits.text),
            frozenset(text for text, ids in zip(contexts, tokens.contexts, strict=True) if len(ids) > limits.context),
        )

    @classmethod
    def among(
        cls, limits: Limits, texts: Sequence[str], contexts: Sequence[str], tokens: Tokens, context: NDArray[np.intp],
        chosen: NDArray[np.intp],
    ) -> Lost:  # fmt: skip
        """The same of the `chosen` ones of the texts, by their numbers, and of their contexts; `context` (T,): the
        number of each text's.
        """
        about = np.unique(context[chosen]).tolist()
        return cls(
            limits,
            frozenset(texts[number] for number in chosen.tolist() if len(tokens.texts[number]) > limits.text),
            frozenset(contexts[number] for number in about if len(tokens.contexts[number]) > limits.context),
        )

    def __or__(self, other: Lost) -> Lost:
        limits = Limits(
            min(self.limits.context, other.limits.context), min(self.limits.text, other.limits.text),
            self.limits.shared,
        )  # fmt: skip
        return Lost(limits, self.texts | other.texts, self.contexts | other.contexts)

    def notes(self) -> list[str]:
        """A sentence for each kind that there is."""
        found = []
        if self.texts:
            found.append(
                f"Only the start of {counted(len(self.texts), 'text')} is read: at most "
                f"{counted(self.limits.text, 'token')} of each (--text-tokens of evaluator train)."
            )
        if self.contexts and self.limits.context:
            found.append(
                f"The middle of {counted(len(self.contexts), 'context')} is not read: at most "
                f"{counted(self.limits.context, 'token')} of each are (--context-tokens of evaluator train)."
            )
        return found
