"""How wide columns and how high rows must be for their texts to be read without opening a cell.

Spreadsheet programs differ in whether they fit the height of rows by themselves, so it is estimated here, generously.
Widths are in characters and heights in points, as in the file.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import Final

from tiebreak.live.task_view import Assignment
from tiebreak.sheets.columns import TextColumn, text_columns

_NARROWEST, _WIDEST, _STEP = 24.0, 96.0, 4.0
_ALL_TEXTS: Final = 168.0
"""So many characters of text fit beside the other columns on a large screen."""

_FEW_LINES: Final = 6
_HIGHEST_ROW: Final = 409.0  # a limit of the file format
_SLACK: Final = 1.12  # lines break at spaces, and letters differ in width


def column_widths(columns: Sequence[TextColumn]) -> list[float]:
    """A width for each column: the one that needs most lines is widened until few are needed or the screen is full.

    What a column needs is told by its longest texts but the top twentieth, so that one giant does not rule. The two
    texts that are compared get the same width, lest one look longer.
    """
    if not columns:
        return []
    typical = [_typical(column) for column in columns]
    widths = [_NARROWEST] * len(columns)
    while sum(widths) < _ALL_TEXTS:
        needs = [lines(text, width) if width < _WIDEST else 0 for text, width in zip(typical, widths, strict=True)]
        most = max(range(len(columns)), key=needs.__getitem__)
        if needs[most] <= _FEW_LINES:
            break
        widths[most] += _STEP
    compared = [place for place, column in enumerate(columns) if column.compared]
    for place in compared:
        widths[place] = max(widths[other] for other in compared)
    return widths


def row_height(texts: Sequence[str], widths: Sequence[float], size: float = 11.0) -> float:
    """Points for the text with the most lines, in letters of this size."""
    needed = max((lines(text, width) for text, width in zip(texts, widths, strict=True)), default=1)
    return min(needed * size * 1.32 + 4, _HIGHEST_ROW)


def tasks_too_long_to_see(content: Assignment) -> int:
    """Tasks with a text that its row cannot show as a whole, so that its reader has to open the cell."""
    columns = text_columns(content)
    widths = column_widths(columns)
    return sum(
        row_height([column.texts[place] for column in columns], widths) >= _HIGHEST_ROW
        for place in range(len(content.tasks))
    )


def lines(text: str, width: float) -> int:
    """Lines that a text takes in a column of this many characters."""
    return sum(max(1, math.ceil(_SLACK * _columns_of(line) / width)) for line in text.split("\n"))


def _columns_of(line: str) -> int:
    """Characters, those of East Asian scripts twice."""
    if line.isascii():
        return len(line)
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


def _typical(column: TextColumn) -> str:
    ordered = sorted(column.texts, key=len)
    return ordered[math.ceil(0.95 * len(ordered)) - 1] if ordered else ""
