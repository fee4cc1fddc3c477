"""The fixed order of a pair's items: which one, and where items with identical outputs come in it."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from tiebreak.evidence.human_labels import PairValues

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
