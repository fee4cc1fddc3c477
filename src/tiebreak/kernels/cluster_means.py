"""One look at the share of items where items come in clusters: documents, conversations, users.

Null: the mean over *items*, E(y_g) / E(n_g), is at most delta; y_g is the sum of the values of cluster g in [-1, 1] and
n_g its number of items. Clusters are independent, items within one may depend on each other in any way, and sizes may
go with outcomes. Three tests must all reject, p = max(p_flips, p_t, p_score):

- sign flips of the scores s_g = y_g - delta n_g (Canay, Romano & Shaikh 2017);
- t = sum s_g / sqrt(G/(G-1) sum (y_g - mean n_g)^2), G - 1 degrees of freedom;
- the score test of the s_g, with the variance that the null implies (`NullScore`).

The t test alone errs in .05-.13, most with few clusters of unequal sizes; flips alone in .02-.057, and in .064-.088
where lognormal sizes go with outcomes; both in .05-.076 there. Both together err far more where few clusters carry one
side: 5 to 9 % strong among 60 to 200 clusters in .066-.12 at .05 and .029-.076 at .01, all three in .021-.030 and
.002-.009 (10,000 runs); at .05/45 .0005-.004, since no cluster at all may be among those that were drawn. Where
lognormal sizes go with outcomes .064/.021 fell to .056/.016 (50 clusters), .061/.019 to .049/.013 (100). Of power at
.05 the third test costs .03 to .05 at 8 clusters and .02 at 20 where two items of one correlate at .2; .05 to .1 and
.02 to .07 where they do not correlate, .05 at 30 clusters of 40 (300 studies each, of which both others find .56-.83).
p never falls as delta rises
while it is below 1/2, so that its inversion is an interval.

With G clusters that are no ties p is at least 2^-G: fewer than log2(1/level) can decide nothing.

At the edge. For delta > 0 one more cluster of mean size and values -1 is counted with weight delta, as in
`panel_means`: where every value is 1, the flips alone would exclude every mean below 1.

`items`, where whole clusters were drawn: G of C clusters are labelled, f = G/C, and the unit of the draw is the
cluster. The distance to the mean is shrunk by r = sqrt((1 - f) + f v/s^2), s^2 the variance of the residuals
y_g - mean n_g and v the mean variance of y_g by its labels (0 where nobody labelled an item twice: about these labels).
With all clusters labelled once the sign of the mean is certain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from tiebreak.errors import UsageError
from tiebreak.kernels.one_look import OneLook, one_look
from tiebreak.kernels.score_interval import NullScore
from tiebreak.kernels.sign_flips import SignFlips, sign_flips

Floats = NDArray[np.float64]

_NO_SPREAD = 1e-20  # a variance that is rounding


@dataclass(frozen=True, slots=True)
class ClusterPool:
    """The pool of a claim about these items: its number of `clusters` C >= G, and `label_noise` (G,) >= 0.

    `label_noise`: the variance of y_g if its items were labelled again, the sum of s_i^2/k_i over its items.
    """

    clusters: int
    label_noise: Floats


def cluster_means(sums: Floats, sizes: Floats, denominator: int | None, pool: ClusterPool | None = None) -> OneLook:
    """Test and interval of the mean per item, of clusters with `sums` (G,) of values and `sizes` (G,) >= 1 items.

    `denominator` d: sums are whole multiples of 1/d (1 for outcomes, 3 for means of three labels), None where they lie
    on no lattice. `pool` None for inputs like these. `smallest_p` is 2^-(clusters whose sum is not 0). Without clusters
    nothing is decided: estimate nan, p-values 1, interval (-1, 1).

    Flips at 0 are exact wherever there is a lattice or at most 16 clusters; ends of intervals are exact for at most
    16 clusters, else by a saddlepoint (`sign_flips`). A few ms.

    Raises:
        UsageError: a sum beyond its size, sizes below 1, shapes that differ, sums off their lattice, a pool too small.
    """
    _check(sums, sizes, pool)
    return (
        unchecked_cluster_means(sums, sizes, denominator, pool)
        if sums.size
        else one_look(math.nan, 1.0, _always, _always)
    )


def unchecked_cluster_means(
    sums: Floats, sizes: Floats, denominator: int | None, pool: ClusterPool | None = None
) -> OneLook:
    """`cluster_means` of at least one cluster, whose sums may lie beyond its size: of values that a metric adjusted."""
    items = math.fsum(sizes)
    mean = math.fsum(sums) / items
    shrink, unseen, noise = (1.0, 1.0, 0.0) if pool is None else error_in_cluster_pool(sums - mean * sizes, pool)
    if not shrink:
        return one_look(mean, 0.0, lambda null: float(mean <= null), lambda null: float(-mean <= null))
    flips = sign_flips(sums, sizes, denominator)
    smallest = math.ldexp(1.0, -int(np.count_nonzero(sums)))
    squares = math.fsum((sums - mean * sizes) ** 2)
    score = NullScore.of(sums, sizes, sums.size - 1.0, noise, unseen)
    return one_look(
        mean,
        smallest,
        ClusterP(mean, items, sums.size, squares, shrink, unseen, flips, score),
        ClusterP(-mean, items, sums.size, squares, shrink, unseen, flips.mirrored(), score.mirrored()),
    )


@dataclass(frozen=True, slots=True)
class ClusterP:
    """The p-value of "mean <= null": the largest of sign flips, t test and score test.

    Of `clusters` with `items` in all. `squares`: the sum of squared residuals y_g - mean n_g; `shrink` r; `unseen` the
    share of clusters not labelled.
    """

    mean: float
    items: float
    clusters: int
    squares: float
    shrink: float
    unseen: float
    flips: SignFlips
    score: NullScore

    def __call__(self, null: float) -> float:
        weight = max(null, 0.0) * self.unseen
        return self.score.raised(null, max(self._t(null, weight), self._flips(null, weight)))

    def _t(self, null: float, weight: float) -> float:
        size = self.items / self.clusters
        total = self.items * (self.mean - null) - weight * size * (1 + null)
        squares = self.squares + weight * (size * (1 + self.mean)) ** 2
        if self.clusters < 2 or squares <= _NO_SPREAD * size**2:
            return 0.0 if total > 0 else 1.0
        error = self.shrink * math.sqrt(squares * self.clusters / (self.clusters - 1))
        return float(stdtr(self.clusters - 1, -total / error))

    def _flips(self, null: float, weight: float) -> float:
        if self.shrink != 1.0:
            null = self.mean - (self.mean - null) / self.shrink
        without = self.flips.at_most(null)
        if not weight:
            return without
        slack = weight * self.items / self.clusters * max(1 + null, 0.0)
        return (without + self.flips.at_most(null, slack)) / 2


def effective_clusters(sizes: Floats) -> float:
    """(sum n)^2 / sum n^2 of sizes (G,) > 0: as many clusters of equal size say as much. 0 without clusters."""
    squares = math.fsum(sizes**2)
    return math.fsum(sizes) ** 2 / squares if squares else 0.0


def error_in_cluster_pool(residuals: Floats, pool: ClusterPool) -> tuple[float, float, float]:
    """How far the error shrinks, the share of clusters not labelled, and what labels add to a score's variance."""
    share = residuals.size / pool.clusters
    squares = math.fsum(residuals**2)
    noise = share * math.fsum(pool.label_noise) / residuals.size
    spread = squares / (residuals.size - 1) if residuals.size > 1 else 0.0
    if spread <= _NO_SPREAD:
        return (1.0 if share < 1 or noise else 0.0), 1 - share, noise
    return math.sqrt(1 - share + noise / spread), 1 - share, noise


def _always(_null: float) -> float:
    return 1.0


def _check(sums: Floats, sizes: Floats, pool: ClusterPool | None) -> None:
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
