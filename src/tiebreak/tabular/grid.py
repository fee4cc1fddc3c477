"""The raw cells of a file before anyone has looked for a header."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows as (1-based line, cells), blank rows included.

    `ragged_is_wrong`: rows of other lengths than the header are errors (delimited files; in a workbook they are
    blank cells at the right). `header_spans`: for workbooks, the merged cells as (row index, first column, last
    column) of those that span several columns in one row; they tell a header of two rows from a first data row.
    """

    rows: tuple[tuple[int, tuple[str, ...]], ...]
    ragged_is_wrong: bool = False
    decimal_comma: bool = False
    header_spans: tuple[tuple[int, int, int], ...] = ()

    def has_second_header(self, header: int, below: int) -> bool:
        """Whether row `below` names the columns under merged cells of row `header`.

        It does if it has a name under every merged cell and nothing of its own elsewhere: a row of data would have
        its item in a column that is not merged.
        """
        spanned = {j for row, first, last in self.header_spans if row == header for j in range(first, last + 1)}
        if not spanned or below != header + 1:
            return False
        top, bottom = self.rows[header][1], self.rows[below][1]
        elsewhere = (j for j in range(len(bottom)) if j not in spanned)
        return all(j < len(bottom) and bottom[j].strip() for j in spanned) and all(
            not bottom[j].strip() or (j < len(top) and bottom[j] == top[j]) for j in elsewhere
        )


def column_letter(position: int) -> str:
    """0 -> A, 25 -> Z, 26 -> AA: how spreadsheet programs name columns."""
    letters = ""
    number = position + 1
    while number:
        number, remainder = divmod(number - 1, 26)
        letters = chr(ord("A") + remainder) + letters
    return letters
