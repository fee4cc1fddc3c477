from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.rules.sequence import ValueSequence

NAN = float("nan")


def prefix(values: list[float], abandoned: list[int] | None = None, pool_size: int | None = None) -> ValueSequence:
    gone = np.isin(np.arange(len(values)), abandoned or [])
    return ValueSequence.longest_prefix(np.array(values), gone, pool_size)


def test_a_missing_item_holds_up_everything_behind_it() -> None:
    # Items 1 and 2 are in, item 3 is still out: the losses 4 and 5, which arrived early, must wait.
    sequence = prefix([1.0, 0.0, NAN, -1.0, -1.0])
    assert sequence.for_a.tolist() == sequence.for_b.tolist() == [1.0, 0.0]
    assert len(sequence) == 2
    assert sequence.mean == 0.5


def test_an_abandoned_item_counts_against_whichever_side_is_argued() -> None:
    # Item 3 was given up: -1 in the evidence for a, +1 in the evidence for b, in the middle for the mean.
    sequence = prefix([1.0, 0.0, NAN, -1.0, 1.0], abandoned=[2])
    assert sequence.for_a.tolist() == [1.0, 0.0, -1.0, -1.0, 1.0]
    assert sequence.for_b.tolist() == [1.0, 0.0, 1.0, -1.0, 1.0]
    assert sequence.mean == pytest.approx((1 + 0 + 0 - 1 + 1) / 5)


def test_a_label_that_came_after_all_replaces_the_penalty() -> None:
    assert prefix([1.0, -1.0], abandoned=[1]).for_a.tolist() == [1.0, -1.0]
    assert prefix([1.0, 1.0], abandoned=[1]).for_b.tolist() == [1.0, 1.0]


def test_an_abandoned_item_beyond_a_missing_one_changes_nothing() -> None:
    with_it, without = prefix([1.0, NAN, NAN, 1.0], abandoned=[2]), prefix([1.0, NAN, NAN, 1.0])
    assert with_it.for_a.tolist() == without.for_a.tolist() == [1.0]


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0, 0.5, NAN]), max_size=12), st.sets(st.integers(0, 11)))
def test_the_prefix_against_a_loop(values: list[float], abandoned: set[int]) -> None:
    for_a: list[float] = []
    for_b: list[float] = []
    for place, value in enumerate(values):
        if np.isnan(value) and place not in abandoned:
            break
        for_a.append(-1.0 if np.isnan(value) else value)
        for_b.append(1.0 if np.isnan(value) else value)
    sequence = prefix(values, [place for place in abandoned if place < len(values)])
    assert sequence.for_a.tolist() == for_a
    assert sequence.for_b.tolist() == for_b
    assert sequence.outcomes_only == (0.5 not in for_a)


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0, NAN]), min_size=1, max_size=12), st.data())
def test_the_prefix_only_grows_as_labels_arrive(values: list[float], data: st.DataObject) -> None:
    before = prefix(values)
    late = data.draw(st.integers(0, len(values) - 1))
    after = prefix([*values[:late], 1.0 if np.isnan(values[late]) else values[late], *values[late + 1 :]])
    assert len(after) >= len(before)
    assert after.for_a[: len(before)].tolist() == before.for_a.tolist()


def test_complete_sequences_know_what_they_hold() -> None:
    assert ValueSequence.complete(np.array([1.0, 0.0, -1.0])).outcomes_only
    assert not ValueSequence.complete(np.array([1.0, 1 / 3])).outcomes_only
    assert ValueSequence.complete(np.array([1.0, 1.0]), pool_size=2).pool_size == 2
    empty = ValueSequence.complete(np.empty(0))
    assert len(empty) == 0
    assert np.isnan(empty.mean)


@pytest.mark.parametrize("bad", [1.5, -1.01, NAN])
def test_a_value_that_is_no_difference_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=rf"must be in \[-1, 1\], not {bad}"):
        ValueSequence.complete(np.array([0.0, bad]))


def test_more_values_than_the_pool_holds_are_refused() -> None:
    with pytest.raises(ValueError, match="3 values from a pool of 2"):
        ValueSequence.complete(np.zeros(3), pool_size=2)
