"""A column per answer, of which one is ticked in each row: `Answer.pref.left` beside `Answer.pref.right` (Mechanical
Turk), `winner_model_a` beside `winner_tie` (Kaggle).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded, key_of, words
from tiebreak.importers.spreadsheet.header_words import BETTER_WORDS, SYNONYMS, header_key, word_set
from tiebreak.importers.spreadsheet.layouts.columns import with_columns
from tiebreak.importers.spreadsheet.names import HEADERS
from tiebreak.importers.spreadsheet.winner_cells import is_tie, key_of_cell, side_in
from tiebreak.tabular.spreadsheet import Sheet

_TICKS: Final = word_set("true 1 1.0 x yes ✓ ✔ ☑")
_NO_TICKS: Final = word_set("false 0 0.0 no") | {""}
_NUMBERS: Final = frozenset({"0", "1", "0.0", "1.0"})
_BETWEEN: Final = re.compile(r"[ ._\-:/|\[\]()]+")
_MOST_MARKS: Final = 6
"""Different marks in one column, by case too."""

_NAME: Final = "winner"
"""What the answer is called where the columns have nothing in common: `A is better`, `B is better`, `tie`."""


def with_ticked_answers(sheet: Sheet, said: frozenset[str]) -> Sheet:
    """One column for each such group of columns; its cells say which of them is ticked."""
    ticks = {c: set(sheet.values(c)) for c in sheet.columns if folded(c) not in said}
    few = {c: set(map(str.casefold, cells)) for c, cells in ticks.items() if len(cells) <= _MOST_MARKS}
    boxes = {c: cells for c, cells in few.items() if cells <= _TICKS | _NO_TICKS and cells != {""}}
    for stem, answers in groups(boxes):
        name = stem or _NAME
        cells = _answers(sheet, answers)
        if cells is None or name in sheet.columns:
            continue
        first, *others = answers
        remark = f"{', '.join(answers)} are one answer, {name}: the one of them that is ticked."
        sheet = with_columns(sheet, {first: {name: cells}}, others, remark)
    return sheet


def groups(boxes: Mapping[str, set[str]]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """What the names of columns have in common at their start, and the answer that the rest of each name is, the
    largest group first; no column is in two. `boxes`: the cells of each column.
    """
    stems: dict[str, dict[str, str]] = {}
    for column, cells in boxes.items():
        counted = bool(cells & _NUMBERS)
        for stem, rest in _partings(column):
            if _side(rest) is None and not _tie(rest):
                continue
            if _says_who_won(stem or rest) or _tie(rest) or not (counted or any(map(str.isdigit, words(rest)))):
                stems.setdefault(stem, {})[column] = rest
    taken: set[str] = set()
    for stem, answers in sorted(stems.items(), key=lambda found: (-len(found[1]), -len(found[0]))):
        sides = {column: side[0] for column, rest in answers.items() if (side := _side(rest)) is not None}
        told = _says_who_won(stem) or (key_of(stem) not in HEADERS if stem else all(map(_says_who_won, sides)))
        if told and sorted(sides.values()) == ["a", "b"] and not taken & answers.keys():
            taken |= answers.keys()
            yield stem, answers


def _partings(column: str) -> Iterator[tuple[str, str]]:
    yield "", column
    for between in _BETWEEN.finditer(column):
        if column[: between.start()] and column[between.end() :]:
            yield column[: between.start()], column[between.end() :]


def _says_who_won(name: str) -> bool:
    """By a word: `sample_a` and `score_1` with 0 and 1 in them do not."""
    return bool({*map(header_key, words(name))} & {*SYNONYMS["outcome"], *BETTER_WORDS, "votes", "preferences"})


def _side(rest: str) -> tuple[str, bool] | None:
    return None if _tie(rest) else side_in(key_of_cell(rest.replace("_", " ")))


def _tie(rest: str) -> bool:
    return is_tie(key_of_cell(rest.replace("_", " ")))


def _answers(sheet: Sheet, answers: Mapping[str, str]) -> list[str] | None:
    """The answer of each row, blank where all boxes are, and both where two are ticked; None where no box for ties is
    among them and a row ticks none or both, or where this happens so often that the columns are no boxes of one answer.
    """
    found, unclear = [], 0
    for cells in zip(*(sheet.values(column) for column in answers), strict=True):
        ticked = [rest for rest, cell in zip(answers.values(), cells, strict=True) if cell.casefold() in _TICKS]
        found.append(" + ".join(ticked))
        unclear += len(ticked) != 1 and any(cells)
    most = len(found) / 10 if any(map(_tie, answers.values())) else 0
    return found if unclear <= most else None
