"""Bets on the mean of bounded values that are never told where to end: for confidence sequences of mean ratings.

Null: the mean of values h_i in [-1, 1] is at most m, where

- `pool_size=None` (inputs like these): E[h_i | past] <= m;
- `pool_size=N` (these N items): the N values are drawn in random order without replacement and their mean is at
  most m. The undrawn mean is then at most m_t = (N m - S_t)/(N - t), S_t the sum of the t values drawn.

Wealth of expert kappa: prod_t (1 + bet_t (h_t - m_t)), bet_t = min(kappa (N/(N-t))/v_t, 0.9/(1+m_t)), where v_t is a
variance estimate from past values that does not depend on m. Each factor has conditional mean at most one and is
positive, so that the mixture over experts is a nonnegative supermartingale under the null: its running maximum
exceeds 1/alpha with probability at most alpha. Bets do not grow with m, so that a rejected null rejects all below it. A
null that the values drawn make impossible (m_t < -1) has E = infinity, from then on. A value of weight w in (0, 1] (a
cluster, as a share of the largest) counts w times: 1 + bet w (h - m).

The wealth of every expert against every null of a fixed grid is kept, for both directions, so that a value costs the
same however many came before. Kept are log E and each bet's share of the wealth, like a posterior over bets: E grows by
the mean factor under the shares. Bets that have lost all but 1e-290 of the wealth are dropped.

Items may be abandoned or withdrawn, by somebody who has seen every answer, also those that wait behind them. Such a
unit counts as the worst for either side, -1 in row 0 and +1 in what row 1 negates, and E must be at most what it would
have been with the label: then nobody gains by it, whatever they know. So bets must not learn of it. They learn from the
labels as they came; where there is none they are the less favourable of what any label could have made of them.

With a metric of the pool (`pool_metric`) h_t is a rating less its prediction. Bets are then at most 0.9/(1 + m_t +
reach), reach the largest prediction that can come, and v_t is the variance of what predictions leave of ratings.

Rows (2) are the directions: row 0 argues "the mean is above m" on the values themselves, row 1 the same on the negated
ones.
Source: betting without replacement as in Waudby-Smith & Ramdas (2020, 2024).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.pool_metric import NO_PREDICTION, PoolMetric, Prediction
from tiebreak.records import UnitValue

Floats = NDArray[np.float64]

LARGEST_FRACTION: Final = 0.9
"""Of the largest bet that cannot go bankrupt."""

PRIOR_SQUARES, PRIOR_COUNT = 2.1, 3.0  # variance 0.7, that of a pair with 30% ties, worth three values
_SPREAD, _USUAL_HALF_WIDTH, _SCALES = 1.5, 0.1, 20
_LOST = 1e-290  # smaller shares are dropped: near the smallest number they would be rounded up at each loss


def log_sum_exp(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(sum(exp(terms))) over the last axis.

    +inf wins over everything; a row of -inf only gives -inf. Checked against scipy.special.logsumexp, which is
    several times slower on (500, 64) because it supports weights, signs and masks.
    """
    largest = terms.max(axis=-1)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(over="ignore", divide="ignore"):
        return np.asarray(np.log(np.exp(terms - shift[..., None]).sum(axis=-1)) + shift)


@dataclass(frozen=True, slots=True)
class KappaPrior:
    """Bet scales kappa (J,) in units of (difference), and the logarithms (J,) of weights that sum to one."""

    kappas: Floats
    log_weights: Floats


def kappa_prior(half_width: float | None = None) -> KappaPrior:
    """Log-spaced scales with a half-normal density per unit of kappa, of standard deviation 1.5 half-widths: the best
    kappa for a difference delta is about delta, and a mean is known to a half-width when nulls so far from it are
    rejected. None: as for a half-width of 0.1.

    Bets of this spread reach half-widths of .05 to .225 with 0 to 18% fewer ratings than those of one spread for all.
    """
    spread = _SPREAD * (_USUAL_HALF_WIDTH if half_width is None else half_width)
    kappas = np.geomspace(spread / 10, 4 * spread, _SCALES)
    mass = kappas * np.exp(-(kappas**2) / (2 * spread**2))  # per log-spaced point the density times kappa
    return KappaPrior(kappas, np.log(mass / mass.sum()))


class Taught(NamedTuple):
    """What adaptive bets learn from: `total` of the labels as they came, times their weights; `rest` and `squares` of
    them less their predictions. `unknown`: units without a label, whose worst values in each direction add up to
    `worst_a`, `worst_b`.

    With a metric: sums of `products` of label and metric value, and of `unknown_x`, the sizes of the metric's values of
    units without a label. As these leave a range for each slope: `blur`, the sum of squares of how far predictions may
    be off, and `farthest`, the size that no label less its prediction exceeds where it is missing.
    """

    total: float = 0.0
    rest: float = 0.0
    squares: float = 0.0
    unknown: int = 0
    worst_a: float = 0.0
    worst_b: float = 0.0
    products: float = 0.0
    unknown_x: float = 0.0
    blur: float = 0.0
    farthest: float = 1.0

    def slopes(self, metric: PoolMetric, drawn: int) -> tuple[float, float]:
        """Of ratings on the metric, the least and the largest."""
        return metric.slopes(drawn, self.total, self.products, (self.unknown, self.unknown_x))


@dataclass(frozen=True, slots=True)
class RunningWealth:
    """After `count` values: share of each bet in the wealth (2, G, J); current and largest log E (2, G).

    `sums`, `squares` (2,): of the values of each direction, times their weights (they differ where an item was
    abandoned or withdrawn). `weight`: the sum of the weights, which is `count` where all weigh 1. `taught`: kept by the
    bets that learn from it.
    """

    count: int
    shares: Floats
    log_e: Floats
    sup_log_e: Floats
    sums: Floats
    squares: Floats
    weight: float
    taught: Taught

    @property
    def mean(self) -> float:
        """Mean value per unit, abandoned ones in the middle; NaN before the first."""
        return float((self.sums[0] - self.sums[1]) / 2 / self.weight) if self.count else float("nan")

    @property
    def variance(self) -> float:
        """Variance of the values per unit, as of units of one weight; NaN before the first."""
        if not self.count:
            return float("nan")
        share = self.weight / self.count
        return max(0.0, float((self.squares / self.count - (self.sums / self.count) ** 2).mean())) / share**2

    def with_metric(self, metric: PoolMetric) -> tuple[float, float]:
        """The mean rating of the pool as the metric corrects it, and the variance of what it leaves of ratings."""
        taught, known = self.taught, max(self.count - self.taught.unknown, 1)
        slope, ahead = sum(taught.slopes(metric, self.count)) / 2, metric.drawn_mean[self.count] - metric.drawn_mean[-1]
        mean = float(np.clip(self.mean - slope * ahead, -1.0, 1.0))
        return mean, max(taught.squares - taught.rest**2 / known, 0.0) / known


STEPS: Final = 100
"""Of a grid on which directions and intervals are found."""


def null_grid(steps: int = STEPS) -> Floats:
    """Sorted null values (G,): `steps` - 1 equally spaced inside (-1, 1), and 0."""
    inside = np.linspace(-1.0, 1.0, steps + 1)[1:-1]
    return np.unique(np.round(np.concatenate([inside, [0.0]]), 12))


def start(nulls: Floats, log_weights: Floats) -> RunningWealth:
    """Before any value: log E is 0 everywhere, the shares are the prior weights of the bets (J,)."""
    shape = (2, nulls.size)
    shares = np.broadcast_to(np.exp(log_weights), (*shape, log_weights.size))
    return RunningWealth(0, shares, np.zeros(shape), np.zeros(shape), np.zeros(2), np.zeros(2), 0.0, Taught())


def after_value(
    wealth: RunningWealth,
    prior: KappaPrior,
    nulls: Floats,
    value: UnitValue,
    pool_size: int | None,
    weight: float = 1.0,
    metric: PoolMetric | None = None,
) -> RunningWealth:
    """One value in [-1, 1], with the bets of all experts; `weight` in (0, 1], 1 with a pool. `metric`: of the pool.

    Raises:
        ValueError: more values than the pool holds.
    """
    values = np.array([value.for_a, -value.for_b])
    null_mean = _undrawn_null_mean(wealth, nulls, pool_size)
    low, high = _scales(wealth, pool_size)
    said = NO_PREDICTION if metric is None else metric.ahead(wealth.count, wealth.taught.slopes(metric, wealth.count))
    rest = values - [said.high, -said.low]
    edge = (rest[:, None] - null_mean)[..., None]
    bets = np.minimum(high * prior.kappas, _largest(null_mean, said.least_reach))
    if low < high:  # a gain is bet on as little as any label that is missing could have made it, a loss as much
        bets = np.where(edge > 0, np.minimum(low * prior.kappas, _largest(null_mean, said.most_reach)), bets)
    factors = 1 + bets * weight * edge
    if said.low < said.high:  # the loss of one slope by the bet of another may exceed that of any
        factors = np.maximum(factors, 1 - LARGEST_FRACTION)
    pool = None if pool_size is None else (nulls, pool_size)
    taught = _after(wealth.taught, value, weight, said, 0.0 if metric is None else float(metric.x[wealth.count]))
    return _with(wealth, wealth.shares * factors, weight * values, pool, taught, weight)


def rejected_below(wealth: RunningWealth, nulls: Floats, log_threshold: float) -> tuple[float, float]:
    """(low, high): all null values outside are rejected at this one-sided threshold, at some look; else -1 and 1.

    The grid has a spacing: on either side the interval is too wide by at most one step.
    """
    rejected = wealth.sup_log_e >= log_threshold
    low = float(nulls[rejected[0]].max(initial=-1.0))
    high = -float(nulls[rejected[1]].max(initial=-1.0))
    return low, high


def _with(
    wealth: RunningWealth,
    grown: Floats,
    values: Floats,
    pool: tuple[Floats, int] | None,
    taught: Taught,
    weight: float = 1.0,
) -> RunningWealth:
    """The record after values (2,), one for each direction, times their weight; `grown`: the shares times their
    factors, to be kept."""
    growth = grown.sum(axis=-1)
    grown /= growth[..., None]
    grown *= grown > _LOST
    log_e = wealth.log_e + np.log(growth)
    sums = wealth.sums + values
    if pool is not None:
        nulls, pool_size = pool
        # Would even losses on everything undrawn leave the pool's mean above the null?
        least_total = sums - (pool_size - wealth.count - 1)
        log_e = np.where((least_total[:, None] > pool_size * nulls + 1e-9) | np.isposinf(wealth.log_e), np.inf, log_e)
    return RunningWealth(
        count=wealth.count + 1,
        shares=grown,
        log_e=log_e,
        sup_log_e=np.maximum(wealth.sup_log_e, log_e),
        sums=sums,
        squares=wealth.squares + values**2,
        weight=wealth.weight + weight,
        taught=taught,
    )


def _largest(null_mean: Floats, reach: Floats | float) -> Floats:
    """(2, G, 1): the largest bets that cannot go bankrupt where predictions `reach` (2,) so far, by direction."""
    room = np.maximum(1.0 + null_mean, 0.0) + np.reshape(reach, (-1, 1))
    with np.errstate(divide="ignore"):
        return np.where(room > 0, LARGEST_FRACTION / room, np.inf)[..., None]


def _after(taught: Taught, value: UnitValue, weight: float, said: Prediction, x: float) -> Taught:
    """With the label of one more unit, or without one that is missing."""
    if value.taught is None:
        return taught._replace(
            unknown=taught.unknown + 1,
            worst_a=taught.worst_a + weight * value.for_a,
            worst_b=taught.worst_b - weight * value.for_b,
            farthest=max(taught.farthest, 1 + max(-said.low, said.high)),
            unknown_x=taught.unknown_x + abs(x),
        )
    known = weight * value.taught
    rest = known - said.middle
    return taught._replace(
        total=taught.total + known,
        rest=taught.rest + rest,
        squares=taught.squares + rest * rest,
        blur=taught.blur + ((said.high - said.low) / 2) ** 2,
        products=taught.products + known * x,
    )


def _scales(wealth: RunningWealth, pool_size: int | None) -> tuple[float, float]:
    """What the kappas are multiplied with, at the least and at the most: equal unless labels are missing.

    (Without those the values spread least if the others are all at the mean, and most if they are as far from it as can
    be: not farther than 1 + |mean|, or what predictions make of it. The root of a sum of squares about the mean is a
    norm, which `blur` changes by its root at most.)
    """
    taught, drawn = wealth.taught, wealth.count
    known = max(drawn - taught.unknown, 1)
    residual = max(taught.squares - taught.rest**2 / known, 0.0)
    shrinking, count = _shrinking(drawn, pool_size), drawn + PRIOR_COUNT
    least = residual if not taught.blur else max(math.sqrt(residual) - math.sqrt(taught.blur), 0.0) ** 2
    high = shrinking / ((least + PRIOR_SQUARES) / count)
    if not taught.unknown:
        return high, high
    wide = residual if not taught.blur else (math.sqrt(residual) + math.sqrt(taught.blur)) ** 2
    most = wide + taught.unknown * (taught.farthest + abs(taught.rest) / known) ** 2
    return shrinking / ((most + PRIOR_SQUARES) / count), high


def _undrawn_null_mean(wealth: RunningWealth, nulls: Floats, pool_size: int | None) -> Floats:
    """(2, G): the largest mean that each null leaves for the values not yet drawn, in [-1, 1]."""
    if pool_size is None:
        return np.broadcast_to(nulls, (2, nulls.size))
    if wealth.count >= pool_size:
        raise ValueError(f"{wealth.count + 1} values from a pool of {pool_size}")
    left = pool_size - wealth.count
    taught = wealth.taught
    least = np.array([[taught.total + taught.worst_a], [taught.worst_b - taught.total]])
    return np.asarray(np.clip((pool_size * nulls - least) / left, -1.0, 1.0))


def _shrinking(drawn: int, pool_size: int | None) -> float:
    return 1.0 if pool_size is None else pool_size / (pool_size - drawn)
