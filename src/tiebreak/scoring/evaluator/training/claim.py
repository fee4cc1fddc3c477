"""Which training a folder belongs to, and that one process at a time trains into it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.files import write_bytes, writing
from tiebreak.scoring.evaluator.training.settings import TrainSettings
from tiebreak.settings.setting import settings_of

CLAIM: Final = "training.json"
_LOCK: Final = "training.lock"
TRAINING: Final = "training"
"""Where a training keeps how far it is."""


@contextmanager
def claimed(folder: Path, settings: TrainSettings, fingerprint: str) -> Iterator[None]:
    """The folder belongs to one training: the same settings and the same examples; to the new one where the other has
    left nothing yet and runs no more. Nobody else trains into it meanwhile; a process that was killed holds nothing.

    Raises:
        UsageError: it belongs to another, or has other files in it.
        TiebreakError: another process is at the same training.
    """
    from filelock import FileLock, Timeout

    check_claim(folder, settings, fingerprint)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / _LOCK)
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            _refuse_other(folder, settings, fingerprint)
            raise TiebreakError(f"another process is training into {folder}: wait until it has ended") from error
    try:
        check_claim(folder, settings, fingerprint)
        written = {"settings": settings.to_dict(), "examples": fingerprint}
        write_bytes(folder / CLAIM, (json.dumps(written) + "\n").encode())
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open
            (folder / _LOCK).unlink()
        lock.release()


def check_claim(folder: Path, settings: TrainSettings, fingerprint: str) -> None:
    """Raise UsageError where the folder belongs to another training that has left something, or has other files."""
    if folder.is_file():
        raise UsageError(f"{folder} is a file; name a folder for the evaluator")
    if all(place.is_dir() or place.name in (CLAIM, _LOCK) for place in folder.rglob("*")):
        return
    if not (folder / CLAIM).is_file():
        raise UsageError(f"{folder} is not empty; name another folder")
    _refuse_other(folder, settings, fingerprint)


def _refuse_other(folder: Path, settings: TrainSettings, fingerprint: str) -> None:
    """Raise UsageError where the folder says that it belongs to another training."""
    try:
        known = json.loads((folder / CLAIM).read_text(encoding="utf-8"))
        said, examples = known["settings"], known["examples"]
    except FileNotFoundError:
        return  # it is about to be written
    except (ValueError, LookupError, TypeError) as error:
        damaged = "the file is damaged, so that nobody knows which training this is; remove it, or the whole folder"
        raise InputError([Problem(str(folder / CLAIM), damaged)]) from error
    mine = settings.to_dict()
    changed = [name for name in mine if said.get(name) != mine[name]]
    if not changed and examples == fingerprint:
        return
    options = {one.name: one.option for one in settings_of(TrainSettings)}
    what = (
        f"another {options[changed[0]]}"
        if changed
        else "other texts, labels or checkpoints, or with the same in another order"
    )
    raise UsageError(f"{folder} holds a training with {what}; name another folder")
