"""Whether the labelled items of a pool were drawn one by one or cluster by cluster: documents, conversations.

Both suit a claim about these items, but not the same test: items of one document are alike, and ten documents of ten
items say less than a hundred items drawn one by one. What was drawn shows in which items are labelled, never in what
the labels say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtrc

Indices = NDArray[np.intp]

_BY_CHANCE: Final = 0.001  # of all draws of single items are taken for clusters


@dataclass(frozen=True, slots=True)
class DrawnClusters:
    """`numbers` (n,): the cluster of each labelled item. `in_pool`: the clusters of the pool, where every cluster that
    is labelled at all is labelled wholly; None where some are labelled in part, so that the pool's size cannot help.
    """

    numbers: Indices
    in_pool: int | None

    @property
    def count(self) -> int:
        """Clusters that are labelled."""
        return int(np.unique(self.numbers).size)


def drawn_clusters(labelled: Indices, pool: Indices, clusters: Indices) -> DrawnClusters | None:
    """The clusters of the `labelled` (n,) items of a `pool` (N,), by the cluster (n_items,) of each item.

    None where items may have been drawn one by one: every labelled item stands alone, the labels are in about as many
    clusters as chance would bring, or the whole pool is labelled, so that nothing was drawn. Clusters were drawn where
    each is labelled wholly or not at all, and where the labels are in far fewer of them than of so many single items.
    """
    numbers = clusters[labelled]
    found, sizes = np.unique(numbers, return_counts=True)
    in_pool, whole = np.unique(clusters[pool], return_counts=True)
    if labelled.size == pool.size or not (sizes > 1).any():
        return None
    if np.array_equal(whole[np.searchsorted(in_pool, found)], sizes):
        return DrawnClusters(numbers, int(in_pool.size))
    # Clusters without a label: about Poisson where items were drawn one by one, and a little narrower.
    untouched = float(((1 - labelled.size / pool.size) ** whole).sum())
    missing = in_pool.size - found.size
    return DrawnClusters(numbers, None) if missing and pdtrc(missing - 1, untouched) < _BY_CHANCE else None
