"""Whether one thing goes with another within pairs: a test that survives dependence between the rows of an item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

P_VALUE: Final = 1e-4
"""Two-sided significance of each test; divided by the number of pairs where every pair is tested."""
FEWEST_ITEMS: Final = 30
"""Independent items (clusters) that a test needs: below, its normal approximation does not hold."""
TEST: Final = {"p_value": P_VALUE, "items": FEWEST_ITEMS}
"""Thresholds that all such tests share."""

SMALLEST_GROUP: Final = 10
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
    together = WithinGroups(int(clusters.max(initial=-1)) + 1)
    together.add(x, y, groups, clusters)
    return together.association()


class WithinGroups:
    """`within_groups` of more rows than are held at once: they come a few whole groups at a time.

    `clusters`: how many there are, numbered from 0.
    """

    def __init__(self, clusters: int) -> None:
        self._sums: Floats = np.zeros(clusters)
        self._present = np.zeros(clusters, dtype=np.bool_)
        self._spread_x = self._spread_y = self._total = 0.0

    def add(self, x: Floats, y: Floats, groups: Integers, clusters: Integers) -> None:
        """All rows (n,) of these groups; a number of a group may come again for another one."""
        large = np.bincount(groups)[groups] >= SMALLEST_GROUP if groups.size else np.zeros(0, dtype=np.bool_)
        x, y = centred(x[large], groups[large]), centred(y[large], groups[large])
        products = x * y
        self._spread_x += float((x * x).sum())  # x @ x of long rows starts threads, which cost far more
        self._spread_y += float((y * y).sum())
        self._total += float(products.sum())
        np.add.at(self._sums, clusters[large], products)
        self._present[clusters[large]] = True  # few of all items, where the rows are those of one pair

    def association(self) -> Association | None:
        """Over all groups so far."""
        if self._spread_x <= 0 or self._spread_y <= 0:
            return None
        return Association(
            slope=self._total / self._spread_x,
            correlation=self._total / float(np.sqrt(self._spread_x * self._spread_y)),
            p_value=two_sided(self._sums[self._present]),
            clusters=int(self._present.sum()),
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
