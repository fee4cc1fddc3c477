"""Reads a sheet that came back, from whatever program saved it: which task got which answer, and where that stands.

Only the columns task, answer, seconds and comment count; they are found by their names, on any page and below any
title. Texts, further columns, the order of rows and blank rows do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.settings.shared import MOST_SECONDS
from tiebreak.sheets.columns import ANSWER, COMMENT, SECONDS, TASK
from tiebreak.tabular.cells import from_csv_text
from tiebreak.tabular.delimited import read_delimited
from tiebreak.tabular.foreign import refuse_other_kinds
from tiebreak.tabular.grid import column_letter
from tiebreak.tabular.workbook import is_workbook, read_pages

_NEEDED: Final = (TASK, ANSWER)
_USED: Final = (TASK, ANSWER, SECONDS, COMMENT)
_NO_TABLE: Final = (
    "there is no table with the columns task and answer; send back the sheet that `tiebreak campaign sheet` wrote, "
    "with its header row"
)

_PERHAPS_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2},\d{3}")

Rows = Sequence[tuple[int, Sequence[str]]]
"""(1-based row, its cells as text)"""


@dataclass(frozen=True, slots=True)
class FilledRow:
    """One row with something in task or answer. `page`: name of the workbook's page, "" for CSV; `line`: 1-based row;
    `letters`: the spreadsheet letter of each used column. Cells are as written, without spaces around them.
    `formulas`: by column, those whose value the file does not hold. `header`, `cells`: the whole row, as it stands.
    """

    page: str
    line: int
    task: str
    answer: str
    seconds: str
    comment: str
    letters: Mapping[str, str]
    formulas: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    header: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

    def problem(self, file: str, column: str, message: str) -> Problem:
        """Something wrong with a cell of this row."""
        place = f"{file}#{self.page}" if self.page else file
        value = self.formulas.get(column) or {TASK: self.task, ANSWER: self.answer}[column]
        return Problem(place, message, self.line, f"{column} ({self.letters[column]}{self.line})", value, "row")


def read_filled(content: bytes, file: str) -> tuple[FilledRow, ...]:
    """All rows of all tables with tasks and answers in the file.

    Raises:
        InputError: not a workbook or CSV file, or no such table in it.
    """
    if not content.strip():
        raise InputError([Problem(file, "the file is empty")])
    refuse_other_kinds(content, source=file)
    tables = _workbook_tables(content, file) if is_workbook(content) else [_delimited_table(content, file)]
    rows: list[FilledRow] = []
    found = False
    for table in tables:
        if table.used is not None:
            found = True
            rows += _filled_rows(table)
    if not found:
        raise InputError([Problem(file, _NO_TABLE)])
    return tuple(rows)


def column_name(cell: str) -> str:
    """The name of a column as it is looked for, of what stands at its head."""
    return " ".join(cell.split()).rstrip(":").casefold()


def seconds_of(cell: str) -> float | None:
    """The number in a cell of the column seconds, 12.5 or 12,5; None for an empty cell.

    Raises:
        ValueError: no number from 0 to `MOST_SECONDS`, or one that may be two (1,500).
    """
    if not cell:
        return None
    plain = cell.removesuffix("s").strip()
    if "_" in plain or _PERHAPS_THOUSANDS.fullmatch(plain):
        raise ValueError(f"could not convert {cell!r} to a number of seconds")
    seconds = float(plain.replace(",", "."))
    if not 0 <= seconds <= MOST_SECONDS:
        raise ValueError(f"could not convert {cell!r} to a number of seconds")
    return seconds


@dataclass(frozen=True, slots=True)
class _Used:
    """Where the columns with tasks and answers are: `header`, the index of their header row; `cells`: which cell of a
    row, from 0, holds each of the used columns that are there; `letters`: how a spreadsheet program calls them.
    """

    header: int
    cells: Mapping[str, int]
    letters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Table:
    """A page of the file, and what of it is used (None: it has no such table)."""

    page: str
    rows: Rows
    used: _Used | None
    formulas: Mapping[tuple[int, int], str] = field(default_factory=lambda: MappingProxyType({}))


def _delimited_table(content: bytes, file: str) -> _Table:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        if not content.startswith((b"\xff\xfe", b"\xfe\xff")):
            # Saved by Excel as plain CSV. Task ids and answers are ASCII; only remarks can suffer from the guess.
            content = content.decode("cp1252", "replace").encode("utf-8")
    read = read_delimited(content, source=file).rows
    # Rows as a spreadsheet program numbers them: a text may go over several lines of the file.
    rows = [(number, tuple(map(from_csv_text, cells))) for number, (_, cells) in enumerate(read, 1)]
    return _Table("", rows, _find_columns(rows, file, None))


def _workbook_tables(content: bytes, file: str) -> list[_Table]:
    return [
        _Table(page.title, page.rows, _find_columns(page.rows, f"{file}#{page.title}", page.columns), page.uncalculated)
        for page in read_pages(content, source=file)
    ]


def _find_columns(rows: Rows, place: str, columns: Sequence[int] | None) -> _Used | None:
    """The first row that names the columns task and answer. `columns`: those of the page that the cells stand in, None:
    all.

    Raises:
        InputError: it names one of the used columns twice.
    """
    for index, (line, cells) in enumerate(rows):
        names = [column_name(cell) for cell in cells]
        if not all(name in names for name in _NEEDED):
            continue
        twice = [name for name in _USED if names.count(name) > 1]
        if twice:
            message = f"two columns are called {twice[0]}; rename or remove one"
            raise InputError([Problem(place, message, line, twice[0], unit="row")])
        found = {name: names.index(name) for name in _USED if name in names}
        letters = {name: column_letter(columns[at] if columns else at) for name, at in found.items()}
        return _Used(index, found, letters)
    return None


def _filled_rows(table: _Table) -> Iterator[FilledRow]:
    used = table.used
    if used is None:
        return
    header = tuple(table.rows[used.header][1])
    formulas: dict[int, dict[str, str]] = {}
    names = {letter: name for name, letter in used.letters.items()}
    for (line, column), formula in table.formulas.items():
        if (name := names.get(column_letter(column))) is not None:
            formulas.setdefault(line, {})[name] = formula
    for line, cells in table.rows[used.header + 1 :]:

        def cell(name: str, cells: Sequence[str] = cells) -> str:
            position = used.cells.get(name)
            return "" if position is None or position >= len(cells) else cells[position].strip()

        if not cell(TASK) and not cell(ANSWER):
            continue
        if cell(TASK).casefold() == TASK and cell(ANSWER).casefold() == ANSWER:
            continue  # another sheet pasted below, with its header
        yield FilledRow(
            table.page, line, cell(TASK), cell(ANSWER), cell(SECONDS), cell(COMMENT), used.letters,
            formulas.get(line, {}), header, tuple(cells),
        )  # fmt: skip
