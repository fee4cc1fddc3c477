"""A log in three tables of a database. What databases do differently is in the files beside this one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, Protocol

from tiebreak.errors import InputError, Problem, TiebreakError
from tiebreak.store.event_store import (
    EMPTY,
    Head,
    Row,
    StoreConflictError,
    StoredEvent,
    damage,
    events_of,
    rows_after,
)

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
