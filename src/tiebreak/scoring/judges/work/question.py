"""A question to a judge, and what its answer is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Row = Mapping[str, str | None]
"""Columns of a table without what the judge is to say."""


@dataclass(frozen=True, slots=True)
class Question:
    """`row`: what it is about; `texts`: what is shown, by placeholder."""

    row: Row
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Work:
    """`questions` to ask; `identical`: rows of comparisons of the same text, which are ties without a question;
    `known`: answers that the study has already; `units`: comparisons, or outputs, that all of this is about.
    """

    questions: Sequence[Question] = ()
    identical: Sequence[Row] = ()
    known: int = 0
    units: int = 0
