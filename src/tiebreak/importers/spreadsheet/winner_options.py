"""Options that say what cells mean: `--winner 'no idea=tie'` for tables, `--answer 'no idea=tie'` for sheets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from typing import Final

LONGEST_SHOWN: Final = 60
"""Characters of a cell that are repeated in a cure."""


def meanings_in(said: str, meanings: Collection[str], alone: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Each cell with its meaning, or "" with a word that stands `alone`, in `x=a,y=tie`. Commas part only behind a
    meaning: cells may hold some.

    Raises:
        ValueError: the part that says nothing.
    """
    one = re.compile(rf"\s*(?:({_any_of(alone)})|(.*?)\s*=\s*({_any_of(meanings)}))\s*(?:,|$)", re.I | re.S)
    rest = said
    while rest.strip():
        found = one.match(rest)
        if found is None:
            raise ValueError(rest.strip())
        yield ("", found[1].lower()) if found[1] else (found[2], found[3].lower())
        rest = rest[found.end() :]


def _any_of(words: Collection[str]) -> str:
    return "|".join(map(re.escape, words)) or r"(?!)"


def meaning_of(option: str, cell: str, meaning: str, placeholder: str) -> str:
    """The option that gives a cell a meaning, quoted for a shell; a long cell is only hinted at."""
    plain = " ".join(cell.split())
    shown = plain if plain and len(plain) <= LONGEST_SHOWN else placeholder
    return f"{option} {shlex.quote(f'{shown}={meaning}')}"
