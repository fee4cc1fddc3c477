"""Conversations of which one was chosen and one rejected: both were asked what stands before the last answer."""

from __future__ import annotations

import re
from typing import Final

from tiebreak.importers.spreadsheet.chosen import chosen_texts
from tiebreak.importers.spreadsheet.layouts.columns import with_columns
from tiebreak.tabular.json_lists import ASSISTANTS, FIRST_MESSAGE
from tiebreak.tabular.spreadsheet import Sheet

_LATER_ANSWER: Final = re.compile(rf"\n\n(?P<speaker>{'|'.join(sorted(ASSISTANTS))}): ", re.IGNORECASE)


def with_last_answers(sheet: Sheet, _said: frozenset[str]) -> Sheet:
    """The last answers as the two texts, where in each row all before them is the same."""
    pair = chosen_texts(sheet.columns)
    if pair is None or not {column + FIRST_MESSAGE for column in pair} <= {*sheet.columns}:
        return sheet
    before, after = zip(*(_parted(sheet, column) for column in pair), strict=True)
    asked = [rows if any(rows) else None for rows in zip(*before, strict=True)]
    if not any(asked) or any(rows is not None and len(set(rows)) > 1 for rows in asked):
        return sheet
    for column, questions, answers in zip(pair, before, after, strict=True):
        sheet = with_columns(
            sheet, {column: {column: answers}, column + FIRST_MESSAGE: {column + FIRST_MESSAGE: questions}}
        )
    return sheet


def _parted(sheet: Sheet, column: str) -> tuple[list[str], list[str]]:
    """What was said before the last answer, and that answer, row by row."""
    rows = zip(sheet.values(column + FIRST_MESSAGE), sheet.values(column), strict=True)
    parts = [_part(first, following) for first, following in rows]
    return [before for before, _ in parts], [answer for _, answer in parts]


def _part(first: str, following: str) -> tuple[str, str]:
    answers = list(_LATER_ANSWER.finditer(following))
    if not answers:
        return first, following
    last = answers[-1]
    return f"{first}\n\n{last['speaker']}: {following[: last.start()]}", following[last.end() :]
