"""The largest evidence so far of many pairs at once, item by item: what thresholds that move are compared with.

For outcomes on inputs like these, evidence against "no difference" depends on the items that are no ties and on the
lead only, and matters only between the lowest and the highest threshold of a family: a small table holds all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import bet_mixture, bounded_mean, lead_boundary
from tiebreak.rules.anytime import Priors

Codes = NDArray[np.int8]
Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Cells = NDArray[np.intp]

_ROWS = 512  # of the table, computed together
_ITEMS = 10_000  # computed together where there is no table


class RunEvidence(Protocol):
    """Keeps what it needs of all cells; a cell is one pair in one campaign."""

    def after(self, cells: Cells, values: Codes, start: int) -> Floats:
        """Running maxima of log E (cells, n, D) after each of the next values (cells, n), which follow item `start`:
        for a, for b, and with a margin for equivalence (of its smaller side).
        """


@dataclass(frozen=True, slots=True)
class Band:
    """log E between two thresholds: `least` (horizon + 1,), the smallest lead that reaches the lower one with so many
    items that are no ties; `log_e` (horizon + 1, W + 2): below, at this lead, at those two by two above it, beyond.
    """

    least: Integers
    log_e: Floats

    def __call__(self, untied: Integers, lead: Integers) -> Floats:
        """log E against "a is not better", -inf below the lower threshold, inf from the higher one on."""
        column = np.clip((lead - self.least[untied]) >> 1, -1, self.log_e.shape[1] - 2) + 1
        return np.asarray(self.log_e[untied, column])


@lru_cache(maxsize=16)
def band(lowest: float, highest: float, horizon: int) -> Band:
    """The table for up to `horizon` items and thresholds of log E from `lowest` to `highest`, kept for the next call.

    The evidence is that of the default prior.
    """
    prior = Priors.default().outcomes
    least = lead_boundary.anytime_boundary(prior, lowest, horizon).for_a
    most = lead_boundary.anytime_boundary(prior, highest, horizon).for_a
    leads = least[:, None] + 2 * np.arange(int((most - least).max()) // 2, dtype=np.int32)
    table = np.full((horizon + 1, leads.shape[1] + 2), np.inf)
    table[:, 0] = -np.inf
    count = np.arange(horizon + 1, dtype=np.float64)[:, None]
    for start in range(0, horizon + 1, _ROWS):
        rows = slice(start, start + _ROWS)
        lead = np.minimum(leads[rows], count[rows])  # beyond n: never looked up
        wins, losses = (count[rows] + lead) / 2, (count[rows] - lead) / 2
        found = bet_mixture.log_e_from_counts(losses, np.zeros_like(wins), wins, prior)
        table[rows, 1:-1] = np.where(leads[rows] < most[rows, None], found, np.inf)
    return Band(least, table)


class OutcomePaths:
    """Outcomes on inputs like these. `lowest`, `highest`: of all thresholds; `margin`: equivalence too."""

    def __init__(self, cells: int, most: int, lowest: float, highest: float, margin: float | None) -> None:
        self._band = band(lowest, highest, most)
        self._margin = margin
        self._lead, self._untied = np.zeros((2, cells), dtype=np.int32)
        self._sup = np.full((cells, 2 if margin is None else 4), -np.inf)

    def after(self, cells: Cells, values: Codes, start: int) -> Floats:
        """As `RunEvidence`."""
        lead = self._lead[cells, None] + np.cumsum(values, axis=1, dtype=np.int32)
        untied = self._untied[cells, None] + np.cumsum(values != 0, axis=1, dtype=np.int32)
        sides = [self._band(untied, lead), self._band(untied, -lead)]
        if self._margin is not None:
            sides += _beyond_margin(untied, lead, start, self._margin)
        path = np.stack(sides, axis=2)
        np.maximum(path[:, 0], self._sup[cells], out=path[:, 0])
        np.maximum.accumulate(path, axis=1, out=path)
        self._lead[cells], self._untied[cells], self._sup[cells] = lead[:, -1], untied[:, -1], path[:, -1]
        return _with_smaller_side(path)


class PoolPaths:
    """A claim about a pool of `most` items or more, drawn without replacement: bets on bounded values, path by path."""

    def __init__(self, cells: int, most: int, pool: int, margin: float | None) -> None:
        self._pool, self._margin = pool, margin
        self._values = np.zeros((cells, most), dtype=np.int8)

    def after(self, cells: Cells, values: Codes, start: int) -> Floats:
        """As `RunEvidence`."""
        self._values[cells, start : start + values.shape[1]] = values
        so_far = self._values[cells, : start + values.shape[1]].astype(np.float64)
        prior = Priors.default().bounded
        nulls = [0.0, 0.0] if self._margin is None else [0.0, 0.0, -self._margin, -self._margin]
        path = np.empty((*so_far.shape, len(nulls)))
        for cell, of_cell in enumerate(so_far):
            for side in (1, -1):
                scales = bounded_mean.bet_scales(side * of_cell, self._pool)
                for place in range(side < 0, len(nulls), 2):
                    path[cell, :, place] = bounded_mean.log_e_path(
                        side * of_cell, prior, nulls[place], self._pool, scales
                    )
        np.maximum.accumulate(path, axis=1, out=path)
        return _with_smaller_side(path[:, start:])


def _beyond_margin(untied: Integers, lead: Integers, start: int, margin: float) -> list[Floats]:
    """log E (cells, n) against "a is worse by the margin or more", and against the same of b."""
    prior = Priors.default().outcomes
    count = np.arange(start + 1, start + lead.shape[1] + 1)
    found = np.empty((2, *lead.shape))
    step = max(1, _ITEMS // count.size)
    for first in range(0, len(lead), step):
        rows = slice(first, first + step)
        won, lost = (untied[rows] + lead[rows]) / 2, (untied[rows] - lead[rows]) / 2
        tied = (count - untied[rows]).astype(np.float64)
        found[0, rows] = bet_mixture.log_e_from_counts(lost, tied, won, prior, -margin)
        found[1, rows] = bet_mixture.log_e_from_counts(won, tied, lost, prior, -margin)
    return list(found)


def _with_smaller_side(path: Floats) -> Floats:
    """(..., 4) for a, for b and both sides of equivalence as (..., 3); without a margin as it is."""
    if path.shape[2] == 2:
        return path
    return np.concatenate([path[:, :, :2], path[:, :, 2:].min(axis=2, keepdims=True)], axis=2)
