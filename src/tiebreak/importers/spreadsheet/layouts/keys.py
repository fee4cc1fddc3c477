"""Blind votes, and a file beside them that says for each item which system was A and which B."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tiebreak.importers.spreadsheet.fields import key_of, side_of, sided_target
from tiebreak.importers.spreadsheet.header_words import SYNONYMS
from tiebreak.tabular.spreadsheet import Sheet

_ABOUT: Final = frozenset({*SYNONYMS["item"], *SYNONYMS["input"]})
_OUTCOMES: Final = frozenset(SYNONYMS["outcome"])
_SYSTEMS: Final = frozenset(SYNONYMS["system"])
_NAMES: Final = ("system A", "system B")
_LONGEST_NAME: Final = 40
"""Characters of the names of systems on the mean."""


def with_keys(sheets: Sequence[Sheet]) -> list[Sheet | None]:
    """Each table, with the columns of the key beside its rows where it is one of votes that name no systems; None for a
    key that says nothing else.
    """
    keys = [sheet for sheet in sheets if _is_key(sheet)]
    if len(keys) != 1:
        return list(sheets)
    key = keys[0]
    found = {sheet.source: _with_key(sheet, key) for sheet in sheets if sheet is not key and _is_blind(sheet)}
    used = any(joined is not None for joined in found.values())
    rest = None if used and not any(_is_text(column) for column in key.columns) else key
    return [rest if sheet is key else found.get(sheet.source) or sheet for sheet in sheets]


def _is_key(sheet: Sheet) -> bool:
    """Whether a row names the systems of an item, in columns called so or A and B, and nobody says who won."""
    pair = _pair(sheet)
    if pair is None or any(key_of(column) in _OUTCOMES for column in sheet.columns):
        return False
    about = [column for column in sheet.columns if key_of(column) in _ABOUT]
    return any(len(set(sheet.values(column))) == len(sheet.rows) for column in about)


def _pair(sheet: Sheet) -> tuple[str, str] | None:
    """The columns that name the systems."""
    named = {target: c for c in reversed(sheet.columns) if (target := sided_target(c)) in ("system_a", "system_b")}
    if len(named) == 2:
        return named["system_a"], named["system_b"]
    bare = {side: c for c in sheet.columns for side, rest in (side_of(c),) if side and not rest}
    cells = [cell.strip() for column in bare.values() for cell in sheet.values(column)]
    short = bool(cells) and sum(map(len, cells)) / len(cells) < _LONGEST_NAME and len(set(cells)) <= len(cells) / 2
    return (bare["a"], bare["b"]) if len(bare) == 2 and short else None


def _is_text(column: str) -> bool:
    return sided_target(column) in ("text_a", "text_b")


def _is_blind(sheet: Sheet) -> bool:
    """Whether no column names a system or holds what one wrote."""
    return not any(sided_target(column) or key_of(column) in _SYSTEMS for column in sheet.columns)


def _with_key(votes: Sheet, key: Sheet) -> Sheet | None:
    """The votes with the two systems of each row, and what else a key without texts says; None where the items of the
    two are not the same.
    """
    pair = _pair(key)
    if pair is None or set(_NAMES) & set(votes.columns):
        return None
    for ours in (column for column in votes.columns if key_of(column) in _ABOUT):
        asked = [cell.strip() for cell in votes.values(ours)]
        for theirs in (column for column in key.columns if key_of(column) in _ABOUT):
            others = [c for c in key.columns if c not in (*pair, theirs, *votes.columns)]
            said = [*pair, *(others if not any(map(_is_text, key.columns)) else ())]
            about = dict(zip(map(str.strip, key.values(theirs)), zip(*map(key.values, said), strict=True), strict=True))
            if len(about) < len(key.rows) or not set(asked) - {""} <= about.keys():
                continue
            blank = ("",) * len(said)
            rows = tuple((*row, *about.get(cell, blank)) for row, cell in zip(votes.rows, asked, strict=True))
            remark = f"{key.source} says of each {ours} which system was A ({pair[0]}) and which B ({pair[1]})."
            columns = (*votes.columns, *_NAMES, *said[2:])
            return replace(votes, columns=columns, rows=rows, remarks=(*votes.remarks, remark))
    return None
