"""Where the header of a table is, and what it calls the columns: a grid of cells as a table of named columns.

The raw cells of a file before anyone has looked for a header.

Rows below a header that belong to it: a second row of names under wider ones, and what survey programs put there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from statistics import median
from typing import Final

from tiebreak.errors import InputError, Problem

MOST_COLUMNS: Final = 2_000
"""More are columns that nobody can look at, and no table of answers about texts."""


CellTexts = Mapping[tuple[int, int], str]
"""Texts by row from 1 and column from 0."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A delimited file or a sheet of a workbook: rows as (1-based number, cells).

    Of a delimited file blank rows are there, and rows of other lengths than the header are errors. Of a sheet only rows
    and columns with data are; `positions` are those columns, from 0. Its `title`, and whether it is `hidden`.
    `header_spans`: the merged cells as (row index, first column, last column) of those that span several columns in one
    row; they tell a header of two rows from a first data row. `remarks`: sentences about what was taken to be so.

    A formula counts by the value that was stored with it. Of .xlsx only: `uncalculated`, formulas without such a value;
    `errors`, values such as #N/A; `merged`: (first row, first column, last row, last column) of cells that are one.
    """

    rows: tuple[tuple[int, tuple[str, ...]], ...]
    title: str = ""
    hidden: bool = False
    positions: tuple[int, ...] | None = None
    decimal_comma: bool = False
    header_spans: tuple[tuple[int, int, int], ...] = ()
    remarks: tuple[str, ...] = ()
    uncalculated: CellTexts = field(default_factory=dict)
    errors: CellTexts = field(default_factory=dict)
    merged: tuple[tuple[int, int, int, int], ...] = ()

    def letter(self, column: int) -> str:
        """How a spreadsheet program calls a column of this grid."""
        return column_letter(column if self.positions is None else self.positions[column])

    def has_gap_before(self, row: int) -> bool:
        """Whether blank rows stand directly above row `row`."""
        above = row - 1
        while above >= 0 and not any(cell.strip() for cell in self.rows[above][1]):
            above -= 1
        apart = self.positions is not None and above >= 0 and self.rows[row][0] > self.rows[above][0] + 1
        return above < row - 1 or apart


def column_letter(position: int) -> str:
    """0 -> A, 25 -> Z, 26 -> AA: how spreadsheet programs name columns."""
    letters = ""
    number = position + 1
    while number:
        number, remainder = divmod(number - 1, 26)
        letters = chr(ord("A") + remainder) + letters
    return letters


Cells = Sequence[str]
Span = tuple[int, int]
"""First and last column that a name of the first row stands above."""

_NUMBER: Final = re.compile(r"[+-]?\d+(?:[.,]\d+)?%?")
_QUALTRICS: Final = re.compile(r'\s*\{\s*"ImportId"')
_NUMBERED_QUESTION: Final = re.compile(r"(?:Q|QID)\d+(?:[_.#]\d+)*(?:_TEXT)?", re.IGNORECASE)
_OF_SURVEYMONKEY: Final = ["Respondent ID", "Collector ID"]
_ANSWER: Final = frozenset({"", "Response", "Open-Ended Response"})


def whole_header(grid: Grid, header: int, body: Sequence[int]) -> tuple[list[str], list[int]]:
    """The names of the columns from row `header` and the rows of `body` that belong to it, and the rest of `body`."""
    top, rest = list(grid.rows[header][1]), list(body)
    if not rest or grid.has_gap_before(rest[0]):
        return top, rest
    below = grid.rows[rest[0]][1]
    if len(rest) > 1 and any(map(_QUALTRICS.match, grid.rows[rest[1]][1])):
        return [_question(code, label) for code, label in zip_longest(top, below, fillvalue="")], rest[2:]
    if [cell.strip() for cell in top[:2]] == _OF_SURVEYMONKEY or {cell.strip() for cell in below} <= _ANSWER:
        return _answers(top, below), rest[1:]
    merged = [(first, last) for row, first, last in grid.header_spans if row == header]
    if rest[0] == header + 1 and _names_merged(merged, top, below):
        return _joined(top, below), rest[1:]
    spans = merged or list(_open_spans(top))
    if _names_groups(spans, top, below, [grid.rows[row][1] for row in rest[1:]]):
        for first, last in spans:
            top[first : last + 1] = [top[first]] * (last - first + 1)
        return _joined(top, below), rest[1:]
    return top, rest


def _question(code: str, label: str) -> str:
    """Qualtrics names a question by its number, and what it asks in the row below."""
    return label if _NUMBERED_QUESTION.fullmatch(code.strip()) and label.strip() else code


def _answers(top: Cells, below: Cells) -> list[str]:
    """SurveyMonkey names a question above its first column, and what stands in each column in the row below."""
    names, question = [], ""
    for name, answer in zip_longest(top, below, fillvalue=""):
        question = name or question
        names.append(name if answer.strip() in _ANSWER else f"{question} {answer}".strip())
    return names


def _names_merged(spans: Sequence[Span], top: Cells, below: Cells) -> bool:
    """Whether the row has a name under every merged cell and nothing of its own elsewhere: a row of data would have its
    item in a column that is not merged.
    """
    spanned = {place for first, last in spans for place in range(first, last + 1)}
    elsewhere = [place for place in range(len(below)) if place not in spanned]
    named = all(place < len(below) and below[place].strip() for place in spanned)
    return bool(spanned) and named and not any(_own(top, below, place) for place in elsewhere)


def _own(top: Cells, below: Cells, place: int) -> bool:
    return bool(below[place].strip()) and not (place < len(top) and below[place] == top[place])


def _open_spans(top: Cells) -> Iterator[Span]:
    """A name with blank cells at its right, where cells are not merged."""
    starts = [place for place, cell in enumerate(top) if cell.strip()]
    for start, after in zip(starts, [*starts[1:], len(top)], strict=True):
        if after > start + 1:
            yield start, after - 1


def _names_groups(spans: Sequence[Span], top: Cells, below: Cells, data: Sequence[Cells]) -> bool:
    """Whether the row names what stands under each wider name: every column under one, none of those that have a name,
    and either the same under several (answer and rating of each system), or words above numbers.
    """
    spanned = {place for first, last in spans for place in range(first, last + 1)}
    words = {place for place, cell in enumerate(below) if cell.strip() and not _NUMBER.fullmatch(cell.strip())}
    named = [place for place, cell in enumerate(top[: len(below)]) if cell.strip() and place not in spanned]
    if not spanned or not spanned <= words or any(_own(top, below, place) for place in named):
        return False
    groups = [tuple(cell.strip().casefold() for cell in below[first : last + 1]) for first, last in spans]
    alike = len(groups) > 1 and len(set(groups)) == 1 and len(set(groups[0])) == len(groups[0])
    return alike or any(_holds_numbers(place, data) for place in spanned)


def _holds_numbers(place: int, data: Sequence[Cells]) -> bool:
    cells = [row[place].strip() for row in data if place < len(row) and row[place].strip()]
    return bool(cells) and all(map(_NUMBER.fullmatch, cells))


def _joined(first: Cells, second: Cells) -> list[str]:
    """Two header rows as one: `Fluency` over `rater 1` is `Fluency rater 1`."""
    pairs = zip_longest(first, second, fillvalue="")
    return [" ".join(dict.fromkeys(part.strip() for part in pair if part.strip())) for pair in pairs]


WIDE_ENOUGH: Final = 0.5
"""Of the cells that most rows below it have, the share that a header has at least."""

MOST_NOTES: Final = 20
"""Rows of two cells or more above a header."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of text cells.

    `source`: the file as the user named it (with `#Sheet` where a sheet was named). `columns`: unique and not empty.
    `lines[i]`: 1-based number of row i, as a spreadsheet program shows it. `rows[i][j]`: the text of row i in column j,
    "" for a blank cell, otherwise as it stands in the file. `decimal_comma`: numbers are written 3,5. `headers_again`:
    how many rows repeated the header and were left out. `unread`: other sheets, with how many rows they have.
    `part_column`: the column that names the sheet that a row is from. `sources`: file and sheet of each row, where rows
    are from several. `remarks`: sentences about what was taken to be so. `letters`: what a spreadsheet program calls
    the columns. `wrong`: cells that have no value to be read, each with its column.
    """

    source: str
    columns: tuple[str, ...]
    lines: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    decimal_comma: bool = False
    headers_again: int = 0
    unread: tuple[tuple[str, int], ...] = ()
    part_column: str = ""
    sources: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()
    wrong: tuple[tuple[str, Problem], ...] = ()

    def source_of(self, number: int) -> str:
        """The file, with its sheet where there are several, of row `number` (from 0)."""
        return self.sources[number] if self.sources else self.source

    def values(self, column: str) -> list[str]:
        """The cells of one column, in order of the rows."""
        position = self.columns.index(column)
        return [row[position] for row in self.rows]


def sheet_of(grid: Grid, *, source: str) -> Sheet:
    """Take the first real row as column names; drop columns without name and data, and blank rows.

    Raises:
        InputError: no rows, rows of other lengths than the header, or too many columns.
    """
    filled = [number for number, (_, row) in enumerate(grid.rows) if any(cell.strip() for cell in row)]
    if not filled:
        raise InputError([Problem(source, "the file is empty; it needs a header line and at least one row")])
    header, body, headers_again = _parted(grid, filled)
    if not body:
        problem = Problem(source, "there is a header but no row below it", grid.rows[filled[0]][0], unit="row")
        raise InputError([problem])
    data = [grid.rows[number] for number in body]
    if grid.positions is None:
        data = _without_unused_ends(header, data)
        _refuse_ragged(header, data, source=source)
    width = max(len(header), *(len(row) for _, row in data))
    names = header + [""] * (width - len(header))
    padded = [(line, (*row, *[""] * (width - len(row)))) for line, row in data]
    kept = [j for j in range(width) if names[j].strip() or any(row[j].strip() for _, row in padded)]
    if len(kept) > MOST_COLUMNS:
        message = f"{len(kept):,} columns, and the most is {MOST_COLUMNS:,}; keep those that matter"
        raise InputError([Problem(source, message)])
    return Sheet(
        source=source,
        columns=_unique_names([names[j] for j in kept], [grid.letter(j) for j in kept]),
        lines=tuple(line for line, _ in padded),
        rows=tuple(tuple(row[j] for j in kept) for _, row in padded),
        decimal_comma=grid.decimal_comma,
        headers_again=headers_again,
        remarks=grid.remarks,
        letters=tuple(grid.letter(j) for j in kept),
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


def _refuse_ragged(header: Sequence[str], data: Sequence[tuple[int, Sequence[str]]], *, source: str) -> None:
    """A delimited row with more or fewer cells than the header is a delimiter or line break outside quotes."""
    cure = "a text that holds the delimiter or a line break must stand in double quotes"
    problems = [
        Problem(source, f"the row has {len(row)} cells and the header has {len(header)}; {cure}", line, unit="row")
        for line, row in data
        if len(row) < len(header) or any(cell.strip() for cell in row[len(header) :])
    ]
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


def _unique_names(names: Sequence[str], letters: Sequence[str]) -> tuple[str, ...]:
    """Column names without repetition: `text`, `text (2)`; a column without a name is `column C`."""
    cleaned = [" ".join(name.split()) or f"column {letter}" for name, letter in zip(names, letters, strict=True)]
    taken = set(cleaned)
    seen: Counter[str] = Counter()
    unique = []
    for name in cleaned:
        seen[name] += 1
        new = name
        while seen[name] > 1 and new in taken:
            new = f"{name} ({seen[name]})"
            seen[name] += new in taken
        taken.add(new)
        unique.append(new)
    return tuple(unique)
