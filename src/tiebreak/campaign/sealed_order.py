"""The order in which items are asked about, fixed before the first label, and its units."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.protocol import Protocol
from tiebreak.data.study import Study
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.ordering import random_order

Indices = NDArray[np.intp]


def sealed_order(
    protocol: Protocol, items: Indices, clusters: Indices, listed: Indices, systems: Sequence[str]
) -> Indices:
    """Clusters stay together; a random order of clusters, or the order in which the study lists the items. It is that
    of these systems; of none, that of all.
    """
    if protocol.order.order == "listed":
        by_list = items[np.argsort(listed[items], kind="stable")]
        _, first, member = np.unique(clusters[by_list], return_index=True, return_inverse=True)
        return by_list[np.argsort(first[member], kind="stable")]
    # Names in alphabetical order: the same order of items whichever of the two is the baseline.
    text = repr((protocol.order.seed, protocol.criterion, sorted(systems)))
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")
    return items[random_order(clusters[items], np.random.default_rng(seed))]


def unit_starts(clusters: Indices) -> Indices:
    """Where each run of one cluster begins, and the end."""
    changes = np.flatnonzero(np.diff(clusters)) + 1
    return np.concatenate([[0], changes, [clusters.size]]).astype(np.intp)


def needs_of(known: NDArray[np.bool_], starts: Indices) -> tuple[tuple[bool, ...], ...]:
    """By unit, which of its items are not known; single items share one tuple."""
    if starts.size - 1 == known.size:
        ask, know = (True,), (False,)
        return tuple(know if is_known else ask for is_known in known.tolist())
    return tuple(tuple((~known[start:end]).tolist()) for start, end in itertools.pairwise(starts.tolist()))


def most_units(needs: Sequence[Sequence[bool]], items_per_pair: int | None) -> int:
    """Units until the budget of one pair is used, known ties free of charge."""
    if items_per_pair is None:
        return len(needs)
    return int((np.cumsum([sum(unit) for unit in needs]) <= items_per_pair).sum())


def listed_order(study: Study, index: ItemIndex) -> Indices:
    """Place of each item in the study's table of items, or in the order of its name."""
    places = np.arange(len(index.items), dtype=np.intp)
    if study.items is None:
        return places
    numbers = index.numbers(study.items["item"])
    places = np.full(len(index.items), len(index.items), dtype=np.intp) + places
    places[numbers] = np.arange(numbers.size)
    return places
