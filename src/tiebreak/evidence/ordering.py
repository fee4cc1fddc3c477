"""The fixed order of a pair's items: which one, and where items with identical outputs come in it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

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


def order_by_time(pair: PairValues, criterion: str | None, seed: int, units: Sequence[str] | None = None) -> Indices:
    """Positions (n,) of the pair's items by their times; items with the same time in a random order.

    `units` (n,): a name for the cluster of each item, where clusters are bet on; their random order is then one of
    clusters, as in `random_order`. None: every item stands alone.

    Sheets come back with one time for all their labels, and some files know the day only. By name such items would come
    subject by subject, or long texts last: an order in which equal systems win for a while and then lose. The random
    order is fixed by `seed`, the pair and each item's own name, so that nothing moves when labels are added.

    Raises:
        ValueError: the pair has no times.
    """
    if pair.times is None:
        raise ValueError(f"{pair.system_a} and {pair.system_b} have no times")
    if np.unique(pair.times).size == pair.times.size:
        return np.argsort(pair.times)
    key = hashlib.sha256(repr((seed, "same time", criterion, sorted((pair.system_a, pair.system_b)))).encode()).digest()

    def draws(names: Sequence[str]) -> NDArray[np.uint64]:
        drawn = [hashlib.blake2b(name.encode(), digest_size=8, key=key).digest() for name in names]
        return np.frombuffer(b"".join(drawn), dtype=">u8").astype(np.uint64)

    of_items = draws(pair.item_names)
    return np.lexsort((of_items, of_items if units is None else draws(units), pair.times))


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


def with_ties_between(is_same: NDArray[np.bool_], free: int, same: int, different: int) -> Indices:
    """Positions (n + k,) that mix free identical outputs into n labelled items in their recorded order.

    After t labelled items with different outputs of the pool's `different`, t same/different identical ones are due;
    those that somebody was asked about (`is_same`) count towards them, and free ones make up the rest. A rule fixed
    beforehand, under which nothing moves when labels are added. Indices n, n + 1, ... stand for the free ones.
    """
    if not different or not free:
        return np.arange(is_same.size)
    due = np.floor(np.cumsum(~is_same) * (same / different) + 1e-9) - np.cumsum(is_same)
    mixed = np.minimum(np.maximum.accumulate(np.maximum(due, 0)), free).astype(np.intp)
    before = np.concatenate([[0], mixed[:-1]])
    places = np.repeat(np.arange(is_same.size), mixed - before)  # the labelled item after which each tie comes
    keys = np.concatenate([np.arange(is_same.size), places + 0.5])
    return np.argsort(keys, kind="stable")


def order_seed(pair: PairValues, criterion: str | None, seed: int) -> int:
    """A seed that depends on this pair's own labels only: adding a metric or another system does not move it.

    Absolute values and sorted names make it the same whichever system is called a.
    """
    digest = hashlib.sha256(repr((seed, criterion, sorted((pair.system_a, pair.system_b)))).encode())
    digest.update("\x1f".join(pair.item_names).encode())
    digest.update(np.ascontiguousarray(np.abs(pair.values)).tobytes())
    return int.from_bytes(digest.digest()[:16], "little")
