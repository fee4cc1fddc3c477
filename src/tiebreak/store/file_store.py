"""A log of events in one file: for one computer, or a shared disk whose locks work."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.store.event_store import StoreConflictError, StoredEvent
from tiebreak.store.log_lines import batch_to_bytes, whole_batches

_PATIENCE: Final = 60.0
"""Seconds to wait for another writer, who holds the lock for the time of one write."""


class FileStore:
    """The log in `path`, one JSON object per line (`log_lines`), with `path` + ".lock" beside it for writers.

    Readers take no lock: they leave out a batch that is still being written. The lock is of the operating system and
    goes with the process that holds it, however that ends; the lock file stays and means nothing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # What is known of the file: this many events end at this byte. Later reads go on from there.
        self._length = 0
        self._end = 0
        self._missing_newline = False

    @classmethod
    def create(cls, path: Path) -> FileStore:
        """An empty log in a new file.

        Raises:
            UsageError: the file is there already.
        """
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError as error:
            raise UsageError(f"{path} exists already; a log is never begun twice") from error
        os.close(handle)
        _sync_folder(path.parent)
        return cls(path)

    def read(self, start: int = 0) -> tuple[StoredEvent, ...]:
        """The events from number `start` on.

        Raises:
            InputError: the file is missing, unreadable or damaged; the text names the line.
        """
        if start < self._length:
            self._length, self._end, self._missing_newline = 0, 0, False
        before = self._length
        fresh = self._catch_up()
        return fresh[max(start - before, 0) :]

    def append(self, events: Sequence[StoredEvent], *, expected_length: int) -> int:
        """Append a batch (see `EventStore.append`); no events: nothing happens, but the length is checked.

        Raises:
            StoreConflictError: the log does not have `expected_length` events.
            InputError: the file is missing or damaged.
            TiebreakError: another process has held the lock for a minute.
            OSError: the disk is full or read-only; the log is as before.
        """
        with self._locked():
            self._catch_up()
            if self._length != expected_length:
                raise StoreConflictError(
                    f"{self._path} has {self._length:,} events where {expected_length:,} were expected: "
                    "somebody else has written to it"
                )
            if events:
                content = batch_to_bytes(events, self._length)
                self._write(b"\n" + content if self._missing_newline else content)
                self._length += len(events)
        return self._length

    def _catch_up(self) -> tuple[StoredEvent, ...]:
        """The events beyond those that are known, which are known from then on."""
        try:
            with self._path.open("rb") as stream:
                if os.fstat(stream.fileno()).st_size < self._end:
                    message = "the log has become shorter while it was in use; put it back from a backup"
                    raise InputError([Problem(str(self._path), message)])
                stream.seek(self._end)
                data = stream.read()
        except FileNotFoundError as error:
            raise InputError([Problem(str(self._path), "no such file; a campaign keeps its log there")]) from error
        except OSError as error:
            raise InputError([Problem(str(self._path), f"cannot be read: {error.strerror or error}")]) from error
        if self._missing_newline and data.startswith(b"\n"):  # somebody wrote it, before the next batch
            data = data[1:]
            self._end += 1
            self._missing_newline = False
        found = whole_batches(data, self._length, str(self._path))
        self._length += len(found.events)
        self._end += found.end
        self._missing_newline = self._missing_newline or found.missing_newline
        return found.events

    def _write(self, content: bytes) -> None:
        """Cut off what an interrupted writer left, then write; on failure the file is as long as before."""
        with self._path.open("r+b", buffering=0) as stream:  # a buffer would be written again when it is closed
            stream.truncate(self._end)
            stream.seek(self._end)
            try:
                left = memoryview(content)
                while left:
                    left = left[stream.write(left) :]
                os.fsync(stream.fileno())
            except BaseException:
                _cut(stream, self._end)
                raise
        self._end += len(content)
        self._missing_newline = False

    @contextmanager
    def _locked(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        lock = FileLock(f"{self._path}.lock", timeout=_PATIENCE)
        try:
            lock.acquire()
        except Timeout as error:
            raise TiebreakError(
                f"another process has been writing to {self._path} for {_PATIENCE:.0f} seconds; wait for it, or end it"
            ) from error
        try:
            yield
        finally:
            lock.release()


def _cut(stream: io.FileIO, end: int) -> None:
    """Take back a failed write as far as possible; what stays is a torn tail, which readers leave out."""
    try:
        stream.truncate(end)
    except OSError:
        return


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # Windows has no handle for folders
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
