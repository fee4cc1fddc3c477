"""Pairs whose columns say which of the two won: `chosen` beside `rejected`, `winner` beside `loser`."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import TEXT_WORDS, words
from tiebreak.importers.spreadsheet.header_words import SYNONYMS, header_key
from tiebreak.importers.spreadsheet.sides import LONG_TEXT
from tiebreak.importers.spreadsheet.winner_cells import as_position

_WORDS: Final = (("chosen", "rejected"), ("preferred", "dispreferred"), ("winner", "loser"), ("winning", "losing"))
_SYSTEMS: Final = frozenset({*SYNONYMS["system"], "name"})

Pair = tuple[str, str]
"""The columns of what won and of what lost."""


def guess_chosen(draft: Draft) -> None:
    """The first of the pair is the one that won, and its name says so; texts without systems are left aside."""
    if draft.bound.keys() & {"system_a", "system_b", "pair", "text", "outcome"}:
        return
    pairs = {rest: pair for rest, pair in _pairs(draft).items() if {*pair} <= {*draft.free}}
    bare = pairs.pop("", None)
    if bare is not None and _answer_about_columns(draft, bare):
        return
    systems = next((pairs[rest] for rest in pairs if rest in _SYSTEMS), None)
    texts = next((pairs[rest] for rest in pairs if rest in TEXT_WORDS), None)
    if bare is not None and _are_names(draft, bare):
        systems = systems or bare
    elif bare is not None:
        texts = texts or bare
    if systems is None:
        draft.free = [column for column in draft.free if column not in (texts or ())]
        return
    for side, system in zip("ab", systems, strict=True):
        draft.bind(f"system_{side}", [system], "name")
    draft.bind("outcome", systems[:1], "name")
    for side, text in zip("ab", texts or (), strict=False):
        draft.bind(f"text_{side}", [text], "name")


def chosen_texts(draft: Draft) -> Pair | None:
    """The two columns of texts, where the names of their systems are missing."""
    return next((pair for rest, pair in _pairs(draft).items() if not rest or rest in TEXT_WORDS), None)


def _pairs(draft: Draft) -> dict[str, Pair]:
    """By what is left of the two names without the words."""
    found: dict[str, Pair] = {}
    named = {tuple(words(column)): column for column in reversed(draft.sheet.columns)}
    for parts, column in named.items():
        for won, lost in _WORDS:
            other = named.get(tuple(lost if part == won else part for part in parts))
            if won in parts and other is not None and other != column:
                found.setdefault(header_key("".join(part for part in parts if part != won)), (column, other))
    return found


def _answer_about_columns(draft: Draft, pair: Pair) -> bool:
    """Whether the cells are answers (`A`, `tie`) about two systems that are named elsewhere, or name columns."""
    cells = {cell for column in pair for cell in draft.profiles[column].distinct}
    return bool(cells & set(draft.sheet.columns)) or any(as_position(cell) is not None for cell in cells)


def _are_names(draft: Draft, pair: Pair) -> bool:
    """Whether short names come again, some of them in both columns, rather than texts."""
    one, two = (draft.profiles[column] for column in pair)
    few = len(one.distinct | two.distinct) <= max(one.filled, two.filled) / 2
    return (few or bool(one.distinct & two.distinct)) and max(one.mean_length, two.mean_length) < LONG_TEXT
