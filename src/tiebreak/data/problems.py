"""Collects everything that is wrong with the input, so that one error can name all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from tiebreak.errors import InputError, Problem
from tiebreak.records import Notice

MAX_PROBLEMS: Final = 1000
"""So many problems are kept with their place; all are counted."""


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table as read, before its content is checked.

    `file` as the user knows it; `lines` maps 0-based row numbers, ascending, to 1-based lines of the file
    (or to row numbers where the source has no lines). `misfits`: rows of a column whose value did not fit its
    type; they are reported already, and null in `frame`.
    """

    file: str
    frame: pl.DataFrame
    lines: Callable[[Sequence[int]], list[int]]
    header_line: int | None = 1
    misfits: dict[str, list[int]] = field(default_factory=dict)


@dataclass(slots=True)
class ProblemLog:
    """Problems and notices so far; `total` also counts the problems that are too many to keep."""

    problems: list[Problem] = field(default_factory=list)
    total: int = 0
    notices: list[Notice] = field(default_factory=list)

    def add(self, problem: Problem) -> None:
        self.total += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def add_rows(
        self,
        table: RawTable,
        rows: Sequence[int],
        column: str,
        values: Callable[[Sequence[int]], Iterable[object]],
        message: Callable[[object], str],
    ) -> None:
        """One problem for each of the rows (0-based); only those that are kept are located and worded."""
        self.total += len(rows)
        kept = list(rows[:MAX_PROBLEMS])
        for line, value in zip(table.lines(kept), values(kept), strict=True):
            shown = "" if value is None else str(value)
            self.problems.append(Problem(table.file, message(value), line, column, shown))

    def merge(self, other: ProblemLog) -> None:
        """Takes over the problems of one file, in the order of its lines."""
        self.total += other.total
        self.notices += other.notices
        room = MAX_PROBLEMS - len(self.problems)
        ordered = sorted(other.problems, key=lambda problem: problem.line or 0)
        self.problems.extend(ordered[: max(room, 0)])

    @contextmanager
    def taking_over(self) -> Iterator[None]:
        """Whatever is wrong with one of several files is told with what is wrong with the others."""
        try:
            yield
        except InputError as error:
            for problem in error.problems:
                self.add(problem)
            self.total += error.total - len(error.problems)

    def raise_if_any(self) -> None:
        if self.total:
            raise InputError(self.problems, self.total)
