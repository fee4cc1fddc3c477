"""Reads a sheet that came back, from whatever program saved it: which task got which answer, and where that stands.

Only the columns task, seconds, comment and those of the answers count; they are found by their names, on any page and
below any title. Texts, further columns, the order of rows and blank rows do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.numbers import some_names
from tiebreak.settings.shared import MOST_SECONDS
from tiebreak.sheets.workbook import COMMENT, SECONDS, TASK
from tiebreak.tabular.cells import from_csv_text, refuse_other_kinds
from tiebreak.tabular.delimited import read_delimited
from tiebreak.tabular.headers import Grid, column_letter
from tiebreak.tabular.workbook import is_workbook, read_pages

_PERHAPS_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2},\d{3}")


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
        value = self.formulas.get(column_name(column)) or self.cell(column)
        letter = self.letters.get(column_name(column))
        where = f"{column} ({letter}{self.line})" if letter else column
        return Problem(_place(file, self.page), message, self.line, where, value, "row")


Renamed = Mapping[str, str]
"""By name of a column in a sheet, as `column_name` has it, the name that it stands for."""
_AS_THEY_ARE: Final[Renamed] = MappingProxyType({})


def renamed_columns(words: Sequence[str], answers: Sequence[str]) -> Renamed:
    """What `--map NAME=COLUMN` says: which columns of a sheet stand for task, comment, seconds or an answer.

    Raises:
        UsageError: no such pair of names, or a name that no column of a sheet has.
    """
    known = (TASK, *answers, SECONDS, COMMENT)
    names: dict[str, str] = {}
    for option in words:
        name, separator, column = (part.strip() for part in option.partition("="))
        if not separator or not column:
            raise UsageError(f"--map {option!r}: write NAME=COLUMN, such as answer='Your choice'")
        if column_name(name) not in map(column_name, known):
            raise UsageError(f"--map {option!r}: {name!r} is no column of a sheet; these are {', '.join(known)}")
        names[column_name(column)] = column_name(name)
    return names


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
    pages = list(read_pages(content, source=file)) if is_workbook(content) else [_delimited_page(content, file)]
    tables = [_filled_rows(page, file, known, renamed) for page in pages]
    if all(rows is None for rows in tables):
        names = some_names(list(answers), 4)
        message = (
            f"there is no table with the columns task and {names}; send back the sheet that `tiebreak campaign sheet` "
            "wrote, with its header row, or say which columns these are: --map answer=COLUMN"
        )
        raise InputError([Problem(file, message)])
    return tuple(row for rows in tables for row in rows or ())


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


def _delimited_page(content: bytes, file: str) -> Grid:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        if not content.startswith((b"\xff\xfe", b"\xfe\xff")):
            # Saved by Excel as plain CSV. Task ids and answers are ASCII; only remarks can suffer from the guess.
            content = content.decode("cp1252", "replace").encode("utf-8")
    # Rows as a spreadsheet program numbers them: a text may go over several lines of the file.
    read = enumerate(read_delimited(content, source=file).rows, 1)
    return Grid(tuple((number, tuple(map(from_csv_text, cells))) for number, (_, cells) in read))


def _filled_rows(page: Grid, file: str, answers: Sequence[str], renamed: Renamed) -> list[FilledRow] | None:
    """The rows below the first one that names a column for answers, and that of tasks; without one, those of seconds
    and comments, which every sheet has: its tasks are known by their texts. None where no row does.

    Raises:
        InputError: it names one of the used columns twice.
    """
    heads = [[renamed.get(column_name(cell), column_name(cell)) for cell in cells] for _, cells in page.rows]
    header = next((index for index, names in enumerate(heads) if _is_header(names, answers)), None)
    if header is None:
        return None
    line, named = page.rows[header]
    names = heads[header]
    used = [name for name in (TASK, *answers, SECONDS, COMMENT) if name in names]
    if twice := [name for name in used if names.count(name) > 1]:
        message = f"two columns are called {twice[0]}; rename or remove one"
        raise InputError([Problem(_place(file, page.title), message, line, twice[0], unit="row")])
    places = {name: names.index(name) for name in used}
    columns = {name: place if page.positions is None else page.positions[place] for name, place in places.items()}
    letters = {name: column_letter(column) for name, column in columns.items()}
    whole = tuple(renamed.get(column_name(cell), cell) for cell in named)
    rows = []
    for line, cells in page.rows[header + 1 :]:
        filled = {name: cells[place].strip() if place < len(cells) else "" for name, place in places.items()}
        task = filled.setdefault(TASK, "")
        if not task and not any(filled.get(name) for name in answers):
            continue
        if column_name(task) in (TASK, "") and any(column_name(filled.get(name, "")) == name for name in answers):
            continue  # another sheet pasted below, with its header
        cells_of = {name: page.uncalculated.get((line, column)) for name, column in columns.items()}
        formulas = {name: formula for name, formula in cells_of.items() if formula is not None}
        rows.append(FilledRow(page.title, line, filled, letters, formulas, whole, tuple(cells)))
    return rows


def _is_header(names: Sequence[str], answers: Sequence[str]) -> bool:
    return any(name in names for name in answers) and (TASK in names or {SECONDS, COMMENT} <= {*names})


def _place(file: str, page: str) -> str:
    return f"{file}#{page}" if page else file
