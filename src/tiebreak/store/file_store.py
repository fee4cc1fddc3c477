"""A log of events in one file: for one computer, or a shared disk whose locks work."""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.store.event_store import EMPTY, Head, StoreConflictError, StoredEvent
from tiebreak.store.head_file import Fault, Lines, fault_of, read_head, sync_folder, write_head
from tiebreak.store.log_lines import batch_to_bytes, whole_batches

_PATIENCE: Final = 60.0
"""Seconds to wait for another writer, who holds the lock for the time of one write."""


class LogOwner(NamedTuple):
    """Whose log it is, in messages: what `keeps` it there, the cure where log and head disagree (a `backup`, or a
    `repair`), and what can be done where the log is `lost`.
    """

    keeps: str
    backup: str
    repair: str
    lost: str


_CAMPAIGN: Final = LogOwner(
    keeps="a campaign keeps its log there",
    backup="put log and head back from one backup",
    repair="see 'tiebreak campaign repair'",
    lost="without a backup the campaign is lost: sheets that were filled in can be imported as a study",
)


class FileStore:
    """The log in `path`, one JSON object per line (`log_lines`); beside it its head (`seal`) in `path` + ".head", and
    `path` + ".lock" for writers.

    The head is written after the log, so that a process that is killed between the two leaves a log that is one batch
    ahead of it; the next writer writes the head first. Readers take no lock: they leave out a batch that is still being
    written. The lock is of the operating system and goes with the process that holds it, however that ends; the lock
    file stays and means nothing. `owner`: for messages. `trust_log`: do not read the head, which is about to be written
    anew (`repair`).
    """

    def __init__(self, path: Path, owner: LogOwner = _CAMPAIGN, *, trust_log: bool = False) -> None:
        self._path = path
        self._owner = owner
        self._trust_log = trust_log
        self._forget()

    def _forget(self) -> None:
        # What is known of the file: the log up to this head ends at this byte, and later reads go on from there.
        self._head = EMPTY
        self._before_last_batch = EMPTY
        self._end = 0
        self._missing_newline = False

    @classmethod
    def create(cls, path: Path) -> FileStore:
        """An empty log in a new file.

        Raises:
            UsageError: the file is there already.
        """
        store = cls(path)
        with store._locked():  # whoever finds the file must not append before its head is there
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError as error:
                raise UsageError(f"{path} exists already; a log is never begun twice") from error
            os.close(handle)
            write_head(path, EMPTY)
        return store

    @property
    def head(self) -> Head:
        """The head of the log, as of the last read or append."""
        return self._head

    def read(self, start: int = 0) -> tuple[StoredEvent, ...]:
        """The events from number `start` on.

        Raises:
            InputError: the log or its head is missing, unreadable or damaged, or they do not belong together; the text
                names the line and what to do.
        """
        if start < self._head.lines:
            self._forget()
        before = self._head.lines
        fresh = self._catch_up()
        return fresh[max(start - before, 0) :]

    def append(self, events: Sequence[StoredEvent], *, expected_length: int) -> int:
        """Append a batch (see `EventStore.append`); no events: nothing happens, but the length is checked.

        Raises:
            StoreConflictError: the log does not have `expected_length` events.
            InputError: the log or its head is missing or damaged.
            TiebreakError: another process has held the lock for a minute.
            OSError: the disk is full or read-only; the log is as before.
        """
        with self._locked():
            self._catch_up()
            if self._head.lines != expected_length:
                raise StoreConflictError(
                    f"{self._path} has {self._head.lines:,} events where {expected_length:,} were expected: "
                    "somebody else has written to it"
                )
            if events:
                if not self._trust_log and read_head(self._path) != self._head:
                    write_head(self._path, self._head)  # else the head would be two batches behind
                content, head = batch_to_bytes(events, self._head)
                self._write(b"\n" + content if self._missing_newline else content)
                self._before_last_batch, self._head = self._head, head
                write_head(self._path, head)
        return self._head.lines

    def holds(self, head: Head) -> bool:
        """Whether the log once had this head: what it is now has grown from that, and nothing before was changed.

        Raises:
            InputError: as `read` does.
        """
        self.read(self._head.lines)
        if head.lines == 0:
            return head == EMPTY
        with self._path.open("rb") as stream:
            seals = whole_batches(stream.read(self._end), EMPTY, str(self._path)).seals
        return head.lines <= len(seals) and seals[head.lines - 1] == head.seal

    def torn(self) -> tuple[Path, ...]:
        """The files in which interrupted batches were kept aside."""
        return tuple(sorted(self._path.parent.glob(f"{self._path.name}.torn-*")))

    def fault(self) -> Fault | None:
        """How the log and the head beside it disagree, where the log in itself is whole; None where they agree.

        Raises:
            InputError: the log itself is missing or damaged.
        """
        with self._locked():
            fresh = FileStore(self._path, self._owner, trust_log=True)
            found = whole_batches(fresh._new_bytes(), EMPTY, str(self._path))
            try:
                sealed = read_head(self._path)
            except InputError:
                return Fault("unreadable", "the head beside it cannot be read, or is none")
            return fault_of(Lines(EMPTY, EMPTY, found), sealed)

    def _catch_up(self) -> tuple[StoredEvent, ...]:
        """The events beyond those that are known, which are known from then on."""
        sealed = None if self._trust_log else read_head(self._path)  # before the log, which goes at least as far
        data = self._new_bytes()
        end, missing_newline = self._end, self._missing_newline
        if missing_newline and data.startswith(b"\n"):  # somebody wrote it, before the next batch
            data, end, missing_newline = data[1:], end + 1, False
        found = whole_batches(data, self._head, str(self._path))
        lines = Lines(self._head, self._before_last_batch, found)
        if not self._trust_log:
            self._check(lines, sealed)
        self._head, self._before_last_batch = lines.head, lines.before_last_batch
        self._end = end + found.end
        self._missing_newline = missing_newline or found.missing_newline
        return found.events

    def _check(self, lines: Lines, sealed: Head | None) -> None:
        """Refuse a log that is not the one of its head."""
        if sealed is not None and sealed.lines < lines.before_last_batch.lines:
            sealed = read_head(self._path)  # others may have written on since: by now it is one batch behind at most
            if sealed is not None and sealed.lines > lines.head.lines:
                return  # and more than was read; whoever reads that checks it
        fault = fault_of(lines, sealed)
        if fault is not None:
            raise InputError(
                [
                    Problem(
                        str(self._path), f"{fault}; nothing was changed: {self._owner.backup}, or {self._owner.repair}"
                    )
                ]
            )

    def _new_bytes(self) -> bytes:
        """The bytes of the log from the end of what is known on."""
        try:
            with self._path.open("rb") as stream:
                if os.fstat(stream.fileno()).st_size < self._end:
                    message = "the log has become shorter while it was in use; put it back from a backup"
                    raise InputError([Problem(str(self._path), message)])
                stream.seek(self._end)
                return stream.read()
        except FileNotFoundError as error:
            raise InputError(
                [
                    Problem(
                        str(self._path), f"no such file; {self._owner.keeps}: {self._owner.backup}; {self._owner.lost}"
                    )
                ]
            ) from error
        except OSError as error:
            raise InputError([Problem(str(self._path), f"cannot be read: {error.strerror or error}")]) from error

    def _write(self, content: bytes) -> None:
        """Put aside what an interrupted writer left, then write; on failure the file is as long as before."""
        with self._path.open("r+b", buffering=0) as stream:  # a buffer would be written again when it is closed
            stream.seek(self._end)
            torn = stream.readall()
            if torn:
                _put_aside(self._path, self._head.lines + 1, torn)
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


def _put_aside(path: Path, line: int, torn: bytes) -> None:
    """Keep a batch that was never written whole, in a file of its own: nobody was told that it is there, but it may be
    the only copy of somebody's answers.
    """
    for number in itertools.count(1):
        aside = path.with_name(f"{path.name}.torn-{line}{'' if number == 1 else f'-{number}'}")
        try:
            with aside.open("xb") as stream:
                stream.write(torn)
                stream.flush()
                os.fsync(stream.fileno())
        except FileExistsError:
            continue
        sync_folder(path.parent)
        return
