"""About how many labels a finished set would have needed, and what it could have found: one look, all else alike.

All else alike: the same shares of all values, as if the labels at hand were there several times. What the test itself
would say of those is what these numbers are checked against. Drawn without replacement from a pool of N, n units inform
as n / (1 - n/N) independent ones do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.kernels.few_means import log_wealth
from tiebreak.kernels.metric_means import score_of
from tiebreak.kernels.paired_outcomes import critical_score, paired_pool

Floats = NDArray[np.float64]

_FARTHEST: Final = 100  # times the units at hand: beyond this "no end in sight" is the honest answer
_USUALLY: Final = 0.8  # of all such studies
_ROUNDS: Final = 6  # of critical scores, which hardly depend on the number of items
_ROUNDING: Final = 1e-9  # of a critical score
_EXACTLY: Final = 200  # items up to which their own critical score is taken, beyond that of one in `_GRID` of them
_GRID: Final = 0.05
_ALIKE: Final = 2_000  # items from which critical scores differ by less than 0.3%
_FEW: Final = 60  # items of a pool, up to which the test itself is asked
_MOST_OF_FEW: Final = 2
_MOST_P: Final = 0.95  # a p-value of 1 says that whole numbers are coarse, not that the other side is ahead


def least_units(level: float) -> int:
    """Units that a perfect streak needs to reach `level` in (0, 1): 2^-n <= level."""
    return max(1, math.ceil(-math.log2(level) - 1e-9))


def usually_found(half_width: float, level: float, tested_at: float) -> float:
    """The difference that 80% of all studies would have found whose interval at `level` a side has this half-width.

    `tested_at`: the level a side of the test that would have found it. The half-width is z(level) standard errors; to
    be found usually, a difference must measure z(tested_at) + 0.84 of them. Ties, clusters and the spread of labels are
    in the width as they are.
    """
    return half_width * _reach(tested_at) / -float(ndtri(level))


def usually_found_with(units: float, square: float, level: float) -> float:
    """The difference that 80% of all studies with so many units find at `level` a side, to a few percent.

    `square` in (0, 1]: the mean square of the units' values; for outcomes the share that are no ties. Without a
    difference it is their variance, with one their variance is `square` less the difference squared. More than the root
    of `square` where there are too few units for any.
    """
    wanted, beyond = -float(ndtri(level)), float(ndtri(_USUALLY))
    spread = math.sqrt(max(units + beyond**2 - wanted**2, 0.0))
    return math.sqrt(square) * (math.sqrt(units) * wanted + beyond * spread) / (units + beyond**2)


def usually_found_without_losses(units: float, level: float) -> float:
    """The same where `square` is the difference itself, since nothing opposes it: what is found with fewer ties than
    `square` says, where it leaves none as large. At most 1.
    """
    return min(usually_found_with(units, 1.0, level) ** 2, 1.0)


def units_usually_enough(difference: float, square: float, level: float) -> int:
    """Units with which 80% of all studies find `difference` in (0, 1] at `level` a side; inverts `usually_found_with`.

    `square` is raised to the difference, where no outcome would oppose it: with more ties it could not be so large.
    Never fewer than a perfect streak needs among units that are no ties.
    """
    square = max(square, difference)
    spread = math.sqrt(square - difference**2)
    root = (-float(ndtri(level)) * math.sqrt(square) + float(ndtri(_USUALLY)) * spread) / difference
    return max(math.ceil(root**2), math.ceil(least_units(level) / square))


def means_usually_enough(difference: float, square: float, level: float) -> int:
    """The same of units whose values are means, of labels or over a cluster: those may be small, and all alike.

    `square` is their variance without a difference; with one it is smaller by the share that is left to it at most.
    The t distribution takes the place of the normal one.
    """
    wanted, beyond = -float(ndtri(level)), float(ndtri(_USUALLY))
    spread = math.sqrt(square * (1 - difference**2))
    root = (wanted * math.sqrt(square) + beyond * spread) / difference
    return max(math.ceil(root**2 + wanted**2 / 2), least_units(level))


def _reach(level: float) -> float:
    """Standard errors that a difference must measure to be found at this level usually."""
    return float(ndtri(_USUALLY) - ndtri(level))


@dataclass(frozen=True, slots=True)
class Lead:
    """How far one side is ahead, in numbers that grow in a known way while the shares of all values stay as they are.

    `score`: the lead over its standard error without a difference, which grows with the square root of the units; nan
    where only the p-value is known. `fresh` in [0, 1]: of a pool, the share of the values' variance that stays when
    every unit is labelled, because labels would differ another time.
    """

    score: float = math.nan
    fresh: float = 0.0


def outcomes_to_direction(wins: int, ties: int, losses: int, level: float) -> int | None:
    """Further items, at least 1, with which outcomes in the same shares reach `level` a side; None: no end in sight.

    Their score grows with the root of the items, and must pass the critical score of so many. The p-value is of no use
    here: it is the largest over every share of ties, and far from the critical score few untied items make it large.
    """
    items = wins + ties + losses
    if wins == losses:
        return None
    more, fewer = max(wins, losses) / items, min(wins, losses) / items

    def passes(count: int) -> bool:
        """With an even and an odd number, whose critical scores differ where ties are few."""
        goal = max(critical_score(_near(number), level) for number in (count, count + 1))
        return float(score_of(more * count, fewer * count)) > goal + _ROUNDING

    count = _first_above(-float(ndtri(level)), more, fewer, items)
    for _ in range(_ROUNDS):
        if count is None:
            return None
        last, count = count, _first_above(critical_score(_near(count), level), more, fewer, items)
        if count == last:
            break
    if count is None:
        return None
    while not passes(count):  # critical scores go up and down by a little
        count += 1
    while count - 1 > items and passes(count - 1):
        count -= 1
    return count - items


def pool_to_direction(wins: int, ties: int, losses: int, pool: int, level: float) -> int | None:
    """The same of items drawn without replacement from a `pool`, whose test counts in whole wins.

    Where few items are enough, by the test itself.
    """
    items = wins + ties + losses
    if wins == losses or items >= pool:
        return None
    lead, untied, goal = abs(wins - losses) / items, (wins + losses) / items, -float(ndtri(level))

    def passes(count: int) -> bool:
        left = max(1 - count / pool, 0.0)
        return lead * count - 1 >= goal * math.sqrt(untied * count * left)

    count = _first(passes, items, pool)
    if count is None:
        return None
    if count <= _FEW:
        counts = np.arange(items + 1, min(_MOST_OF_FEW * count, pool) + 1)
        won = np.rint(wins * counts / items)
        lost = np.minimum(np.rint(losses * counts / items), counts - won)  # of 25, 17.5 and 7.5 are not 18 and 8
        tests = paired_pool(won, counts - won - lost, lost, float(pool))
        decided = np.minimum(tests.p_a, tests.p_b) <= level
        count = int(counts[decided.argmax()]) if decided.any() else count
    return count - items


def few_means_to_direction(values: Floats, fewest: int, level: float) -> int | None:
    """The same of means of several labels with the mixture of few, which decides where fewer than `fewest` are no ties.

    `values` (n,) in [-1, 1]. None where it would take `fewest` or more, and another test.
    """
    kinds, counts = np.unique(values * np.sign(values.sum()), return_counts=True)
    untied = int(np.count_nonzero(values))
    items = np.arange(values.size + 1, math.ceil(fewest * values.size / max(untied, 1)))
    if not items.size:
        return None
    decided = log_wealth(kinds, np.outer(items / values.size, counts), 0.0) >= -math.log(level)
    return int(items[decided.argmax()]) - values.size if decided.any() else None


def units_to_direction(
    units: int,
    lead: Lead,
    p_value: float,
    level: float,
    pool_size: int | None = None,
    smallest_p: float = 0.0,
) -> int | None:
    """Further units whose values are means, of labels or over a cluster, until a one-sided p-value reaches `level`.

    `p_value`: that of the direction which the `units` at hand favour, `smallest_p` the smallest that it could have
    been: where all have agreed, agreement goes on, with as many ties. Else the score of the lead grows with the root of
    the units, and what the p-value says less than that, since units are few and their sums whole numbers, shrinks with
    it. At least 1, never less than a perfect streak needs, nor more than the pool holds; None where none would do.
    """
    if units == 0 or pool_size == units:
        return None
    untied = -math.log2(smallest_p) if smallest_p > 0 else 0.0  # units that are no ties, of which p is 2^-n at least
    if untied >= 1 and p_value <= smallest_p * (1 + 1e-9) and least_units(level) > untied:
        further = max(1, math.ceil((least_units(level) - untied) * units / untied - 1e-9))
        return further if pool_size is None else min(further, pool_size - units)
    wanted, reached = -float(ndtri(level)), -float(ndtri(min(max(p_value, 1e-300), _MOST_P)))
    score = reached if math.isnan(lead.score) else lead.score
    if score <= 0:
        return None
    # score x - (score - reached)/x = wanted, x the root of the factor
    root = (wanted + math.sqrt(max(wanted**2 + 4 * score * (score - reached), 0.0))) / (2 * score)
    return _further(units, root**2, pool_size, least_units(level), lead.fresh)


def units_to_equivalence(units: int, half_width: float, room: float, pool_size: int | None = None) -> int | None:
    """Further units until an interval of this half-width fits the `room` between the estimate and the margin."""
    if units == 0 or room <= 0 or half_width <= 0 or pool_size == units:
        return None
    return _further(units, (half_width / room) ** 2, pool_size, 1)


def _further(units: int, factor: float, pool_size: int | None, least: int, fresh: float = 0.0) -> int | None:
    """Units beyond these until there is `factor` > 0 times their information, and `least` in all.

    In a pool the error of n units has the square 1/n - (1 - `fresh`)/N, times the variance of their values.
    """
    known = 0.0 if pool_size is None else (1 - fresh) / pool_size
    needed = 1 / ((1 / units - known) / factor + known)
    if not needed <= _FARTHEST * units or (pool_size is not None and needed > pool_size):
        return None
    further = max(1, math.ceil(needed - 1e-9) - units, least - units)
    return further if pool_size is None else min(further, pool_size - units)


def _first_above(score: float, more: float, fewer: float, items: int) -> int | None:
    """The first number of items beyond these with more than this score; `more` and `fewer`: shares of either side.

    Of x^2 times as many untied items m with z, z x + (z^3 x^3 - 3 z x) / (12 m x^2): a quadratic equation in x.
    """
    untied = (more + fewer) * items
    z = (more - fewer) * items / math.sqrt(untied)
    rise, fall = z + z**3 / (12 * untied), z / (4 * untied)
    root = (score + math.sqrt(score**2 + 4 * rise * fall)) / (2 * rise)
    needed = items * root**2 * (1 + _ROUNDING)
    return None if needed > _FARTHEST * items else max(math.floor(needed), items) + 1


def _first(passes: Callable[[int], bool], items: int, most: int) -> int | None:
    """The first number of items beyond these that passes, by bisection; None where not even the farthest does."""
    low, high = items, min(most, _FARTHEST * items)
    if not passes(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def _near(items: int) -> int:
    """A number of items with nearly the same critical score, so that the pairs of a study share most of theirs."""
    if items <= _EXACTLY:
        return items
    return min(round(math.exp(round(math.log(items) / _GRID) * _GRID)), _ALIKE)
