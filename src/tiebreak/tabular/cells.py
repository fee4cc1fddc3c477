"""Texts made fit for a spreadsheet's cell: nothing lost, nothing run, nothing invisible.

Text that is no UTF-8: whether it is surely in the encoding of Western Europe, and else what it is likely in.

Files that are no tables, told by their first bytes: each is named, with what to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tiebreak.errors import InputError, Problem

LONGEST_CELL: Final = 32_000
"""UTF-16 code units in one cell. Excel's limit is 32,767; it cuts what is longer without a word."""

_LINE_ENDS: Final = re.compile(r"\r\n?|[\x85\u2028\u2029]")
_CONTROLS: Final = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {127: 0x2421}
_NOT_XML: Final = {0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD} | dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
_XML_ESCAPE: Final = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_STARTS_FORMULA: Final = tuple("=+-@＝＋－＠")  # the wide forms count in spreadsheets set to East Asian languages


def visible(text: str) -> str:
    """The text with line ends of one kind, and control characters as their visible pictures (␀, ␛): a cell cannot hold
    them, and an output that has them should look it.
    """
    return _LINE_ENDS.sub("\n", text).translate(_CONTROLS | _NOT_XML)


def whole_characters(text: str) -> str:
    """The text with the halves of characters that UTF-16 has put together, and � for halves that stand alone."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def pieces(text: str, longest: int = LONGEST_CELL) -> list[str]:
    """The text in pieces of at most `longest` UTF-16 code units, cut at a space or line end where one is near."""
    parts = []
    while _units(text) > longest:
        cut = _cut(text, longest)
        parts.append(text[:cut])
        text = text[cut:]
    return [*parts, text]


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(text: str, longest: int) -> int:
    """A place at most `longest` units from the start, and not within a word if it need not be."""
    end, used = 0, 0
    while used + (size := 2 if ord(text[end]) > 0xFFFF else 1) <= longest:
        used += size
        end += 1
    space = max(text.rfind(mark, end - longest // 10, end) for mark in " \n")
    return end if space < 0 else space + 1


def xlsx_text(text: str) -> str:
    """For a workbook: `_x0041_` in a text would be read back as "A"; its underscore is escaped."""
    return _XML_ESCAPE.sub("_x005F_", text)


def csv_text(text: str) -> str:
    """For a CSV file that people open, where a program may take a text for a formula: an apostrophe before it keeps it
    a text. A text that has such an apostrophe already gets another, so that `from_csv_text` tells the two apart.
    """
    return f"'{text}" if _is_formula(text.lstrip("'")) else text


def from_csv_text(cell: str) -> str:
    """The text of which `csv_text` made the cell."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell.lstrip("'")) else cell


def _is_formula(text: str) -> bool:
    return text.lstrip().startswith(_STARTS_FORMULA) or text.startswith(("\t", "\r"))


_HIGH: Final = re.compile(rb"[\x80-\xff]+")
_CYRILLIC: Final = re.compile(rb"[\xa8\xb8\xc0-\xff]+")
_LETTERS: Final = "äöüßÄÖÜéèêëÉÈÊËàâáãåæÀÂÁÃÅÆçÇîïíìÎÏÍÌôóòõøœÔÓÒÕØŒûùúÛÙÚñÑÿ"
_SIGNS: Final = "\xa0–—…‘’‚“”„«»€£§°·•¿¡©®™´¨ª¹²³ºµ¼½¾×÷±"
_SIGN_IN_A_WORD: Final = re.compile(rf"(?<=\w)[^\x00-\x7f{_LETTERS}‘’´·…–—](?=\w)")
_CAPITALS: Final = "".join(letter for letter in _LETTERS if letter.isupper())
_NO_WORD: Final = re.compile(
    rf"[{_LETTERS}]{{3}}|(?<![a-zA-Z{_LETTERS}])[{_LETTERS}]{{2}}(?![a-zA-Z])|[a-z{_LETTERS}](?<![{_CAPITALS}])[{_CAPITALS}]"
)
"""Three letters beyond ASCII in a row, two by themselves, or a capital after a small one: bytes of another encoding."""

_UNKNOWN: Final = (
    ", and what it is cannot be told. Save it as 'CSV UTF-8' in the program that wrote it, or run, with its encoding "
    "(WINDOWS-1250 for Polish or Czech, WINDOWS-1254 for Turkish, MACINTOSH of old): "
    "iconv -f ENCODING -t UTF-8 FILE > NEW"
)
_DAMAGED: Final = (
    ", though other characters of the file are: it is damaged, or put together of two files. Save it again as 'CSV "
    "UTF-8'"
)


def western_text(content: bytes) -> str | None:
    """The text, if it is surely in Windows-1252, which Excel writes as CSV in Western Europe: every character beyond
    ASCII is one of its languages, they stand in words and signs do not, and no piece is UTF-8.
    """
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return None
    beyond = {char for char in text if char > "\x7f"}
    if "\x00" in text or not beyond <= set(_LETTERS + _SIGNS) or _has_utf8(content):
        return None
    return None if _SIGN_IN_A_WORD.search(text) or _NO_WORD.search(text) else text


def what_it_may_be(content: bytes) -> str:
    """The end of a sentence on text that is no UTF-8: what it is likely in, and what to do."""
    encoding = _likely(content)
    if encoding is None:
        return _DAMAGED if _has_utf8(content) else _UNKNOWN
    name, language = encoding
    return (
        f"; it is probably {name} ({language}). In Excel save the file as 'CSV UTF-8', or run: "
        f"iconv -f {name} -t UTF-8 FILE > NEW"
    )


def _likely(content: bytes) -> tuple[str, str] | None:
    """The name that iconv has for the encoding, and its language."""
    runs = _HIGH.findall(content)
    if all(map(_CYRILLIC.fullmatch, runs)) and sum(map(len, runs)) > 2 * len(runs):
        return "WINDOWS-1251", "Cyrillic"
    if _is_mostly(content, "cp932", lambda char: "\u3040" <= char <= "\u30ff", 0.2):
        return "CP932", "Japanese"
    if _is_mostly(content, "cp949", lambda char: "\uac00" <= char <= "\ud7a3", 0.9):
        return "CP949", "Korean"
    for encoding, name in (("gb2312", "GB18030"), ("big5", "BIG5"), ("gb18030", "GB18030")):
        if _is_mostly(content, encoding, lambda char: "\u4e00" <= char <= "\u9fff", 0.6):
            return name, "Chinese"
    return None


def _is_mostly(content: bytes, encoding: str, wanted: Callable[[str], bool], share: float) -> bool:
    """Whether so many of the characters beyond ASCII are wanted ones, and these more than a few letters in words."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return False
    beyond = [char for char in text if char > "\x7f"]
    within = len(re.findall(r"[a-zA-Z][^\x00-\x7f][a-z]", text))
    return sum(map(wanted, beyond)) >= share * len(beyond) and within < len(beyond) / 2


def _has_utf8(content: bytes) -> bool:
    """Whether some bytes beyond ASCII are UTF-8."""
    for run in _HIGH.findall(content):
        try:
            run.decode("utf-8")
        except UnicodeDecodeError:
            continue
        return True
    return False


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
