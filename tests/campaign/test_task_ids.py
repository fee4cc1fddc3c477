"""Task ids say nothing, and betray a stranger."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.campaign.task_ids import task_id, task_number

KEY, OTHER = "a" * 64, "b" * 64


@pytest.mark.parametrize("number", [0, 1, 31, 32, 1000, 32**4 - 1, 32**4, 10**9])
def test_a_number_comes_back(number: int) -> None:
    identifier = task_id(number, KEY)
    assert task_number(identifier, KEY) == number
    assert task_number(f" {identifier.upper()} ", KEY) == number


def test_ids_are_short_and_all_different() -> None:
    ids = [task_id(number, KEY) for number in range(5000)]
    assert len(set(ids)) == len(ids)
    assert {len(identifier) for identifier in ids} == {9}
    assert not set("ilo") & set("".join(ids)), "letters that look like digits"


def test_ids_of_another_campaign_are_strangers() -> None:
    """20 bits of check: one in a million of another campaign's ids would pass."""
    assert sum(task_number(task_id(number, OTHER), KEY) is not None for number in range(5000)) <= 1


def test_a_mistyped_id_is_a_stranger() -> None:
    rng = np.random.default_rng(1)
    digits = "0123456789abcdefghjkmnpqrstvwxyz"
    passed = 0
    for number in range(2000):
        identifier = list(task_id(number, KEY))
        place = int(rng.choice([0, 1, 2, 3, 5, 6, 7, 8]))
        identifier[place] = digits[(digits.index(identifier[place]) + 1 + int(rng.integers(30))) % 32]
        passed += task_number("".join(identifier), KEY) is not None
    assert passed <= 1


@pytest.mark.parametrize("text", ["", "-", "0000", "0000-", "-0000", "000o-0000", "00000-0000", "0-0-0", "é-1"])
def test_texts_that_are_no_ids(text: str) -> None:
    assert task_number(text, KEY) is None
