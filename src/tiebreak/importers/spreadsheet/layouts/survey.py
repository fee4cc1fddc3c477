"""A survey with a column per item and a row per person, as programs for forms export it: every cell says who won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded, key_of, name_without_number, sided_target
from tiebreak.importers.spreadsheet.header_words import (
    CRITERION_NAMES,
    DETAIL_NAMES,
    PEOPLES_NAMES,
    SYNONYMS,
    header_key,
)
from tiebreak.importers.spreadsheet.layouts.columns import with_rows
from tiebreak.importers.spreadsheet.winner_numbers import number_in
from tiebreak.importers.spreadsheet.winners import Names, looks_like_outcomes
from tiebreak.tabular.spreadsheet import Sheet

_FEWEST: Final = 3
"""Columns of answers; two may be two criteria."""

_MOST_ANSWERS: Final = 20
"""Different answers to one question."""

_INPUTS: Final = frozenset(SYNONYMS["input"])
_OTHERS: Final = frozenset(name for target in ("input", "text", "system", "outcome") for name in SYNONYMS[target])
_PEOPLE: Final = frozenset({*SYNONYMS["annotator"], *PEOPLES_NAMES, "email", "mail"})
_ANSWER: Final = "winner"
_PERSON: Final = "respondent"
_RESPONSE: Final = "responseid"
"""What Qualtrics calls a row."""


def with_a_row_per_answer(sheet: Sheet, said: frozenset[str]) -> Sheet:
    """The table with a row for each person's answer about each item, unless a column says what a row is about."""
    asked = [column for column in sheet.columns if folded(column) not in said and _is_question(sheet, column)]
    kept = [column for column in sheet.columns if column not in asked]
    if len(asked) < _FEWEST or any(sided_target(column) or key_of(column) in _OTHERS for column in kept):
        return sheet
    if not any(" " in column or any(map(str.isdigit, column)) for column in asked) or not _rows_are_people(sheet, kept):
        return sheet
    item = "question" if any(" " in column for column in asked) else "question_id"
    if {item, _ANSWER, _PERSON} & set(kept):
        return sheet
    named = bool(_people_in(sheet, kept))
    person = next((sheet.columns.index(column) for column in kept if key_of(column) == _RESPONSE), None)
    rows = []
    for place, row in enumerate(sheet.rows):
        cells = dict(zip(sheet.columns, row, strict=True))
        who = [] if named else [row[person] if person is not None else f"{_PERSON}{place + 1}"]
        rows += [(place, [*(cells[column] for column in kept), *who, column, cells[column]]) for column in asked]
    columns = [*kept, *([] if named else [_PERSON]), item, _ANSWER]
    remark = f"Each of the {len(asked)} columns from {asked[0]!r} to {asked[-1]!r} asks about one item"
    return with_rows(sheet, columns, rows, f"{remark}, and each row is one person's answers.")


def _rows_are_people(sheet: Sheet, columns: Sequence[str]) -> bool:
    """Whether whoever answered stands in one row only; without a name, whether nothing else is named in each row."""
    people = _people_in(sheet, columns)
    if not people:
        return not any(key_of(column) in SYNONYMS["item"] for column in columns)
    return any(len(set(sheet.values(column))) == len(sheet.rows) for column in people)


def _people_in(sheet: Sheet, columns: Sequence[str]) -> list[str]:
    return [column for column in columns if key_of(column) in _PEOPLE and any(map(str.strip, sheet.values(column)))]


def _is_question(sheet: Sheet, column: str) -> bool:
    """Whether all cells say who won, in words, and the name is that of no criterion or detail."""
    cells = {cell.strip() for cell in set(sheet.values(column))} - {""}
    if len(cells) > _MOST_ANSWERS:
        return False
    numbered = {name_without_number(column)} - _INPUTS  # `Q1`, `Question 2` ask; `question` is what systems were asked
    if not cells or ({header_key(column)} | numbered) & (CRITERION_NAMES | DETAIL_NAMES | _OTHERS | _PEOPLE):
        return False
    return looks_like_outcomes(cells, Names()) and all(number_in(cell) is None for cell in cells)
