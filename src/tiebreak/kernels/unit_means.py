"""One look at a mean over units: items with several labels each, or clusters of items. Inputs like these, or a pool.

Unit g has n_g items (1, or the size of a cluster) whose values have the sum y_g. Null: the mean per item, E(y_g) /
E(n_g), is at most delta. Units are independent; items of one cluster may depend on each other in any way, and sizes
may go with outcomes. Two tests of the scores s_g = y_g - delta n_g must both reject, p = max(p_flips, p_score):

- sign flips (Canay, Romano & Shaikh 2017), which neither skewness of many units nor few units mislead by much, but
  strong units that are rare do: where 5 to 20 % of items are strongly one-sided they err in .05-.21 at .025;
- the score test, with the variance that the null implies (`NullScore`), which knows of strong units that nobody saw.

Either falls when a value of an item rises: a label for one side never helps the other. Neither falls as delta rises, so
that p inverts into an interval. With G units whose sum is not 0, p is at least 2^-G. A t test as a third adds nothing:
where it errs less than these two it is by less than .002, and it rejects less where a side wins by more.

Measured at .025 a side (1,000 runs each; 8 to 100 items of 2 to 10 people; 5 to 20 % strong items, weak items that are
now and then the other side's, coins, leaning items): .000-.031 of wrong directions, .048 at 8 items of two people. The
sign test of the items' majorities has less power (8 to 30 items of 3 and 5 people: .40 to .99 times).

*What nobody saw.* For the score test of people's votes a unit that nobody saw may be anything: a sum of -n_g. What a
metric left of values, and differences of mean ratings, lie closer together: there it lies as far from their mean as the
farthest that was seen, and an item by at least 1/2, or 3/4. With 15 ratings of 1-5 and a metric of correlation .85 or
.97 intervals are .63 and .44 times as wide as those of t without it (linear regression .60 and .39), and .05 and .03 of
true means are missed; .005-.092 where people mark down one output in twenty that the metric does not, with 8 to 60 of
them (400 runs each). Differences of ratings where a system fails, and has 1 where the other has 5, in 1 to 5 % of items
(30 to 200 items, 1 or 3 people, 2,500 runs): .023-.049 of directions are wrong at .05, at most .007 at .01, where t
errs in .05-.28. Between six systems (100 items, four criteria, Holm) 34 verdicts, where t finds 35 and the share of
wins 30; between sixteen 200, 227 and 200. With 1/2 .075 would be wrong, with 1 only 170 found.

*These items.* A pool of N items of which n are labelled, in random order or all. The error of the mean then is that of
the draw without replacement and that of the labels (fresh labels from this panel would differ):

    variance = ((1 - f) s^2 + f v) / n,   f = n/N, s^2 the variance of h, v the mean of s_i^2 / k_i,

s_i^2 the variance of an item's k_i labels. (s^2 holds the labels' variance too; at f = 1 what is left is
sum s_i^2/k_i / N^2.) The score test takes this variance, with Satterthwaite's degrees of freedom; the sign flips are
those of all inputs with the distance to the mean shrunk by r = sqrt(((1 - f) s^2 + f v) / s^2), so that they keep the
skewness and lose their exactness. v counts one more label that dissents: seeing none among few items does not prove
that there is none. That one has at least two degrees of freedom: with one, 40 items with two equal labels each would
be known to within .32 only, where hardly more than four dissenting labels, which move the mean by .1, stay unseen by
chance. Where fewer than 20 labels repeat an item, they say too little of v (from one repeated item, t with one degree
of freedom would be wider than any pool allows). Then v is taken as s^2, which it never exceeds on average: the items
count as if drawn from others like them. Where nobody labelled an item twice, v is taken as 0: a claim about
these labels, and where each item of the pool has its one label, the sign of the mean is certain.

Where whole clusters were drawn, G of C, f = G/C and the unit of the draw is the cluster: s^2 the variance of the
residuals y_g - mean n_g, v the mean variance of y_g by its labels (0 where nobody labelled an item twice).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.one_look import OneLook, one_look
from tiebreak.kernels.score_interval import ANYWHERE, NullScore, Unseen
from tiebreak.kernels.sign_flips import SignFlips, sign_flips

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

LEAST_REPEATS = 20  # labels beyond an item's first, from which on they tell what labels vary by
_MOST_DENOMINATOR = 10_000
_MOST_POINTS = 100  # of a rating scale
_FREEDOM = 2  # at least, of the label that dissents
_NO_SPREAD = 1e-20  # a variance that is rounding
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Pool:
    """The items that a claim about these items is about: `size` N >= n, and what the labels of one item vary by.

    `label_variances` (n,): the variance s_i^2 of an item's labels, divisor k_i - 1; not read where k_i is 1.
    """

    size: int
    label_variances: Floats


@dataclass(frozen=True, slots=True)
class ClusterPool:
    """The pool of a claim about these items: its number of `clusters` C >= G, and `label_noise` (G,) >= 0.

    `label_noise`: the variance of y_g if its items were labelled again, the sum of s_i^2/k_i over its items.
    """

    clusters: int
    label_noise: Floats


@dataclass(frozen=True, slots=True)
class DrawError:
    """What a mean of units errs by.

    `freedom` > 0: degrees of freedom of its variance; `shrink` r >= 0: its standard error over that of as many
    independent units, 0 where it is exact; `unseen` in [0, 1]: the share of the claim that no label has seen; `noise`
    >= 0: what labels add to the variance of a score, beside `unseen` times that between units.
    """

    freedom: float
    shrink: float = 1.0
    unseen: float = 1.0
    noise: float = 0.0


def panel_means(values: Floats, labels: Integers, pool: Pool | None = None) -> OneLook:
    """Test and interval of the mean of `values` (n,) in [-1, 1], each the mean of `labels` (n,) >= 1 labels in
    {-1, 0, 1}; `pool` None for inputs like these.

    Without values nothing is decided: estimate nan, p-values 1, interval (-1, 1). About 3 ms for 100 items.

    Raises:
        UsageError: values outside [-1, 1], counts of labels below 1, shapes that differ, a pool smaller than n.
    """
    _check_items(values, labels, pool)
    return item_means(values, labels, pool, lattice(values, labels))


def item_means(
    values: Floats, labels: Integers, pool: Pool | None, denominator: int | None, *, unseen: Unseen = ANYWHERE
) -> OneLook:
    """`panel_means` of values that were checked; `denominator` as in `sign_flips`, `unseen` as in `unit_means`."""
    if not values.size:
        return one_look(math.nan, 1.0, _always, _always)
    error = DrawError(values.size - 1.0) if pool is None else error_in_pool(spread_of(values), labels, pool)
    return unit_means(values, np.ones(values.size), denominator, error, unseen=unseen)


def cluster_means(sums: Floats, sizes: Floats, denominator: int | None, pool: ClusterPool | None = None) -> OneLook:
    """Test and interval of the mean per item, of clusters with `sums` (G,) of values and `sizes` (G,) >= 1 items.

    `denominator` d: sums are whole multiples of 1/d (1 for outcomes, 3 for means of three labels), None where they lie
    on no lattice. `pool` None for inputs like these. Without clusters nothing is decided: estimate nan, p-values 1,
    interval (-1, 1).

    Flips at 0 are exact wherever there is a lattice or at most 16 clusters; ends of intervals are exact for at most
    16 clusters, else by a saddlepoint (`sign_flips`). A few ms.

    Raises:
        UsageError: a sum beyond its size, sizes below 1, shapes that differ, sums off their lattice, a pool too small.
    """
    _check_clusters(sums, sizes, pool)
    return grouped_means(sums, sizes, denominator, pool) if sums.size else one_look(math.nan, 1.0, _always, _always)


def grouped_means(
    sums: Floats, sizes: Floats, denominator: int | None, pool: ClusterPool | None = None, *, unseen: Unseen = ANYWHERE
) -> OneLook:
    """`cluster_means` of at least one cluster, whose sums may lie beyond its size; `unseen` as in `unit_means`."""
    mean = math.fsum(sums) / math.fsum(sizes)
    error = DrawError(sums.size - 1.0) if pool is None else error_in_cluster_pool(sums - mean * sizes, pool)
    return unit_means(sums, sizes, denominator, error, unseen=unseen)


def unit_means(
    sums: Floats, sizes: Floats, denominator: int | None, error: DrawError, *, unseen: Unseen = ANYWHERE
) -> OneLook:
    """The test of units with `sums` (G,) and `sizes` (G,); `denominator` as in `sign_flips`.

    `smallest_p` is 2^-(units whose sum is not 0): what the flips could reach. `unseen`: where a unit that nobody saw
    may lie, as the module says.
    """
    kinds, counts = np.unique(sums, return_counts=True)  # sums of few terms, the same in every order
    mean = math.fsum(kinds * counts) / math.fsum(sizes)
    if not error.shrink:
        return one_look(mean, 0.0, lambda null: float(mean <= null), lambda null: float(-mean <= null))
    flips = sign_flips(sums, sizes, denominator)
    about = mean if unseen.about_mean else 0.0
    score = NullScore.of(sums - about * sizes, sizes, error.freedom, error.noise, error.unseen, unseen)
    return one_look(
        mean,
        math.ldexp(1.0, -int(np.count_nonzero(sums))),
        MeanP(mean, about, error.shrink, flips, score),
        MeanP(-mean, -about, error.shrink, flips.mirrored(), score.mirrored()),
    )


@dataclass(frozen=True, slots=True)
class MeanP:
    """The p-value of "mean <= null": the larger of sign flips and score test, this of values less `about`.

    `shrink` r as in `DrawError`.
    """

    mean: float
    about: float
    shrink: float
    flips: SignFlips
    score: NullScore

    def __call__(self, null: float) -> float:
        shrunk = null if self.shrink == 1.0 else self.mean - (self.mean - null) / self.shrink
        return self.score.raised(null - self.about, self.flips.at_most(shrunk))


def spread_of(values: Floats) -> float:
    """The variance of `values` (n,), divisor n - 1, the same in every order; 0 where it is rounding."""
    kinds, counts = np.unique(values, return_counts=True)
    mean = math.fsum(kinds * counts) / values.size
    spread = math.fsum((kinds - mean) ** 2 * counts) / max(values.size - 1, 1)
    return spread if spread > _NO_SPREAD else 0.0


def error_in_pool(spread: float, labels: Integers, pool: Pool) -> DrawError:
    """The error of a mean of n values of variance `spread`, drawn from the pool, with `labels` (n,) of each."""
    count = labels.size
    share = count / pool.size
    repeated = labels > 1
    noise, noise_freedom = 0.0, math.inf
    if 0 < int((labels - 1).sum()) < LEAST_REPEATS:
        return DrawError(max(count - 1.0, 1.0))
    if repeated.any():
        fewest = int(labels[repeated].min())
        pooled = float(pool.label_variances[repeated].mean())
        variances = np.where(repeated, pool.label_variances, pooled) / labels
        dissent = 4.0 / fewest**2
        noise = (float(variances.sum()) + dissent) / count
        squares = float((variances[repeated] ** 2 / (labels[repeated] - 1)).sum())
        squares += dissent**2 / max(fewest - 1, _FREEDOM)
        noise_freedom = (float(variances[repeated].sum()) + dissent) ** 2 / squares
    drawn, labelled = (1 - share) * spread, share * noise
    if not drawn + labelled:
        return DrawError(max(count - 1.0, 1.0), float(share < 1), 1 - share)
    freedom = (drawn + labelled) ** 2 / (drawn**2 / max(count - 1, 1) + labelled**2 / noise_freedom)
    shrink = math.sqrt((drawn + labelled) / spread) if spread else 1.0
    return DrawError(freedom, shrink, 1 - share, labelled)


def error_in_cluster_pool(residuals: Floats, pool: ClusterPool) -> DrawError:
    """The error of a mean of whole clusters with `residuals` (G,), y_g - mean n_g, drawn from the pool."""
    share = residuals.size / pool.clusters
    noise = share * math.fsum(pool.label_noise) / residuals.size
    spread = math.fsum(residuals**2) / (residuals.size - 1) if residuals.size > 1 else 0.0
    if spread <= _NO_SPREAD:
        return DrawError(residuals.size - 1.0, 1.0 if share < 1 or noise else 0.0, 1 - share, noise)
    return DrawError(residuals.size - 1.0, math.sqrt(1 - share + noise / spread), 1 - share, noise)


def effective_clusters(sizes: Floats) -> float:
    """(sum n)^2 / sum n^2 of sizes (G,) > 0: as many clusters of equal size say as much. 0 without clusters."""
    squares = math.fsum(sizes**2)
    return math.fsum(sizes) ** 2 / squares if squares else 0.0


def lattice(values: Floats, labels: Integers) -> int | None:
    """The d of which all `values` (n,), means of so many `labels` (n,), are multiples of 1/d.

    Of ratings on a scale of several points d is a multiple of the labels' own. None where it would be too fine to be
    one, or where values lie between: a mean over samples, one of which has more labels than another.
    """
    alone = math.lcm(*(int(count) for count in np.unique(labels)))
    for denominator in range(alone, min(_MOST_POINTS * alone, _MOST_DENOMINATOR) + 1, alone):
        steps = values * denominator
        if (np.abs(steps - np.rint(steps)) <= _ROUNDING * denominator).all():
            return denominator
    return None


def _always(_null: float) -> float:
    return 1.0


def _check_items(values: Floats, labels: Integers, pool: Pool | None) -> None:
    if values.ndim != 1 or values.shape != labels.shape:
        raise UsageError(f"values and labels must be two rows of equal length, not {values.shape} and {labels.shape}")
    bad = ~(np.abs(values) <= 1)
    if bad.any():
        raise UsageError(f"values must lie in [-1, 1], but one of them is {values[bad][0]}")
    if (labels < 1).any():
        raise UsageError(f"every item needs at least one label, but one has {labels.min()}")
    if pool is not None and (pool.size < values.size or pool.label_variances.shape != values.shape):
        raise UsageError(
            f"{values.size} items with {pool.label_variances.size} variances do not fit a pool of {pool.size}"
        )


def _check_clusters(sums: Floats, sizes: Floats, pool: ClusterPool | None) -> None:
    if sums.ndim != 1 or sums.shape != sizes.shape:
        raise UsageError(f"sums and sizes must be two rows of equal length, not {sums.shape} and {sizes.shape}")
    if (sizes < 1).any():
        raise UsageError(f"every cluster needs at least one item, but one has {sizes.min()}")
    bad = ~(np.abs(sums) <= sizes + 1e-9)
    if bad.any():
        raise UsageError(f"the sum {sums[bad][0]} of a cluster of {sizes[bad][0]:g} items lies beyond its size")
    if pool is not None and (pool.clusters < sums.size or pool.label_noise.shape != sums.shape):
        raise UsageError(
            f"{sums.size} clusters with {pool.label_noise.size} variances do not fit a pool of {pool.clusters}"
        )
