"""Texts made fit for a spreadsheet's cell: nothing lost, nothing run, nothing invisible."""

from __future__ import annotations

import re
from typing import Final

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
