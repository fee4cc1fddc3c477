"""Sheets as they come back: from Excel, LibreOffice, Google; sorted, extended, saved as something else."""

from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest
from tests.sheets.sheet_makers import (
    PREFERENCE,
    csv_with,
    fields_of,
    fill_csv,
    fill_workbook,
    page_of,
    saved,
    small_study,
    task,
)

from tiebreak.errors import InputError
from tiebreak.live.task_view import Assignment, views_of
from tiebreak.live.texts import StudyTexts
from tiebreak.sheets.filled import FilledRow, read_filled, seconds_of
from tiebreak.sheets.workbook import to_csv, to_xlsx

COLUMNS = ("answer",)
CONTENT = Assignment(
    "Which is better?",
    "",
    fields_of(),
    "ann",
    views_of([task(k) for k in range(6)], StudyTexts(small_study()), PREFERENCE),
)
ANSWERS = {"t0": "First text", "t3": "No difference", "t5": "Second text"}


def answers(content: bytes) -> dict[str, str]:
    return {row.task: row.cell("answer") for row in read_filled(content, "sheet", COLUMNS) if row.cell("answer")}


def test_a_workbook_and_a_csv_file_read_back() -> None:
    assert answers(fill_workbook(to_xlsx(CONTENT), ANSWERS)) == ANSWERS
    assert answers(fill_csv(to_csv(CONTENT), ANSWERS)) == ANSWERS
    assert answers(to_xlsx(CONTENT)) == answers(to_csv(CONTENT)) == {}
    assert [row.task for row in read_filled(to_xlsx(CONTENT), "x", COLUMNS)] == [f"t{k}" for k in range(6)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_csv_from_any_program(delimiter: str, newline: str, encoding: str) -> None:
    content = fill_csv(to_csv(CONTENT), ANSWERS, encoding=encoding, dialect=csv_with(delimiter, newline))
    assert answers(content) == ANSWERS


def test_letters_of_windows_survive_in_remarks() -> None:
    rows = [["task", "text", "answer", "comment"], ["t0", "“x”", "First text", "trés – bien"]]
    (row,) = read_filled(csv_with(";")(rows).encode("cp1252"), "sheet.csv", COLUMNS)
    assert row.comment == "trés – bien"


def test_rows_sorted_columns_moved_added_and_removed() -> None:
    book, page = page_of(fill_workbook(to_xlsx(CONTENT), ANSWERS))
    rows = [[cell.value for cell in row] for row in page.iter_rows(min_row=2)]
    header, body = rows[0], sorted(rows[1:], key=lambda row: str(row[0]), reverse=True)
    keep = [header.index(name) for name in ("comment", "answer", "task")]
    other = openpyxl.Workbook()
    sheet = other.active
    sheet.append(["A title of mine"])
    sheet.append([])
    sheet.append(["my notes", *(str(header[place]).upper() + ": " for place in keep)])
    for row in body:
        sheet.append(["=1/0", *(row[place] for place in keep)])
        sheet.append([])
    del book
    assert answers(saved(other)) == ANSWERS


def test_tables_on_two_pages_and_pasted_below_each_other_count_together() -> None:
    book, page = page_of(fill_workbook(to_xlsx(CONTENT), {"t0": "First text"}))
    copy = book.copy_worksheet(page)
    copy["A3"], copy["F3"] = "t9", "Second text"
    page.append(["task", None, None, None, None, "answer"])
    page.append(["t8", None, None, None, None, "tie"])
    assert answers(saved(book)) == {"t0": "First text", "t8": "tie", "t9": "Second text"}


def test_cells_are_read_by_value_and_known_by_place() -> None:
    extra = {"F3": 1, "G3": 12.5, "H3": "hm", "G4": 7, "A30": "note of mine"}
    rows = read_filled(fill_workbook(to_xlsx(CONTENT), {}, extra=extra), "sheet.xlsx", COLUMNS)
    used = {"task": "t0", "answer": "1", "seconds": "12.5", "comment": "hm"}
    assert rows[0] == FilledRow("Tasks", 3, used, rows[0].letters, {}, rows[0].header, rows[0].cells)
    assert rows[0].header[0] == "task"
    assert rows[0].cells[0] == "t0"
    assert rows[0].letters == {"task": "A", "answer": "F", "seconds": "G", "comment": "H"}
    problem = rows[0].problem("sheet.xlsx", "answer", "wrong")
    assert str(problem) == "sheet.xlsx#Tasks, row 3, column answer (F3): '1': wrong"
    assert rows[-1].task == "note of mine"


def test_a_formula_counts_by_its_value_and_not_without_one() -> None:
    content = fill_workbook(to_xlsx(CONTENT), {}, extra={"F3": '="First"&" text"', "H4": "=1+1", "Z9": "=NOW()"})
    rows = read_filled(content, "sheet.xlsx", COLUMNS)
    assert rows[0].formulas == {"answer": '="First"&" text"'}
    assert rows[1].formulas == {"comment": "=1+1"}
    assert (rows[0].cell("answer"), rows[1].comment) == ("", "")
    # As Excel saves it, with the value beside the formula.
    calculated = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(calculated, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "xl/worksheets/sheet2.xml":
                for empty in (b"<v/>", b"<v></v>"):  # how it is written depends on the XML library at hand
                    data = data.replace(empty, b"<v />")
                data = data.replace(b'<f>"First"&amp;" text"</f><v />', b'<f>"First"&amp;" text"</f><v>First text</v>')
                data = data.replace(b'<c r="F3"', b'<c r="F3" t="str"')
                data = data.replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>")
            new.writestr(name, data)
    rows = read_filled(calculated.getvalue(), "sheet.xlsx", COLUMNS)
    assert (rows[0].cell("answer"), rows[1].comment) == ("First text", "2")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"  \n", "the file is empty"),
        (b"\xd0\xcf\x11\xe0" + "Workbook\0".encode("utf-16-le"), "damaged or cut off"),
        (b"item,winner\n1,a\n", "no table with the columns task and answer"),
        (b"task,answer,answer\nt0,First text,\n", "two columns are called answer"),
        (b"PK\x03\x04 damaged", "this workbook cannot be read"),
        (b'task,answer\n"t0,First\n', "quoting is broken"),
    ],
)
def test_what_is_no_sheet(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_filled(content, "sheet", COLUMNS)


@pytest.mark.parametrize(("cell", "seconds"), [("", None), ("0", 0.0), ("12.5", 12.5), ("12,5", 12.5), ("7 s", 7.0)])
def test_seconds(cell: str, seconds: float | None) -> None:
    assert seconds_of(cell) == seconds


@pytest.mark.parametrize("cell", ["-1", "nan", "inf", "two", "00:12:00"])
def test_no_seconds(cell: str) -> None:
    with pytest.raises(ValueError, match="could not convert"):
        seconds_of(cell)


def test_rows_of_csv_files_are_numbered_as_spreadsheets_number_them() -> None:
    rows = [["task", "text", "answer"], ["t0", "two\nlines\nand more", "1"], [], ["t1", "one", "2"]]
    for content in (csv_with(";")(rows), "sep=;\n" + csv_with(";")(rows)):
        assert [(row.task, row.line) for row in read_filled(content.encode(), "sheet.csv", COLUMNS)] == [
            ("t0", 2),
            ("t1", 4),
        ]
