"""The interval of a mean rating, or of a difference of mean ratings, in one look at a finished set.

An output's value is the mean of its ratings, and the claim is about the mean over outputs: over inputs like these, or
over the N outputs of a pool, n of which were rated. Differences between two systems, paired by item, are such values
too, on a scale of twice the width.

*With a declared scale* [lo, hi] values are mapped to [-1, 1] and tested as `compare` tests them, by sign flips and
score test (`unit_means`).
What a rating could have been counts, so that there is an interval even where all values are equal. So never take the
smallest and largest values seen for the scale.

*Without one* the interval is the hull of the t interval and Hall's (`skewed_interval`); over clusters, of the values
mean + G (y_g - mean n_g)/n of clusters g with sums y_g of n_g outputs. No interval where all values are equal: nothing
says how rare others are.

*These outputs*: the error is that of the draw without replacement and that of the ratings (`unit_means.Pool`); where
nobody rated an output twice the claim is about these ratings, and with every output rated the mean is exact. What one
more rating that dissents would change is taken from the declared scale, else from the range of the values.

Measured at .025 a side on ratings of 1-5, of which 80 or 95 % are fives and the others spread, all fours or all ones,
or most are threes (n = 10 to 400, one and three ratings per output; 400 runs each): a declared scale holds .935-1.00 of
means, in the median .995 where 95 % are fives; .955 and more at 6 to 20 outputs (800 runs), and with fewer than 6 the
interval is the whole scale. Without a scale .932-1.00; .92 (15 to 30 outputs, 2,000 runs)
where rare ratings on both sides of a common one are mostly not seen. Pools of 40 and 100, 20 to all of them rated:
.93-1.00 either way. Clusters (8 to 50, equal or lognormal sizes, half of a pool or inputs): .924-1.00 with, .916-1.00
without a scale.

How much of what ratings vary by is the outputs, and how much is the people: sigma_f^2, sigma_a^2 and gamma.

Model (Chaganty, Mussmann & Liang 2018, section 3): output i has the mean rating f_i of all people who might be asked,
and a rating is Y = f_i + noise. sigma_f^2 = Var f over outputs, sigma_a^2 = E Var(Y | output), gamma = sigma_a^2 /
sigma_f^2. No automatic metric, not even f itself, saves more than the factor (1 + gamma)/gamma of labels: the ceiling.

Method of moments of the one-way random effects model, each output counting once, however many ratings it has:

    sigma_a^2 = mean of s_i^2 over outputs with two ratings or more,
    sigma_f^2 = S^2 - mean of s_i^2/k_i,

s_i^2 the variance of the k_i ratings of an output (sigma_a^2 where it has one), S^2 that of the outputs' means. Both
are unbiased, also where people agree better on some outputs than on others and where k_i goes with that. Where all k_i
are equal they are those of the analysis of variance. sigma_f^2 may come out at or below 0: then outputs differ no more
than noise, which is a finding (`no-spread`) and not a number.

Whose severity. Ratings of one output differ by chance, by taste and by how severe people are. Where different people
rate different outputs all of it is noise that more outputs average out. Where the same people rate all outputs, their
severity is part of sigma_a^2 too, though it moves all outputs alike: gamma is about other people of the same kind, and
intervals, which are over outputs, know nothing of how few people there are.

Intervals, 95 %: jackknife over outputs (or clusters) on a log scale, `jackknife.log_interval`. sigma_f^2 is shifted by
the mean of s_i^2/k_i there, 1/gamma by that over sigma_a^2, so that both may come near 0. Measured (1,000 studies each;
30 and 100 outputs of 2, 3 and 5 ratings, gamma .3 and 1.5; normal, and rounded to 1-5 or to 1-3 with a ceiling): gamma
and its ceiling .940-.974, sigma_f^2 .930-.975, sigma_a^2 .914-.980. The percentile bootstrap holds gamma in .885-.943
of studies at 30 outputs and .912-.960 at 100, so it is not used. At 400 outputs both hold .92-.965.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.jackknife import log_interval
from tiebreak.kernels.one_look import OneLook, skewed_interval
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.kernels.score_interval import ANYWHERE, CORRECTED, DIFFERENCES, Unseen
from tiebreak.kernels.unit_means import (
    ClusterPool,
    Pool,
    error_in_cluster_pool,
    error_in_pool,
    grouped_means,
    item_means,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class MeanRatings:
    """What is known of n outputs.

    `values` (n,): their mean ratings; `counts` (n,) >= 1 of ratings, `variances` (n,) >= 0 of an output's ratings about
    their mean, divisor count - 1 (not read where it is 1): `RatedOutputs`. `scale` (lo, hi): what ratings can be, None
    where nobody declared it. `clusters` (n,): outputs with the same number depend on one another. `pool_size` >= n of a
    claim about these outputs, None for inputs like these; `pool_clusters`: its number of clusters, of which whole ones
    were drawn.

    Of a difference between two systems, `variances`/`counts` must be the variance of the difference of their means:
    with different people s_a^2/k_a + s_b^2/k_b; and `difference` is true: one that nobody saw is not much larger
    than those that were seen (`unit_means`).

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
    difference: bool = False

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
    return interval_of(of, level)


def interval_of(of: MeanRatings, level: float, adjusted: Floats | None = None) -> IntervalEstimate:
    """The same, of values (n,) that a metric `adjusted`, if any: they may lie off the scale, the estimate does not."""
    values = of.values if adjusted is None else adjusted
    _checks.open_unit("twice the level per side", 2 * level)
    if not values.size:
        return IntervalEstimate()
    if of.scale is None:
        return _without_scale(of, values, level)
    low, high = of.scale
    middle, half = (low + high) / 2, (high - low) / 2
    unseen = CORRECTED if adjusted is not None else DIFFERENCES if of.difference else ANYWHERE
    look = _look(of, (values - middle) / half, half, unseen)
    estimate = min(max(middle + half * look.estimate, low), high)
    first, last = (middle + half * end for end in look.interval(level))
    # Of a mean that is exact both ends are found to within a search, on the wrong sides of it perhaps.
    return IntervalEstimate(estimate, min(first, estimate), max(last, estimate))


def _look(of: MeanRatings, values: Floats, unit: float, unseen: Unseen) -> OneLook:
    """The test of values that were mapped; `unit`: of the scale, per unit of theirs."""
    if of.clusters is None:
        pool = None if of.pool_size is None else Pool(of.pool_size, of.variances / unit**2)
        return item_means(values, of.counts, pool, None, unseen=unseen)
    sums, sizes, noise = _by_cluster(of, values, unit)
    pool_of = None if of.pool_clusters is None else ClusterPool(of.pool_clusters, noise)
    return grouped_means(sums, sizes, None, pool_of, unseen=unseen)


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
    known = error.unseen * spread + error.noise * unit**2 if spread else 0.0
    return values, known or (None if error.shrink else 0.0), error.freedom


def _cluster_error(of: MeanRatings, values: Floats, mean: float) -> tuple[Floats, float | None, float]:
    sums, sizes, noise = _by_cluster(of, values, 1.0)
    residuals = sums - mean * sizes
    linear = mean + residuals * (sums.size / values.size)
    spread = float(linear.var(ddof=1)) if sums.size > 1 and np.ptp(values) else 0.0
    shrink = 1.0
    if of.pool_clusters is not None:
        shrink = error_in_cluster_pool(residuals, ClusterPool(of.pool_clusters, noise)).shrink
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


Reason = Literal["one-output", "one-rating", "constant", "no-noise", "no-spread"]
"""Why gamma or its ceiling has no value.

`one-output`: fewer than two outputs. `one-rating`: no output has two ratings, gamma is not identified. `constant`: all
ratings are equal. `no-noise`: nobody differs on any output; gamma is 0, and nothing caps what a metric may save.
`no-spread`: outputs differ no more than noise; gamma is beyond all bounds, and no metric saves anything.
"""

_NOTHING = IntervalEstimate()
_FEWEST_REPEATED = 3  # outputs with two ratings, for an interval: without one of them two are left
_ROUNDING = 1e-12  # of the variance of one rating


@dataclass(frozen=True, slots=True)
class RatingVariance:
    """`outputs` and `ratings`: how many. Where a value is None or 0 by a degenerate case, `reason` says which.

    `sigma_f2` >= 0 and `sigma_a2` >= 0 in squared units of the ratings; `gamma` >= 0; `ceiling` >= 1.
    """

    outputs: int
    ratings: int
    sigma_f2: IntervalEstimate
    sigma_a2: IntervalEstimate
    gamma: IntervalEstimate
    ceiling: IntervalEstimate
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Moments:
    """Of all outputs (one number each), or of all but each unit (U,). Where nothing repeats, noise is nan.

    `total`: S^2 of the outputs' means; `noise`: sigma_a^2; `noise_of_means`: the mean of s_i^2/k_i.
    """

    total: Floats
    noise: Floats
    noise_of_means: Floats

    @property
    def outputs(self) -> Floats:
        """sigma_f^2, which may be negative."""
        return self.total - self.noise_of_means

    @property
    def single(self) -> Floats:
        """The variance of one rating, sigma_f^2 + sigma_a^2; known also where each output has one."""
        return np.where(np.isnan(self.noise), self.total, self.outputs + self.noise)


def rating_variance(rated: RatedOutputs, clusters: Integers | None = None) -> RatingVariance:
    """The split of the variance; `clusters` (n,): outputs with the same number depend on one another.

    A few ms for 10^5 outputs.

    Raises:
        UsageError: clusters of another number of outputs.
    """
    outputs, ratings = rated.counts.size, rated.ratings.size
    if outputs < 2:
        noise = float(rated.variances[0]) if outputs and rated.counts[0] > 1 else None
        return RatingVariance(outputs, ratings, _NOTHING, IntervalEstimate(noise), _NOTHING, _NOTHING, "one-output")
    if not (rated.counts > 1).any():
        return RatingVariance(outputs, ratings, _NOTHING, _NOTHING, _NOTHING, _NOTHING, "one-rating")
    if not np.ptp(rated.ratings):
        zero = IntervalEstimate(0.0)
        return RatingVariance(outputs, ratings, zero, zero, _NOTHING, _NOTHING, "constant")
    sums = unit_sums(moment_terms(rated), clusters)
    whole, left = moments(sums.sum(axis=0)), moments(sums.sum(axis=0) - sums)
    if int((rated.counts > 1).sum()) < _FEWEST_REPEATED or sums.shape[0] < _FEWEST_REPEATED:
        left = moments(np.full((0, sums.shape[1]), np.nan))
    noise, of_means, least = (float(of) for of in (whole.noise, whole.noise_of_means, _ROUNDING * whole.single))
    signal = _above(float(whole.outputs), least)
    if not noise:
        spread = IntervalEstimate(signal, *(log_interval(signal, left.total, 0.0) or (None, None)))
        return RatingVariance(
            outputs, ratings, spread, IntervalEstimate(0.0), IntervalEstimate(0.0), _NOTHING, "no-noise"
        )
    of_outputs = log_interval(float(whole.outputs), left.outputs, of_means)
    inverse = log_interval(float(whole.outputs) / noise, _over(left.outputs, left.noise), of_means / noise)
    low, high = (None, None) if inverse is None else (_above(end, least / noise) for end in inverse)
    return RatingVariance(
        outputs,
        ratings,
        IntervalEstimate(signal, *((None, None) if of_outputs is None else (_above(end, least) for end in of_outputs))),
        IntervalEstimate(noise, *(log_interval(noise, left.noise, 0.0) or (None, None))),
        IntervalEstimate(noise / signal if signal else None, _reciprocal(high), _reciprocal(low)),
        IntervalEstimate(1 + signal / noise, None if low is None else 1 + low, None if high is None else 1 + high),
        None if signal else "no-spread",
    )


def moment_terms(rated: RatedOutputs) -> Floats:
    """What each output adds to the sums (n, 6) that `moments` are made of; means are about their own mean."""
    repeated = rated.counts > 1
    means = rated.means - rated.means.mean()
    noise = np.where(repeated, rated.variances, 0.0)
    return np.column_stack([np.ones(means.size), means, means**2, repeated, noise, noise / rated.counts])


def unit_sums(terms: Floats, clusters: Integers | None) -> Floats:
    """The same by unit: (U, ...) by cluster, or as they are.

    Raises:
        UsageError: clusters of another number of outputs.
    """
    if clusters is None:
        return terms
    if clusters.shape != terms.shape[:1]:
        raise UsageError(f"{terms.shape[0]} outputs, but {clusters.size} clusters")
    units = np.unique(clusters, return_inverse=True)[1]
    sums = np.zeros((int(units.max(initial=-1)) + 1, *terms.shape[1:]))
    np.add.at(sums, units, terms)
    return sums


def moments(sums: Floats) -> Moments:
    """From sums (..., 6) of `moment_terms`; nan where fewer than two outputs, or none with two ratings, are left."""
    count, means, squares, repeated, noise, noise_of_means = np.moveaxis(sums[..., :6], -1, 0)
    total = _over(squares - _over(means**2, count), count - 1)
    sigma_a2 = _over(noise, repeated)
    single = np.where(count > repeated, (count - repeated) * sigma_a2, 0.0)
    return Moments(np.maximum(total, 0.0), sigma_a2, _over(noise_of_means + single, count))


def _over(numerator: Floats, denominator: Floats) -> Floats:
    there = denominator > 0
    return np.asarray(np.where(there, numerator / np.where(there, denominator, 1.0), np.nan))


def _above(value: float, least: float) -> float:
    """`value`, or 0 where it is below 0 or rounding."""
    return value if value > least else 0.0


def _reciprocal(value: float | None) -> float | None:
    return 1 / value if value else None
