"""Figures with intervals: means over comparisons whose items, or clusters of items, are independent units."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.cluster_means import cluster_means
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
        _, units = np.unique(clusters, return_inverse=True)
        sizes = np.bincount(units).astype(np.float64)
        sums = np.bincount(units, weights=values).astype(np.float64)
        return cls(cluster_means(sums, sizes, None), standard_error(values, clusters), values.size, sizes.size)

    def estimate(self, alpha: float) -> Estimate:
        """With its interval at level 1 - `alpha`."""
        return estimate_of(self.look, alpha, self.comparisons, self.units)


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
    return as_share(mean_estimate(2 * hits.astype(np.float64) - 1, clusters, alpha))


def as_share(of: Estimate) -> Estimate:
    """A mean in [-1, 1] as a share in [0, 1]: a difference as a win rate, in which ties count half."""
    value, low, high = (None if end is None else (1 + end) / 2 for end in (of.value, of.low, of.high))
    return Estimate(value, low, high, of.comparisons, of.units)


def standard_error(values: Floats, clusters: Places) -> float:
    """That of the mean of values (n,); nan where one cluster is all."""
    _, units = np.unique(clusters, return_inverse=True)
    residuals = np.bincount(units, weights=values - values.mean()) if values.size else np.empty(0)
    if residuals.size < 2:
        return math.nan
    return math.sqrt(float(residuals @ residuals) * residuals.size / (residuals.size - 1)) / values.size
