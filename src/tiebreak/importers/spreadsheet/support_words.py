"""What people write of a passage and an output, and as an answer to a yes-or-no question."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded
from tiebreak.importers.spreadsheet.header_words import word_set
from tiebreak.importers.spreadsheet.profile import parse_number

_SUPPORTS: Final = {
    "supports": word_set("supports support supported supporting entails entailed entailment attributable"),
    "contradicts": word_set(
        "contradicts contradict contradicted contradicting contradiction contradictory refutes refuted refute "
        "conflicting"
    ),
    "neither": word_set(
        "neither neutral notenoughinfo nei unrelated irrelevant notsupported unsupported notmentioned none"
    ),
}
_YES: Final = word_set("yes y true 1 ja oui si sí sim")
_NO: Final = word_set("no n false 0 nein non nee")


def support_in(cell: str) -> str | None:
    """What a cell says of a passage; None if that is not clear. Yes is support; no is none, though it may be that the
    passage contradicts.
    """
    plain = _plain(cell)
    said = next((said for said, known in _SUPPORTS.items() if plain in known), None)
    if said is not None:
        return said
    return "supports" if plain in _YES else "neither" if plain in _NO else None


def yes_in(cell: str) -> bool | None:
    """Whether a cell says yes; None if it says neither yes nor no."""
    plain = _plain(cell)
    return True if plain in _YES else False if plain in _NO else None


def are_supports(cells: Collection[str]) -> bool:
    """Whether all cells say what a passage does in words of their own, and some that it supports or contradicts."""
    plain = set(map(_plain, cells))
    return plain <= frozenset().union(*_SUPPORTS.values()) and bool(plain - _SUPPORTS["neither"])


def are_yes_or_no(cells: Collection[str]) -> bool:
    """Whether all cells say yes or no."""
    return bool(cells) and all(yes_in(cell) is not None for cell in cells)


def _plain(cell: str) -> str:
    number = parse_number(cell)
    return f"{number:g}" if number is not None else folded(cell)
