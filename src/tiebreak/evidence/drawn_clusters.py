"""Whether the labelled items of a pool were drawn one by one or cluster by cluster: whole documents, conversations.

Both suit a claim about these items, but not the same test: items of one document are alike, and ten documents of ten
items say less than a hundred items drawn one by one. What was drawn shows in which items are labelled, never in what
the labels say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class DrawnClusters:
    """Labelled items that make whole clusters: `numbers` (n,) of their clusters, of which there are `in_pool`."""

    numbers: Indices
    in_pool: int


def drawn_clusters(labelled: Indices, pool: Indices, clusters: Indices) -> DrawnClusters | None:
    """The clusters of the `labelled` (n,) items of a `pool` (N,), by the cluster (n_items,) of each item.

    None where items may have been drawn one by one: some cluster is labelled in part, every labelled item stands alone,
    or the whole pool is labelled, so that nothing was drawn.
    """
    numbers = clusters[labelled]
    found, sizes = np.unique(numbers, return_counts=True)
    in_pool, whole = np.unique(clusters[pool], return_counts=True)
    if labelled.size == pool.size or not (sizes > 1).any():
        return None
    if not np.array_equal(whole[np.searchsorted(in_pool, found)], sizes):
        return None
    return DrawnClusters(numbers, int(in_pool.size))
