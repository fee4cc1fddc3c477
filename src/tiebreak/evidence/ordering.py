"""The fixed order of a pair's items: which one, and where items with identical outputs come in it.

`--items-per-pair`: what a number of items per pair means for a pair's units of evidence.

Whether the labelled items of a pool were drawn one by one or cluster by cluster: documents, conversations.

Both suit a claim about these items, but not the same test: items of one document are alike, and ten documents of ten
items say less than a hundred items drawn one by one. What was drawn shows in which items are labelled, never in what
the labels say.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtrc

from tiebreak.evidence.human_labels import PairValues
from tiebreak.records import Target

Indices = NDArray[np.intp]


def random_order(clusters: Indices, rng: np.random.Generator) -> Indices:
    """A random order of items (n,), cluster by cluster: first of the clusters, whatever their sizes, then within each.

    (A random order of items would bring large clusters early, and a cluster's size may go with its outcome.)
    """
    _, member = np.unique(clusters, return_inverse=True)
    places = rng.permutation(int(member.max()) + 1) if member.size else np.empty(0, dtype=np.intp)
    return np.lexsort((rng.random(clusters.size), places[member]))


def share_of_identical(
    labelled_different: int, labelled_same: int, same: Indices, free: Indices, pool_size: int
) -> int:
    """How many of the `free` identical outputs, which nobody was asked about, belong to the labels at hand.

    As large a share of all identical outputs as the labelled ones are of the different ones. Campaigns skip identical
    outputs; leaving them out would overstate the difference on inputs like these, taking all would overstate the ties.
    """
    different = pool_size - same.size
    share = labelled_different / different if different else 1.0
    return int(np.clip(round(min(1.0, share) * same.size) - labelled_same, 0, free.size))


def order_seed(pair: PairValues, criterion: str | None, seed: int) -> int:
    """A seed that depends on this pair's own labels only: adding a metric or another system does not move it.

    Absolute values and sorted names make it the same whichever system is called a.
    """
    digest = hashlib.sha256(repr((seed, criterion, sorted((pair.system_a, pair.system_b)))).encode())
    digest.update("\x1f".join(pair.item_names).encode())
    digest.update(np.ascontiguousarray(np.abs(pair.values)).tobytes())
    return int.from_bytes(digest.digest()[:16], "little")


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
