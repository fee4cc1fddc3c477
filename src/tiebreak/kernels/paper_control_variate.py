"""Algorithm 1 of "The price of debiasing automatic metrics" (Chaganty, Mussmann & Liang 2018), as it was published.

With the metric g standardised over *all* outputs and y the ratings of n of them,

    alpha^ = (1/n) sum (y_i - ybar) g_i,   mu^ = (1/n) sum (y_i - alpha^ g_i).

With the true alpha = Cov(f, g) the estimate is unbiased and has the variance (sigma_f^2 (1 - rho^2) + sigma_a^2)/n, and
no unbiased estimator does better in the worst case. The estimated one makes a bias, -E((y - mu) g^2)/n to first order:
an output has a say in what it is corrected by. Cross-fitting removes it, so tiebreak estimates by
`held_out_regression`; this is for comparison with the paper, and for its figures.

Rated outputs apart from the N - n others, it is the point estimate of PPI++ (Angelopoulos, Duchi & Zrnic 2023) with the
weight alpha^ (1 - n/N).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError

Floats = NDArray[np.float64]


def algorithm_1(values: Floats, metric: Floats) -> Floats:
    """mu^ (...) of ratings `values` (..., n) with the standardised `metric` (..., n); n at least 1."""
    if values.shape != metric.shape or not values.shape[-1:] or not values.shape[-1]:
        raise UsageError(f"values {values.shape} and metric {metric.shape} do not fit, or are empty")
    mean = values.mean(axis=-1)
    alpha = (values * metric).mean(axis=-1) - mean * metric.mean(axis=-1)
    return np.asarray(mean - alpha * metric.mean(axis=-1))


def standardised(metric: Floats, pool: Floats) -> Floats:
    """`metric` (...) less the mean of `pool` (N,), over its standard deviation (divisor N); 0 where that is constant.

    Raises:
        UsageError: no pool.
    """
    if not pool.size:
        raise UsageError("a metric is standardised over all outputs, but there is none")
    if not np.ptp(pool):
        return np.zeros_like(metric)
    return np.asarray((metric - pool.mean()) / pool.std())
