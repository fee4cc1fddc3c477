"""Labelling policies of the vectorised engine against every panel."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.simulate.engines.policies import PolicyValues, SimulatedLabelling, item_values

ALL_FIVE = np.array(list(product((-1, 0, 1), repeat=5)), dtype=np.int8)[None]  # every panel of five, as items


def majority_of(answers: list[int]) -> int:
    """Most frequent outcome; a shared lead is a tie."""
    counts = Counter(answers).most_common()
    return counts[0][0] if len(counts) == 1 or counts[0][1] > counts[1][1] else 0


def max_three_of(answers: list[int]) -> tuple[int, int]:
    """Value and cost."""
    if answers[0] == answers[1]:
        return answers[0], 2
    return (answers[2] if answers[2] in answers[:2] else 0), 3


@pytest.mark.parametrize("people", [3, 5])
def test_majorities_of_every_panel(people: int) -> None:
    found = item_values(ALL_FIVE, SimulatedLabelling("majority", people))
    assert found.values[0].tolist() == [majority_of(answers[:people].tolist()) for answers in ALL_FIVE[0]]
    assert found.labels_up_to(np.array([7])).tolist() == [7 * people]


def test_majorities_without_ties_take_the_short_way() -> None:
    untied = ALL_FIVE[:, (ALL_FIVE[0] != 0).all(axis=1)]
    found = item_values(untied, SimulatedLabelling("majority", 5))
    assert found.values[0].tolist() == [majority_of(answers.tolist()) for answers in untied[0]]


def test_max_three_of_every_panel() -> None:
    found = item_values(ALL_FIVE, SimulatedLabelling("max-three", 3))
    expected = [max_three_of(answers.tolist()) for answers in ALL_FIVE[0]]
    assert found.values[0].tolist() == [value for value, _ in expected]
    assert found.cost[0].tolist() == [cost for _, cost in expected]
    # Three different answers are a tie: a, tie, b and a, b, tie.
    three = np.array([[[1, 0, -1], [1, -1, 0], [-1, 1, 1], [0, 0, 1]]], dtype=np.int8)
    assert item_values(three, SimulatedLabelling("max-three", 3)).values.tolist() == [[0, 0, 1, 0]]
    assert item_values(three, SimulatedLabelling("max-three", 3)).cost.tolist() == [[3, 3, 3, 2]]


def test_costs_add_up_to_any_item() -> None:
    found = PolicyValues(np.zeros((2, 3), dtype=np.int8), np.array([[2, 3, 2], [3, 3, 3]], dtype=np.uint8))
    assert found.labels_up_to(np.array([2, 3])).tolist() == [5, 9]
    assert found.labels_up_to(np.array([0, 1])).tolist() == [0, 3]


def test_one_and_fixed_take_the_first_answer() -> None:
    for name in ("one", "fixed"):
        found = item_values(ALL_FIVE, SimulatedLabelling.parse(name))
        assert (found.values == ALL_FIVE[:, :, 0]).all()
        assert found.labels_up_to(np.array([11])).tolist() == [11]


def test_policies_are_parsed_and_refused() -> None:
    assert SimulatedLabelling.parse("majority-7") == SimulatedLabelling("majority", 7)
    assert SimulatedLabelling.parse("majority") == SimulatedLabelling("majority", 3)
    assert [str(SimulatedLabelling.parse(name)) for name in ("one", "max-three", "majority-5")] == [
        "one",
        "max-three",
        "majority-5",
    ]
    for text, words in (
        ("majority-4", "odd number of people from 3, not 4"),
        ("majority-x", "a panel of five is majority-5"),
        ("max-thre", "did you mean max-three"),
    ):
        with pytest.raises(UsageError, match=words):
            SimulatedLabelling.parse(text)
    with pytest.raises(UsageError, match="one asks 1 on an item"):
        SimulatedLabelling("one", 3)
    with pytest.raises(UsageError, match="needs labels of 7 people"):
        item_values(ALL_FIVE, SimulatedLabelling("majority", 7))
