"""`--items-per-pair`: what a number of items per pair means for a pair's units of evidence."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tiebreak.records import Target


def within_budget(
    different: NDArray[np.bool_], clusters: NDArray[np.intp], budget: int, target: Target
) -> NDArray[np.bool_]:
    """Which labelled items (n,), in their fixed order, belong to the first `budget` of those with `different` outputs.

    Whether an item belongs is known before its label: by the items before it or, where clusters are the units of
    evidence (`inputs`), before the first of its cluster, so that a cluster that was begun stays whole. Identical
    outputs need no label and cost nothing: for `items` they are known ties wherever they stand.
    """
    before = np.cumsum(different, dtype=np.int64) - different.astype(np.int64)
    within = np.asarray(before < budget)
    if target == "items":
        return np.asarray(within | ~different)
    _, first, member = np.unique(clusters, return_index=True, return_inverse=True)
    return np.asarray(within[first[member]])


def units_of_budget(budget: int, pool_clusters: NDArray[np.intp], identical: int, target: Target) -> int:
    """Units of evidence that a budget of items can buy, from the pool alone: no label is needed to know it.

    `pool_clusters` (N,): the cluster of each item of the pair's pool, `identical` of which have identical outputs. For
    inputs like these, identical outputs come along in proportion, and a cluster is one unit.
    """
    if target == "items" or not pool_clusters.size:
        return budget
    bought = max(pool_clusters.size - identical, 1)
    return max(1, math.ceil(budget * np.unique(pool_clusters).size / bought - 1e-9))
