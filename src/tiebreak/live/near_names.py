"""Names of people that are likely to mean somebody who is known already, as ann and Ann."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_NEAR: Final = 0.8  # ann and anna, katja and katia; not ann and dan


def nearly_known(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, which is not known itself; None if none is near.

    Names that differ in their numbers alone, as worker-1 and worker-2, are those of different people.
    """
    folded = {other: _folded(other) for other in known}
    mine = _folded(name)
    same = next((other for other, plain in folded.items() if plain == mine), None)
    if same is not None:
        return same
    near = {other: plain for other, plain in folded.items() if _without_numbers(plain) != _without_numbers(mine)}
    scored = [(difflib.SequenceMatcher(None, mine, plain).ratio(), other) for other, plain in near.items()]
    best = max(scored, default=(0.0, ""))
    return best[1] if best[0] >= _NEAR else None


def _folded(name: str) -> str:
    """Without case, accents made up in another way, blanks and punctuation."""
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if char.isalnum())


def _without_numbers(plain: str) -> str:
    return re.sub(r"\d+", "#", plain)
