"""The rule `planned` in many campaigns at once: the largest evidence so far of each pair, item by item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import exact_walk
from tiebreak.kernels.exact_walk import WalkPlan
from tiebreak.rules import planned
from tiebreak.rules.planned import Family

Codes = NDArray[np.int8]
Floats = NDArray[np.float64]
Cells = NDArray[np.intp]


class PlannedRuns:
    """Keeps the evidence of all cells that are still looked at; a cell is one pair in one campaign, of which at most
    `items` items get one value each. `pool`: items of a claim about them, None for inputs like these.
    """

    def __init__(self, family: Family, items: int, margin: float | None, pool: int | None, cells: int) -> None:
        self._family = family
        self._plan = planned.plan_pair(family, items, margin=margin, pool_size=pool, steps=None)
        self._cells = np.arange(cells)
        self._state = planned.start(self._plan, cells)

    def after(self, cells: Cells, values: Codes) -> Floats:
        """The evidence for verdicts (cells, n, D) at its largest after each of the next values (cells, n): for a, for
        b, and with a margin for equivalence. Cells that are not given are not looked at again.
        """
        self._state = self._state.of(np.searchsorted(self._cells, cells))
        self._cells = cells
        path = np.empty((*values.shape, 2 if self._plan.margin is None else 3))
        for item, value in enumerate(values.T.astype(np.float64)):
            self._state = planned.advance(self._plan, self._state, value)
            path[:, item] = planned.evidence(self._plan, self._state).for_verdicts(self._family)
        return path


class WalkedRuns:
    """The same for outcomes on inputs like these without a margin: the exact walk alone, many items at a time."""

    def __init__(self, family: Family, items: int, cells: int) -> None:
        self._plan = WalkPlan(family.levels(), items)
        self._cells = np.arange(cells)
        self._walk = exact_walk.start(self._plan, cells)
        self._lead = np.zeros(cells, dtype=np.int64)
        self._crossed = np.zeros((cells, 2), dtype=np.int64)

    def after(self, cells: Cells, values: Codes) -> Floats:
        """The evidence (cells, n, 2), as of `PlannedRuns`."""
        kept = np.searchsorted(self._cells, cells)
        self._cells = cells
        self._walk, boundary = exact_walk.path(self._plan, self._walk.of(kept), values != 0)
        lead = self._lead[kept, None] + np.cumsum(values, axis=1, dtype=np.int64)
        crossed = exact_walk.crossed(boundary, np.stack([lead, -lead], axis=2))
        np.maximum(crossed[:, 0], self._crossed[kept], out=crossed[:, 0])
        np.maximum.accumulate(crossed, axis=1, out=crossed)
        self._lead, self._crossed = lead[:, -1], crossed[:, -1]
        return planned.levels_crossed(self._plan, crossed)


def planned_runs(
    family: Family, items: int, margin: float | None, pool: int | None, cells: int
) -> PlannedRuns | WalkedRuns:
    """What keeps the evidence of pairs of which at most `items` items get one value each."""
    if margin is None and pool is None and items <= planned.LARGEST_WALK:
        return WalkedRuns(family, items, cells)
    return PlannedRuns(family, items, margin, pool, cells)
