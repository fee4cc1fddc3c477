"""What single cells say: who won, by words and numbers; numbers, times, yes or no."""

from __future__ import annotations

import pytest

from tiebreak.importers.cells import (
    codes_for,
    may_be_two_numbers,
    meanings_in,
    number_in,
    numbers_are_clear,
    parse_clock,
    parse_number,
    parse_time,
    question_about,
    seconds_in,
    side_in,
    support_in,
    winner_in,
    yes_in,
)

FIRST = "A|a|left|1|1.0|First|Answer A|A is better|model_a|[[A]]|A>>B|B < A|former"
SECOND = "B|right|2|the second one|Response 2 is slightly better|B>A|A<B|option B|2nd"
TIES = "tie|Tie (bothbad)|both|both are good|same|about the same|neither A nor B|A=B|=|a tie"
MORE_TIES = "[[C]]|no preference|Same / both fine|neither is good"
NONE = "|maybe|3|0|-1|second best|1.5|both good, A better|A and B|gpt|see comment|C|A>A"


@pytest.mark.parametrize(
    ("cells", "side"), [(FIRST, "a"), (SECOND, "b"), (TIES, "tie"), (MORE_TIES, "tie"), (NONE, None)]
)
def test_words(cells: str, side: str | None) -> None:
    of = cells.split("|")
    assert {cell: side_in(cell) for cell in of} == dict.fromkeys(of, side)


def test_a_name_is_read_before_words() -> None:
    assert winner_in("model_a", "model_b", "model_a") == "b"
    assert winner_in("GPT", "gpt", "llama") == "a"
    assert winner_in("a", "b", "a") == "b"
    assert winner_in("gpt", "gpt", "GPT") == "a"
    assert winner_in("mistral", "gpt", "llama") is None


def test_numbers() -> None:
    assert [number_in(cell) for cell in (" 1.0 ", "[2]", "-1", "1a", "")] == ["1", "2", "-1", None, None]
    assert numbers_are_clear({"1", "2"}, {})
    assert not numbers_are_clear({"1"}, {})
    assert not numbers_are_clear({"0", "1"}, {})
    assert not numbers_are_clear({"1", "2"}, {"1": "b"})
    assert numbers_are_clear({"1"}, {"0": "tie"})
    assert codes_for(["-1", "1"])[0] == (("1", "a"), ("0", "tie"), ("-1", "b"))
    assert codes_for(["-2", "0", "2"])[0] == (("-2", "a"), ("0", "tie"), ("2", "b"))
    assert codes_for(map(str, range(99))) == [(("NUMBER", "a"), ("NUMBER", "b"))]
    asked = question_about(["1", "0"], "--answer", {"a": "first", "tie": "tie", "b": "second"})
    assert "--answer 1=first,0=second" in asked


def test_meanings_of_an_option() -> None:
    found = list(meanings_in("good, really=a, no idea=tie", ("a", "tie", "b")))
    assert found == [("good, really", "a"), ("no idea", "tie")]
    with pytest.raises(ValueError, match="what"):
        list(meanings_in("good=a,what", ("a", "tie", "b")))


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        *[("4", 4), (" 3.5 ", 3.5), ("1e3", 1000), ("1,234,567", 1234567), ("1,234.5", 1234.5), ("4 - good", 4)],
        *[("1: bad", 1), ("yes", 1), ("False", 0), ("0", 0)],
        *[(cell, None) for cell in ("1,500", "3,5", "inf", "NaN", "1_000", "", "4-5")],
    ],
)
def test_numbers_in_cells(cell: str, number: float | None) -> None:
    assert parse_number(cell) == number


def test_commas() -> None:
    assert parse_number("3,5", decimal_comma=True) == 3.5
    assert may_be_two_numbers("1,500")
    assert not may_be_two_numbers("1.500")


def test_yes_and_support() -> None:
    assert [yes_in(cell) for cell in ("Yes", "TRUE", "1", "no", "0.0", "maybe", "")] == [
        True, True, True, False, False, None, None
    ]  # fmt: skip
    assert [support_in(cell) for cell in ("Supports", "refutes", "neutral", "no", "perhaps")] == [
        "supports", "contradicts", "neither", "neither", None
    ]  # fmt: skip


def test_units() -> None:
    names = ("Time (min)", "minutes", "ms", "duration_ms", "seconds", "hours", "admin time")
    assert [seconds_in(name) for name in names] == [60, 60, 0.001, 0.001, 1, 3600, 1]


def test_times() -> None:
    assert parse_clock("1:35") == 95
    assert parse_clock("1:02:35") == 3755
    assert parse_clock("95") is None
    assert parse_time("2024-05-17") == "2024-05-17"
    assert parse_time("2024-05-17T08:38:20Z") == "2024-05-17T08:38:20+00:00"
    assert parse_time("1715935100") == "2024-05-17T08:38:20+00:00"
    assert parse_time("1715935100000") == "2024-05-17T08:38:20+00:00"
    assert parse_time("Mon Jun 21 09:26:33 PDT 2021") == "2021-06-21T09:26:33-07:00"
    assert parse_time("02.06.2025 09:07:00") == "2025-06-02T09:07:00"
    assert parse_time("17.05.2024") == parse_time("17.5.2024") == "2024-05-17"
    assert parse_time("3/4/2024") is None
    assert parse_time("7") is None
