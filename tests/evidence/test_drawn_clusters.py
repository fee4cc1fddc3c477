"""Whether items were drawn one by one or as whole clusters."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.evidence.drawn_clusters import drawn_clusters

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
