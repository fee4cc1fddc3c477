"""Turns of one text that stand in columns of their own, as `choices.0.turns.0` and `choices.0.turns.1` of MT-bench."""

from __future__ import annotations

import re
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded
from tiebreak.importers.spreadsheet.layouts.columns import with_columns
from tiebreak.tabular.spreadsheet import Sheet

_TURN: Final = re.compile(r"(?P<list>(?:.+\.)?turns)\.(?P<turn>\d+)")


def with_joined_turns(sheet: Sheet, said: frozenset[str]) -> Sheet:
    """One column for all turns, with a blank line between them."""
    lists: dict[str, list[str]] = {}
    for column in sheet.columns:
        match = _TURN.fullmatch(column)
        if match is not None and folded(column) not in said and match["list"] not in sheet.columns:
            lists.setdefault(match["list"], []).append(column)
    for name, turns in lists.items():
        rows = zip(*(sheet.values(column) for column in turns), strict=True)
        sheet = with_columns(sheet, {turns[0]: {name: ["\n\n".join(filter(None, row)) for row in rows]}}, turns[1:])
    return sheet
