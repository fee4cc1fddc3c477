"""The raw cells of a file before anyone has looked for a header."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiebreak.errors import Unit

MOST_COLUMNS: Final = 2_000
"""More are columns that nobody can look at, and no table of answers about texts."""

_BLANKS_ALWAYS: Final = 2_000_000
_BLANKS_PER_CELL: Final = 20


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows as (1-based number, cells), blank rows included, unless they are left out (`without_blank_rows`); `unit` is
    what the numbers count.

    `ragged_is_wrong`: rows of other lengths than the header are errors (delimited files; in a workbook they are
    blank cells at the right). `header_spans`: for workbooks, the merged cells as (row index, first column, last
    column) of those that span several columns in one row; they tell a header of two rows from a first data row.
    `positions`: the columns of a spreadsheet (from 0) in which the cells stand, where not all columns are there.
    `unread`: parts of the file that are not in the rows, such as `the list tags`, with how many rows they have.
    `part_column`: the column that names the part of the file (a list) that a row is from.
    `beside`: names of columns whose values the file says of all rows at once; `elements`: of the elements of a list,
    beside which others say something of several rows. `remarks`: sentences about what was taken to be so.
    """

    rows: tuple[tuple[int, tuple[str, ...]], ...]
    ragged_is_wrong: bool = False
    decimal_comma: bool = False
    unit: Unit = "row"
    header_spans: tuple[tuple[int, int, int], ...] = ()
    positions: tuple[int, ...] | None = None
    without_blank_rows: bool = False
    unread: tuple[tuple[str, int], ...] = ()
    part_column: str = ""
    beside: frozenset[str] = frozenset()
    elements: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()

    def letter(self, column: int) -> str:
        """How a spreadsheet program calls a column of this grid."""
        return column_letter(column if self.positions is None else self.positions[column])

    def gap_before(self, row: int) -> int | None:
        """The line of the first of the blank rows directly above row `row`; None if there are none."""
        above = row - 1
        while above >= 0 and not any(cell.strip() for cell in self.rows[above][1]):
            above -= 1
        if above < row - 1:
            return self.rows[above + 1][0]
        apart = self.without_blank_rows and above >= 0 and self.rows[row][0] > self.rows[above][0] + 1
        return self.rows[above][0] + 1 if apart else None


def is_too_sparse(rows: int, columns: int, filled: int) -> bool:
    """Whether a table of so many rows and columns has far more blank cells than any table that people make: a small
    file would become a huge one.
    """
    return rows * columns - filled > _BLANKS_ALWAYS + _BLANKS_PER_CELL * filled


def column_letter(position: int) -> str:
    """0 -> A, 25 -> Z, 26 -> AA: how spreadsheet programs name columns."""
    letters = ""
    number = position + 1
    while number:
        number, remainder = divmod(number - 1, 26)
        letters = chr(ord("A") + remainder) + letters
    return letters
