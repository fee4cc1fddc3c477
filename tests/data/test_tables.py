"""Rows as text: one text for equal rows."""

from __future__ import annotations

import polars as pl

from tiebreak.data.tables import row_texts

ODD = pl.DataFrame(
    {
        "*": ["a", None, "", "\\", "\x1e\x1f", "\\e", "ü\u200b"],
        "^n$": [0.0, -0.0, None, float("nan"), 1e-7, 1e16, 0.1],
        "list": [["a"], None, [], ["b", "c"], [None], ["\x1f"], ["a"]],
        "whole": [1, 2, None, 3, 4, -5, 6],
        "object": [{"k": 1, "l": None}, None, {"k": 2, "l": "x"}, {"k": 1, "l": "y"}, None, None, {"k": 3, "l": "\\"}],
        "none": [None] * 7,
    }
)


def test_every_row_is_one_text() -> None:
    texts = row_texts(ODD)
    assert (texts.dtype, texts.name, len(texts), texts.null_count()) == (pl.String, "row", ODD.height, 0)


def test_only_equal_rows_have_the_same_text() -> None:
    assert row_texts(ODD).n_unique() == ODD.height
    same = pl.DataFrame({"text": [None, ""], "value": [0.0, -0.0]})
    assert row_texts(same).n_unique() == 1
    split = pl.DataFrame({"a": ["x\x1f", "x"], "b": ["y", "\x1fy"]})
    assert row_texts(split).n_unique() == 2


def test_no_rows_have_no_text() -> None:
    assert row_texts(ODD.clear()).to_list() == []
