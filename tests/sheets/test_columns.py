"""The columns of a sheet."""

from __future__ import annotations

from dataclasses import replace

from tests.sheets.sheet_makers import PREFERENCE, small_study, task

from tiebreak.data.study import Study
from tiebreak.live.task_view import Assignment, views_of
from tiebreak.live.texts import StudyTexts
from tiebreak.sheets.columns import text_columns


def test_what_no_task_has_is_no_column() -> None:
    study = replace(small_study(), items=None)
    content = Assignment("Which?", "", (), "ann", views_of([task(0), task(1)], StudyTexts(study), PREFERENCE))
    assert [column.name for column in text_columns(content)] == ["first text", "second text"]


def test_a_long_text_goes_on_beside() -> None:
    long = "word " * 14_000
    outputs = [
        {"item": "i0", "system": "zeta-9b", "text": long},
        {"item": "i0", "system": "eta-3b", "text": "x"},
    ]
    content = Assignment(
        "Which?", "", (), "ann", views_of([task(0)], StudyTexts(Study.from_tables(outputs=outputs)), PREFERENCE)
    )
    columns = text_columns(content)
    assert [column.name for column in columns] == [
        "first text", "first text, part 2", "first text, part 3", "second text",
    ]  # fmt: skip
    assert "".join(column.texts[0] for column in columns[:3]) == long
