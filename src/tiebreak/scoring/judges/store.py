"""Where a study keeps what judges said: a folder that may be deleted at any time, which costs what was paid for it.

Replies are named by what was asked: whoever asks the same again has the reply already. Each is a file of its own that
is there completely or not at all, so that two programs may write at once. Only replies that say something of the menu
are kept; of one that was cut off, with how many tokens that was. Parameters that a model has rejected are kept too.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tiebreak.files import write_bytes, writing
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.scoring.judges.providers.provider import Request
from tiebreak.scoring.judges.replies import Answer

_UNFINISHED: Final = ".new"


def key_of(endpoint: str, request: Request) -> str:
    """SHA-256 (hex) of the model and all that it is sent; how long its reply may be does not count."""
    asked = {"endpoint": endpoint, "fixed": request.fixed, "parameters": request.parameters}
    canonical = json.dumps(asked, sort_keys=True, ensure_ascii=False, default=dict)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


class ReplyCache:
    """A folder of replies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Answer | None:
        """The reply, if there is one; a file that is damaged is none."""
        kept = self._read(key)
        try:
            return None if kept is None or "answer" not in kept else Answer.from_dict(kept["answer"])
        except (KeyError, TypeError, ValueError, IndexError):
            return None

    def put(self, key: str, answer: Answer) -> None:
        """Keep a reply.

        Raises:
            TiebreakError: it cannot be written.
        """
        self._write(key, {"answer": answer.to_dict()})

    def cut_off_at(self, key: str) -> int:
        """The most tokens at which the reply was cut off; 0 if it never was."""
        found = (self._read(key) or {}).get("cut_off_at", 0)
        return found if isinstance(found, int) else 0

    def put_cut_off(self, key: str, tokens: int) -> None:
        """Remember that the reply takes more than so many tokens.

        Raises:
            TiebreakError: it cannot be written.
        """
        self._write(key, {"cut_off_at": max(tokens, self.cut_off_at(key))})

    def tidy(self) -> None:
        """Remove what killed programs have begun to write; nobody else may be writing."""
        for path in self._folder.glob(f"*/*{_UNFINISHED}"):
            path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"

    def _read(self, key: str) -> Mapping[str, Any] | None:
        try:
            found = json_reader()(self._path(key).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, ParsingError):
            return None
        return found if isinstance(found, dict) else None

    def _write(self, key: str, content: Mapping[str, object]) -> None:
        path = self._path(key)
        fresh = path.with_name(f"{key}.{os.getpid()}{_UNFINISHED}")
        with writing(path, after="replies that came before are kept"):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                fresh.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
                fresh.replace(path)
            except OSError:
                with suppress(OSError):
                    fresh.unlink(missing_ok=True)
                raise


class RejectedParameters:
    """Those of one model at one server (`endpoint`)."""

    def __init__(self, path: Path, endpoint: str) -> None:
        self._path, self._endpoint = path, endpoint
        self.names: frozenset[str] = frozenset(self._known().get(endpoint, ()))

    def add(self, name: str) -> None:
        """One more.

        Raises:
            TiebreakError: it cannot be written down.
        """
        self.names |= {name}
        known = self._known() | {self._endpoint: sorted(self.names)}
        write_bytes(self._path, (json.dumps(known, ensure_ascii=False, indent=1) + "\n").encode())

    def _known(self) -> dict[str, list[str]]:
        """Of all models; what cannot be read is found out again, which costs a rejected call."""
        try:
            found = json_reader()(self._path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, ParsingError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {name: [str(one) for one in names] for name, names in found.items() if isinstance(names, list)}


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
