"""The head of a log in a file of its own, and whether log and head belong together."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.store.event_store import EMPTY, Head
from tiebreak.store.log_lines import WholeBatches

FaultKind = Literal["missing", "unreadable", "cut", "older", "other"]


@dataclass(frozen=True, slots=True)
class Fault:
    """How log and head disagree, in words (`str`).

    `missing`: there is no head; `unreadable`: what is there is none; `cut`: the log lacks lines that the head knows;
    `older`: the log has more than one batch that the head does not know; `other`: a line is not the one that it knows.
    """

    kind: FaultKind
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a log that a reader knows: up to `start` and `before_start`, the head before the last batch then,
    and those of `found` after it.
    """

    start: Head
    before_start: Head
    found: WholeBatches

    @property
    def head(self) -> Head:
        """The head of the log."""
        return self._at(self.start.lines + len(self.found.seals))

    @property
    def before_last_batch(self) -> Head:
        """The head before the last batch of the log."""
        return self._at(self.found.batches[-1]) if self.found.batches else self.before_start

    def head_at(self, count: int) -> Head | None:
        """The head after so many lines; None where that is not known (any more)."""
        if count == self.before_start.lines:
            return self.before_start
        return self._at(count) if self.start.lines <= count <= self.head.lines else None

    def _at(self, count: int) -> Head:
        return Head(count, self.found.seals[count - self.start.lines - 1]) if count > self.start.lines else self.start


def fault_of(lines: Lines, sealed: Head | None) -> Fault | None:
    """How a log and the head beside it disagree; None where they belong together. `sealed` None: there is no head."""
    log = lines.head
    if sealed is None:
        words = "the head of the log, which is written beside it after each batch, is missing"
        return Fault("missing", words) if log != EMPTY else None
    if sealed.lines > log.lines:
        kept = lines.found.torn  # of the last batch, which is nothing without its last line
        lost = max(sealed.lines - log.lines - kept, 1)
        what = f"{lost:,} lines are" if lost > 1 else "one line is"
        words = (
            f"{what} lost at its end: {sealed.lines:,} in all by the head beside it, and {log.lines + kept:,} in the "
            "log (it was cut, or is an older copy than its head)"
        )
        if kept:
            before = "the line before belongs" if kept == 1 else f"the {kept:,} lines before belong"
            words += f"; {before} to the same batch, which counts as a whole or not at all"
        return Fault("cut", words)
    known = lines.head_at(sealed.lines)
    if known is not None and known != sealed:
        words = (
            f"line {sealed.lines:,} is not the one that the head beside it knows (it was changed or added by hand, or "
            "log and head are from different copies)"
        )
        return Fault("other", words)
    if sealed.lines < lines.before_last_batch.lines:
        words = (
            f"the head beside it is older: it knows {sealed.lines:,} of {log.lines:,} lines (it is from a backup, or "
            "lines were added by hand)"
        )
        return Fault("older", words)
    return None


def head_path(log: Path) -> Path:
    """Where the head of a log is kept."""
    return log.with_name(f"{log.name}.head")


def read_head(log: Path) -> Head | None:
    """The head beside a log; None where there is none.

    Raises:
        InputError: it cannot be read, or is no head.
    """
    path = head_path(log)
    try:
        return Head.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (UsageError, UnicodeDecodeError) as error:
        message = f"this is no head of a log; put it back from a backup, or go on without one by a repair ({error})"
        raise InputError([Problem(str(path), message)]) from error
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error.strerror or error}")]) from error


def write_head(log: Path, head: Head) -> None:
    """Put the head beside a log, whole or not at all."""
    path = head_path(log)
    fresh = path.with_name(f"{path.name}.new")
    with fresh.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(f"{head}\n")
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(path)
    sync_folder(log.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk."""
    if os.name == "nt":
        return  # Windows has no handle for folders
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
