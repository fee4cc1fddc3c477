from __future__ import annotations

import pytest

from tiebreak.results.numbers import counted, known_number, number, percent, plain, rounded


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


def test_counts_shares_and_what_is_not_known() -> None:
    assert (counted(1, "label"), counted(1200, "label")) == ("1 label", "1,200 labels")
    assert (percent(0.95), percent(0.999)) == ("95%", "99.9%")
    assert (known_number(None), known_number(-0.12)) == ("-", "-0.12")
