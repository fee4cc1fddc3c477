"""Reads a sheet that came back, from whatever program saved it: which task got which answer, and where that stands.

Only the columns task, answer, seconds and comment count; they are found by their names, on any page and below any
title. Texts, further columns, the order of rows and blank rows do not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.settings.shared import MOST_SECONDS
from tiebreak.sheets.columns import ANSWER, COMMENT, SECONDS, TASK
from tiebreak.tabular.delimited import read_delimited
from tiebreak.tabular.grid import column_letter
from tiebreak.tabular.workbook import Page, is_workbook, read_pages, refuse_old_workbook

_NEEDED: Final = (TASK, ANSWER)
_USED: Final = (TASK, ANSWER, SECONDS, COMMENT)
_NO_TABLE: Final = (
    "there is no table with the columns task and answer; send back the sheet that `tiebreak campaign sheet` wrote, "
    "with its header row"
)

Rows = Sequence[tuple[int, Sequence[str]]]
"""(1-based row, its cells as text)"""


@dataclass(frozen=True, slots=True)
class FilledRow:
    """One row with something in task or answer. `page`: name of the workbook's page, "" for CSV; `line`: 1-based row;
    `letters`: the spreadsheet letter of each used column. Cells are as written, without spaces around them.
    """

    page: str
    line: int
    task: str
    answer: str
    seconds: str
    comment: str
    letters: Mapping[str, str]

    def problem(self, file: str, column: str, message: str) -> Problem:
        """Something wrong with a cell of this row."""
        place = f"{file}#{self.page}" if self.page else file
        value = {TASK: self.task, ANSWER: self.answer, SECONDS: self.seconds}[column]
        return Problem(place, message, self.line, f"{column} ({self.letters[column]}{self.line})", value)


def read_filled(content: bytes, file: str) -> tuple[FilledRow, ...]:
    """All rows of all tables with tasks and answers in the file.

    Raises:
        InputError: not a workbook or CSV file, or no such table in it.
    """
    if not content.strip():
        raise InputError([Problem(file, "the file is empty")])
    refuse_old_workbook(content, source=file)
    pages = _workbook_pages(content, file) if is_workbook(content) else [("", _delimited_rows(content, file))]
    rows: list[FilledRow] = []
    found = False
    for page, cells in pages:
        table = _find_columns(cells, f"{file}#{page}" if page else file)
        if table is not None:
            found = True
            rows += _filled_rows(page, cells, table)
    if not found:
        raise InputError([Problem(file, _NO_TABLE)])
    return tuple(rows)


def seconds_of(cell: str) -> float | None:
    """The number in a cell of the column seconds, 12.5 or 12,5; None for an empty cell.

    Raises:
        ValueError: no number from 0 to `MOST_SECONDS`.
    """
    if not cell:
        return None
    seconds = float(cell.replace(",", ".").removesuffix("s").strip())
    if not 0 <= seconds <= MOST_SECONDS:
        raise ValueError(f"could not convert {cell!r} to a number of seconds")
    return seconds


def _delimited_rows(content: bytes, file: str) -> Rows:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        if not content.startswith((b"\xff\xfe", b"\xfe\xff")):
            # Saved by Excel as plain CSV. Task ids and answers are ASCII; only remarks can suffer from the guess.
            content = content.decode("cp1252", "replace").encode("utf-8")
    return read_delimited(content, source=file).rows


def _workbook_pages(content: bytes, file: str) -> list[tuple[str, Rows]]:
    pages = read_pages(content, source=file)
    _refuse_uncalculated(pages, file)
    return [(page.title, page.numbered_rows) for page in pages]


def _refuse_uncalculated(pages: Sequence[Page], file: str) -> None:
    """An answer that is a formula counts by its value; one whose value the file does not hold looks like no answer."""
    problems = []
    for page in pages:
        place = f"{file}#{page.title}"
        table = _find_columns(page.numbered_rows, place) if page.uncalculated else None
        if table is None:
            continue
        names = {position: name for name, position in table.positions.items()}
        for (line, position), formula in page.uncalculated.items():
            if line > table.header + 1 and position in names:
                column = f"{names[position]} ({column_letter(position)}{line})"
                message = "a formula whose value the file does not hold; write the value itself"
                problems.append(Problem(place, message, line, column, formula))
    if problems:
        raise InputError(problems)


@dataclass(frozen=True, slots=True)
class _Table:
    """Where a table is: `header`, the index of its header row; `positions` (from 0) of the used columns it has."""

    header: int
    positions: Mapping[str, int]


def _find_columns(rows: Rows, place: str) -> _Table | None:
    """The first row that names the columns task and answer.

    Raises:
        InputError: it names one of the used columns twice.
    """
    for index, (line, cells) in enumerate(rows):
        names = [" ".join(cell.split()).rstrip(":").casefold() for cell in cells]
        if not all(name in names for name in _NEEDED):
            continue
        twice = [name for name in _USED if names.count(name) > 1]
        if twice:
            message = f"two columns are called {twice[0]}; rename or remove one"
            raise InputError([Problem(place, message, line, twice[0])])
        return _Table(index, {name: names.index(name) for name in _USED if name in names})
    return None


def _filled_rows(page: str, rows: Rows, table: _Table) -> Iterator[FilledRow]:
    letters = {name: column_letter(position) for name, position in table.positions.items()}
    for line, cells in rows[table.header + 1 :]:

        def cell(name: str, cells: Sequence[str] = cells) -> str:
            position = table.positions.get(name)
            return "" if position is None or position >= len(cells) else cells[position].strip()

        if not cell(TASK) and not cell(ANSWER):
            continue
        if cell(TASK).casefold() == TASK and cell(ANSWER).casefold() == ANSWER:
            continue  # another sheet pasted below, with its header
        yield FilledRow(page, line, cell(TASK), cell(ANSWER), cell(SECONDS), cell(COMMENT), letters)
