"""Files that are no tables, told by their first bytes: each is named, with what to do."""

from __future__ import annotations

import re
from typing import Final

from tiebreak.errors import InputError, Problem

_OLE: Final = b"\xd0\xcf\x11\xe0"
_OLE_KINDS: Final = (
    ("EncryptedPackage", "this workbook is password-protected; save it without a password"),
    ("WordDocument", "this is an old Word document; save its table as .xlsx or as CSV UTF-8"),
)
_NO_WORKBOOK: Final = "this is an Office file in which no workbook can be found; save the table as .xlsx or CSV UTF-8"
_STARTS: Final = (
    (b"\x1f\x8b", "this file is compressed (gzip); unpack it first: gunzip FILE"),
    (b"BZh", "this file is compressed (bzip2); unpack it first: bunzip2 FILE"),
    (b"\xfd7zXZ", "this file is compressed (xz); unpack it first: unxz FILE"),
    (b"7z\xbc\xaf", "this is a 7-Zip archive; unpack it first"),
    (b"%PDF-", "this is a PDF file, not a table"),
    (b"PAR1", "this is a Parquet file; write it as CSV first (polars: read_parquet, then write_csv)"),
    (b"SQLite format 3", "this is an SQLite database; export the table as CSV first"),
    (b"\x89PNG", "this is an image, not a table"),
    (b"\xff\xd8\xff", "this is an image, not a table"),
)
_MARKUP: Final = re.compile(rb"\s*(?:<\?xml|<!doctype|<html|<table|<meta)\b", re.IGNORECASE)
_MARKUP_ADVICE: Final = "this is an HTML or XML page, whatever it is called; open it, and save the table as CSV UTF-8"


def is_old_excel(content: bytes) -> bool:
    """Whether a file is an .xls workbook without a password."""
    names = [(name + "\0").encode("utf-16-le") in content for name in ("EncryptedPackage", "Workbook", "Book")]
    return content.startswith(_OLE) and any(names[1:]) and not names[0]


def refuse_other_kinds(content: bytes, *, source: str) -> None:
    """Raises InputError for a file of a kind that holds no table which can be read: encrypted, old, compressed."""
    message = _kind(content)
    if message is not None:
        raise InputError([Problem(source, message)])


def _kind(content: bytes) -> str | None:
    if is_old_excel(content):
        return None
    if content.startswith(_OLE):
        # The names in the file's directory, which ends each with two zeros.
        named = (what for name, what in _OLE_KINDS if (name + "\0").encode("utf-16-le") in content)
        return next(named, _NO_WORKBOOK)
    if _MARKUP.match(content.removeprefix(b"\xef\xbb\xbf")[:1000]):
        return _MARKUP_ADVICE
    return next((what for start, what in _STARTS if content.startswith(start)), None)
