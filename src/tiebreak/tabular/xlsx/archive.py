"""The zip archive that a workbook is, read piece by piece and never beyond what its size allows.

A file of 400 kB can inflate to 400 MB. So what may be inflated in all, and how many XML tags that may hold, is bounded
by the size of the file; both bounds are several times what spreadsheet programs reach.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tiebreak.tabular.xlsx.damage import SAVE_AGAIN, WorkbookError

_BYTES_ALWAYS: Final = 32 * 1024 * 1024
_BYTES_PER_BYTE: Final = 100  # cells of one text each reach 26
_TAGS_ALWAYS: Final = 500_000
_TAGS_PER_BYTE: Final = 6  # cells of one text each reach 3
_PIECE: Final = 1024 * 1024
_PIECES: Final = 32  # at most, of the largest part: the XML parser looks at an unfinished tag again with each piece
_ENCRYPTED: Final = 1  # a flag of a member
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others inflate without bounds, and Excel has none


class Archive:
    """The parts of a workbook by name; names differ neither by case nor by the slash they are written with.

    Raises:
        WorkbookError: no zip archive, or a damaged one.
    """

    def __init__(self, content: bytes) -> None:
        with _damage("its list of parts"):
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            self._parts = {_plain(info.filename): info for info in self._zip.infolist()}
        self._bytes = self._limit = _BYTES_ALWAYS + _BYTES_PER_BYTE * len(content)
        self._tags = _TAGS_ALWAYS + _TAGS_PER_BYTE * len(content)

    def __contains__(self, name: str) -> bool:
        return _plain(name) in self._parts

    def folders(self) -> frozenset[str]:
        """The first part of each name, in lower case: what kind of file it is shows there."""
        return frozenset(name.partition("/")[0] for name in self._parts)

    def pieces(self, name: str) -> Iterator[bytes]:
        """The content of a part, inflated as it is asked for.

        Raises:
            WorkbookError: it is missing, damaged or encrypted, or too much of the workbook has been inflated.
        """
        info = self._parts.get(_plain(name))
        if info is None:
            raise WorkbookError(f"its part {name} is missing; {SAVE_AGAIN}")
        if info.flag_bits & _ENCRYPTED:
            raise WorkbookError("it is password-protected; save it without a password")
        if info.compress_type not in _METHODS:
            raise WorkbookError(f"its part {name} is compressed in a way that Excel does not know; {SAVE_AGAIN}")
        if info.file_size > self._bytes:
            raise self._too_much()
        with _damage(f"its part {name}"), self._zip.open(info) as stream:
            while piece := stream.read(max(_PIECE, self._limit // _PIECES)):
                self._bytes -= len(piece)
                self._tags -= piece.count(b"<")
                if self._bytes < 0 or self._tags < 0:
                    raise self._too_much()
                yield piece

    def _too_much(self) -> WorkbookError:
        return WorkbookError(
            "it inflates to far more than a table of its size can hold, perhaps to millions of empty cells; copy the "
            "cells with data into a new workbook, or save them as CSV UTF-8"
        )


@contextmanager
def _damage(what: str) -> Iterator[None]:
    """Whatever the zip module says of a damaged archive, as one error."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
        ValueError,
        OverflowError,
        LookupError,
    ) as error:
        raise WorkbookError(f"{what} cannot be unpacked, so the file is damaged or cut off; {SAVE_AGAIN}") from error


def _plain(name: str) -> str:
    return posixpath.normpath("/" + name.replace("\\", "/")).lstrip("/").casefold()
