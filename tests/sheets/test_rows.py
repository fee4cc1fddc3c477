"""What an annotator sees of a task."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.sheets.sheet_makers import small_study, task

from tiebreak.data.study import Study
from tiebreak.errors import InputError
from tiebreak.sheets.cells import EMPTY
from tiebreak.sheets.columns import text_columns
from tiebreak.sheets.rows import SheetContent, rows_of


def test_left_is_first() -> None:
    one, other = rows_of([task(1, left="zeta-9b"), task(1, left="eta-3b")], small_study())
    assert (one.first, one.second) == (other.second, other.first) == ("long text on i1", "short text on i1")
    assert one.given == {"input": "question i1", "reference": "reference i1"}


def test_references_of_all_shapes_are_shown_without_names() -> None:
    study = small_study(2)
    for references, shown in (
        (["x", "y"], "(1) reference i0\n\n(2) x\n\n(3) y"),
        ({"zeta-9b": "x", "eta-3b": "x"}, "(1) reference i0\n\n(2) x"),
    ):
        items = [{"item": "i0", "reference": "reference i0", "references": references}]
        changed = Study.from_tables(items=items, outputs=study.outputs, name="s")
        (row,) = rows_of([task(0)], changed)
        assert row.given == {"reference": shown}


def test_what_no_row_has_is_no_column() -> None:
    study = replace(small_study(), items=None)
    content = SheetContent("Which?", "", True, "ann", rows_of([task(0), task(1)], study))
    assert [column.name for column in text_columns(content)] == ["first text", "second text"]


def test_an_empty_output_says_so_and_a_missing_one_is_an_error() -> None:
    outputs = [
        {"item": "i0", "system": "zeta-9b", "text": " "},
        {"item": "i0", "system": "eta-3b", "text": "x"},
        {"item": "i1", "system": "eta-3b", "text": "x"},
    ]
    study = Study.from_tables(outputs=outputs)
    (row,) = rows_of([task(0)], study)
    assert row.first == EMPTY
    with pytest.raises(InputError, match="item 'i1' has no output of zeta-9b"):
        rows_of([task(1)], study)


def test_a_long_text_goes_on_beside() -> None:
    long = "word " * 14_000
    outputs = [
        {"item": "i0", "system": "zeta-9b", "text": long},
        {"item": "i0", "system": "eta-3b", "text": "x"},
    ]
    content = SheetContent("Which?", "", True, "ann", rows_of([task(0)], Study.from_tables(outputs=outputs)))
    columns = text_columns(content)
    assert [column.name for column in columns] == [
        "first text", "first text, part 2", "first text, part 3", "second text",
    ]  # fmt: skip
    assert "".join(column.texts[0] for column in columns[:3]) == long
