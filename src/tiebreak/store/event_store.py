"""What every store of events promises.

Seals of a log: each line carries the seal of the line before, and a second file, the head, that of the last one.

The seal of a line is the hash of its bytes. Since they hold the seal of the line before, the seal of the last line
stands for the whole log: whoever has noted it elsewhere can tell whether the log is still the one it was. It is no
signature: an owner who writes every line anew, and the head, makes another log that is sealed as well.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from tiebreak.errors import TiebreakError, UsageError

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


StoredEvent = Mapping[str, Any]
"""A JSON object; the store does not look inside."""


class StoreConflictError(TiebreakError):
    """Somebody else has appended since the log was read: read what is new, decide again, append again."""


class EventStore(Protocol):
    """A numbered log of events that only grows: 0, 1, 2, ...

    Several processes may hold a store on one log. Each reads, decides on what it has read, and appends with the
    length that it knows; of two that decided on the same past, one gets `StoreConflictError`. So no task can be handed
    out twice, although nobody holds a lock while deciding.
    """

    @property
    def head(self) -> Head:
        """What stands for the whole log as of the last read or append: how long it is, and the seal of its end."""
        ...

    def read(self, start: int = 0) -> tuple[StoredEvent, ...]:
        """The events from number `start` >= 0 on, in order; those of a batch are all there or none of them."""
        ...

    def append(self, events: Sequence[StoredEvent], *, expected_length: int) -> int:
        """Append the events as one batch, all or nothing, and return the new length of the log.

        When it returns, the batch is on the disk. Where it raises, or the process is killed meanwhile, the log holds
        the whole batch or nothing of it, and everything from before.

        Raises:
            StoreConflictError: the log does not have `expected_length` events.
        """
        ...
