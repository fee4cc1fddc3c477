"""Where a study keeps what judges said: a folder that may be deleted at any time, which costs what was paid for it.

Replies are named by what was asked: whoever asks the same again has the reply already. Each is a file of its own that
is there completely or not at all, so that two programs may write at once. Only replies that say something of the menu
are kept; of one that was cut off, with how many tokens that was. Parameters that a model has rejected are kept too, and
batches from before they are handed in until the study has what they brought.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from tiebreak.errors import TiebreakError
from tiebreak.files import write_bytes, writing
from tiebreak.scoring.judges.replies import Answer, Menu

_FOLDER: Final = Path(".scoring") / "judges"
_REPLIES: Final = "replies"
_REJECTED: Final = "rejected.json"
_BATCHES: Final = "batches"
_LOCK: Final = "lock"
_UNFINISHED: Final = ".new"

T = TypeVar("T")


def _read(path: Path, kind: type[T]) -> T | None:
    """What a file holds; None where it is not there, or is damaged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return None


@dataclass(frozen=True, slots=True)
class KeptReply:
    """An `answer`, or the most tokens at which there was none yet."""

    answer: Answer | None = None
    cut_off_at: int = 0


@dataclass(frozen=True, slots=True)
class BatchCall:
    """A call of a batch: what its reply will be kept under, and how many tokens that may have."""

    key: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Intent:
    """A batch of `calls` to one model that was handed in, or was about to be, asked without the parameters `dropped`.
    `created`: seconds since 1970; `batch`: what the provider calls it, None as long as that is not known.
    """

    endpoint: str
    menu: Menu
    dropped: frozenset[str]
    calls: tuple[BatchCall, ...]
    name: str = field(default_factory=lambda: uuid.uuid4().hex[:20])
    created: float = field(default_factory=time.time)
    batch: str | None = None

    def call_name(self, place: int) -> str:
        """What the call at this place is called in the batch."""
        return f"{self.name}-{place}"

    def call_named(self, name: str) -> BatchCall | None:
        """The call of that name, None where it is of another batch."""
        mine, _, place = name.partition("-")
        if mine != self.name or not place.isdecimal() or int(place) >= len(self.calls):
            return None
        return self.calls[int(place)]


@dataclass(frozen=True, slots=True)
class JudgeStore:
    """The folder of a study."""

    folder: Path

    @classmethod
    def of(cls, study: Path) -> JudgeStore:
        """That of the study in a folder."""
        return cls(study / _FOLDER)

    def reply(self, key: str) -> KeptReply:
        """What is known of a reply; a file that is damaged is none."""
        return _read(self._reply(key), KeptReply) or KeptReply()

    def keep(self, key: str, answer: Answer) -> None:
        """Keep a reply.

        Raises:
            TiebreakError: it cannot be written.
        """
        self._write_reply(key, KeptReply(answer))

    def keep_cut_off(self, key: str, tokens: int) -> None:
        """Remember that the reply takes more than so many tokens.

        Raises:
            TiebreakError: it cannot be written.
        """
        self._write_reply(key, KeptReply(cut_off_at=max(tokens, self.reply(key).cut_off_at)))

    def rejected(self, endpoint: str) -> frozenset[str]:
        """Parameters that a model has rejected. What cannot be read is found out again, by a rejected call."""
        return frozenset(self._all_rejected().get(endpoint, ()))

    def reject(self, endpoint: str, name: str) -> None:
        """A model has rejected one more.

        Raises:
            TiebreakError: it cannot be written down.
        """
        known = self._all_rejected() | {endpoint: sorted(self.rejected(endpoint) | {name})}
        write_bytes(self.folder / _REJECTED, msgspec.json.format(msgspec.json.encode(known), indent=1) + b"\n")

    def intents(self, endpoint: str) -> list[Intent]:
        """Batches of one model, the oldest first.

        Raises:
            TiebreakError: a file is damaged; what it was about may be paid already.
        """
        files = (self.folder / _BATCHES).glob("*.json")
        intents = [intent for path in files if (intent := _intent(path)).endpoint == endpoint]
        return sorted(intents, key=lambda intent: (intent.created, intent.name))

    def write(self, intent: Intent) -> Intent:
        """Put it on the disk, and wait until it is there.

        Raises:
            TiebreakError: it cannot be written.
        """
        path = self.folder / _BATCHES / f"{intent.name}.json"
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, msgspec.json.encode(intent))
        return intent

    def forget(self, intents: Iterable[Intent]) -> None:
        """Remove those that are done with, or were never handed in."""
        for intent in intents:
            (self.folder / _BATCHES / f"{intent.name}.json").unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove what killed programs have begun to write; nobody else may be writing."""
        for path in (self.folder / _REPLIES).glob(f"*/*{_UNFINISHED}"):
            path.unlink(missing_ok=True)

    @contextmanager
    def alone(self, waiting: Callable[[], None]) -> Iterator[None]:
        """Nobody else asks judges about this study: whoever comes second waits, and finds the replies of the first.

        `waiting`: called where somebody else is there.

        Raises:
            TiebreakError: the folder cannot be written.
        """
        from filelock import FileLock, Timeout

        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / _LOCK)
            try:
                lock.acquire(blocking=False)
            except Timeout:
                waiting()
                lock.acquire()
        try:
            self.tidy()
            yield
        finally:
            lock.release()

    def _reply(self, key: str) -> Path:
        return self.folder / _REPLIES / key[:2] / f"{key}.json"

    def _write_reply(self, key: str, kept: KeptReply) -> None:
        path = self._reply(key)
        fresh = path.with_name(f"{key}.{os.getpid()}{_UNFINISHED}")
        with writing(path, after="replies that came before are kept"):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                fresh.write_bytes(msgspec.json.encode(kept))
                fresh.replace(path)
            except OSError:
                with suppress(OSError):
                    fresh.unlink(missing_ok=True)
                raise

    def _all_rejected(self) -> dict[str, list[str]]:
        return _read(self.folder / _REJECTED, dict[str, list[str]]) or {}


def _intent(path: Path) -> Intent:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Intent)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise TiebreakError(
            f"{path}: this file says what was handed in as a batch, and is damaged ({error}). See in the provider's "
            "list what is there, and remove the file once nothing of it is left to collect"
        ) from error
