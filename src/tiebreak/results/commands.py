"""Commands to be copied into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path

from tiebreak.results.names import printable


def command_words(*parts: str | Path) -> list[str]:
    r"""`tiebreak` and these words, each quoted where a shell needs it; control characters as in `$'a\x1bb'`."""
    return [quoted(str(part)) for part in ("tiebreak", *parts)]


def quoted(word: str) -> str:
    """One word as a shell reads it."""
    if printable(word) == word:
        return shlex.quote(word)
    return "$'" + "".join(map(_escaped, word)) + "'"


def _escaped(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    if printable(char) == char:
        return char
    return f"\\x{ord(char):02x}" if ord(char) < 128 else f"\\U{ord(char):08x}"


def command(*parts: str | Path) -> str:
    """The same in one line."""
    return " ".join(command_words(*parts))
