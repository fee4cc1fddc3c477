"""Evidence from labels with a metric's help: one betting scheme for all ways of using a metric.

Before each draw there is a set of items of which the next label's is equally likely to be any: the items not yet drawn
(a claim about these items), or the labelled item with its fresh unlabelled companions (a claim about inputs like
these). A predictor f, made from past labels and the metric, says what to expect of each; fbar is its mean over the set.
The wealth is multiplied by

    1 + theta (h - m) - T (f - fbar),    theta = min(theta', 0.9/(1 + m), 1/(1 + m + R)),
                                          T = min(theta', 0.98 (1 - theta (1 + m)) / H),

h the label, m the null mean, theta' the bet that is wanted, H the largest f - fbar in the set, and R what H was
expected to be before the set was drawn: theta may not depend on companions, T may. (At high correlation the best bet is
close to 1/(1 + m + H); a larger one leaves no room for the metric.) The factor is positive, and since f - fbar has mean
zero over the set its conditional mean under "the mean is at most m" is at most one, whatever f is: a useless, inverted
or adversarial metric costs labels, never validity. It is nonincreasing in m, because f and v do not know m: one family
serves directions, equivalence and interval, which can be found by bisection.

f comes from `outcome_regression` (outcomes) or `control_variate` (bounded values, several metrics); theta' from a
mixture of scales here, or from `hedge` where the number of labels is limited.

All arrays may have leading axes (pairs, or runs of a simulation) in front of the ones that are named.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.bounded_mean import KappaPrior, bet_scales, log_sum_exp

Floats = NDArray[np.float64]

LARGEST_FRACTION = 0.9
FLOOR = 0.02  # share of the room that the metric's part must leave


@dataclass(frozen=True, slots=True)
class MetricHelp:
    """What was known before each draw; the same for both directions and all null values.

    `centred` (..., n): f - fbar of the labelled item. `above`, `below` (..., n): the largest f - fbar and fbar - f in
    the set. `reach_above`, `reach_below` (..., n): what these were expected to be before the set was drawn.
    `variances` (..., n): the variance expected of h - f + fbar, v_t. `pool_size`: N for a claim about these N items,
    None for inputs like these.
    """

    centred: Floats
    above: Floats
    below: Floats
    reach_above: Floats
    reach_below: Floats
    variances: Floats
    pool_size: int | None

    @property
    def scales(self) -> Floats:
        """(N/(N-t))/v_t (..., n): how much the past says to bet per unit of difference."""
        return np.asarray(shrinking(self.variances.shape[-1], self.pool_size) / self.variances)

    def limits(self, side: int) -> tuple[Floats, Floats]:
        """The largest part of f - fbar in the direction argued, in the set and as expected before it, both > 0."""
        of_set, expected = (self.above, self.reach_above) if side > 0 else (self.below, self.reach_below)
        return np.maximum(of_set, 1e-12), np.maximum(expected, 1e-12)


def no_help(values: Floats, pool_size: int | None) -> MetricHelp:
    """f = 0: the same betting on values (..., n) in [-1, 1] alone, with the variances of `bounded_mean`.

    Raises:
        ValueError: more values than the pool holds.
    """
    zeros = np.zeros(values.shape)
    variances = shrinking(values.shape[-1], pool_size) / bet_scales(values, pool_size)
    return MetricHelp(zeros, zeros, zeros, zeros, zeros, variances, pool_size)


def wide_prior(points: int = 24) -> KappaPrior:
    """Bet scales for a pair with a metric: three quarters half-normal of spread 0.15, a quarter of spread 0.5.

    The prior of `bounded_mean` leaves little to the large bets that a good metric allows: against it this one saves a
    tenth of the labels for differences above 0.3 and costs 2-3% at 0.1 without a metric.
    """
    kappas = np.geomspace(0.015, 0.9, points)
    narrow, wide = (kappas / spread * np.exp(-(kappas**2) / (2 * spread**2)) for spread in (0.15, 0.5))
    mass = 0.75 * narrow + 0.25 * wide
    return KappaPrior(kappas, np.log(mass / mass.sum()))


def log_e_path(labels: Floats, metric_help: MetricHelp, prior: KappaPrior, side: int, null: float = 0.0) -> Floats:
    """log E after each label (..., n), in [-1, 1] and in order, against "side * mean <= null", null in [-1, 1].

    Nonincreasing in the null. With a pool, E is infinite from the moment at which the null is impossible.
    """
    factors = log_factors(labels, metric_help, prior, side, null)
    path = log_sum_exp(np.cumsum(factors, axis=-2) + prior.log_weights)
    if metric_help.pool_size is None:
        return path
    return np.where(impossible(side * labels, null, metric_help.pool_size), np.inf, path)


def log_factors(labels: Floats, metric_help: MetricHelp, prior: KappaPrior, side: int, null: float) -> Floats:
    """Logarithms (..., n, J) of what each label multiplies the wealth of each bet size by; nonincreasing in `null`."""
    values = side * labels
    null_mean = undrawn_null_mean(values, null, metric_help.pool_size)
    highest, reach = metric_help.limits(side)
    room = np.maximum(1.0 + null_mean, 1e-12)
    wanted = np.multiply.outer(metric_help.scales, prior.kappas)
    theta = np.minimum(wanted, np.minimum(LARGEST_FRACTION / room, 1 / (room + reach))[..., None])
    spare = (1 - FLOOR) * np.maximum(1 - theta * room[..., None], 0.0)
    metric_bet = np.minimum(wanted, spare / highest[..., None])
    gain = theta * (values - null_mean)[..., None] - metric_bet * (side * metric_help.centred)[..., None]
    return np.asarray(np.log1p(gain))


def undrawn_null_mean(values: Floats, null: float | Floats, pool_size: int | None) -> Floats:
    """m_t before each value (..., n): the largest mean that the null leaves for the values not yet drawn, in [-1, 1].

    An array of null values must broadcast against the values.
    """
    if pool_size is None:
        return null + np.zeros(values.shape)
    before = np.cumsum(values, axis=-1) - values
    return np.asarray(np.clip((pool_size * null - before) / (pool_size - np.arange(values.shape[-1])), -1.0, 1.0))


def impossible(values: Floats, null: float | Floats, pool_size: int) -> NDArray[np.bool_]:
    """After each value (..., n): would even losses on everything undrawn leave the pool's mean above the null?"""
    least_total = np.cumsum(values, axis=-1) - (pool_size - np.arange(1, values.shape[-1] + 1))
    return np.asarray(np.logical_or.accumulate(least_total > pool_size * null + 1e-9, axis=-1))


def shrinking(count: int, pool_size: int | None) -> Floats:
    """N/(N-t) for t = 0 ... count - 1, or ones: what is left of a pool's mean to be found in the undrawn."""
    return np.ones(count) if pool_size is None else pool_size / (pool_size - np.arange(count, dtype=np.float64))
