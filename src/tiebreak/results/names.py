"""Names and other words of the data as they are shown: in one line, with nothing in them that steers a terminal."""

from __future__ import annotations

import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"  # parts of words in Persian and Hindi, and of many emoji


def printable(text: str) -> str:
    r"""The text in one line: `"two\\nlines"` of a text with a line break.

    Blanks of any width become a blank. Line breaks, tabs, control characters and marks that turn the direction of
    writing become their escapes, so that names that differ still look different.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    if unicodedata.category(char) == "Zs":
        return " "
    return char.encode("unicode_escape").decode("ascii")
