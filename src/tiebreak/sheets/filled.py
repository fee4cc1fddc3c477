"""Reads a sheet that came back, from whatever program saved it: which task got which answer, and where that stands.

Only the columns task, seconds, comment and those of the answers count; they are found by their names, on any page and
below any title. Texts, further columns, the order of rows and blank rows do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.numbers import some_names
from tiebreak.settings.shared import MOST_SECONDS
from tiebreak.sheets.columns import COMMENT, SECONDS, TASK
from tiebreak.tabular.cells import from_csv_text, refuse_other_kinds
from tiebreak.tabular.delimited import read_delimited
from tiebreak.tabular.headers import column_letter
from tiebreak.tabular.workbook import is_workbook, read_pages

_PERHAPS_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2},\d{3}")

Rows = Sequence[tuple[int, Sequence[str]]]
"""(1-based row, its cells as text)"""


@dataclass(frozen=True, slots=True)
class FilledRow:
    """One row with something in task or an answer. `page`: name of the workbook's page, "" for CSV; `line`: 1-based
    row; `used`: by column, its cells that count, as written without spaces around them; `letters`: the spreadsheet
    letter of each of these columns. `formulas`: by column, those whose value the file does not hold. `header`, `cells`:
    the whole row, as it stands.
    """

    page: str
    line: int
    used: Mapping[str, str]
    letters: Mapping[str, str]
    formulas: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    header: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        """The task that it answers."""
        return self.cell(TASK)

    @property
    def comment(self) -> str:
        """What somebody remarked."""
        return self.cell(COMMENT)

    def cell(self, column: str) -> str:
        """What stands in a column that counts; "" where the sheet has none of that name."""
        return self.used.get(column_name(column), "")

    def problem(self, file: str, column: str, message: str) -> Problem:
        """Something wrong with a cell of this row."""
        place = f"{file}#{self.page}" if self.page else file
        value = self.formulas.get(column_name(column)) or self.cell(column)
        letter = self.letters.get(column_name(column))
        where = f"{column} ({letter}{self.line})" if letter else column
        return Problem(place, message, self.line, where, value, "row")


Renamed = Mapping[str, str]
"""By name of a column in a sheet, as `column_name` has it, the name that it stands for."""
_AS_THEY_ARE: Final[Renamed] = MappingProxyType({})


def renamed_columns(words: Sequence[str], answers: Sequence[str]) -> Renamed:
    """What `--map NAME=COLUMN` says: which columns of a sheet stand for task, comment, seconds or an answer.

    Raises:
        UsageError: no such pair of names, or a name that no column of a sheet has.
    """
    known = (TASK, *answers, SECONDS, COMMENT)
    found: dict[str, str] = {}
    for said in words:
        name, separator, column = (part.strip() for part in said.partition("="))
        if not separator or not column:
            raise UsageError(f"--map {said!r}: write NAME=COLUMN, such as answer='Your choice'")
        if column_name(name) not in map(column_name, known):
            raise UsageError(f"--map {said!r}: {name!r} is no column of a sheet; these are {', '.join(known)}")
        found[column_name(column)] = column_name(name)
    return found


def read_filled(
    content: bytes, file: str, answers: Sequence[str], renamed: Renamed = _AS_THEY_ARE
) -> tuple[FilledRow, ...]:
    """All rows of all tables with tasks and answers in the file; `answers`: the columns in which those stand;
    `renamed`: columns of the file that stand for others.

    Raises:
        InputError: not a workbook or CSV file, or no such table in it.
    """
    if not content.strip():
        raise InputError([Problem(file, "the file is empty")])
    refuse_other_kinds(content, source=file)
    known = tuple(map(column_name, answers))
    tables = (
        _workbook_tables(content, file, known, renamed)
        if is_workbook(content)
        else [_delimited_table(content, file, known, renamed)]
    )
    rows: list[FilledRow] = []
    found = False
    for table in tables:
        if table.used is not None:
            found = True
            rows += _filled_rows(table, known, renamed)
    if not found:
        names = some_names(list(answers), 4)
        message = (
            f"there is no table with the columns task and {names}; send back the sheet that `tiebreak campaign sheet` "
            "wrote, with its header row, or say which columns these are: --map answer=COLUMN"
        )
        raise InputError([Problem(file, message)])
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


def _delimited_table(content: bytes, file: str, answers: Sequence[str], renamed: Renamed) -> _Table:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        if not content.startswith((b"\xff\xfe", b"\xfe\xff")):
            # Saved by Excel as plain CSV. Task ids and answers are ASCII; only remarks can suffer from the guess.
            content = content.decode("cp1252", "replace").encode("utf-8")
    read = read_delimited(content, source=file).rows
    # Rows as a spreadsheet program numbers them: a text may go over several lines of the file.
    rows = [(number, tuple(map(from_csv_text, cells))) for number, (_, cells) in enumerate(read, 1)]
    return _Table("", rows, _find_columns(rows, file, None, answers, renamed))


def _workbook_tables(content: bytes, file: str, answers: Sequence[str], renamed: Renamed) -> list[_Table]:
    return [
        _Table(
            page.title,
            page.rows,
            _find_columns(page.rows, f"{file}#{page.title}", page.columns, answers, renamed),
            page.uncalculated,
        )
        for page in read_pages(content, source=file)
    ]


def _find_columns(
    rows: Rows, place: str, columns: Sequence[int] | None, answers: Sequence[str], renamed: Renamed
) -> _Used | None:
    """The first row that names a column for answers, and that of tasks; without one, those of seconds and comments,
    which every sheet has: its tasks are known by their texts. `columns`: those of the page that the cells stand in,
    None: all.

    Raises:
        InputError: it names one of the used columns twice.
    """
    for index, (line, cells) in enumerate(rows):
        names = [renamed.get(column_name(cell), column_name(cell)) for cell in cells]
        if not any(name in names for name in answers) or not (TASK in names or {SECONDS, COMMENT} <= {*names}):
            continue
        used = (TASK, *answers, SECONDS, COMMENT)
        twice = [name for name in used if names.count(name) > 1]
        if twice:
            message = f"two columns are called {twice[0]}; rename or remove one"
            raise InputError([Problem(place, message, line, twice[0], unit="row")])
        found = {name: names.index(name) for name in used if name in names}
        letters = {name: column_letter(columns[at] if columns else at) for name, at in found.items()}
        return _Used(index, found, letters)
    return None


def _filled_rows(table: _Table, answers: Sequence[str], renamed: Renamed) -> Iterator[FilledRow]:
    used = table.used
    if used is None:
        return
    header = tuple(renamed.get(column_name(cell), cell) for cell in table.rows[used.header][1])
    formulas: dict[int, dict[str, str]] = {}
    names = {letter: name for name, letter in used.letters.items()}
    for (line, column), formula in table.formulas.items():
        if (name := names.get(column_letter(column))) is not None:
            formulas.setdefault(line, {})[name] = formula
    for line, cells in table.rows[used.header + 1 :]:

        def cell(name: str, cells: Sequence[str] = cells) -> str:
            position = used.cells.get(name)
            return "" if position is None or position >= len(cells) else cells[position].strip()

        found = {name: cell(name) for name in used.cells}
        task = found.setdefault(TASK, "")
        if not task and not any(found.get(name) for name in answers):
            continue
        if column_name(task) in (TASK, "") and any(column_name(found.get(name, "")) == name for name in answers):
            continue  # another sheet pasted below, with its header
        yield FilledRow(table.page, line, found, used.letters, formulas.get(line, {}), header, tuple(cells))
