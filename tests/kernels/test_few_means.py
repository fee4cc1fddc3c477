"""The order-free mixture of few values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tiebreak.kernels.few_means import mixture_p


def test_by_hand() -> None:
    # Eight wins: E = integral of (1 + k)^8 = (2^9 - 1)/9 = 56.8; one win and one loss: integral of 1 - k^2 = 2/3.
    assert mixture_p(np.ones(8), 0.0) == pytest.approx(9 / 511)
    assert mixture_p(np.array([1.0, -1.0]), 0.0) == 1.0
    # Against 1/2, four wins: factors 1 + k/3: integral = 3/5 ((4/3)^5 - 1) = 1.9284.
    assert mixture_p(np.ones(4), 0.5) == pytest.approx(1 / (0.6 * ((4 / 3) ** 5 - 1)))
    assert mixture_p(np.empty(0), 0.0) == 1.0
    assert mixture_p(np.array([0.2]), -1.0) == 0.0
    assert mixture_p(-np.ones(3), -1.0) == 1.0


@pytest.mark.parametrize("null", [-0.4, 0.0, 0.3])
def test_mean_of_e_is_at_most_one(null: float) -> None:
    """All draws of five values, independent or without replacement, from a pool whose mean is the null."""
    pool = np.array([1.0, 0.6, -0.9, -0.3, 0.1, -0.5]) * 0.5
    pool += null - pool.mean()
    for draws in (itertools.product(pool, repeat=4), itertools.permutations(pool, 4)):
        ps = np.array([mixture_p(np.array(draw), null) for draw in draws])
        for level in (0.5, 0.9):
            assert (ps <= level).mean() <= level
        assert (1 / ps).mean() <= 1.3  # p is cut at 1, so that 1/p is E or more
    assert ps.min() < 0.9
