"""The rows of a sheet that were not taken, as a sheet to be mended and collected again."""

from __future__ import annotations

import io
from collections.abc import Sequence

from tiebreak.sheets.collecting import BadRow
from tiebreak.sheets.filled import FilledRow, column_name, read_filled
from tiebreak.sheets.workbook import write_text
from tiebreak.tabular.delimited import csv_for_spreadsheets

WHAT_TO_MEND = "what to mend"


def sheet_to_mend(bad: Sequence[BadRow], ending: str) -> bytes:
    """The rows as they stand in the sheet, under its columns, and before each what is wrong with it. `ending`: .xlsx or
    .csv.
    """
    columns = list(
        dict.fromkeys(
            name for bad_row in bad for name in bad_row.row.header if name.strip(" ") not in ("", WHAT_TO_MEND)
        )
    )
    table = [[WHAT_TO_MEND, *columns]]
    for bad_row in bad:
        cells = dict(zip(reversed(bad_row.row.header), reversed(_whole(bad_row.row)), strict=True))
        what = "; ".join(f"{problem.column}: {problem.message}" for problem in bad_row.problems)
        table.append([f"row {bad_row.row.line}: {what}", *(cells.get(name, "") for name in columns)])
    return csv_for_spreadsheets(table) if ending == ".csv" else _workbook(table)


def holds_rows(earlier: bytes, content: bytes, answers: Sequence[str]) -> bool:
    """Whether an earlier sheet to mend has all rows of this one, mended by now or not. `answers`: the columns in which
    answers stand.

    Raises:
        InputError: it is no sheet.
    """
    now, before = (set(map(_which, read_filled(sheet, "", answers))) for sheet in (content, earlier))
    return now <= before


def _which(row: FilledRow) -> tuple[str, ...]:
    return (row.task.lower(),) if row.task else tuple(row.used.values())


def _whole(row: FilledRow) -> list[str]:
    """A cell for each column; formulas without a value as they were written, as texts."""
    cells = [*row.cells, *[""] * (len(row.header) - len(row.cells))]
    return [cell or row.formulas.get(column_name(name), "") for name, cell in zip(row.header, cells, strict=False)]


def _workbook(table: Sequence[Sequence[str]]) -> bytes:
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font

    book = Workbook()
    book.properties.creator = "tiebreak"
    page = book.active
    page.title = "To mend"
    for row, cells in enumerate(table, 1):
        for column, text in enumerate(cells, 1):
            if text:
                cell = write_text(page, row, column, text)
                cell.alignment = Alignment(wrap_text=row > 1, vertical="top")
                cell.font = Font(bold=row == 1)
    page.column_dimensions["A"].width = 60
    page.freeze_panes = "B2"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


_NARROWEST, _WIDEST, _STEP = 24.0, 96.0, 4.0
