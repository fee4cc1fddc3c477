"""Where the header of a table is, and what it calls the columns: a grid of cells as a table of named columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.tabular.grid import MOST_COLUMNS, Grid
from tiebreak.tabular.second_headers import whole_header

WIDE_ENOUGH: Final = 0.5
"""Of the cells that most rows below it have, the share that a header has at least."""

MOST_NOTES: Final = 20
"""Rows of two cells or more above a header."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header, as in `Sheet`."""

    columns: tuple[str, ...]
    lines: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    gaps: tuple[int, ...]
    renamed: tuple[str, ...]
    headers_again: int


def table_of(grid: Grid, *, source: str) -> Table:
    """Take the first real row as column names; drop columns without name and data, and blank rows.

    Raises:
        InputError: no rows, rows of other lengths than the header, or too many columns.
    """
    filled = [number for number, (_, row) in enumerate(grid.rows) if _has_data(row)]
    if not filled:
        raise InputError([Problem(source, "the file is empty; it needs a header line and at least one row")])
    header, body, headers_again = _parted(grid, filled)
    if not body:
        problem = Problem(source, "there is a header but no row below it", grid.rows[filled[0]][0], unit=grid.unit)
        raise InputError([problem])
    data = [grid.rows[number] for number in body]
    if grid.ragged_is_wrong:
        data = _without_unused_ends(header, data)
        _refuse_ragged(header, data, source=source)
    width = max(len(header), *(len(row) for _, row in data))
    names = header + [""] * (width - len(header))
    padded = [(line, (*row, *[""] * (width - len(row)))) for line, row in data]
    kept = [j for j in range(width) if names[j].strip() or any(row[j].strip() for _, row in padded)]
    if len(kept) > MOST_COLUMNS:
        message = f"{len(kept):,} columns, and the most is {MOST_COLUMNS:,}; keep those that matter"
        raise InputError([Problem(source, message)])
    columns, renamed = _unique_names([names[j] for j in kept], [grid.letter(j) for j in kept])
    return Table(
        columns=columns,
        lines=tuple(line for line, _ in padded),
        rows=tuple(tuple(row[j] for j in kept) for _, row in padded),
        gaps=tuple(gap for row in body[1:] if (gap := grid.gap_before(row)) is not None),
        renamed=renamed,
        headers_again=headers_again,
    )


def _parted(grid: Grid, filled: Sequence[int]) -> tuple[list[str], list[int], int]:
    """Of the rows with data: the header, the places of those below it, and how many of these repeated it."""
    # A title or a note above the table has one cell, or few, where table rows have more.
    widths = [sum(1 for cell in grid.rows[number][1] if cell.strip()) for number in filled]
    several = min(max(widths), 2)
    wide = [place for place, width in enumerate(widths) if width >= several][:MOST_NOTES]
    start = next((place for place in wide if _may_be_header(widths, place)), wide[0])
    if start and widths[start - 1] > 1 and (wider := _body_of(grid, filled, start - 1))[1] == list(filled[start + 1 :]):
        return wider  # a few names, each above several columns
    return _body_of(grid, filled, start)


def _may_be_header(widths: Sequence[int], place: int) -> bool:
    """Whether a row has about as many cells as most below it."""
    below = widths[place + 1 :]
    return not below or widths[place] >= median(below) * WIDE_ENOUGH


def _body_of(grid: Grid, filled: Sequence[int], start: int) -> tuple[list[str], list[int], int]:
    """The same where row `start` of those with data is the header."""
    first, below = grid.rows[filled[start]][1], filled[start + 1 :]
    body = [number for number in below if grid.rows[number][1] != first]
    header, rest = whole_header(grid, filled[start], body)
    return header, rest, len(below) - len(body)


def _has_data(row: Sequence[str]) -> bool:
    return any(cell.strip() for cell in row)


def _refuse_ragged(header: Sequence[str], data: Sequence[tuple[int, Sequence[str]]], *, source: str) -> None:
    """A delimited row with more or fewer cells than the header is a delimiter or line break outside quotes."""
    problems = []
    for line, row in data:
        surplus = any(cell.strip() for cell in row[len(header) :])
        if surplus or len(row) < len(header):
            problems.append(
                Problem(
                    source,
                    f"the row has {len(row)} cells and the header has {len(header)}; "
                    "a text that holds the delimiter or a line break must stand in double quotes",
                    line=line,
                    unit="row",
                )
            )
    if problems:
        raise InputError(problems)


def _without_unused_ends(
    header: Sequence[str], data: list[tuple[int, tuple[str, ...]]]
) -> list[tuple[int, tuple[str, ...]]]:
    """The rows filled up to the header where no row at all has its last cells: Mechanical Turk names columns for a
    verdict (Approve, Reject) that it never writes."""
    longest = max(len(row) for _, row in data)
    if longest >= len(header) or any(len(row) != longest for _, row in data):
        return data
    return [(line, (*row, *[""] * (len(header) - longest))) for line, row in data]


def _unique_names(names: Sequence[str], letters: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Column names without repetition: `text`, `text (2)`; a column without a name is `column C`."""
    cleaned = [" ".join(name.split()) or f"column {letter}" for name, letter in zip(names, letters, strict=True)]
    taken = set(cleaned)
    seen: Counter[str] = Counter()
    unique, renamed = [], []
    for original, name in zip(names, cleaned, strict=True):
        seen[name] += 1
        new = name
        while seen[name] > 1 and new in taken:
            new = f"{name} ({seen[name]})"
            seen[name] += new in taken
        taken.add(new)
        unique.append(new)
        if new != name or not original.strip():
            renamed.append(new)
    return tuple(unique), tuple(renamed)
