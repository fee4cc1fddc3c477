"""The workbook as a spreadsheet program finds it: blind, safe, readable; and the columns of any sheet."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import replace

import pytest
from tests.sheets.sheet_makers import PREFERENCE, fields_of, page_of, small_study, task

from tiebreak.campaign import Protocol
from tiebreak.campaign.kinds import AnswerField
from tiebreak.data.study import Study
from tiebreak.live.task_view import Assignment, views_of
from tiebreak.live.texts import StudyTexts
from tiebreak.settings.protocol import LabelSettings
from tiebreak.sheets.workbook import (
    TextColumn,
    column_widths,
    lines,
    row_height,
    tasks_too_long_to_see,
    text_columns,
    to_csv,
    to_xlsx,
)

# ---- The workbook as a spreadsheet program finds it: blind, safe, readable. ----------------------------------------


NASTY = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    '=HYPERLINK("http://x","y")',
    "#N/A",
    "TRUE",
    "12",
    "2024-01-02",
    "_x0041_",
    "control \x00\x07 characters",
    "<b>&amp;</b>",
    "  spaces around  ",
    "several\nlines",
    "",
    "日本語 🙂",
]


def fields(*, ties: bool) -> tuple[AnswerField, ...]:
    return fields_of(Protocol(labels=LabelSettings(ties=ties)))


def content_of(texts: list[str], *, ties: bool = True) -> Assignment:
    outputs = [
        {"item": f"i{k}", "system": system, "text": text}
        for k, text in enumerate(texts)
        for system in ("zeta-9b", "eta-3b")
    ]
    rows = views_of([task(k) for k in range(len(texts))], StudyTexts(Study.from_tables(outputs=outputs)), PREFERENCE)
    return Assignment("Which text is better?", "Take your time.\nBe fair.", fields(ties=ties), "ann", rows)


def small_content(*, ties: bool = True) -> Assignment:
    rows = views_of(
        [task(k, left=("zeta-9b", "eta-3b")[k % 2]) for k in range(6)], StudyTexts(small_study()), PREFERENCE
    )
    return Assignment("Which text is better?", "Take your time.", fields(ties=ties), "ann", rows)


def test_no_part_of_the_file_names_a_system_the_study_or_an_item() -> None:
    whole = to_xlsx(small_content())
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        everything = b"\n".join(name.encode() + archive.read(name) for name in archive.namelist())
    assert b"short text on i1" in everything
    for telling in (b"zeta", b"eta-3b", b"9b", b'"i1"', b">i1<"):
        assert telling not in everything
        assert telling not in to_csv(small_content())


def test_pages_columns_and_instructions() -> None:
    book, page = page_of(to_xlsx(small_content()))
    assert book.sheetnames == ["Instructions", "Tasks"]
    assert page["A1"].value == "Which text is better?"
    header = [cell.value for cell in page[2]]
    assert header == ["task", "input", "reference", "first text", "second text", "answer", "seconds", "comment"]
    assert [page.cell(row, 1).value for row in range(3, 9)] == [f"t{k}" for k in range(6)]
    assert page.max_row == 8
    said = [row[0].value for row in book["Instructions"].iter_rows()]
    assert said[:3] == ["Which text is better?", "Take your time.", "How to fill in this sheet"]
    assert any("For ann: 6 tasks" in line for line in said)


@pytest.mark.parametrize(
    ("ties", "words"), [(True, "First text,No difference,Second text"), (False, "First text,Second text")]
)
def test_the_answer_has_a_drop_down(ties: bool, words: str) -> None:
    _, page = page_of(to_xlsx(small_content(ties=ties)))
    (choice,) = page.data_validations.dataValidation
    assert (choice.type, choice.formula1, str(choice.sqref)) == ("list", f'"{words}"', "F3:F8")
    assert choice.allow_blank
    assert choice.showErrorMessage
    assert not choice.showDropDown  # which, in the file format, hides the arrow


def test_texts_are_texts_whatever_they_look_like() -> None:
    content = content_of(NASTY)
    _, page = page_of(to_xlsx(content))
    for row, shown in zip(page.iter_rows(min_row=3), content.tasks, strict=True):
        cell = row[1]
        # openpyxl leaves the escape of an underscore in place; spreadsheet programs take it away.
        assert cell.value.replace("_x005F_", "_") == shown.texts[0].text
        assert cell.data_type == "s"
        assert cell.alignment.wrap_text
    with zipfile.ZipFile(io.BytesIO(to_xlsx(content))) as archive:
        for name in archive.namelist():
            assert not re.search(rb"<f[ >]", archive.read(name)), name


def test_csv_cells_are_texts_too() -> None:
    data = to_csv(content_of(NASTY))
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert rows[0] == ["task", "first text", "second text", "question", "answer", "seconds", "comment"]
    assert rows[1] == [
        "t0",
        "'=1+1",
        "'=1+1",
        "Which text is better? (First text, No difference, Second text)",
        "",
        "",
        "",
    ]
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t"))]
    assert len(rows) == 1 + len(NASTY)


def test_the_two_texts_get_the_same_width_and_the_longer_ones_more() -> None:
    columns = [
        TextColumn("input", ("short",) * 20),
        TextColumn("first text", ("a word " * 100,) * 20, compared=True),
        TextColumn("second text", ("b",) * 20, compared=True),
    ]
    narrow, first, second = column_widths(columns)
    assert first == second > narrow
    # One giant among twenty does not count.
    assert column_widths([TextColumn("input", (*("short",) * 19, "a word " * 5000))]) == [narrow]


def test_rows_are_high_enough() -> None:
    assert lines("a" * 100, 50) >= 2
    assert lines("日" * 50, 50) == lines("a" * 100, 50)
    assert lines("\n\n", 50) == 3
    assert row_height(["a\nb\nc"], [50]) > 3 * 11
    assert row_height(["a\n" * 500], [50]) == 409
    content = content_of(["short", "a word " * 2000])
    assert tasks_too_long_to_see(content) == 1
    _, page = page_of(to_xlsx(content))
    assert page.row_dimensions[3].height < 40
    assert page.row_dimensions[4].height == 409
    assert len(text_columns(content)) == 2


# ---- The columns of a sheet. ---------------------------------------------------------------------------------------


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
