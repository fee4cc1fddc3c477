"""Spending: how much of an error level may be used by which share of a planned number of units.

A rule that knows at how many units looking ends can be looked at after every one of them and still has almost the power
of one look at the end: at share u of the plan at most level * s(u) of a level may have been spent, and s(1) = 1. The
part in u^2 keeps most of the level for the end, as O'Brien & Fleming's boundaries do; the logarithmic part spends
evenly in the logarithm of the number of units, which lets large differences stop early.

Source: alpha spending by Lan & DeMets (1983); the mixture of the two parts is our own.

The boundary that spends a level over a plan, and when a score with any drift crosses it.

A Brownian score B runs from u = 0 to u = 1, the end of the plan. At the looks u_1 < ... < u_M the boundary b(u) is the
smallest score at which the chance of having crossed it by u is level * s(u) (`spending`) without a drift. The density
f(u, x) of the score that has not crossed follows by recursion over the looks, by Simpson's rule.

With a drift theta the same paths have exp(theta x - theta^2 u / 2) times the density (Cameron & Martin 1944), so that
one recursion without a drift gives the chance of having crossed by each look for every drift.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]

LATE: Final = 0.6
"""Share of a level that is spent in u^2; the rest is spent in log u."""
_FIRST_UNITS: Final = 8
_MOST_LEVELS: Final = 16


def spent_share(units: NDArray[np.floating] | NDArray[np.integer], planned: int) -> Floats:
    """s(t/H) in [0, 1], the shape of `units`: the share of a level that may be spent after t of H `planned` units.

    Zero at no units, one at the plan and beyond it; increasing.

    Raises:
        ValueError: a plan below one unit.
    """
    if planned < 1:
        raise ValueError(f"a plan must be at least one unit, not {planned}")
    share = np.clip(np.asarray(units, dtype=np.float64) / planned, 0.0, 1.0)
    first = min(0.5, _FIRST_UNITS / planned)
    with np.errstate(divide="ignore"):
        early = np.maximum(0.0, 1.0 - np.log(share) / np.log(first))
    return np.asarray(LATE * share**2 + (1 - LATE) * early)


@lru_cache(maxsize=64)
def shares_by_unit(planned: int) -> Floats:
    """s(t/H) (H + 1,) after each unit from none to H; kept for the next call."""
    found = spent_share(np.arange(planned + 1), planned)
    found.setflags(write=False)
    return found


def thinned(levels: Floats, most: int = _MOST_LEVELS) -> Floats:
    """At most `most` of the levels (L,), sorted from the highest to the lowest, both ends among them.

    What is left out costs a little power and nothing else: a p-value is the smallest level kept that was crossed.
    """
    ordered = np.asarray(np.unique(levels)[::-1])
    if ordered.size <= most:
        return ordered
    wanted = np.geomspace(ordered[0], ordered[-1], most)
    nearest = np.abs(np.log(ordered)[:, None] - np.log(wanted)).argmin(axis=0)
    return np.asarray(ordered[np.unique(nearest)])


POINTS: Final = 161
"""Scores at each look, an odd number, from -`REACH` to `REACH` standard deviations, or to the boundary."""

REACH: Final = 7.0

LOWEST_DRIFT: Final = -5.0

_GROWTH: Final = 0.03  # of u from one look to the next, at least
_FEW_UNITS, _PLAN_STEP = 20, 1.1  # plans from here on share what is computed, so far apart
_NEWTON_STEPS: Final = 60
_CLOSE: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class SpendingBoundary:
    """`times` (M,) shares of the plan at looks; `edges` (M,) b(u), infinite where nothing is spent.

    `scores`, `masses` (M, Z): where the score lies that has not crossed, without a drift, and with what probability.
    """

    level: float
    planned: int
    times: Floats
    edges: Floats
    scores: Floats
    masses: Floats

    def crossed(self, drifts: Floats) -> Floats:
        """The chance (D, M) of having crossed by each look, of scores with these drifts (D,), their means at the plan.

        Drifts below -5 count as -5, with which hardly any score crosses.
        """
        drift = np.maximum(np.asarray(drifts, dtype=np.float64), LOWEST_DRIFT)[:, None, None]
        exponents = drift * self.scores - drift**2 * self.times[:, None] / 2
        kept = (np.exp(exponents) * self.masses).sum(axis=2)
        return np.maximum.accumulate(np.clip(1.0 - kept, 0.0, 1.0), axis=1)


def look_times(planned: int) -> Floats:
    """Shares of the plan (M,) after whole units, each 3% above the one before it at least, up to 1."""
    units, step = [], 0
    while step < planned:
        step = min(planned, max(step + 1, math.floor(step * (1 + _GROWTH))))
        units.append(step)
    return np.array(units, dtype=np.float64) / planned


def plan_like(planned: int) -> int:
    """A plan within 5% of this one, the same for all that are near it: they share what is computed.

    Small plans stay as they are.
    """
    if planned <= _FEW_UNITS:
        return planned
    return round(_FEW_UNITS * _PLAN_STEP ** round(math.log(planned / _FEW_UNITS) / math.log(_PLAN_STEP)))


@lru_cache(maxsize=256)
def spending_boundary(level: float, planned: int) -> SpendingBoundary:
    """The boundary of one level and a planned number of units; takes about 0.1 s, and the last ones are kept.

    Raises:
        ValueError: a level outside (0, 1/2), or a plan below one unit.
    """
    if not 0 < level < 0.5:
        raise ValueError(f"the level must be in (0, 0.5), not {level}")
    if planned < 1:
        raise ValueError(f"the planned units must be at least 1, not {planned}")
    times = look_times(planned)
    budget = level * np.diff(spent_share(times * planned, planned), prepend=0.0)
    edges = np.full(times.size, np.inf)
    scores, masses = np.empty((2, times.size, POINTS))
    before, mass, score = 0.0, np.ones(1), np.zeros(1)  # all of it at a score of 0
    for place, time in enumerate(times.tolist()):
        deviation, spread = math.sqrt(time - before), math.sqrt(time)
        edges[place] = _edge(mass, score, deviation, budget[place])
        grid = np.linspace(-REACH * spread, min(float(edges[place]), REACH * spread), POINTS)
        mass = normal_density((grid[:, None] - score) / deviation) / deviation @ mass * simpson_weights(grid)
        scores[place], masses[place] = grid, mass
        before, score = time, grid
    for array in (edges, scores, masses):
        array.setflags(write=False)
    return SpendingBoundary(level, planned, times, edges, scores, masses)


def _edge(mass: Floats, scores: Floats, deviation: float, budget: float) -> float:
    """The score above which a step of this deviation from `scores` carries `budget` of the `mass`.

    By Newton's method on the logarithm of that tail, which is concave: from the right no step passes the edge.
    """
    if budget <= 1e-14:
        return math.inf
    edge, goal = float(scores.max()) + 9 * deviation, math.log(budget)
    for _ in range(_NEWTON_STEPS):
        above = (scores - edge) / deviation
        tail, slope = float(ndtr(above) @ mass), float(normal_density(above) @ mass) / deviation
        step = (goal - math.log(tail)) * tail / slope
        edge -= step
        if abs(step) < _CLOSE * deviation:
            break
    return edge


def normal_density(z: Floats) -> Floats:
    """Of the standard normal distribution."""
    return np.asarray(np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))


def simpson_weights(grid: Floats) -> Floats:
    """Weights of Simpson's rule on an even grid with an odd number of points."""
    weights = np.full(grid.size, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return np.asarray(weights * (grid[1] - grid[0]) / 3)
