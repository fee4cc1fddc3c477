"""Files that are there completely or not at all."""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tiebreak.errors import TiebreakError, UsageError

NEW: Final = "new"
OLD: Final = "old"
REPLACED: Final = "replaced"
"""In a workshop: what becomes the target, what it was, and the names of files in `OLD` that are replaced."""

_LOCK: Final = "lock"
_PATIENCE: Final = 60.0  # seconds
_MARK: Final = "writing-"
_WORKSHOP: Final = re.compile(rf"\.(?P<target>.+)\.{_MARK}[a-z0-9_]{{8}}")


def check_place(path: Path) -> None:
    """Raise UsageError if no file can be at `path`."""
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: the folder {path.parent} does not exist")
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a folder")


def refuse_inside(study: Path, path: Path) -> None:
    """No output may land among the study's own files: a result is never written over labels.

    Raises:
        UsageError: `path` lies in the study folder.
    """
    if path.resolve().parent == study.resolve():
        raise UsageError(f"cannot write {path}: it lies in the study folder; write results beside it")


def write_bytes(path: Path, content: bytes) -> None:
    """Write to a file in a workshop beside `path`, then rename it: a reader never sees half a file.

    Raises:
        TiebreakError: it cannot be written: the disk is full, say, or nothing may be written into the folder.
    """
    with workshop(path) as folder:
        fresh = folder / NEW
        with writing(path):
            write_synced(fresh, content)
            fresh.chmod(0o644)
            fresh.replace(path)


@contextmanager
def one_writer(folder: Path) -> Iterator[None]:
    """Nobody else who asks for the folder here changes it meanwhile: a process of the same user, on the same machine.

    The lock lies in the system's folder for temporary files, so that nothing appears in `folder`.

    Raises:
        TiebreakError: another has been changing the folder for a minute.
    """
    from filelock import FileLock, Timeout

    user = os.getuid() if hasattr(os, "getuid") else getpass.getuser()  # in a container a number may have no name
    name = hashlib.sha256(f"{user}\0{folder.resolve()}".encode("utf-8", "replace")).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"tiebreak-{name}.lock"
    lock = FileLock(path, timeout=_PATIENCE, is_singleton=True)  # whoever holds it may ask again
    with writing(path):
        try:
            lock.acquire()
        except Timeout as error:
            raise TiebreakError(f"cannot change {folder}: others have been writing it for a minute ({path})") from error
    try:
        yield
    finally:
        lock.release()


def write_synced(path: Path, content: bytes) -> None:
    """Write a new file, and wait until it is on the disk."""
    with path.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def writing(path: Path, *others: type[Exception], after: str = "nothing was changed") -> Iterator[None]:
    """Whatever the disk says while `path` is written becomes an error that names it; `others`: of libraries that write;
    `after`: what is so then.

    Raises:
        TiebreakError: it cannot be written, and why.
    """
    try:
        yield
    except (OSError, *others) as error:  # type: ignore[misc]  # mypy does not know unpacking here
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        raise TiebreakError(f"cannot write {path}: {why}; {after}") from error


@contextmanager
def workshop(target: Path) -> Iterator[Path]:
    """A hidden folder beside `target`, on the same disk, to make it in; it is gone afterwards, unless it holds `OLD`.

    First removes those that killed processes left in this folder. `NEW` in it becomes the target; `OLD` is what the
    target was, where that steps aside for a moment: a process that is killed then leaves no target, and the next one
    puts it back.

    Raises:
        TiebreakError: nothing may be written beside the target.
    """
    from filelock import FileLock

    remove_abandoned(target.parent)
    while True:
        try:
            folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.{_MARK}", dir=target.parent))
        except OSError as error:  # the message of the system would name the hidden folder
            raise TiebreakError(f"cannot write {target}: {error.strerror or error}; name another folder") from error
        lock = FileLock(folder / _LOCK)
        try:
            with writing(target):
                lock.acquire()
        except TiebreakError:
            if folder.exists():
                raise
        if lock.is_locked and (folder / _LOCK).exists():
            break
        lock.release()  # before it was locked, another process took the folder for an abandoned one, and removed it
    try:
        yield folder
    finally:
        if not (folder / OLD).exists():
            _remove(folder)
        lock.release()


def remove_abandoned(parent: Path) -> None:
    """Remove the workshops of killed processes in a folder, and put back what stepped aside in them."""
    if not parent.is_dir():
        return
    for folder in parent.iterdir():
        of = _WORKSHOP.fullmatch(folder.name)
        if of is None or not folder.is_dir():
            continue
        with suppress(OSError):  # somebody else is faster, or may do it
            if not (folder / _LOCK).exists():
                folder.rmdir()  # if it is empty: whoever was about to lock it makes it again
            else:
                _restore_abandoned(folder, parent / of["target"])


def _restore_abandoned(folder: Path, target: Path) -> None:
    """Unless somebody holds its lock; who waits for it until the folder is gone sees that it is."""
    from filelock import FileLock, Timeout

    with suppress(Timeout), FileLock(folder / _LOCK, blocking=False):
        _restore(folder, target)


def _restore(folder: Path, target: Path) -> None:
    """The target as it was before or as it was to be, and no folder beside it."""
    old, new = folder / OLD, folder / NEW
    if old.exists():
        if not target.exists():
            old.rename(target)
        elif new.exists():
            return  # somebody has put another one there: not ours to choose
        else:
            replaced = (folder / REPLACED).read_text(encoding="utf-8").splitlines()
            bring_back(old, target, replaced)
    _remove(folder)


def _remove(folder: Path) -> None:
    """A workshop, its lock last: what is left by a process that is killed here can be told to be one."""
    for entry in folder.iterdir():
        if entry.name != _LOCK:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    (folder / _LOCK).unlink(missing_ok=True)
    with suppress(OSError):  # without its lock it may look abandoned to others, who then remove it, or lock it to do so
        folder.rmdir()


def bring_back(old: Path, target: Path, replaced: Collection[str]) -> None:
    """What lay in a folder beside the files that were `replaced`, and is not in the new one, in the new one.

    Raises:
        TiebreakError: something cannot be moved.
    """
    for entry in old.iterdir():
        if entry.name in replaced:
            continue
        try:
            if not (target / entry.name).exists():
                entry.rename(target / entry.name)
            elif entry.is_dir():
                bring_back(entry, target / entry.name, ())
        except OSError as error:
            raise TiebreakError(
                f"the new study is in {target}, but {entry.name}, which was there, cannot be moved back "
                f"({error.strerror or error}): it and what else is left are in {old}; move them, then delete that"
            ) from error
