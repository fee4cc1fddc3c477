"""Companions: the plan, and means and counts over the sets, by hand and against a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tiebreak.kernels.control_variate import (
    counts_with_companions,
    means_with_companions,
    most_with_companions,
    plan_companions,
    reserve_size,
)


def test_plan_by_hand() -> None:
    # Ten unlabelled items for four labels: 2.5 -> 3, then 7/3 -> 2, then 5/2 -> 3, then the last 2.
    assert plan_companions(np.array([4, 3, 2, 1]), 10).tolist() == [3, 2, 3, 2]


def test_a_plan_for_a_budget_uses_up_the_pool() -> None:
    plan = plan_companions(100 - np.arange(100), 1_234)
    assert plan.sum() == 1_234
    assert plan.max() - plan.min() <= 1


def test_never_more_than_thirty() -> None:
    assert plan_companions(np.array([1.0, 1.0]), 1_000).tolist() == [30, 30]


@given(st.lists(st.floats(0.1, 1e6), max_size=30), st.integers(0, 500))
def test_a_plan_never_uses_an_item_twice(labels_left: list[float], unlabelled: int) -> None:
    plan = plan_companions(np.array(labels_left), unlabelled)
    assert (plan >= 0).all()
    assert plan.sum() <= unlabelled


def test_means_and_counts_by_hand() -> None:
    drawn, pool, plan = np.array([1.0, 2.0, 9.0]), np.array([3.0, 5.0, 4.0, 99.0]), np.array([2, 1, 0])
    assert means_with_companions(drawn, pool, plan).tolist() == [3.0, 3.0, 9.0]  # (1+3+5)/3, (2+4)/2, 9
    counts = counts_with_companions(np.array([0, 1, 2]), np.array([1, 1, 0, 2]), plan, 3)
    assert counts.tolist() == [[1.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize("several", [False, True])
def test_means_against_a_loop(several: bool) -> None:
    rng = np.random.default_rng(3)
    shape = (2,) if several else ()
    drawn, pool, plan = rng.random((8, *shape)), rng.random((30, *shape)), rng.integers(0, 4, 8)
    start, expected = 0, []
    for own, size in zip(drawn, plan, strict=True):
        expected.append(np.concatenate([own[None], pool[start : start + size]]).mean(axis=0))
        start += size
    assert_allclose(means_with_companions(drawn, pool, plan), expected)


def test_without_unlabelled_items_a_set_is_the_item_itself() -> None:
    drawn = np.array([0.5, -0.5])
    assert_array_equal(means_with_companions(drawn, np.empty(0), np.zeros(2, dtype=np.intp)), drawn)
    assert reserve_size(0) == 0
    assert reserve_size(10_000) == 100


def test_a_plan_beyond_the_pool_is_refused() -> None:
    with pytest.raises(ValueError, match="uses 3 companions, but there are 2"):
        means_with_companions(np.array([1.0]), np.array([1.0, 2.0]), np.array([3]))
    with pytest.raises(ValueError, match="uses 3 companions"):
        counts_with_companions(np.array([1]), np.array([1, 0]), np.array([3]), 2)


@pytest.mark.parametrize("units", [0, 1, 2, 3, 7, 60, 61, 399, 400, 401, 1000])
def test_most_with_companions_against_a_loop(units: int) -> None:
    found = [k for k in range(units + 1) if units - k - reserve_size(units - k) >= k]
    assert most_with_companions(units) == max(found)


def test_most_with_companions_by_hand() -> None:
    # Of 60, 26 leave 34: a quarter, 8, is set aside, and 26 are left. 27 leave 33 - 8 = 25.
    assert most_with_companions(60) == 26
    # Of 1,000, 450 leave 550 - 100.
    assert most_with_companions(1000) == 450
