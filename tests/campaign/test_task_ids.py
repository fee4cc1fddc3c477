"""Task ids: nothing to read from them, nothing that a spreadsheet program would change."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.campaign.task_ids import task_id, task_number

MINE, OTHER = "a" * 64, "b" * 64


@given(st.integers(0, 40**6))
def test_a_number_comes_back_however_it_is_typed(number: int) -> None:
    written = task_id(number, MINE)
    assert task_number(written, MINE) == task_number(f"  {written.upper()} ", MINE) == number


def test_ids_are_short_and_no_dates_or_numbers() -> None:
    # Spreadsheet programs make dates of texts such as 0012-2031, and numbers of 12e5; none begins with a t.
    found = [task_id(number, MINE) for number in range(5000)]
    assert len(set(found)) == 5000
    assert all(re.fullmatch(r"t[0-9a-z]{4}-[0-9a-z]{4}", written) for written in found)


def test_an_id_of_another_campaign_or_with_a_changed_digit_is_unknown() -> None:
    for number in range(2000):  # 20 bits of check: one of a million ids passes by chance, and none of these does
        written = task_id(number, MINE)
        assert task_number(written, OTHER) is None
        changed = written[:4] + ("0" if written[4] != "0" else "1") + written[5:]
        assert task_number(changed, MINE) is None


@pytest.mark.parametrize(
    "text", ["", "t", "-", "t-", "t0000", "0000-0000", "t0000-", "1.5", "t00000-0000", "tü000-0000"]
)
def test_other_texts_are_no_ids(text: str) -> None:
    assert task_number(text, MINE) is None
