from __future__ import annotations

import math

import pytest

from tiebreak.numbers import (
    about,
    about_labels,
    about_money,
    counted,
    e_number,
    in_percent,
    interval,
    known_number,
    money,
    natural_key,
    number,
    percent,
    plain,
    price_of_about,
    rounded,
    signed,
    signed_interval,
    signed_plain,
    some_names,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.123, "0.12"), (-0.125, "-0.12"), (0.0, "0.00"), (-0.0, "0.00"), (-0.001, "0.00"), (1.0, "1.00"),
     (-1.0, "-1.00"), (0.996, "1.00"), (-0.999, "-1.00"), (0.005, "0.01"), (10.5, "10.50")],
)  # fmt: skip
def test_numbers_as_papers_print_them(value: float, text: str) -> None:
    assert number(value) == text or (value == 0.005 and number(value) in ("0.00", "0.01"))


@pytest.mark.parametrize(("value", "text"), [(0.05, "0.05"), (0.1, "0.1"), (0.001, "0.001"), (1.0, "1"), (2.5, "2.5")])
def test_settings_as_the_user_gave_them(value: float, text: str) -> None:
    assert plain(value) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (7, "7"), (99, "99"), (104, "100"), (146, "150"), (12_345, "12,000"), (999, "1,000")]
)
def test_projections_have_two_digits(count: int, text: str) -> None:
    assert rounded(count) == text


def test_projections_are_more_than_what_there_is() -> None:
    assert [rounded(count, 120) for count in (119, 121, 124, 126, 1_204)] == ["120", "121", "124", "130", "1,200"]
    assert about(121, "item", 120) == "121 items"
    assert about_labels(1_204, 120.4, "$", 1_200) == "1,204 labels, $120"
    assert about_labels(1_204, 120.4, "$") == "1,200 labels, $120"


def test_counts_shares_and_what_is_not_known() -> None:
    assert (counted(1, "label"), counted(1200, "label")) == ("1 label", "1,200 labels")
    assert (percent(0.95), percent(0.999)) == ("95%", "99.9%")
    assert (known_number(None), known_number(-0.12)) == ("-", "-0.12")


def test_shares_that_were_found() -> None:
    assert [in_percent(share) for share in (0.0, 0.004, 0.5, 0.999, 1.0)] == ["0%", "0.4%", "50%", "99.9%", "100%"]
    assert [in_percent(share) for share in (-0.0004, -0.002)] == ["0.0%", "-0.2%"]


def test_signs_in_set_type() -> None:
    assert [signed(value) for value in (0.05, -0.12, -0.001)] == ["+0.05", "−0.12", "0.00"]
    assert [signed_plain(value) for value in (0.5, -0.25, 0.0)] == ["+0.5", "−0.25", "0"]


def test_money_and_projections() -> None:
    assert about_labels(279, 27.9, "$") == "280 labels, $28.00"
    assert about_labels(101, 2.53, "$") == "100 labels, $2.50"  # at 0.025
    assert about_labels(99, None, "$") == "99 labels"
    assert price_of_about(279.4, 0.1, "$") == "$28.00"
    assert (money(1234.5, "$"), about_money(1234.5, "$"), about_money(2.8, "€")) == ("$1,234.50", "$1,200", "€2.80")
    assert (money(9, "EUR"), about_money(1234.5, "kr")) == ("EUR 9.00", "kr 1,200")
    assert (about(1, "item"), about(1_234, "label")) == ("1 item", "1,200 labels")


def test_intervals_and_names() -> None:
    assert interval(-0.123, 0.4) == "[-0.12, 0.40]"
    assert interval(0.0034, 0.4) == "[0.003, 0.40]"
    assert interval(-0.4, -0.00002) == "[-0.40, -0.00002]"
    assert interval(0.0, 1e-17) == "[0.00, 0.00]"
    assert signed_interval(-0.0034, 0.4) == "−0.003 to +0.40"
    # Decided by a hair: six digits do not tell the end from 0, which it is not.
    assert interval(2.9e-7, 0.04) == "[0.000001, 0.04]"
    assert interval(-0.04, -1e-9) == "[-0.04, -0.000001]"
    assert signed_interval(-0.04, -1e-9) == "−0.04 to −0.000001"
    assert interval(-0.04, 1e-9) == "[-0.04, 0.00]"  # not decided


def test_ends_that_differ_are_told_apart() -> None:
    assert interval(0.0313, 0.0342) == "[0.031, 0.034]"
    assert interval(-0.50004, -0.50001) == "[-0.50004, -0.50001]"
    assert signed_interval(0.0313, 0.0342) == "+0.031 to +0.034"
    assert interval(0.03, 0.03 + 1e-7) == "[0.03, 0.03]"  # a point
    assert interval(0.0001, 0.004) == "[0.0001, 0.004]"
    assert some_names(["a", "b"]) == "a, b"
    assert some_names(["a", "b", "c"], 2) == "a, b and 1 more"


def test_names_are_sorted_as_people_count() -> None:
    names = ["M10", "m2", "M1", "M", "b 2 c 10", "b 2 c 9", "GPT 4", "GPT 4 Turbo", "gpt 4"]
    assert sorted(names, key=natural_key) == [
        "b 2 c 9", "b 2 c 10", "GPT 4", "gpt 4", "GPT 4 Turbo", "M", "M1", "m2", "M10"
    ]  # fmt: skip
    assert len({natural_key(name) for name in ("M1", "M01", "m1")}) == 3


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5"),
        (0.0123, "0.012"),
        (1, "1"),
        (3.14159, "3.14"),
        (240, "240"),
        (12_345, "12,300"),
        (1e-4, "below 0.001"),
    ],
)
def test_e_in_few_characters(value: float, shown: str) -> None:
    assert e_number(math.log(value)) == shown


def test_large_e_as_a_power() -> None:
    assert e_number(math.log(3.2e12)) == "3.2 × 10¹²"
    assert e_number(math.log(9.99e11)) == "1.0 × 10¹²"
    assert e_number(math.inf) == "∞"
