"""Excel workbooks (.xlsx) as rows of text."""

from __future__ import annotations

import datetime as dt
import io
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.tabular.grid import Grid, column_letter

if TYPE_CHECKING:
    from openpyxl.workbook.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

ZIP_MAGIC: Final = b"PK\x03\x04"
OLE_MAGIC: Final = b"\xd0\xcf\x11\xe0"


def is_workbook(content: bytes) -> bool:
    """A zip archive: .xlsx, whatever the file is called."""
    return content.startswith(ZIP_MAGIC)


def refuse_old_workbook(content: bytes, *, source: str) -> None:
    """Raises InputError for the .xls format before 2007."""
    if content.startswith(OLE_MAGIC):
        message = "this is an old Excel workbook (.xls); save it as .xlsx or as CSV UTF-8"
        raise InputError([Problem(source, message)])


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a workbook. `rows[i][j]`: the text of row i + 1 in column j, "" for a blank cell; a formula counts by
    the value that was stored with it. `uncalculated`: formulas without one, by row (from 1) and column (from 0).
    """

    title: str
    rows: list[list[str]]
    uncalculated: Mapping[tuple[int, int], str]

    @property
    def numbered_rows(self) -> list[tuple[int, list[str]]]:
        """(1-based row, its cells)."""
        return list(enumerate(self.rows, 1))


def read_pages(content: bytes, *, source: str) -> tuple[Page, ...]:
    """All pages of a workbook, in its order.

    Raises:
        InputError: no workbook.
    """
    book = _open_workbook(content, source=source, values=True)
    formulas = _formulas(content, source)
    return tuple(_page(sheet, formulas) for sheet in book.worksheets)


def read_workbook(content: bytes, *, source: str, sheet_name: str | None) -> Grid:
    """The named sheet, else the first with data; formulas count by the value that Excel stored.

    Merged cells hold their value in every cell they cover. Raises UsageError for an unknown sheet, InputError for a
    file that is no workbook, has no data, holds formulas without a stored value or error values (#N/A).
    """
    book = _open_workbook(content, source=source, values=True)
    sheet = _choose(book, source=source, sheet_name=sheet_name)
    page = _page(sheet, _formulas(content, source))
    cells = page.rows
    problems = [*_error_values(sheet, source), *_uncalculated(page, source)]
    if problems:
        raise InputError(problems)
    spans = []
    for merged in sheet.merged_cells.ranges:
        value = cells[merged.min_row - 1][merged.min_col - 1]
        for row in range(merged.min_row - 1, merged.max_row):
            for column in range(merged.min_col - 1, merged.max_col):
                cells[row][column] = value
        if merged.min_row == merged.max_row and merged.max_col > merged.min_col:
            spans.append((merged.min_row - 1, merged.min_col - 1, merged.max_col - 1))
    rows = tuple((number, tuple(row)) for number, row in page.numbered_rows)
    return Grid(rows=_without_decoration(rows, spans), header_spans=tuple(sorted(spans)))


def cell_text(value: object) -> str:
    """A cell as a person reads it: 7.0 is "7", a date is ISO 8601, TRUE is "true", an empty cell is ""."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value)


def _open_workbook(content: bytes, *, source: str, values: bool) -> Workbook:
    """The workbook with what its formulas gave when it was saved (`values`), or with the formulas themselves.

    Raises InputError for what is no workbook.
    """
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    if _is_open_document(content):
        raise InputError([Problem(source, "this is an OpenDocument file; save it as .xlsx or as CSV UTF-8")])
    try:
        with warnings.catch_warnings():
            # openpyxl warns about drop-downs, styles and the like, which hold no data.
            warnings.simplefilter("ignore", UserWarning)
            return openpyxl.load_workbook(io.BytesIO(content), data_only=values)
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError) as error:
        raise InputError(
            [Problem(source, f"this is no Excel workbook that can be read ({error}); save it again as .xlsx")]
        ) from error


def _is_open_document(content: bytes) -> bool:
    """As LibreOffice saves by itself (.ods): a zip archive too, which says what it is in a file of this name."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "mimetype" in archive.namelist()
    except zipfile.BadZipFile:  # no archive at all; whoever opens it says so
        return False


def _choose(book: Workbook, *, source: str, sheet_name: str | None) -> Worksheet:
    sheets = book.worksheets
    if sheet_name is not None:
        for sheet in sheets:
            if sheet.title == sheet_name:
                return sheet
        titles = [sheet.title for sheet in sheets]
        raise UsageError(
            f"{source}: the workbook has no sheet {sheet_name!r}{did_you_mean(sheet_name, titles)} "
            f"(it has {', '.join(titles)})"
        )
    for sheet in sheets:
        if any(value is not None for row in sheet.iter_rows(values_only=True) for value in row):
            return sheet
    raise InputError([Problem(source, "no sheet of the workbook holds any data")])


def _error_values(sheet: Worksheet, source: str) -> list[Problem]:
    return [
        Problem(
            source,
            "an Excel error value; correct or clear the cell",
            line=cell.row,
            column=cell.column_letter,
            value=str(cell.value),
        )
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "e"
    ]


def _formulas(content: bytes, source: str) -> Workbook | None:
    """The workbook with its formulas, if any sheet's XML has one: loading a workbook twice is slow."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        found = any(
            b"<f>" in (xml := archive.read(name)) or b"<f " in xml
            for name in archive.namelist()
            if name.startswith("xl/worksheets/") and name.endswith(".xml")
        )
    return _open_workbook(content, source=source, values=False) if found else None


def _page(sheet: Worksheet, formulas: Workbook | None) -> Page:
    rows = [[cell_text(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    uncalculated = {
        (cell.row, cell.column - 1): str(cell.value)
        for row in (formulas[sheet.title].iter_rows() if formulas is not None else ())
        for cell in row
        if cell.data_type == "f" and not rows[cell.row - 1][cell.column - 1]
    }
    return Page(sheet.title, rows, uncalculated)


def _uncalculated(page: Page, source: str) -> list[Problem]:
    message = "a formula without a stored value; open the file in a spreadsheet program and save it"
    return [
        Problem(source, message, line=row, column=column_letter(column), value=formula)
        for (row, column), formula in page.uncalculated.items()
    ]


def _without_decoration(
    rows: tuple[tuple[int, tuple[str, ...]], ...], spans: list[tuple[int, int, int]]
) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Blank the copies of a merged title, so that it still looks like the one cell that it is."""
    cleaned = list(rows)
    for row, first, last in spans:
        line, cells = cleaned[row]
        others = [cell for j, cell in enumerate(cells) if cell.strip() and not first <= j <= last]
        if not others:
            cleaned[row] = (line, (*cells[: first + 1], *[""] * (last - first), *cells[last + 1 :]))
    return tuple(cleaned)
