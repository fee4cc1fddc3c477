"""What to bet when looking ends at a planned number of units: the bet that replicates a boundary of spending.

A Brownian score B runs from u = 0 to u = 1. b(u) is the boundary at which it spends level * s(u) (`spending`), and
V(u, y) the probability that it crosses b in (u, 1] from B_u = y. V is a martingale where the mean is that of the null:
it starts at the level and ends at 1 where the boundary was crossed, so that V/level is the wealth of a bettor who has
1/level exactly when the score crosses. V_y/V is the bet that replicates it.

V is found by recursion over the looks of `spending_boundary`, from the last to the first, by Simpson's rule. Nothing
here matters for validity: the table only proposes bets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from tiebreak.kernels.spending_boundary import (
    POINTS,
    REACH,
    normal_density,
    plan_like,
    simpson_weights,
    spending_boundary,
)

Floats = NDArray[np.float64]

_LEAST: Final = 1e-250  # of V: its logarithm is taken
_STEEPEST: Final = 60.0  # V_y/V per standard deviation


@dataclass(frozen=True, slots=True, eq=False)
class HedgeTable:
    """Rows at shares of the plan `shares` (M,): `edges` (M,) b(u)/sqrt(u); on `SCORES` (Z,), scores in standard
    deviations sqrt(u): log V (M, Z), increasing, and `slopes` (M, Z), V_y/V times sqrt(u), at least 0.
    """

    level: float
    planned: int
    shares: Floats
    edges: Floats
    log_values: Floats
    slopes: Floats

    def row(self, share: float) -> HedgeRow:
        """The table at a share u of the plan in (0, 1], interpolated between rows; at the ends the outermost row."""
        place = int(np.searchsorted(self.shares, share))
        low, high = max(place - 1, 0), min(place, self.shares.size - 1)
        gap = float(self.shares[high] - self.shares[low])
        part = (share - float(self.shares[low])) / gap if gap > 0 else 0.0

        def between(rows: Floats) -> Floats:
            return np.asarray(rows[low] + part * (rows[high] - rows[low]))

        edge = float(between(self.edges))
        return HedgeRow(math.sqrt(share), edge, between(self.log_values), between(self.slopes))

    def boundary(self, shares: Floats) -> Floats:
        """b(u), the shape of the shares u in [0, 1]."""
        return np.asarray(np.interp(shares, self.shares, self.edges) * np.sqrt(shares))


@dataclass(frozen=True, slots=True)
class HedgeRow:
    """A `HedgeTable` at one share u: `root` sqrt(u), `edge` b(u)/sqrt(u), `log_values` and `slopes` (Z,)."""

    root: float
    edge: float
    log_values: Floats
    slopes: Floats

    def bet(self, score: Floats, log_value: Floats) -> Floats:
        """V_y/V halfway between a score y and the score at which V is exp(log_value), but not above the boundary.

        Zero where log_value is 0 or more: nothing is left to win.
        """
        implied = np.interp(log_value, self.log_values, SCORES)
        middle = np.minimum((score / self.root + implied) / 2, self.edge)
        place = np.minimum(np.maximum((middle + REACH) * ((POINTS - 1) / (2 * REACH)), 0.0), POINTS - 1.000001)
        whole = place.astype(np.intp)
        slope = self.slopes[whole] + (place - whole) * (self.slopes[whole + 1] - self.slopes[whole])
        return np.asarray(np.where(log_value < 0, slope / self.root, 0.0))


SCORES: Final = np.linspace(-REACH, REACH, POINTS)


@lru_cache(maxsize=64)
def hedge_table(level: float, planned: int) -> HedgeTable:
    """The table for one level and a planned number of units; takes about 0.2 s, and the last ones are kept.

    Raises:
        ValueError: a level outside (0, 1/2), or a plan below one unit.
    """
    if not 0 < level < 0.5:
        raise ValueError(f"the level must be in (0, 0.5), not {level}")
    return _backward(level, planned)


@lru_cache(maxsize=4096)
def hedge_row(level: float, planned: int, share: float) -> HedgeRow:
    """A row of the table of a plan like this one, kept for the next pair that asks for the same share."""
    return table_like(level, planned).row(share)


def table_like(level: float, planned: int) -> HedgeTable:
    """The table of a plan within 5% of this one.

    A campaign of many pairs has many plans; all that depends on the table is a little power.
    """
    return hedge_table(level, plan_like(planned))


def _backward(level: float, planned: int) -> HedgeTable:
    """V between looks: at the middle of the time from one look to the next, from what it is at the next."""
    boundary = spending_boundary(level, planned)
    times, edges = boundary.times, boundary.edges
    middles = (times + np.concatenate([[0.0], times[:-1]])) / 2
    log_values, slopes = np.empty((2, times.size, POINTS))
    value, grid = np.zeros(POINTS), np.linspace(-REACH, min(float(edges[-1]), REACH), POINTS)
    for place in range(times.size - 1, -1, -1):
        time, edge, middle = float(times[place]), float(edges[place]), float(middles[place])
        weights = value * simpson_weights(grid)
        chances = _chances(SCORES * math.sqrt(middle), grid, weights, edge, math.sqrt(time - middle))
        log_values[place] = np.log(np.maximum(chances, _LEAST))
        if place:
            before, earlier = math.sqrt(times[place - 1]), float(edges[place - 1])
            next_grid = np.linspace(-REACH * before, min(earlier, REACH * before), POINTS)
            value = _chances(next_grid, grid, weights, edge, math.sqrt(time - times[place - 1]))
            grid = next_grid
    # Strictly increasing, so that it can be inverted where rounding or the floor has flattened it.
    log_values = np.maximum.accumulate(log_values, axis=1) + 1e-9 * np.arange(POINTS)
    slopes = np.clip(np.gradient(log_values, SCORES, axis=1), 0.0, _STEEPEST)
    filled = np.where(np.isfinite(edges), edges, REACH * np.sqrt(times))
    at_middles = np.interp(middles, times, filled) / np.sqrt(middles)
    return HedgeTable(level, planned, middles, np.minimum(at_middles, REACH), log_values, slopes)


def _chances(scores: Floats, grid: Floats, weights: Floats, edge: float, deviation: float) -> Floats:
    """The chance to cross at the next look or later from each of `scores`: `weights` are V there times Simpson's."""
    later = normal_density((scores[:, None] - grid) / deviation) / deviation @ weights
    now = ndtr((scores - edge) / deviation) if math.isfinite(edge) else 0.0
    return np.asarray(now + later)
