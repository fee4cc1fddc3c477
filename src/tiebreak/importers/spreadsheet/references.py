"""References of an item in several columns: `references.0` and `references.1`, or `reference_1` and `reference_2`."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of, name_without_number, own_name, words
from tiebreak.importers.spreadsheet.header_notes import bare_name
from tiebreak.importers.spreadsheet.header_words import SYNONYMS
from tiebreak.importers.spreadsheet.item_choice import one_each
from tiebreak.importers.spreadsheet.paths import is_place_in_list, singular

_NAMES: Final = frozenset(map(singular, (*SYNONYMS["reference"], "label")))
_LABELS: Final = frozenset({"label", "labels"})
_ADDRESS: Final = re.compile(r"[a-z]+[-_]?\d+|\w+://\S+", re.IGNORECASE)
_SURE: Final = ("ref", "gold")
"""How names begin that are references' without one that has no number."""


def gather_references(draft: Draft) -> None:
    """All columns that are called as a reference but for their number; beside one without a number, called as that."""
    if draft.stated("reference"):
        return
    known = {_name(column) for column in draft.columns("reference")}
    found = [column for column in draft.free if _is_numbered(column) and _is_reference(draft, column, known)]
    if found:
        columns = {*draft.columns("reference"), *found}
        draft.bind("reference", [column for column in draft.sheet.columns if column in columns], "name")


def _is_reference(draft: Draft, column: str, known: Collection[str]) -> bool:
    """`known`: what references are called that have no number."""
    name, looks = _name(column), draft.profiles[column]
    if name not in _NAMES or looks.is_number or all(map(_is_address, looks.distinct)):
        return False
    listed = name in _LABELS and is_place_in_list(column) and _are_sentences(looks.distinct)
    return name in known or (not known and (name.startswith(_SURE) or listed))


def _are_sentences(cells: Collection[str]) -> bool:
    return 2 * sum(" " in cell.strip() for cell in cells) > len(cells)


def guess_label(draft: Draft) -> None:
    """`label` beside what a system wrote, if it is a text for each item: what the system was to write. One of a few
    words that come again and again is a class.
    """
    keys = draft.columns("item") or draft.columns("input")
    if "reference" in draft.bound or "text" not in draft.bound or not keys:
        return
    items = draft.keys(keys)
    for column in (column for column in draft.free if key_of(column) in _LABELS):
        looks, cells = draft.profiles[column], draft.sheet.values(column)
        if _are_sentences(looks.distinct) and 2 * len(looks.distinct) > len(set(items)) and one_each(items, cells):
            draft.bind("reference", [column], "content")
            return


def _name(column: str) -> str:
    return singular(name_without_number(own_name(bare_name(column))))


def _is_address(cell: str) -> bool:
    """`doc12`, `https://...`: where a reference is, and not what it says."""
    return _ADDRESS.fullmatch(cell.strip()) is not None


def _is_numbered(column: str) -> bool:
    return is_place_in_list(column) or any(word.isdigit() for word in words(own_name(bare_name(column))))
