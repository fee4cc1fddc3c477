"""Which rows a step of training sees: a pure function of the seed and the step, so that it can be resumed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.examples.across import Across
from tiebreak.scoring.evaluator.examples.pairs import OfTexts, Pairs, Rows, as_pairs

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Rows by context. A step takes some contexts whole, up to `most` rows: texts that are read once make them all.
    With `across` it takes the pairs between its contexts, too.

    Contexts (C,) come in a new order in every round over them. `starts` (C + 1,): where the rows of each begin.
    """

    rows: Rows
    across: Across | None
    contexts: Places
    starts: Places
    seed: tuple[int, ...]
    contexts_at_once: int
    most: int

    @classmethod
    def of(
        cls, rows: Rows, seed: tuple[int, ...], contexts_at_once: int, most: int, across: Across | None = None
    ) -> Draws:
        """`across` goes with pairs alone."""
        ordered = rows.only(np.argsort(rows.context, kind="stable"))
        contexts = np.unique(ordered.context if across is None else np.concatenate([ordered.context, across.context]))
        starts = np.append(np.searchsorted(ordered.context, contexts), len(ordered))
        return cls(ordered, across, contexts, starts, seed, contexts_at_once, most)

    def shown(self) -> Rows:
        """The rows of one round over the contexts; with `across`, as many as there would be."""
        if self.across is None:
            return self.rows
        return Pairs.joined([as_pairs(self.rows), self.across.in_groups(self.contexts_at_once)])

    def said_of(self) -> tuple[OfTexts, ...]:
        """All rows about texts that it can show."""
        return (self.rows,) if self.across is None else (self.rows, self.across)

    def steps(self, rounds: float) -> int:
        """How many steps it takes to see every context so many times."""
        return max(int(np.ceil(rounds * self.contexts.size / self.contexts_at_once)), 1)

    def rounds(self, steps: int) -> float:
        """How often so many steps see every context."""
        return steps * min(self.contexts_at_once, self.contexts.size) / self.contexts.size

    def at(self, step: int, margins: tuple[float, float]) -> Rows:
        """The rows of a step, with margins in this range: of a context that has none, those that come nearest.

        There may be none where `across` finds nothing in common between contexts of one text each.
        """
        numbers = self._contexts_at(step)
        rows = self.rows.only(np.concatenate([self._of_context(int(number), margins) for number in numbers]))
        if self.across is not None:
            rows = Pairs.joined([as_pairs(rows), self.across.between(self.contexts[numbers])])
        if len(rows) > self.most:
            chosen = np.random.default_rng([*self.seed, 1, step]).choice(len(rows), size=self.most, replace=False)
            rows = rows.only(np.sort(chosen))
        return rows

    def _contexts_at(self, step: int) -> Places:
        first = step * self.contexts_at_once
        count = self.contexts.size
        numbers = range(first, first + min(self.contexts_at_once, count))
        rounds = {number // count for number in numbers}
        orders = {k: np.random.default_rng([*self.seed, 0, k]).permutation(count) for k in rounds}
        return np.unique([orders[number // count][number % count] for number in numbers])

    def _of_context(self, number: int, margins: tuple[float, float]) -> Places:
        places = np.arange(self.starts[number], self.starts[number + 1])
        margin = self.rows.margin[places]
        if np.isnan(margin).all():
            return places
        low, high = min(margins[0], float(np.nanmax(margin))), max(margins[1], float(np.nanmin(margin)))
        return places[(margin >= low - 1e-9) & (margin <= high + 1e-9)]
