from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tiebreak.errors import UsageError
from tiebreak.kernels.games import Games


def test_independent_games_of_one_kind_are_one_row() -> None:
    found = Games.of(3, [0, 0, 0, 1, 1], [1, 1, 1, 2, 2], [1, 1, 0, -1, -1])
    assert found.first.size == 3
    assert sorted(found.times.tolist()) == [1, 2, 2]
    assert found.clusters == 5
    assert np.unique(found.cluster).size == 3


def test_games_of_one_cluster_stay_apart() -> None:
    found = Games.of(3, [0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], cluster=[7, 7, 8, 9])
    assert (found.clusters, found.first.size) == (3, 3)  # two rows of item 7; items 8 and 9 say the same
    assert sorted(found.times.tolist()) == [1, 1, 2]
    assert found.total.sum() == 4


def test_counts_whatever_the_sides_and_the_way_round() -> None:
    found = Games.of(3, [0, 1, 2], [1, 0, 0], [1, 1, 0], weight=[1, 0.5, 2], side=[1, 1, -1])
    pairs, counts, sides = found.counts()
    assert pairs.tolist() == [[0, 1], [0, 1], [0, 2]]
    assert_allclose(counts, [[0, 0, 0.5], [1, 0, 0], [0, 2, 0]])
    assert sides is not None
    assert sides.tolist() == [-1, 1, 1]
    pairs, counts, sides = Games.of(3, [0, 1, 2], [1, 0, 0], [1, 1, 0]).counts()
    assert (pairs.tolist(), counts.tolist(), sides) == ([[0, 1], [0, 2]], [[1, 0, 1], [0, 1, 0]], None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0], [1, 2], [1]), "arrays of one length"),
        (([], [], []), "arrays of one length, 1 at least"),
        (([0], [3], [1]), "numbered 0 to 2, but a game names 3"),
        (([0, 1], [1, 1], [1, 1]), "game 1 is one of a system with itself"),
        (([0], [1], [2]), "an outcome must be 1, 0 or -1, but one is 2"),
        (([0.0], [1.0], [1]), "whole numbers"),
    ],
)
def test_bad_games_are_refused(arguments: tuple[object, ...], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Games.of(3, *arguments)  # type: ignore[arg-type]


def test_bad_weights_and_sides_are_refused() -> None:
    for weight in (0.0, -1.0, np.nan):
        with pytest.raises(UsageError, match="weights of games must be finite and above 0"):
            Games.of(2, [0], [1], [1], weight=[weight])
    with pytest.raises(UsageError, match="a side must be 1, 0 or -1, but one is 5"):
        Games.of(2, [0], [1], [1], side=[5])
