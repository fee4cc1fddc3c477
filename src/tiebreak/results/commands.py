"""Commands to be copied into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path


def command_words(*parts: str | Path) -> list[str]:
    """`tiebreak` and these words, each quoted where a shell needs it."""
    return [shlex.quote(str(part)) for part in ("tiebreak", *parts)]


def command(*parts: str | Path) -> str:
    """The same in one line."""
    return " ".join(command_words(*parts))
