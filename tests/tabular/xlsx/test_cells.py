"""What cells say: checked against openpyxl, which reads a workbook as a whole."""

from __future__ import annotations

import datetime as dt
import io
import random
from typing import Any, Final

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from tests.tabular.odd_workbooks import with_rows

from tiebreak.errors import InputError
from tiebreak.tabular.workbook import Page, read_pages
from tiebreak.tabular.xlsx.cells import cell_text

FORMATS: Final = ("General", "0.00", "yyyy-mm-dd", "d. mmmm yyyy h:mm", "h:mm:ss", "[h]:mm", '0 "days"', "[Red]0.0")


def saved(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def page_of(book: openpyxl.Workbook) -> Page:
    (page,) = read_pages(saved(book), source="x.xlsx")
    return page


def in_words(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return str(value).lower()
    return cell_text(float(value) if isinstance(value, int) else value)


def some_value(rng: random.Random) -> Any:
    return rng.choice(
        (
            None, "", " a ", "1", "ä\n😀", True, False, 0, -7, 123456789, rng.random() * 60_000, 1e-7, -2.5, 1e20,
            dt.datetime(2024, 5, 17, 8, 38, 20), dt.date(1900, 2, 1), dt.time(8, 30), dt.timedelta(hours=30, minutes=1),
        )
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("epoch", [None, CALENDAR_MAC_1904])
def test_the_same_as_openpyxl(seed: int, epoch: dt.datetime | None) -> None:
    rng = random.Random(seed)
    book = openpyxl.Workbook()
    if epoch is not None:
        book.epoch = epoch
    sheet = book.active
    for _ in range(60):
        cell = sheet.cell(rng.randrange(1, 30), rng.randrange(1, 12))
        cell.number_format = "General"  # one that has had a date keeps its format
        cell.value = some_value(rng)
        if isinstance(cell.value, float) and 0 < cell.value < 60_000:
            cell.number_format = rng.choice(FORMATS)
    oracle = openpyxl.load_workbook(io.BytesIO(saved(book)), data_only=True).active
    page = page_of(book)
    found = {
        (line, column): text
        for line, cells in page.rows
        for column, text in zip(page.columns, cells, strict=True)
        if text
    }
    assert found == {
        (cell.row, cell.column - 1): in_words(cell.value)
        for row in oracle.iter_rows()
        for cell in row
        if cell.value not in (None, "")
    }


def test_texts_are_what_their_escapes_say() -> None:
    rows = (
        '<row r="1"><c r="A1" t="str"><v>a_x000D_b_x005F_x0041_</v></c><c r="B1" t="inlineStr"><is><r><t>one </t></r>'
        '<r><t>text</t></r><rPh><t>not said</t></rPh></is></c><c r="C1" t="str"><v>_xD83D__xDE00_ _xD800_</v></c></row>'
    )
    (page,) = read_pages(with_rows(rows), source="x.xlsx")
    assert page.rows == ((1, ("a\rb_x0041_", "one text", "😀 �")),)


def test_dates_written_out_booleans_and_long_numbers() -> None:
    rows = (
        '<row r="1"><c r="A1" t="d"><v>2024-05-17T00:00:00</v></c><c r="B1" t="b"><v>1</v></c>'
        '<c r="C1"><v>12345678901234567890</v></c><c r="D1"><v>007</v></c><c r="E1"><v>1.0E2</v></c></row>'
    )
    (page,) = read_pages(with_rows(rows), source="x.xlsx")
    assert page.rows == ((1, ("2024-05-17", "true", "12345678901234567890", "7", "100")),)


def test_a_formula_has_the_value_that_is_stored_or_none() -> None:
    rows = (
        '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>NOW()</f></c><c r="C1" t="str"><f>T("")</f><v/></c>'
        '<c r="D1"><f t="shared" si="0"/><v></v></c></row>'
    )
    (page,) = read_pages(with_rows(rows), source="x.xlsx")
    assert page.rows == ((1, ("2",)),)
    assert page.uncalculated == {(1, 1): "=NOW()", (1, 3): "="}


def test_ten_thousand_digits_are_refused_where_they_stand() -> None:
    with pytest.raises(InputError, match=r"x\.xlsx#Tasks, line 1, column A: '9+…': the number is beyond"):
        read_pages(with_rows(f'<row r="1"><c r="A1"><v>{"9" * 10_000}</v></c></row>'), source="x.xlsx")
