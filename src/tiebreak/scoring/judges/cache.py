"""Replies on disk, named by what was asked: whoever asks the same again has the reply already.

Each is a file of its own that is there completely or not at all, so that two programs may write at once. Only replies
that say something of the menu are kept; of one that was cut off, with how many tokens that was.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tiebreak.files import writing
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.scoring.judges.answers import Answer
from tiebreak.scoring.judges.providers.provider import Request

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
