"""Both systems of a pair in one cell: `x vs y`, `x_y`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_SEPARATORS: Final = (" vs. ", " vs ", "_vs_", "-vs-", " versus ", " / ", " | ", "|", "/", ",", ":", "_")


def separator_of(cells: Iterable[str]) -> str | None:
    """What parts every one of the cells into two different names; None if nothing does."""
    found = list(cells)
    for separator in _SEPARATORS:
        parts = [cell.split(separator) for cell in found]
        if found and all(len(pair) == 2 and all(p.strip() for p in pair) and pair[0] != pair[1] for pair in parts):
            return separator
    return None


def split_pair(cell: str, separator: str) -> tuple[str, str] | None:
    """The two names in a cell; None if there are not two."""
    parts = [part.strip() for part in cell.split(separator)]
    return (parts[0], parts[1]) if len(parts) == 2 and all(parts) else None
