"""What single cells say."""

from __future__ import annotations

import pytest

from tiebreak.importers.cells import (
    may_be_two_numbers,
    parse_clock,
    parse_number,
    parse_time,
    seconds_in,
    support_in,
    yes_in,
)


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        *[("4", 4), (" 3.5 ", 3.5), ("1e3", 1000), ("1,234,567", 1234567), ("1,234.5", 1234.5), ("4 - good", 4)],
        *[("1: bad", 1), ("yes", 1), ("False", 0), ("0", 0)],
        *[(cell, None) for cell in ("1,500", "3,5", "inf", "NaN", "1_000", "", "4-5")],
    ],
)
def test_numbers(cell: str, number: float | None) -> None:
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
    assert parse_time("17.05.2024") == "2024-05-17"
    assert parse_time("3/4/2024") is None
    assert parse_time("7") is None
