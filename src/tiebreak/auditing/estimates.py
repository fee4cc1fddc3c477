"""Figures with intervals: means over comparisons whose items, or clusters of items, are independent units."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.cluster_means import cluster_means
from tiebreak.kernels.cluster_share import cluster_share
from tiebreak.kernels.one_look import OneLook

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Estimate:
    """`value` with an interval, of so many comparisons of outputs; `units` of them are independent: items, or clusters.

    What is not identified is None: the value without any comparison, the interval where the units exclude nothing.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    comparisons: int = 0
    units: int = 0


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of values in [-1, 1] before a level is chosen: its test, its standard error, and what it rests on."""

    look: OneLook
    error: float
    comparisons: int
    units: int

    @classmethod
    def of(cls, values: Floats, clusters: Places) -> Mean:
        """That of `values` (n,) with the number of each one's cluster (n,)."""
        sums, sizes = _by_unit(values, clusters)
        return cls(cluster_means(sums, sizes, None), standard_error_of(sums, sizes), values.size, sizes.size)

    def estimate(self, alpha: float) -> Estimate:
        """With its interval at level 1 - `alpha`."""
        return estimate_of(self.look, alpha, self.comparisons, self.units)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A share here minus a share elsewhere before a level is chosen: hits of comparisons, by units of either.

    Its interval goes as far as both intervals together would (Newcombe 1998, method 10): one that is all hits among few
    still has a width. Units that have comparisons on both sides make it wider than it need be.
    """

    here: tuple[Floats, Floats]
    elsewhere: tuple[Floats, Floats]

    @classmethod
    def of(cls, hits: Floats, inside: NDArray[np.bool_], clusters: Places) -> Contrast:
        """Of `hits` (n,) in [0, 1], of which those `inside` are here."""
        return cls(*(_by_unit(hits[which], clusters[which]) for which in (inside, ~inside)))

    @property
    def shares(self) -> tuple[float, float]:
        """Here, and elsewhere."""
        here, elsewhere = (float(sums.sum() / sizes.sum()) for sums, sizes in (self.here, self.elsewhere))
        return here, elsewhere

    @property
    def error(self) -> float:
        """Its standard error."""
        return math.hypot(*(standard_error_of(sums, sizes) for sums, sizes in (self.here, self.elsewhere)))

    def estimate(self, alpha: float) -> Estimate:
        """With its interval at level 1 - `alpha`."""
        (one, other), value = self.shares, self.shares[0] - self.shares[1]
        (low, high), (other_low, other_high) = (cluster_share(*of, alpha) for of in (self.here, self.elsewhere))
        sizes = np.concatenate([self.here[1], self.elsewhere[1]])
        ends = (
            max(value - math.hypot(one - low, other_high - other), -1.0),
            min(value + math.hypot(high - one, other - other_low), 1.0),
        )
        return Estimate(value, *ends, int(sizes.sum()), sizes.size)


def estimate_of(look: OneLook, alpha: float, comparisons: int, units: int) -> Estimate:
    """What a test says, with its interval at level 1 - `alpha`."""
    if not comparisons:
        return Estimate()
    low, high = look.interval(alpha / 2)
    if low <= -1 and high >= 1:
        return Estimate(look.estimate, None, None, comparisons, units)
    return Estimate(look.estimate, low, high, comparisons, units)


def mean_estimate(values: Floats, clusters: Places, alpha: float) -> Estimate:
    """The mean of values (n,) in [-1, 1]."""
    return Mean.of(values, clusters).estimate(alpha)


def share_estimate(hits: NDArray[np.bool_] | Floats, clusters: Places, alpha: float) -> Estimate:
    """The mean of shares (n,) in [0, 1], such as 1 where two agree and 0 where they do not."""
    if not hits.size:
        return Estimate()
    sums, sizes = _by_unit(hits.astype(np.float64), clusters)
    share = float(sums.sum() / hits.size)
    if sizes.size < 2:
        return Estimate(share, None, None, hits.size, sizes.size)
    return Estimate(share, *cluster_share(sums, sizes, alpha), hits.size, sizes.size)


def as_share(of: Estimate) -> Estimate:
    """A mean in [-1, 1] as a share in [0, 1]: a difference as a win rate, in which ties count half."""
    value, low, high = (None if end is None else (1 + end) / 2 for end in (of.value, of.low, of.high))
    return Estimate(value, low, high, of.comparisons, of.units)


def standard_error(values: Floats, clusters: Places) -> float:
    """That of the mean of values (n,); nan where one cluster is all."""
    return standard_error_of(*_by_unit(values, clusters))


def standard_error_of(sums: Floats, sizes: Floats) -> float:
    """That of the mean per comparison, of units with `sums` (G,) over `sizes` (G,) of them."""
    if sums.size < 2:
        return math.nan
    residuals = sums - sums.sum() / sizes.sum() * sizes
    return math.sqrt(float(residuals @ residuals) * sums.size / (sums.size - 1)) / float(sizes.sum())


def _by_unit(values: Floats, clusters: Places) -> tuple[Floats, Floats]:
    """Sums (G,) of values (n,) and numbers of them, by cluster."""
    _, units = np.unique(clusters, return_inverse=True)
    sums, sizes = (np.bincount(units, weights=of).astype(np.float64) for of in (values, None))
    return sums, sizes
