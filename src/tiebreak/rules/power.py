"""What labels find: the chance of each verdict under a plan, unit by unit, and the power of one look.

Whatever is said of further labels, of differences found and of items that are enough means a chance of 80%.

*Plans*: the score of a pair is taken for Brownian motion. Its drift at the end of the plan is difference * sqrt(H/v),
with v the mean square of a unit's value: of single labels the share that are no ties. In a pool of N, n units inform as
n / (1 - n/N) independent ones do. Against simulated campaigns the chance of a verdict is right to about .02 from 80
units on, and to about .1 from 20 on; where bets decide, to about .08 (tests/rules/test_power.py).

*One look*: the normal approximation of its test, to a few percent (tests/rules/test_one_look_power.py).

Other rules are simulated (`planning.simulated_power`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.kernels.control_variate import reserve_size
from tiebreak.kernels.spending_boundary import LOWEST_DRIFT, SpendingBoundary, plan_like, spending_boundary
from tiebreak.records import MOST_COMPANIONS
from tiebreak.rules.family import Family

Floats = NDArray[np.float64]

CHANCE: Final = 0.8
"""The chance with which a difference counts as found."""

FARTHEST: Final = 100
"""Times the units at hand: beyond this "no end in sight" is the honest answer."""

ASSUMED_TIES: Final = 0.3
"""Share of ties where no label says otherwise; between what public preference data show (0 to 0.6)."""

_BEYOND: Final = float(ndtri(CHANCE))  # standard errors beyond the level that a difference must measure
_TIE_WEIGHT: Final = 10  # items with a usual share of ties that are added to those at hand
_HIGHEST_LEVEL: Final = 0.49
_LARGEST_SHARE_OF_POOL: Final = 0.8  # beyond which a plan for a pool counts on no more (`planned_bets`)
_LOST_BY_BETS: Final = 0.6  # of the drift, over the root of the plan: what bets lose beside the exact walk (measured)
_LEARNT_FROM: Final = 30  # items that teach what a metric says before it helps (measured)
_MANY_DRIFTS: Final = 60  # from so many on, chances are interpolated
_LARGE_DRIFT: Final = 12.0  # beyond which chances hardly change
_SURE: Final = 1e-9
_PROBITS_APART: Final = 1e-3
_PLANS_APART: Final = 0.004  # of the logarithm of a plan: beyond that nobody can tell them apart


@dataclass(frozen=True, slots=True, eq=False)
class Endings:
    """The chance of each verdict by each of `units` (M,) > 0, the last of which is the plan. It grows evenly between
    two of them, and jumps where one is repeated.

    `for_a`, `for_b`, `equivalent`: (D, M), for D differences.
    """

    differences: Floats
    units: Floats
    for_a: Floats
    for_b: Floats
    equivalent: Floats
    margin: float | None

    def of(self, rows: slice) -> Endings:
        """Some of the differences."""
        return replace(
            self,
            differences=self.differences[rows],
            for_a=self.for_a[rows],
            for_b=self.for_b[rows],
            equivalent=self.equivalent[rows],
        )

    @property
    def right(self) -> Floats:
        """The chance (D,) of a verdict that is true of the difference; with a margin two of them may be."""
        direction = np.where(self.differences > 0, self.for_a[:, -1], self.for_b[:, -1])
        direction = np.where(self.differences == 0, 0.0, direction)
        within = np.abs(self.differences) < (self.margin or 0.0)
        return np.asarray(direction + np.where(within, self.equivalent[:, -1], 0.0))

    @property
    def ended(self) -> Floats:
        """The chance (D, M) of any verdict by each number of units."""
        return np.asarray(np.minimum(self.for_a + self.for_b + self.equivalent, 1.0))

    @property
    def mean_units(self) -> Floats:
        """Mean units (D,) asked; a pair without a verdict gets all of them."""
        return self._moment(1.0)

    @property
    def variance_of_units(self) -> Floats:
        """Variance (D,) of the units asked."""
        return np.asarray(np.maximum(self._moment(2.0) - self.mean_units**2, 0.0))

    def quantile(self, share: float) -> float:
        """The units by which this share of all pairs has ended, the D differences being equally likely."""
        ended = self.ended.mean(axis=0)
        if ended[-1] < share:
            return float(self.units[-1])
        return max(float(np.interp(share, np.concatenate([[0.0], ended]), np.concatenate([[0.0], self.units]))), 1.0)

    def _moment(self, power: float) -> Floats:
        """Mean (D,) of the units to this power: the integral of the chance that the pair has not ended."""
        going_on = 1 - np.concatenate([np.zeros((len(self.ended), 1)), self.ended], axis=1)
        steps = np.diff(np.concatenate([[0.0], self.units]) ** power)
        return np.asarray((going_on[:, 1:] + going_on[:, :-1]) / 2 @ steps)


@dataclass(frozen=True, slots=True)
class PlannedPower:
    """The power of plans of one kind. `square` in (0, 1]: the mean square of a unit's value.

    `level` of a direction and `level_equivalent` of each side of an equivalence within `margin`; `pool`: units of a
    claim about these, None for inputs like these. `explained`: the share of the values' variance that a metric
    explains, which has scored `scored` items.
    """

    level: float
    square: float
    margin: float | None = None
    level_equivalent: float | None = None
    pool: int | None = None
    explained: float = 0.0
    scored: int = 0

    @classmethod
    def of(cls, family: Family, square: float, margin: float | None = None, pool: int | None = None) -> PlannedPower:
        """For the first verdict of a family, which faces the lowest level."""
        level = family.first_level
        return cls(level, square, margin, None if margin is None else level * math.exp(family.easing), pool)

    def endings(self, planned: int, differences: Floats) -> Endings:
        """How pairs with these `differences` (D,) end under a plan of so many units."""
        differences = np.asarray(differences, dtype=np.float64)
        boundary = self._boundary(self.level, planned)
        scale = self._scale(planned)
        drifts = differences * scale
        for_a, for_b = _crossed(boundary, drifts), _crossed(boundary, -drifts)
        equivalent = np.zeros_like(for_a)
        if self.margin is not None and self.level_equivalent is not None:
            easier = self._boundary(self.level_equivalent, planned)
            sides = [_crossed(easier, (self.margin + sign * differences) * scale) for sign in (1, -1)]
            # A lower bound: both sides of an equivalence hardly ever fail together.
            equivalent = np.maximum(sides[0] + sides[1] - 1, 0.0)
        return Endings(differences, self._units(boundary, planned), for_a, for_b, equivalent, self.margin)

    def chance(self, planned: int, difference: float) -> float:
        """The chance that a plan gives a verdict that is true of `difference`."""
        return float(self.endings(planned, np.array([difference])).right[0])

    def found(self, planned: int, chance: float = CHANCE) -> float | None:
        """The smallest difference that a plan finds with this chance; None: not even one without a loss."""
        drift = _drift_found(self._boundary(self.level, planned), chance)
        found = drift / self._scale(planned)
        return found if found <= self.square else None

    def smallest_plan(self, differences: Floats, most: int, chance: float = CHANCE) -> int | None:
        """The smallest plan, to half a percent, that gives true verdicts on pairs with these differences (D,) with this
        mean chance; None where not even `most` units do.
        """
        return smallest_number(lambda planned: float(self.endings(planned, differences).right.mean()), most, chance)

    def _boundary(self, level: float, planned: int) -> SpendingBoundary:
        """That of a plan within 5%: with the same drift its power is the same to a thousandth."""
        return spending_boundary(min(level, _HIGHEST_LEVEL), plan_like(planned))

    def _scale(self, planned: int) -> float:
        """From a difference to the drift of its score."""
        helped = self.explained * max(1 - _LEARNT_FROM / planned, 0.0)
        if self.pool is None and helped > 0:  # of the unlabelled items beside each label a mean is taken
            left = self.scored - reserve_size(self.scored) - planned
            companions = min(max(round(left / planned), 0), MOST_COMPANIONS)
            helped *= companions / (companions + 1)
        drift = math.sqrt(_information(planned, self.pool) / (self.square * (1 - helped)))
        by_walk = self.pool is None and self.margin is None and self.explained == 0
        return drift if by_walk else drift * (1 - _LOST_BY_BETS / math.sqrt(planned))

    def _units(self, boundary: SpendingBoundary, planned: int) -> Floats:
        information = boundary.times * _information(planned, self.pool)
        units = information if self.pool is None else self.pool * information / (self.pool + information)
        return np.asarray(np.append(units[:-1], float(planned)))


# ---- one look ----------------------------------------------------------------------------------------------------


def least_units(level: float) -> int:
    """Units that a perfect streak needs to reach `level` in (0, 1): 2^-n <= level."""
    return max(1, math.ceil(-math.log2(level) - 1e-9))


def difference_by_width(half_width: float, level: float) -> float:
    """The difference that studies find whose interval at `level` a side has this half-width, z(level) standard errors.

    Ties, clusters and the spread of labels are in it as they are.
    """
    z = -float(ndtri(level))
    return half_width * (_BEYOND + z) / z


def outcomes_enough(difference: float, square: float, level: float) -> int:
    """Outcomes with which one look finds `difference` in (0, 1] at `level` a side in 80% of studies.

    `square` is raised to the difference, where no outcome would oppose it: with more ties it could not be so large.
    Never fewer than a perfect streak needs among units that are no ties.
    """
    square = max(square, difference)
    spread = math.sqrt(square - difference**2)
    root = (-float(ndtri(level)) * math.sqrt(square) + _BEYOND * spread) / difference
    return max(math.ceil(root**2), math.ceil(least_units(level) / square))


def further_outcomes(wins: int, ties: int, losses: int, level: float) -> int | None:
    """Items beyond these, at least 1, with which one look finds a difference such as theirs; None: no end in sight."""
    items = wins + ties + losses
    if wins == losses:
        return None
    needed = outcomes_enough(abs(wins - losses) / items, (wins + losses) / items, level)
    return max(needed - items, 1) if needed <= FARTHEST * items else None


def further_units(
    units: int, half_width: float, distance: float, level: float, pool_size: int | None = None, *, least: int = 1
) -> int | None:
    """The same by the width of an interval at `level` a side: units, at least 1, with which one look tells a `distance`
    from 0, be it a difference or what is left to a margin. `least`: units in all, of as many as the pool has. None: no
    end in sight, or the pool holds no more.
    """
    if not units or not distance > 0 or half_width <= 0 or pool_size == units:
        return None
    factor = (difference_by_width(half_width, level) / distance) ** 2
    needed = _information(units, pool_size, whole=True) * factor
    if pool_size is not None:
        needed = pool_size * needed / (pool_size + needed)
    needed = max(needed, least if pool_size is None else min(least, pool_size))
    return max(math.ceil(needed - 1e-9) - units, 1) if needed <= FARTHEST * units else None


# ---- units -------------------------------------------------------------------------------------------------------


def drawn_tie_rate(ties: float, items: int, towards: float = ASSUMED_TIES) -> float:
    """The share of ties among items, drawn `towards` a usual one by the weight of ten items.

    All ties would leave no difference to look for; this keeps every answer finite.
    """
    return (ties + _TIE_WEIGHT * towards) / (items + _TIE_WEIGHT)


def smallest_number(chance_of: Callable[[int], float], most: int, chance: float = CHANCE) -> int | None:
    """The smallest number in [1, `most`], to half a percent, at which a chance that rises with it reaches `chance`.

    None where `most` is too few. The search is for the root of its normal quantile in the logarithm of the number.
    """

    def surplus(log_number: float) -> float:
        reached = min(max(chance_of(round(math.exp(log_number))), _SURE), 1 - _SURE)
        return float(ndtri(reached) - ndtri(chance))

    if surplus(0.0) >= 0:
        return 1
    low, high = 0.0, math.log(2)
    while surplus(min(high, math.log(most))) < 0:
        if high >= math.log(most):
            return None
        low, high = high, 2 * high
    high = min(high, math.log(most))
    while high - low > _PLANS_APART and round(math.exp(high)) - round(math.exp(low)) > 1:
        middle = (low + high) / 2
        low, high = (low, middle) if surplus(middle) >= 0 else (middle, high)
    return round(math.exp(high))


def _information(units: int, pool: int | None, *, whole: bool = False) -> float:
    """What so many units are worth in independent ones; `whole`: however large a share of the pool they are."""
    if pool is None:
        return float(units)
    last = float(units) if whole else max(min(units, _LARGEST_SHARE_OF_POOL * pool), 0.5)
    return pool * last / (pool - last)


def _crossed(boundary: SpendingBoundary, drifts: Floats) -> Floats:
    """As `SpendingBoundary.crossed`; of many drifts interpolated."""
    if drifts.size < _MANY_DRIFTS:
        return boundary.crossed(drifts)
    even = np.linspace(LOWEST_DRIFT, _LARGE_DRIFT, 69)
    largest = float(drifts.max())
    beyond = np.geomspace(_LARGE_DRIFT, largest, 24)[1:] if largest > _LARGE_DRIFT else np.zeros(0)
    grid = np.concatenate([even, beyond])
    chances = boundary.crossed(grid)
    drifts = np.maximum(drifts, LOWEST_DRIFT)
    above = np.clip(np.searchsorted(grid, drifts), 1, grid.size - 1)
    part = ((drifts - grid[above - 1]) / (grid[above] - grid[above - 1]))[:, None]
    return np.asarray(chances[above - 1] * (1 - part) + chances[above] * part)


def _drift_found(boundary: SpendingBoundary, chance: float) -> float:
    """The drift at which a score crosses the boundary with this chance, by bisection."""
    low, high = 0.0, _LARGE_DRIFT
    while high - low > _PROBITS_APART:
        middle = (low + high) / 2
        low, high = (low, middle) if boundary.crossed(np.array([middle]))[0, -1] >= chance else (middle, high)
    return high
