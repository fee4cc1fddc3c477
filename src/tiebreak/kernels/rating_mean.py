"""The interval of a mean rating, or of a difference of mean ratings, in one look at a finished set.

An output's value is the mean of its ratings, and the claim is about the mean over outputs: over inputs like these, or
over the N outputs of a pool, n of which were rated. Differences between two systems, paired by item, are such values
too, on a scale of twice the width.

*With a declared scale* [lo, hi] values are mapped to [-1, 1] and tested as `compare` tests them: t test, sign flips and
score test, all three (`panel_means`), by clusters `cluster_means`; with fewer than 8 outputs the order-free mixture.
What a rating could have been counts, so that there is an interval even where all values are equal. So never take the
smallest and largest values seen for the scale.

*Without one* the interval is the hull of the t interval and Hall's (`skewed_mean`); over clusters, of the values
mean + G (y_g - mean n_g)/n of clusters g with sums y_g of n_g outputs. No interval where all values are equal: nothing
says how rare others are.

*These outputs*: the error is that of the draw without replacement and that of the ratings (`panel_means.Pool`); where
nobody rated an output twice the claim is about these ratings, and with every output rated the mean is exact. What one
more rating that dissents would change is taken from the declared scale, else from the range of the values.

Measured at .025 a side on ratings of 1-5, of which 80 or 95 % are fives and the others spread, all fours or all ones,
or most are threes (n = 10 to 400, one and three ratings per output; 400 runs each): a declared scale holds .935-1.00 of
means, in the median .995 where 95 % are fives; at 8 to 15 outputs .947 and more, which is why the mixture (at 10
outputs about a third wider) is left to fewer. Without a scale .932-1.00; .92 (15 to 30 outputs, 2,000 runs)
where rare ratings on both sides of a common one are mostly not seen. Pools of 40 and 100, 20 to all of them rated:
.93-1.00 either way. Clusters (8 to 50, equal or lognormal sizes, half of a pool or inputs): .924-1.00 with, .916-1.00
without a scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks
from tiebreak.kernels.cluster_means import ClusterPool, error_in_cluster_pool, unchecked_cluster_means
from tiebreak.kernels.interval_estimate import IntervalEstimate
from tiebreak.kernels.one_look import OneLook
from tiebreak.kernels.panel_means import Pool, error_in_pool, means_look
from tiebreak.kernels.skewed_mean import skewed_interval

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

FEWEST: Final = 8
"""Outputs, from which on the three tests are used on a declared scale."""


@dataclass(frozen=True, slots=True)
class MeanRatings:
    """What is known of n outputs.

    `values` (n,): their mean ratings; `counts` (n,) >= 1 of ratings, `variances` (n,) >= 0 of an output's ratings about
    their mean, divisor count - 1 (not read where it is 1): `RatedOutputs`. `scale` (lo, hi): what ratings can be, None
    where nobody declared it. `clusters` (n,): outputs with the same number depend on one another. `pool_size` >= n of a
    claim about these outputs, None for inputs like these; `pool_clusters`: its number of clusters, of which whole ones
    were drawn.

    Of a difference between two systems, `variances`/`counts` must be the variance of the difference of their means:
    with different people s_a^2/k_a + s_b^2/k_b.

    Raises:
        UsageError: shapes that differ, values outside the scale, a scale without width, counts below 1, a pool too
            small, or clusters of a pool whose number of clusters is not given.
    """

    values: Floats
    counts: Integers
    variances: Floats
    scale: tuple[float, float] | None = None
    clusters: Integers | None = None
    pool_size: int | None = None
    pool_clusters: int | None = None

    def __post_init__(self) -> None:
        rows = (self.values, self.counts, self.variances, self.values if self.clusters is None else self.clusters)
        if self.values.ndim != 1 or len({row.shape for row in rows}) > 1:
            raise UsageError(f"values, counts, variances and clusters must fit, not {[row.shape for row in rows]}")
        if not np.isfinite(self.values).all():
            raise UsageError(f"values must be finite, but one is {self.values[~np.isfinite(self.values)][0]}")
        if (self.counts < 1).any():
            raise UsageError(f"every output needs at least one rating, but one has {self.counts.min()}")
        if self.scale is not None:
            _check_scale(self.values, *self.scale)
        if self.pool_size is not None and self.pool_size < self.values.size:
            raise UsageError(f"{self.values.size} rated outputs do not fit a pool of {self.pool_size}")
        if self.clusters is not None and (self.pool_size is None) != (self.pool_clusters is None):
            raise UsageError("whole clusters of a pool were drawn: say how many clusters it has, or name no pool")


def rating_mean(of: MeanRatings, level: float = 0.025) -> IntervalEstimate:
    """The mean with its interval at `level` a side (.025: 95 %).

    No values: all None. Without a scale, fewer than two units or equal values: no interval, unless the mean is exact.
    With one, low and high lie on it.

    Raises:
        UsageError: a level outside (0, .5).
    """
    return interval_of(of, of.values, level)


def interval_of(of: MeanRatings, values: Floats, level: float) -> IntervalEstimate:
    """The same of other `values` (n,) of these outputs, such as a metric adjusted; they may lie off the scale where
    there are at least 8 outputs, or clusters. The estimate is moved back onto it.
    """
    _checks.open_unit("twice the level per side", 2 * level)
    if not values.size:
        return IntervalEstimate()
    if of.scale is None:
        return _without_scale(of, values, level)
    low, high = of.scale
    middle, half = (low + high) / 2, (high - low) / 2
    look = _look(of, (values - middle) / half, half)
    estimate = min(max(middle + half * look.estimate, low), high)
    first, last = (middle + half * end for end in look.interval(level))
    # Of a mean that is exact both ends are found to within a search, on the wrong sides of it perhaps.
    return IntervalEstimate(estimate, min(first, estimate), max(last, estimate))


def _look(of: MeanRatings, values: Floats, unit: float) -> OneLook:
    """The test of values that were mapped; `unit`: of the scale, per unit of theirs."""
    if of.clusters is None:
        pool = None if of.pool_size is None else Pool(of.pool_size, of.variances / unit**2)
        return means_look(values, of.counts, pool, values.size < FEWEST, None)
    sums, sizes, noise = _by_cluster(of, values, unit)
    pool_of = None if of.pool_clusters is None else ClusterPool(of.pool_clusters, noise)
    return unchecked_cluster_means(sums, sizes, None, pool_of)


def _without_scale(of: MeanRatings, values: Floats, level: float) -> IntervalEstimate:
    mean = math.fsum(values) / values.size
    spread, variance, freedom = (_cluster_error if of.clusters is not None else _error)(of, values, mean)
    if variance is None:
        return IntervalEstimate(mean)
    if not variance:
        return IntervalEstimate(mean, mean, mean)
    low, high = skewed_interval(spread, math.sqrt(variance / spread.size), freedom, level)
    return IntervalEstimate(mean, low, high)


def _error(of: MeanRatings, values: Floats, _mean: float) -> tuple[Floats, float | None, float]:
    """Units, n times the squared error of their mean (None where it is unknown, 0 where there is none), its freedom."""
    count = values.size
    spread = float(values.var(ddof=1)) if count > 1 and np.ptp(values) else 0.0
    if of.pool_size is None:
        return values, spread or None, count - 1.0
    unit = float(np.ptp(values)) / 2 or 1.0
    error = error_in_pool(spread / unit**2, of.counts, Pool(of.pool_size, of.variances / unit**2))
    known = error.variance * unit**2 if spread else 0.0
    return values, known or (None if error.shrink else 0.0), error.freedom


def _cluster_error(of: MeanRatings, values: Floats, mean: float) -> tuple[Floats, float | None, float]:
    sums, sizes, noise = _by_cluster(of, values, 1.0)
    residuals = sums - mean * sizes
    linear = mean + residuals * (sums.size / values.size)
    spread = float(linear.var(ddof=1)) if sums.size > 1 and np.ptp(values) else 0.0
    shrink = 1.0
    if of.pool_clusters is not None:
        shrink, _, _ = error_in_cluster_pool(residuals, ClusterPool(of.pool_clusters, noise))
    return linear, shrink**2 * spread or (None if shrink else 0.0), sums.size - 1.0


def _by_cluster(of: MeanRatings, values: Floats, unit: float) -> tuple[Floats, Floats, Floats]:
    """Sums, sizes and label noise (G,)."""
    units = np.unique(np.asarray(of.clusters), return_inverse=True)[1]
    noise = np.where(of.counts > 1, of.variances, 0.0) / of.counts / unit**2
    sums, sizes, noises = (np.bincount(units, weights=row) for row in (values, np.ones(units.size), noise))
    return sums.astype(np.float64), sizes.astype(np.float64), noises.astype(np.float64)


def _check_scale(values: Floats, low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"a scale goes from a number to a larger one, not from {low} to {high}")
    off = (values < low) | (values > high)
    if off.any():
        raise UsageError(f"the scale is {low:g} to {high:g}, but a value is {values[off][0]:g}")
