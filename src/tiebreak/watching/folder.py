"""The ledger of a study on disk: `looks.sqlite` beside the tables, sealed as the log of a campaign is.

A look is one batch: killed at any moment, the ledger has the whole look or nothing of it, and all looks before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.store import SqliteStore, StoreConflictError, StoredEvent
from tiebreak.watching.ledger import Ledger, Look, LookError, ledger_of, look_from_json, look_to_json
from tiebreak.watching.seeing import first_look, next_look
from tiebreak.watching.settings import WatchSettings, check_unchanged

LEDGER_FILE: Final = "looks.sqlite"


@dataclass(frozen=True, slots=True)
class KeptLedger:
    """What the file holds: the ledger, None before the first look, and how many `looks` it has."""

    ledger: Ledger | None
    looks: int


def is_watched(folder: Path) -> bool:
    """Whether a folder has a ledger."""
    return (folder / LEDGER_FILE).exists()


def read_ledger(folder: Path) -> KeptLedger:
    """The ledger of a study.

    Raises:
        InputError: it is damaged; the text says where, and what to do.
    """
    return _kept(folder, SqliteStore(folder / LEDGER_FILE).read())


def take_look(
    folder: Path,
    study: Study,
    asked: Mapping[str, Any],
    *,
    at: str,
    seed: str,
    exclude: Sequence[str] = (),
    closed: Sequence[str] = (),
) -> bool:
    """Write down what is new in the study; False where nothing is. `asked`: settings that were given, by name.

    The first look fixes the settings; later ones must not ask for others. `seed` (hex) is for the first look only.

    Raises:
        UsageError: settings that cannot be, or others than those of the first look.
        InputError: a study in which nothing can be compared; a damaged ledger.
        OSError: the disk is full, or read-only; the ledger is as before.
    """

    def decide(known: Ledger | None) -> Look:
        """What the look adds to the ledger as it is now."""
        if known is None:
            settings = WatchSettings(**asked)
            return first_look(study, settings, at=at, seed=seed, exclude=exclude, closed=closed)
        fixed = known.begun.settings
        check_unchanged(fixed if fixed.per_item else replace(fixed, per_item=known.per_item), asked)
        return next_look(known, study, at=at, exclude=exclude, closed=closed)[0]

    if not is_watched(folder):
        decide(None)  # what is refused leaves no ledger behind
        with suppress(UsageError):  # somebody else was faster
            SqliteStore.create(folder / LEDGER_FILE)
    while True:
        store = SqliteStore(folder / LEDGER_FILE)
        kept = _kept(folder, store.read())
        look = decide(kept.ledger)
        if look.begun is None and look.is_empty:
            return False
        try:
            store.append([look_to_json(look)], expected_length=kept.looks)
        except StoreConflictError:  # somebody else was faster
            continue
        return True


def _kept(folder: Path, documents: Sequence[StoredEvent]) -> KeptLedger:
    looks: list[Look] = []
    for number, document in enumerate(documents, 1):
        try:
            looks.append(look_from_json(document))
        except LookError as error:
            raise InputError([Problem(str(folder / LEDGER_FILE), f"look {number:,}: {error}")]) from error
    try:
        ledger = ledger_of(looks) if looks else None
    except LookError as error:
        raise InputError([Problem(str(folder / LEDGER_FILE), str(error))]) from error
    return KeptLedger(ledger, len(looks))
