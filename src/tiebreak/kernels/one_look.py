"""Verdict and interval of one look at a finished set, from one p-value that never falls as the null rises.

The interval at level q a side holds the nulls that neither side rejects at q. It lies above 0 exactly where p_a <= q
and below 0 exactly where p_b <= q, whatever the rounding, so that verdict and interval cannot contradict each other.

Interval of a mean of values without known bounds, one look: the hull of the t interval and Hall's.

With T = (mean - mu)/error and gamma the skewness of the n values, Hall (1992, "On the removal of skewness by
transformation") takes

    g(T) = T + a (T^2/3 + 1/6) + a^2 T^3/27,   a = gamma/sqrt(n),

which is nearly symmetric, never falls, and has the inverse 3/a ((1 + a (x - a/6))^(1/3) - 1). Its interval reaches
further towards the long tail, the t interval further the other way; each errs where the other holds, so both count.

Where values come from few kinds, such as ratings of which most are the highest, the t interval holds .84-.90 of true
means with 95 % fives and 50 to 100 ratings, and .88 with 80 % fives at 20 (nominal .95). Measured on ratings of 1-5, 80
or 95 % of them fives, the others spread or all at one end, n 20, 50, 100, 400: the hull .945 and more, Hall alone .93,
the studentised bootstrap .93 and often without an end; Johnson's (1978) shift alone .84. On symmetric ratings the hull
is no wider than t by more than 2 %. This is of the samples whose values are not all equal: of those that are, nothing
says how rare others may be, and there is no interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from tiebreak.kernels import _checks

PValue = Callable[[float], float]
"""From a null in [-1, 1] to the p-value of "mean <= null"."""

_TOLERANCE = 1e-7
_SURE = 1e-15
_KNOWN = 1e-12  # rounding of a sum


@dataclass(frozen=True, slots=True)
class OneLook:
    """A finished set of labels of one pair, tested once.

    `estimate` the mean in [-1, 1]; `p_a` small where a is better (null: mean <= 0), `p_b` where b is (mean >= 0);
    `smallest_p`: the smallest that a side could have reached, whatever the values of the units that are not ties: at
    a smaller level these labels can decide nothing. `at_most(m)` is the p-value of "mean <= m"; `at_least_negated(m)`
    that of "mean >= -m"; neither falls as m rises.
    """

    estimate: float
    p_a: float
    p_b: float
    smallest_p: float
    at_most: PValue
    at_least_negated: PValue

    def interval(self, level: float) -> tuple[float, float]:
        """(low, high) in [-1, 1] at `level` a side: .025 for 95 %. At most 1e-7 inside the exact inversion.

        low > 0 if and only if p_a <= level, and high < 0 if and only if p_b <= level.

        Raises:
            UsageError: a level that is not in (0, .5).
        """
        _checks.open_unit("twice the level per side", 2 * level)
        return lowest_accepted(self.at_most, level), highest_accepted(self.at_least_negated, level)


def one_look(estimate: float, smallest_p: float, at_most: PValue, at_least_negated: PValue) -> OneLook:
    """The test from its two p-values as functions of the null."""
    return OneLook(estimate, at_most(0.0), at_least_negated(0.0), smallest_p, at_most, at_least_negated)


def with_known(look: OneLook, total: float, known: int, items: int) -> OneLook:
    """The same of a claim about so many `items`, of which the `known` first have a sum of `total` for certain.

    Each other one lies in [-1, 1], so that the mean over all does between (total -+ (items - known)) / items: a null
    below that is impossible and rejected, one above it true. So the interval never leaves what is possible, and where
    that has no 0 the verdict is certain.
    """
    low, high = (total - (items - known)) / items, (total + (items - known)) / items
    return one_look(
        min(max(look.estimate, low), high),
        0.0 if 2 * known > items else look.smallest_p,
        _possible(look.at_most, low, high),
        _possible(look.at_least_negated, -high, -low),
    )


def _possible(p_value: PValue, low: float, high: float) -> PValue:
    """Of a mean known to lie in [low, high]."""

    def within(null: float) -> float:
        if null < low - _KNOWN:
            return 0.0
        return 1.0 if null >= high + _KNOWN else p_value(null)

    return within


def lowest_accepted(p_value: PValue, level: float) -> float:
    """The smallest null in [-1, 1] that is not rejected, p > `level`; at most 1e-7 above it, never below.

    `p_value` never falls in the null; the null 1 counts as never rejected, since no mean exceeds it. The result is in
    (0, 1] where `p_value(0) <= level`, else in [-1, 0]. About ten calls: the search is the ITP method of Oliveira &
    Takahashi (2021) on the normal scale, where a p-value is nearly a straight line; never many more than bisection.
    """
    goal = _normal(level)
    if p_value(0.0) <= level:
        low, high = 0.0, 1.0
    elif p_value(-1.0) > level:
        return -1.0
    else:
        low, high = -1.0, 0.0
    below, above = _normal(p_value(low)) - goal, _normal(p_value(high)) - goal
    most = math.ceil(math.log2((high - low) / _TOLERANCE)) + 1
    for done in range(most):
        if high - low <= _TOLERANCE:
            break
        at = _itp_point(low, high, below, above, _TOLERANCE * 2.0 ** (most - done) / 2)
        p = p_value(at)
        if p > level:
            high, above = at, _normal(p) - goal
        else:
            low, below = at, _normal(p) - goal
    return high


def highest_accepted(p_value_of_mirror: PValue, level: float) -> float:
    """The mirror image: `p_value_of_mirror(m)` is the p-value of "mean >= -m"; below 0 exactly where it rejects 0."""
    return -lowest_accepted(p_value_of_mirror, level) or 0.0


def _normal(p: float) -> float:
    return float(ndtri(min(max(p, _SURE), 1 - _SURE)))


def _itp_point(low: float, high: float, below: float, above: float, reach: float) -> float:
    """Interpolated, truncated towards the middle, and projected so that the search cannot be slow."""
    middle, width = (low + high) / 2, high - low
    if above <= below:
        return middle
    crossing = (above * low - below * high) / (above - below)
    towards = math.copysign(1.0, middle - crossing)
    truncation = 0.1 * width * width
    nudged = crossing + towards * truncation if truncation <= abs(middle - crossing) else middle
    room = reach - width / 2
    if room <= 0:
        return middle
    return nudged if abs(nudged - middle) <= room else middle - towards * room


Floats = NDArray[np.float64]

_STRAIGHT = 1e-8  # of a: below that Hall's interval is the t interval


def skewed_interval(values: Floats, error: float, freedom: float, level: float) -> tuple[float, float]:
    """(low, high) of the mean of `values` (n,), at `level` a side in (0, .5).

    `error`: the mean's standard error, >= 0, with `freedom` degrees. Values that are all equal have no skewness.
    """
    mean, reach = math.fsum(values) / values.size, float(stdtrit(freedom, 1 - level))
    bend = _skewness(values - mean) / math.sqrt(values.size)
    above, below = _hall(reach, bend), _hall(-reach, bend)
    return mean - max(reach, above) * error, mean + max(reach, -below) * error


def _skewness(centred: Floats) -> float:
    spread = float((centred**2).mean())
    return float((centred**3).mean()) / spread**1.5 if spread > 0 else 0.0


def _hall(quantile: float, bend: float) -> float:
    """The T at which g(T) is the quantile."""
    if abs(bend) < _STRAIGHT:
        return quantile
    return 3 / bend * (float(np.cbrt(1 + bend * (quantile - bend / 6))) - 1)
