"""Rows below a header that belong to it: a second row of names under wider ones, and what survey programs put there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tiebreak.tabular.grid import Grid

Cells = Sequence[str]
Span = tuple[int, int]
"""First and last column that a name of the first row stands above."""

_NUMBER: Final = re.compile(r"[+-]?\d+(?:[.,]\d+)?%?")
_QUALTRICS: Final = re.compile(r'\s*\{\s*"ImportId"')
_NUMBERED_QUESTION: Final = re.compile(r"(?:Q|QID)?\d+(?:[_.#]\w+)*", re.IGNORECASE)
_SURVEYMONKEY: Final = frozenset({"Response", "Open-Ended Response"})


def whole_header(grid: Grid, header: int, body: Sequence[int]) -> tuple[list[str], list[int]]:
    """The names of the columns from row `header` and the rows of `body` that belong to it, and the rest of `body`."""
    top, rest = list(grid.rows[header][1]), list(body)
    if not rest or grid.unit != "row" or grid.gap_before(rest[0]) is not None:
        return top, rest
    below = grid.rows[rest[0]][1]
    if len(rest) > 1 and any(map(_QUALTRICS.match, grid.rows[rest[1]][1])):
        return [_question(code, label) for code, label in _side_by_side(top, below)], rest[2:]
    if {cell.strip() for cell in below if cell.strip()} <= _SURVEYMONKEY:
        return top, rest[1:]
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


def _side_by_side(first: Cells, second: Cells) -> Iterator[tuple[str, str]]:
    width = max(len(first), len(second))
    yield from zip([*first, *[""] * (width - len(first))], [*second, *[""] * (width - len(second))], strict=True)


def _joined(first: Cells, second: Cells) -> list[str]:
    """Two header rows as one: `Fluency` over `rater 1` is `Fluency rater 1`."""
    pairs = _side_by_side(first, second)
    return [" ".join(dict.fromkeys(part.strip() for part in pair if part.strip())) for pair in pairs]
