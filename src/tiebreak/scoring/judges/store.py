"""Where a study keeps what judges said: a folder that may be deleted at any time, which costs what was paid for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiebreak.files import writing
from tiebreak.scoring.judges.cache import ReplyCache
from tiebreak.scoring.judges.rejected import RejectedParameters

_FOLDER: Final = Path(".scoring") / "judges"
_LOCK: Final = "lock"


@dataclass(frozen=True, slots=True)
class JudgeStore:
    """The folder of a study."""

    folder: Path

    @classmethod
    def of(cls, study: Path) -> JudgeStore:
        """That of the study in a folder."""
        return cls(study / _FOLDER)

    @property
    def replies(self) -> ReplyCache:
        """Replies of all judges."""
        return ReplyCache(self.folder / "replies")

    @property
    def batches(self) -> Path:
        """The folder of batches that were handed in, or were to be."""
        return self.folder / "batches"

    def rejected(self, endpoint: str) -> RejectedParameters:
        """Parameters that a model has rejected."""
        return RejectedParameters(self.folder / "rejected.json", endpoint)

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
            self.replies.tidy()
            yield
        finally:
            lock.release()
