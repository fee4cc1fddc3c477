"""Takes the last addition back: the folder keeps the tables as they were before it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tiebreak.data.provenance import SIGNATURES_FILE
from tiebreak.data.schema import SETTINGS_FILE
from tiebreak.data.writers import stamps_of
from tiebreak.errors import TiebreakError
from tiebreak.files import one_writer, write_synced, writing

_KEPT: Final = ".before-add"
_AFTER: Final = "after.json"
_NEW: Final = ".new"


@contextmanager
def keeping_what_was(study: Path) -> Iterator[None]:
    """While rows are added: what is there is kept, and afterwards it is what `undo` brings back.

    Raises:
        TiebreakError: it cannot be written. Nothing was changed.
    """
    kept, fresh = study / _KEPT, study / f"{_KEPT}.new"
    with writing(fresh):
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        for name in _files(study):
            shutil.copy2(study / name, fresh / name)
    try:
        yield
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    with suppress(OSError):  # what was added stays; without room for this it cannot be taken back
        write_synced(fresh / _AFTER, json.dumps(_state(study)).encode())
        if kept.exists():
            kept.replace(study / f"{_KEPT}.old")
        fresh.replace(kept)
    shutil.rmtree(study / f"{_KEPT}.old", ignore_errors=True)
    shutil.rmtree(fresh, ignore_errors=True)


def undo(study: Path) -> list[str]:
    """Bring the tables back as they were before the last addition; the names of those that changed.

    Raises:
        TiebreakError: nothing was added, or the study was changed since.
    """
    kept = study / _KEPT
    if not (kept / _AFTER).is_file():
        raise TiebreakError(f"{study}: there is no addition to take back")
    with one_writer(study), writing(study, after="run it again"):
        after = json.loads((kept / _AFTER).read_text("utf-8"))
        before = {path.name for path in kept.iterdir() if path.name != _AFTER and not path.name.endswith(_NEW)}
        names = sorted(before | set(_files(study)))
        changed = [name for name in names if not _is_same(study / name, kept / name)]
        state = _state(study)  # an undo that was killed has brought some back already
        if any(state.get(name) != after.get(name) for name in changed):
            raise TiebreakError(f"{study} was changed after the last addition, which can no longer be taken back")
        for name in changed:
            if name in before:
                shutil.copy2(kept / name, kept / f"{name}{_NEW}")
                (kept / f"{name}{_NEW}").replace(study / name)
            else:
                (study / name).unlink()
        shutil.rmtree(kept)
    return changed


def _files(study: Path) -> list[str]:
    return [*stamps_of(study), *(name for name in (SETTINGS_FILE, SIGNATURES_FILE) if (study / name).is_file())]


def _state(study: Path) -> dict[str, list[int]]:
    found = {name: (study / name).stat() for name in _files(study)}
    return {name: [status.st_mtime_ns, status.st_size] for name, status in found.items()}


def _is_same(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and one.read_bytes() == other.read_bytes()
