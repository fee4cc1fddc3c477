"""A log of events in a file of SQLite: for one computer, or a shared disk whose locks work."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.files import NEW, workshop, writing
from tiebreak.store.event_store import Cursor, SqlStore

_PATIENCE: Final = 60.0
"""Seconds to wait for another writer, who writes for the time of one batch."""
_LOG: Final = "log"


class SqliteStore(SqlStore):
    """The log in the file `path`, with a write-ahead log beside it while it is in use.

    Every batch is on the disk before `append` returns (synchronous FULL); a process that is killed leaves the log as it
    was before the batch, or with all of it. Each call opens the file anew, so that nothing is held between them.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), _LOG)
        self._path = path

    @classmethod
    def create(cls, path: Path) -> SqliteStore:
        """An empty log in a new file.

        Raises:
            UsageError: the file is there already.
            TiebreakError: it cannot be written.
        """
        with workshop(path) as shop, writing(path):
            fresh = shop / NEW
            fresh.touch(0o644)
            cls(fresh)._begin()
            try:
                os.link(fresh, path)  # unlike a renaming it leaves a log alone that somebody else began meanwhile
            except FileExistsError as error:
                raise UsageError(f"{path} exists already; a log is never begun twice") from error
        return cls(path)

    @property
    def _errors(self) -> tuple[type[Exception], ...]:
        return (sqlite3.Error,)

    def _connected(self, *, writing: bool) -> sqlite3.Connection:
        if not self._path.is_file():
            message = "no such file, and the log of events is kept there: put it back from a backup"
            raise InputError([Problem(str(self._path), message)])
        mode = "rw"
        if (
            not writing
            and not os.access(self._path.parent, os.W_OK)
            and not self._path.with_name(f"{self._path.name}-wal").exists()
        ):
            mode = "ro&immutable=1"  # a copy on a disk that cannot be written
        uri = f"{self._path.resolve().as_uri()}?mode={mode}"
        return sqlite3.connect(uri, timeout=_PATIENCE, isolation_level=None, uri=True)

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[Cursor]:
        with closing(self._connected(writing=writing)) as connection:
            if writing:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA secure_delete = ON")  # or erased texts would stay in free pages of the file
            connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
            try:
                yield connection.cursor()
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def backup(self, path: Path) -> None:
        """Write a copy of the log as it is now into a new file, while others may write on.

        Raises:
            UsageError: the file is there already.
            InputError, TiebreakError: as `read`, and where the copy cannot be written.
        """
        if path.exists():
            raise UsageError(f"{path} exists already")
        self.read()
        try:
            with closing(self._connected(writing=False)) as source, closing(sqlite3.connect(path)) as copy:
                source.backup(copy)
        except sqlite3.Error as error:
            path.unlink(missing_ok=True)
            raise TiebreakError(f"cannot write {path}: {error}; the log itself is as before") from error
        SqliteStore(path).read()
