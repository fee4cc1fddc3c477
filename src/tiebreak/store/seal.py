"""Seals of a log: each line carries the seal of the line before, and a second file, the head, that of the last one.

The seal of a line is the hash of its bytes. Since they hold the seal of the line before, the seal of the last line
stands for the whole log: whoever has noted it elsewhere can tell whether the log is still the one it was. It is no
signature: an owner who writes every line anew, and the head, makes another log that is sealed as well.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final, NamedTuple

from tiebreak.errors import UsageError

_DIGITS: Final = 32  # 128 bits: nobody finds two texts with one seal by chance
_LINES: Final = 18  # digits of a number of lines: more than any disk holds, and fewer than Python reads as a number


class Head(NamedTuple):
    """How far a log goes: so many lines, of which the last has this seal."""

    lines: int
    seal: str

    def __str__(self) -> str:
        return f"{self.lines}:{self.seal}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """The head that `str` wrote, with or without white space around it.

        Raises:
            UsageError: it is none.
        """
        if re.fullmatch(rf"[0-9]{{1,{_LINES}}}:[0-9a-f]{{{_DIGITS}}}", text.strip()) is None:
            raise UsageError(f"{text.strip()[:80]!r} is not the head of a log, such as {EMPTY}")
        lines, seal = text.strip().split(":")
        return cls(int(lines), seal)


EMPTY: Final = Head(0, "0" * _DIGITS)
"""The head of a log without lines."""


def seal_of(line: bytes) -> str:
    """The seal of a line, given without its newline."""
    return hashlib.sha256(line).hexdigest()[:_DIGITS]
