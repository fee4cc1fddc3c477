"""One look at a mean of human values with the help of metrics: held-out regression, then the tests of means.

The values that `held_out_regression` adjusts are tested like means of panels, by t test, sign flips and
score test, all three (`panel_means`), or by clusters (`cluster_means`). Where no fold uses a metric, and where fewer
than 20 items are no ties, verdict and interval are those without metrics, to the last bit. Metrics of any quality leave
the estimate unbiased, since an item's own label never enters what it is corrected by.

Measured at .025 a side (2,000 runs, n 30, 50, 100 of pools two to ten times as large): .043-.052 of wrong directions
with useless and good metrics, and where 5 % of items are strong and the metric knows them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.cluster_means import ClusterPool, cluster_means, unchecked_cluster_means
from tiebreak.kernels.held_out_regression import HeldOut, held_out_regression
from tiebreak.kernels.one_look import OneLook
from tiebreak.kernels.panel_means import (
    LEAST_NON_ZERO,
    ErrorOfMean,
    Pool,
    error_in_pool,
    panel_means,
    three_tests,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class MetricMeans:
    """The test, and what the metrics did for it."""

    test: OneLook
    help: HeldOut


def metric_means(
    values: Floats, labels: Integers, metrics: Floats, pool_metrics: Floats, pool: Pool | None = None
) -> MetricMeans:
    """`panel_means(values, labels, pool)` with `metrics` (n, M) of the items and `pool_metrics` (N, M) of all items.

    `pool` None for inputs like these; else its size must be N.

    Raises:
        UsageError: as `panel_means` and `held_out_regression` do, and for a pool of another size than its metrics.
    """
    if pool is not None and pool.size != pool_metrics.shape[0]:
        raise UsageError(f"a pool of {pool.size} items, but metrics of {pool_metrics.shape[0]}")
    plain = panel_means(values, labels, pool)
    found = held_out_regression(values, metrics, pool_metrics, "inputs" if pool is None else "items")
    if np.count_nonzero(values) < LEAST_NON_ZERO or not found.used.any():
        return MetricMeans(plain, found.unused(values, plain.estimate))
    spread = float(found.adjusted.var(ddof=1))
    error = ErrorOfMean(spread, 1.0, values.size - 1.0, 1.0)
    if pool is not None:
        error = error_in_pool(spread, labels, pool)
    return MetricMeans(three_tests(found.adjusted, found.estimate, error, None), found)


def metric_cluster_means(
    values: Floats,
    clusters: Integers,
    denominator: int | None,
    metrics: Floats,
    pool_metrics: Floats,
    pool: ClusterPool | None = None,
) -> MetricMeans:
    """`cluster_means` of `values` (n,) by item, with `clusters` (n,) whole numbers; the rest as in `metric_means`.

    The label noise of `pool` is in the order of the clusters' numbers.

    Raises:
        UsageError: as `cluster_means` and `held_out_regression` do.
    """
    units = np.unique(clusters, return_inverse=True)[1]
    sizes = np.bincount(units).astype(np.float64)
    plain = cluster_means(_sums(units, values), sizes, denominator, pool)
    found = held_out_regression(values, metrics, pool_metrics, "inputs" if pool is None else "items", clusters)
    if not found.used.any():
        return MetricMeans(plain, found.unused(values, plain.estimate))
    sums = _sums(units, found.adjusted)
    return MetricMeans(unchecked_cluster_means(sums, sizes, None, pool), found)


def _sums(units: Integers, values: Floats) -> Floats:
    return np.bincount(units, weights=values).astype(np.float64)
