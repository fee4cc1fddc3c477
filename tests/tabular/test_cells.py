"""Texts in cells: everything visible, nothing run, nothing cut without a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.tabular.cells import csv_text, from_csv_text, pieces, visible, xlsx_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\r\nb\rc\u2028d\x85e", "a\nb\nc\nd\ne"),
        ("bell \x07, escape \x1b[0m, NUL \0, delete \x7f", "bell ␇, escape ␛[0m, NUL ␀, delete ␡"),
        ("not in XML: \ufffe\uffff", "not in XML: \ufffd\ufffd"),
    ],
)
def test_nothing_is_invisible(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown


@given(st.text(), st.integers(2, 40))
def test_pieces_lose_nothing_and_fit(text: str, longest: int) -> None:
    found = pieces(text, longest)
    assert "".join(found) == text
    assert all(len(part.encode("utf-16-le", "surrogatepass")) // 2 <= longest for part in found)
    assert all(found[:-1])


def test_pieces_end_between_words_where_they_can() -> None:
    assert pieces("aaaa bbbb cccc dddd", 10) == ["aaaa bbbb ", "cccc dddd"]
    assert pieces("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert pieces("𝔸" * 6, 10) == ["𝔸" * 5, "𝔸"]  # two units each


@pytest.mark.parametrize("start", ["=", "+", "-", "@", " =", "\t", "\r", "＝", "\n@"])
def test_no_csv_cell_starts_a_formula(start: str) -> None:
    assert csv_text(f"{start}1+1") == f"'{start}1+1"


@given(st.text("'=+-@\t\r a＝"))
def test_what_is_written_for_spreadsheets_is_read_back_as_it_was(text: str) -> None:
    assert from_csv_text(csv_text(text)) == text
    assert not csv_text(text).lstrip().startswith(("=", "+", "-", "@", "＝"))


def test_other_csv_cells_are_left_alone() -> None:
    assert csv_text("1 - 1 = 0") == "1 - 1 = 0"


def test_a_text_that_looks_like_an_escape_of_workbooks_is_escaped() -> None:
    assert xlsx_text("_x0041_ and _x00_ and __x000D_") == "_x005F_x0041_ and _x00_ and __x005F_x000D_"
