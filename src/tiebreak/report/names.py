"""System names in pictures: how wide they are, and shortened where they would not fit."""

from __future__ import annotations

import unicodedata
from typing import Final

from tiebreak.results.names import printable

LONGEST: Final = 34
_WIDE = 1.0
_NARROW = 0.56  # of the font size, a mean over sans-serif fonts


def shortened(name: str, longest: int = LONGEST) -> str:
    """The name in one line; the middle of one that is longer than `longest` characters is left out.

    Both ends are kept, because names of variants differ at their ends. Pictures give the full name as a tooltip.
    """
    line = " ".join(printable(name).split()) or "(no name)"
    if len(line) <= longest:
        return line
    head = (longest - 1) * 3 // 5
    return f"{line[:head]}…{line[-(longest - 1 - head) :]}"


def width(text: str, size: float) -> float:
    """Approximate width of a line of text at this font size; a little generous."""
    return size * sum(
        _WIDE if unicodedata.east_asian_width(c) in "WF" else 0.72 if c.isupper() or c in "mw@%" else _NARROW
        for c in text
    )
