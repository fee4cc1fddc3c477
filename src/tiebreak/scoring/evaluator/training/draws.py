"""Which rows a step of training sees: a pure function of the seed and the step, so that it can be resumed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.examples.pairs import Rows

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Rows by context. A step takes some contexts whole, up to `most` rows: texts that are read once make them all.

    Contexts come in a new order in every round over them.
    """

    rows: Rows
    starts: Places
    seed: tuple[int, ...]
    contexts_at_once: int
    most: int

    @classmethod
    def of(cls, rows: Rows, seed: tuple[int, ...], contexts_at_once: int, most: int) -> Draws:
        ordered = rows.only(np.argsort(rows.context, kind="stable"))
        changes = np.flatnonzero(np.diff(ordered.context)) + 1
        return cls(ordered, np.concatenate([[0], changes, [len(ordered)]]), seed, contexts_at_once, most)

    @property
    def contexts(self) -> int:
        return int(self.starts.size - 1)

    def steps(self, rounds: float) -> int:
        """How many steps it takes to see every context so many times."""
        return max(int(np.ceil(rounds * self.contexts / self.contexts_at_once)), 1)

    def at(self, step: int, margins: tuple[float, float]) -> Rows:
        """The rows of a step, with margins in this range: of a context that has none, those that come nearest."""
        found = [self._of_context(int(number), margins) for number in self._contexts_at(step)]
        chosen = np.concatenate(found)
        if chosen.size > self.most:
            chosen = np.random.default_rng([*self.seed, 1, step]).choice(chosen, size=self.most, replace=False)
        return self.rows.only(np.sort(chosen))

    def _contexts_at(self, step: int) -> Places:
        first = step * self.contexts_at_once
        numbers = range(first, first + min(self.contexts_at_once, self.contexts))
        rounds = {number // self.contexts for number in numbers}
        orders = {k: np.random.default_rng([*self.seed, 0, k]).permutation(self.contexts) for k in rounds}
        return np.unique([orders[number // self.contexts][number % self.contexts] for number in numbers])

    def _of_context(self, number: int, margins: tuple[float, float]) -> Places:
        places = np.arange(self.starts[number], self.starts[number + 1])
        margin = self.rows.margin[places]
        if np.isnan(margin).all():
            return places
        low, high = min(margins[0], float(np.nanmax(margin))), max(margins[1], float(np.nanmin(margin)))
        return places[(margin >= low - 1e-9) & (margin <= high + 1e-9)]
