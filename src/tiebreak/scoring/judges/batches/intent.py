"""A batch that was handed in, or was about to be: a file that is written before and after."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiebreak.errors import TiebreakError
from tiebreak.files import write_bytes, writing
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.scoring.judges.menu import Menu


@dataclass(frozen=True, slots=True)
class BatchCall:
    """A call of a batch: what its reply will be kept under, and how many tokens that may have."""

    key: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Intent:
    """A batch of `calls` to one model, asked without the parameters `dropped`. `created`: seconds since 1970; `batch`:
    what the provider calls it, None as long as that is not known.
    """

    name: str
    endpoint: str
    created: float
    menu: Menu
    dropped: frozenset[str]
    calls: tuple[BatchCall, ...]
    batch: str | None = None

    @classmethod
    def new(cls, endpoint: str, menu: Menu, dropped: frozenset[str], calls: Iterable[BatchCall]) -> Intent:
        """One that nobody has handed in yet, with a name that no other has."""
        return cls(uuid.uuid4().hex[:20], endpoint, time.time(), menu, dropped, tuple(calls))

    def call_name(self, place: int) -> str:
        """What the call at this place is called in the batch."""
        return f"{self.name}-{place}"

    def call_named(self, name: str) -> BatchCall | None:
        """The call of that name, None where it is of another batch."""
        mine, _, place = name.partition("-")
        if mine != self.name or not place.isdecimal() or int(place) >= len(self.calls):
            return None
        return self.calls[int(place)]


class IntentFolder:
    """The intents of a study."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self, endpoint: str) -> list[Intent]:
        """Those of one model, the oldest first.

        Raises:
            TiebreakError: one is damaged; what it was about may be paid already.
        """
        found = [intent for path in self._folder.glob("*.json") if (intent := _read(path)).endpoint == endpoint]
        return sorted(found, key=lambda intent: (intent.created, intent.name))

    def write(self, intent: Intent) -> None:
        """Put it on the disk, and wait until it is there.

        Raises:
            TiebreakError: it cannot be written.
        """
        told = {
            "name": intent.name,
            "endpoint": intent.endpoint,
            "created": intent.created,
            "answers": intent.menu.meanings,
            "dropped": sorted(intent.dropped),
            "calls": [[call.key, call.tokens] for call in intent.calls],
            "batch": intent.batch,
        }
        path = self._path(intent)
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, json.dumps(told, ensure_ascii=False).encode())

    def handed_in(self, intent: Intent, batch: str) -> Intent:
        """The intent with the provider's name of it, on the disk.

        Raises:
            TiebreakError: it cannot be written.
        """
        known = replace(intent, batch=batch)
        self.write(known)
        return known

    def forget(self, intent: Intent) -> None:
        """Remove one that is done with, or was never handed in."""
        self._path(intent).unlink(missing_ok=True)

    def _path(self, intent: Intent) -> Path:
        return self._folder / f"{intent.name}.json"


def _read(path: Path) -> Intent:
    try:
        told: Mapping[str, Any] = json_reader()(path.read_text(encoding="utf-8"))
        return Intent(
            name=str(told["name"]),
            endpoint=str(told["endpoint"]),
            created=float(told["created"]),
            menu=Menu(dict(told["answers"])),
            dropped=frozenset(told["dropped"]),
            calls=tuple(BatchCall(str(key), int(tokens)) for key, tokens in told["calls"]),
            batch=told["batch"],
        )
    except (OSError, UnicodeDecodeError, ParsingError, KeyError, TypeError, ValueError) as error:
        raise TiebreakError(
            f"{path}: this file says what was handed in as a batch, and is damaged ({error}). See in the provider's "
            "list what is there, and remove the file once nothing of it is left to collect"
        ) from error
