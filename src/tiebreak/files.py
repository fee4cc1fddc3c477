"""Files that are there completely or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tiebreak.errors import TiebreakError, UsageError


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
    """Write to a temporary file beside `path`, then rename it: a reader never sees half a file.

    Raises:
        TiebreakError: nothing may be written into the folder.
        OSError: the disk is full, or fails.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:  # the message of the system would name the temporary file
        raise TiebreakError(f"cannot write {path}: {error.strerror or error}; name another folder") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
