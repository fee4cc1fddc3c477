from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.kernels.davidson_limits import rank_ranges


def test_places_by_hand() -> None:
    # a > b > d and a > d; nothing is known of c: a 1st or 2nd, b 2nd or 3rd, c anywhere, d 3rd or 4th.
    better = np.zeros((4, 4), dtype=bool)
    better[0, [1, 3]] = better[1, 3] = True
    best, worst = rank_ranges(better)
    assert (best.tolist(), worst.tolist()) == ([1, 2, 1, 3], [2, 3, 4, 4])


@pytest.mark.parametrize("seed", range(5))
def test_the_true_places_lie_in_the_ranges_of_what_is_true(seed: int) -> None:
    rng = np.random.default_rng(seed)
    strengths = rng.normal(size=8)
    truth = np.greater.outer(strengths, strengths)
    best, worst = rank_ranges(truth & (rng.random((8, 8)) < 0.6))
    places = 1 + truth.sum(axis=0)
    assert ((best <= places) & (places <= worst)).all()
    exact = rank_ranges(truth)
    assert (exact[0] == places).all()
    assert (exact[1] == places).all()


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="a square matrix"):
        rank_ranges(np.zeros((2, 3), dtype=bool))
    with pytest.raises(UsageError, match="cannot each be better"):
        rank_ranges(np.ones((2, 2), dtype=bool))
