"""A log of events in PostgreSQL: for several computers that write to one campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tiebreak.errors import ExtraMissingError, UsageError
from tiebreak.store.event_store import Cursor, SqlStore

if TYPE_CHECKING:
    from types import ModuleType

    import psycopg

_PATIENCE: Final = 60
"""Seconds to wait for another writer, who writes for the time of one batch."""
_SECRETS: Final = ("password", "sslpassword")
"""Parameters of an address that are not written down."""


def without_password(url: str) -> str:
    """The address of a database that may be written down; the password then comes from PGPASSWORD or a .pgpass file."""
    scheme, slashes, rest = url.partition("://")
    place, _, parameters = rest.partition("?")
    who, at, host = place.rpartition("@")
    kept = [each for each in parameters.split("&") if each and each.partition("=")[0] not in _SECRETS]
    query = "?" + "&".join(kept) if kept else ""
    return f"{scheme}{slashes}{who.partition(':')[0]}{at}{host}{query}"


class PostgresStore(SqlStore):
    """The log of the name `log` in the database at `url`, such as postgresql://user@host/name.

    Its tables are made where they are missing. Writers wait for each other by an advisory lock of the log, which the
    server releases when their connection ends, however it ends.
    """

    def __init__(self, url: str, log: str) -> None:
        super().__init__(without_password(url), log)
        self._url = url

    @classmethod
    def create(cls, url: str, log: str) -> PostgresStore:
        """An empty log of that name.

        Raises:
            ExtraMissingError: psycopg is not installed.
            UsageError: there is one already.
            TiebreakError: the database cannot be reached or written.
        """
        store = cls(url, log)
        if not store._begin():
            raise UsageError(f"{store.where} has a log {log} already; a log is never begun twice")
        return store

    @cached_property
    def _psycopg(self) -> ModuleType:
        try:
            import psycopg
        except ImportError as error:
            raise ExtraMissingError("a campaign in PostgreSQL", "psycopg", "postgres") from error
        return psycopg

    @property
    def _errors(self) -> tuple[type[Exception], ...]:
        return (self._psycopg.Error,)

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[Cursor]:
        psycopg = self._psycopg
        with psycopg.connect(self._url, connect_timeout=_PATIENCE) as connection:
            if not writing:
                connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
                connection.read_only = True
            with connection.cursor() as cursor:
                if writing:
                    cursor.execute(f"SET LOCAL lock_timeout = '{_PATIENCE}s'")
                    cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (self._log,))
                yield _Cursor(cursor)


class _Cursor:
    """Takes `?` for a value, as SQLite does."""

    def __init__(self, cursor: psycopg.Cursor[Any]) -> None:
        self._cursor = cursor

    def execute(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Run one statement."""
        self._cursor.execute(sql.replace("?", "%s").encode(), values)

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row."""
        self._cursor.executemany(sql.replace("?", "%s").encode(), rows)

    def fetchall(self) -> list[Any]:
        """The rows that it found."""
        return self._cursor.fetchall()

    @property
    def rowcount(self) -> int:
        """Rows that the last statement changed."""
        return self._cursor.rowcount
