"""What every store of events promises, the seals that tell whether a log is the one that was written, and a log in
three tables of a database. What databases do differently is in the files beside this one.

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
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
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


# ---- a log in a database --------------------------------------------------------------------------------------

VERSION: Final = 1
"""Of the tables. A later version of tiebreak that has others reads the number first."""

TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS tiebreak_version (version INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS tiebreak_events (
        log TEXT NOT NULL, number INTEGER NOT NULL, event TEXT NOT NULL, texts TEXT, digest TEXT NOT NULL,
        seal TEXT NOT NULL, PRIMARY KEY (log, number))""",
    "CREATE TABLE IF NOT EXISTS tiebreak_heads (log TEXT PRIMARY KEY, events INTEGER NOT NULL, seal TEXT NOT NULL)",
)


class Cursor(Protocol):
    """What both databases have, with `?` for a value."""

    def execute(self, sql: str, values: Sequence[Any] = ...) -> Any:
        """Run one statement."""
        ...

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> Any:
        """Run one statement for each row."""
        ...

    def fetchall(self) -> list[Any]:
        """The rows that it found."""
        ...


class SqlStore(ABC):
    """A log of the name `log` in a database that `where` names in messages. See `EventStore` for what it promises."""

    def __init__(self, where: str, log: str) -> None:
        self.where = where
        self._log = log
        self._head = EMPTY

    @abstractmethod
    def _transaction(self, *, writing: bool) -> AbstractContextManager[Cursor]:
        """All statements in it see one state of the log, and are on the disk together when it ends.

        `writing`: nobody else writes meanwhile. Raises what `_refused` knows.
        """

    @property
    @abstractmethod
    def _errors(self) -> tuple[type[Exception], ...]:
        """Errors of the database: whether it cannot be reached, read or written."""

    @contextmanager
    def _session(self, *, writing: bool) -> Iterator[Cursor]:
        """A transaction whose errors name the log."""
        try:
            with self._transaction(writing=writing) as cursor:
                yield cursor
        except self._errors as error:
            why = " ".join(str(error).split())
            if writing:
                raise TiebreakError(f"cannot write {self.where}: {why}; nothing was changed") from error
            raise InputError(
                [Problem(self.where, f"the log cannot be read: {why}; put it back from a backup")]
            ) from error

    def _begin(self) -> bool:
        """Begin the log; False where it is there already."""
        with self._session(writing=True) as cursor:
            for table in TABLES:
                cursor.execute(table)
            cursor.execute("SELECT version FROM tiebreak_version")
            if not cursor.fetchall():
                cursor.execute("INSERT INTO tiebreak_version VALUES (?)", (VERSION,))
            self._check_version(cursor)
            cursor.execute("SELECT events FROM tiebreak_heads WHERE log = ?", (self._log,))
            if cursor.fetchall():
                return False
            cursor.execute("INSERT INTO tiebreak_heads VALUES (?, ?, ?)", (self._log, *EMPTY))
        return True

    def _check_version(self, cursor: Cursor) -> None:
        cursor.execute("SELECT version FROM tiebreak_version")
        versions = [version for (version,) in cursor.fetchall()]
        if len(versions) != 1 or not isinstance(versions[0], int):
            raise damage(self.where, f"the version of its tables is {versions}, not one number")
        (version,) = versions
        if version > VERSION:
            message = f"a later tiebreak wrote this log (version {version} of its tables); upgrade to read it"
            raise InputError([Problem(self.where, message)])

    @property
    def head(self) -> Head:
        """The head of the log, as of the last read or append."""
        return self._head

    def read(self, start: int = 0) -> tuple[StoredEvent, ...]:
        """The events after the first `start`; see `EventStore.read`."""
        if start < self._head.events:
            self._head = EMPTY
        known = self._head.events
        with self._session(writing=False) as cursor:
            fresh, self._head = self._fresh(cursor)
        return fresh[max(start - known, 0) :]

    def _fresh(self, cursor: Cursor) -> tuple[tuple[StoredEvent, ...], Head]:
        """The events beyond those that are known, and the head after them."""
        self._check_version(cursor)
        cursor.execute("SELECT events, seal FROM tiebreak_heads WHERE log = ?", (self._log,))
        heads = cursor.fetchall()
        if not heads:
            raise damage(self.where, "the head of the log is missing")
        cursor.execute(
            "SELECT number, event, texts, digest, seal FROM tiebreak_events "
            "WHERE log = ? AND number > ? ORDER BY number",
            (self._log, self._head.events),
        )
        try:
            return events_of(map(Row._make, cursor.fetchall()), self._head, Head(*heads[0]), self.where)
        except (TypeError, ValueError, AttributeError) as error:  # cells that are no texts or numbers any more
            raise damage(self.where, f"its tables are not as they were written ({error})") from error

    def append(self, events: Sequence[StoredEvent], *, expected_length: int) -> int:
        """Append a batch (see `EventStore.append`); no events: nothing happens, but the length is checked."""
        with self._session(writing=True) as cursor:
            _, known = self._fresh(cursor)
            if known.events != expected_length:
                raise StoreConflictError(
                    f"{self.where} has {known.events:,} events where {expected_length:,} were expected: somebody else "
                    "has written to it"
                )
            rows, head = rows_after(known, events)
            cursor.executemany(
                "INSERT INTO tiebreak_events VALUES (?, ?, ?, ?, ?, ?)", [(self._log, *row) for row in rows]
            )
            cursor.execute(
                "UPDATE tiebreak_heads SET events = ?, seal = ? WHERE log = ?", (head.events, head.seal, self._log)
            )
        self._head = head
        return head.events

    def holds(self, head: Head) -> bool:
        """Whether the log once had this head: what it is now has grown from that, and nothing before was changed.

        Raises:
            InputError: as `read` does.
        """
        self.read()
        if not head.events:
            return head == EMPTY
        with self._session(writing=False) as cursor:
            cursor.execute("SELECT seal FROM tiebreak_events WHERE log = ? AND number = ?", (self._log, head.events))
            return cursor.fetchall() == [(head.seal,)]

    def erase_texts(self, numbers: Collection[int]) -> int:
        """Delete the texts of events with these numbers (from 1) for good; how many had any.

        Raises:
            InputError, TiebreakError: as `append` does.
        """
        erased = 0
        with self._session(writing=True) as cursor:
            self._fresh(cursor)
            for number in sorted(numbers):
                cursor.execute(
                    "UPDATE tiebreak_events SET texts = NULL WHERE log = ? AND number = ? AND texts IS NOT NULL",
                    (self._log, number),
                )
                erased += cursor.rowcount  # type: ignore[attr-defined]
        return erased
