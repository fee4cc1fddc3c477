"""What every store of events promises, and the seals that tell whether a log is the one that was written.

Each event has a seal: the hash of the seal before it, of the event, and of the digest of its texts. The head of a log
is the number of its events and the last seal, so that it stands for the whole log: whoever has noted it elsewhere can
tell whether the log is still the one it was. It is no signature: an owner who writes every event anew makes another log
that is sealed as well.

Texts that people wrote (the key `texts` of an event) are kept apart from it. They can be erased: the digest stays, and
with it every seal.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from tiebreak.errors import InputError, Problem, TiebreakError, UsageError

_DIGITS: Final = 32  # 128 bits: nobody finds two texts with one seal by chance
_LENGTH: Final = 18  # digits of a number of events: more than any disk holds

StoredEvent = Mapping[str, Any]
"""A JSON object; the store looks at its key `texts` only, an object of texts that can be erased."""

TEXTS: Final = "texts"


class Head(NamedTuple):
    """How far a log goes: so many events, of which the last has this seal."""

    events: int
    seal: str

    def __str__(self) -> str:
        return f"{self.events}:{self.seal}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """The head that `str` wrote, with or without white space around it.

        Raises:
            UsageError: it is none.
        """
        if re.fullmatch(rf"[0-9]{{1,{_LENGTH}}}:[0-9a-f]{{{_DIGITS}}}", text.strip()) is None:
            raise UsageError(f"{text.strip()[:80]!r} is not the head of a log, such as {EMPTY}")
        events, seal = text.strip().split(":")
        return cls(int(events), seal)


EMPTY: Final = Head(0, "0" * _DIGITS)
"""The head of a log without events."""


class Row(NamedTuple):
    """An event as it is stored: its number from 1, the event and its texts as JSON, their digest, and its seal.

    `texts` is None where there are none (`digest` is "") or where they were erased.
    """

    number: int
    event: str
    texts: str | None
    digest: str
    seal: str


def rows_after(head: Head, events: Sequence[StoredEvent]) -> tuple[list[Row], Head]:
    """The rows of events that follow `head`, and the head after them."""
    rows = []
    for event in events:
        kept = {key: value for key, value in event.items() if key != TEXTS}
        text, texts = _json(kept), _json(event[TEXTS]) if event.get(TEXTS) else None
        digest = "" if texts is None else _hash(texts)
        head = Head(head.events + 1, _seal(head, text, digest))
        rows.append(Row(head.events, text, texts, digest, head.seal))
    return rows, head


def events_of(rows: Iterable[Row], head: Head, noted: Head, where: str) -> tuple[tuple[StoredEvent, ...], Head]:
    """The events of rows that follow `head`, and the head after them, which must be the one that was `noted`.

    Raises:
        InputError: an event was changed, repeated, moved, or is missing; the text names it.
    """
    events: list[StoredEvent] = []
    for row in rows:
        if row.number != head.events + 1:
            first, last = head.events + 1, row.number - 1
            which = f"event {first:,} is" if first == last else f"events {first:,} to {last:,} are"
            raise damage(where, f"{which} missing")
        changed = row.texts is not None and _hash(row.texts) != row.digest
        if changed or row.seal != _seal(head, row.event, row.digest):
            raise damage(where, f"event {row.number:,} is not the one that was written there: {row.event[:200]}")
        event: dict[str, Any] = json.loads(row.event)
        events.append(event if row.texts is None else event | {TEXTS: json.loads(row.texts)})
        head = Head(row.number, row.seal)
    if head != noted:
        if head.events < noted.events:
            lost = noted.events - head.events
            raise damage(where, f"{'the last event is' if lost == 1 else f'the last {lost:,} events are'} missing")
        raise damage(where, f"event {head.events:,} is not the one that the head of the log knows ({noted})")
    return tuple(events), head


def damage(where: str, what: str) -> InputError:
    """That a log is not as it was written, and what to do."""
    cure = "somebody changed the log, or the disk is bad; nothing was changed now: put the log back from a backup"
    return InputError([Problem(where, f"{what}; {cure}")])


def _json(value: Mapping[str, Any]) -> str:
    """JSON that any database keeps: lone surrogates become escapes, so that text from anywhere comes back as it was."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _seal(before: Head, event: str, digest: str) -> str:
    return _hash(f"{before.seal} {before.events + 1} {digest} {event}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:_DIGITS]


class StoreConflictError(TiebreakError):
    """Somebody else has appended since the log was read: read what is new, decide again, append again."""


class EventStore(Protocol):
    """A numbered log of events that only grows.

    Several processes may hold a store on one log. Each reads, decides on what it has read, and appends with the
    length that it knows; of two that decided on the same past, one gets `StoreConflictError`. So no task can be handed
    out twice, although nobody holds a lock while deciding.
    """

    @property
    def head(self) -> Head:
        """What stands for the whole log as of the last read or append."""
        ...

    def read(self, start: int = 0) -> tuple[StoredEvent, ...]:
        """The events after the first `start` >= 0, in order; those of a batch are all there or none of them.

        Raises:
            InputError: the log is missing, unreadable, or not the one that was written; the text names the event.
        """
        ...

    def append(self, events: Sequence[StoredEvent], *, expected_length: int) -> int:
        """Append the events as one batch, all or nothing, and return the new length of the log.

        When it returns, the batch is on the disk. Where it raises, or the process is killed meanwhile, the log holds
        the whole batch or nothing of it, and everything from before.

        Raises:
            StoreConflictError: the log does not have `expected_length` events.
            InputError: as `read`.
            TiebreakError: it cannot be written; the log is as before.
        """
        ...
