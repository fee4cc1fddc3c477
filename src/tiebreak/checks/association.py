"""Does one thing go with another within pairs? A test that survives dependence between the rows of an item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

SMALLEST_GROUP = 10
"""Rows a group needs: centring makes the rows of small groups dependent, which would inflate the test."""


@dataclass(frozen=True, slots=True)
class Association:
    """`slope` of y on x and their `correlation` within groups; `p_value` two-sided; `clusters`: independent units."""

    slope: float
    correlation: float
    p_value: float
    clusters: int


def within_groups(x: Floats, y: Floats, groups: Integers, clusters: Integers) -> Association | None:
    """Pooled association of x and y (n,) within groups (pairs of systems), rows of one cluster (item) dependent.

    Both are centred within their group. The statistic is the sum over clusters of the products of x and y, divided
    by the root of the sum of its squares: about standard normal where the clusters are independent and nothing
    goes with anything, whatever happens within a cluster. Groups of fewer than 10 rows are left out. None if no row
    is left or x or y does not vary within groups.
    """
    large = np.bincount(groups)[groups] >= SMALLEST_GROUP if groups.size else np.zeros(0, dtype=np.bool_)
    x, y = centred(x[large], groups[large]), centred(y[large], groups[large])
    spread_x, spread_y = float(x @ x), float(y @ y)
    if spread_x <= 0 or spread_y <= 0:
        return None
    products = x * y
    present = np.bincount(clusters[large]) > 0  # few of all items, where the rows are those of one pair
    sums: Floats = np.bincount(clusters[large], weights=products).astype(np.float64)[present]
    total = float(products.sum())
    return Association(
        slope=total / spread_x,
        correlation=total / float(np.sqrt(spread_x * spread_y)),
        p_value=two_sided(sums),
        clusters=int(present.sum()),
    )


def centred(values: Floats, groups: Integers) -> Floats:
    """Values (n,) minus the mean of their group; rounding errors of constant groups are cut to 0."""
    if values.size == 0:
        return values
    counts = np.maximum(np.bincount(groups), 1)
    rest = values - (np.bincount(groups, weights=values) / counts)[groups]
    return np.where(np.abs(rest) < 1e-12, 0.0, rest)


def two_sided(sums: Floats) -> float:
    """p-value of "independent terms with mean 0 add up to this", by their self-normalised sum; 1 for no variation."""
    scale = float(np.sqrt(sums @ sums))
    return float(2 * ndtr(-abs(float(sums.sum())) / scale)) if scale > 0 else 1.0
