"""Whether items were drawn one by one or as whole clusters."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.evidence.ordering import drawn_clusters

CLUSTERS = np.array([0, 0, 0, 3, 3, 5, 6, 6, 6, 6])
EVERYTHING = np.arange(10)


@pytest.mark.parametrize(
    ("labelled", "in_pool"),
    [
        ([0, 1, 2, 5], 4),
        ([8, 3, 7, 4, 6, 9], 4),
        ([0, 1], None),  # a part of a cluster
        ([5], None),  # stands alone
        ([], None),
        (list(range(10)), None),  # nothing was drawn
    ],
)
def test_whole_clusters(labelled: list[int], in_pool: int | None) -> None:
    items = np.array(labelled, dtype=np.intp)
    found = drawn_clusters(items, EVERYTHING, CLUSTERS)
    assert (None if found is None else found.in_pool) == in_pool
    if found is not None:
        assert found.numbers.tolist() == CLUSTERS[items].tolist()


def test_a_cluster_is_whole_as_far_as_the_pool_holds_it() -> None:
    pool = np.array([0, 1, 3, 4, 5, 6, 7])
    found = drawn_clusters(np.array([0, 1]), pool, CLUSTERS)
    assert found is not None
    assert found.in_pool == 4


def test_clusters_of_which_some_are_labelled_in_part_were_drawn_all_the_same() -> None:
    clusters = np.arange(180) // 6  # 30 documents of 6
    documents = np.random.default_rng(1).permutation(30)[:9]
    labelled = np.flatnonzero(np.isin(clusters, documents))
    whole, most = (drawn_clusters(items, np.arange(180), clusters) for items in (labelled, labelled[:-1]))
    assert whole is not None
    assert (whole.in_pool, whole.count) == (30, 9)
    assert most is not None
    assert (most.in_pool, most.count) == (None, 9)
    # Half of the items of each of 20 of 60 documents.
    clusters = np.arange(360) // 6
    half = np.flatnonzero((clusters < 20) & (np.arange(360) % 6 < 3))
    found = drawn_clusters(half, np.arange(360), clusters)
    assert found is not None
    assert found.in_pool is None


def test_items_drawn_one_by_one_are_hardly_ever_taken_for_documents() -> None:
    rng, clusters = np.random.default_rng(2), np.arange(180) // 6
    draws = [drawn_clusters(rng.permutation(180)[: rng.integers(5, 175)], np.arange(180), clusters) for _ in range(500)]
    assert sum(found is not None for found in draws) <= 3
