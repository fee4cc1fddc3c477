"""The texts that cells point to, and texts as workbooks write them."""

from __future__ import annotations

import re
from typing import Final

from tiebreak.tabular.cells import whole_characters
from tiebreak.tabular.xlsx.archive import Archive
from tiebreak.tabular.xlsx.xml_stream import Attributes, stream

_ESCAPE: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")


def shared_texts(archive: Archive, part: str | None) -> list[str]:
    """The shared texts of a workbook in their order; none if it has no such part.

    Raises:
        WorkbookError: the part is damaged.
    """
    if part is None or part not in archive:
        return []
    texts: list[str] = []
    pieces: list[str] = []
    inside: list[str] = []  # the tags that say what a text belongs to

    def start(tag: str, _: Attributes) -> None:
        if tag in ("si", "rPh", "t"):
            inside.append(tag)

    def end(tag: str) -> None:
        if inside and inside[-1] == tag:
            inside.pop()
            if tag == "si":
                texts.append(unescaped("".join(pieces)))
                pieces.clear()

    def text(data: str) -> None:
        if inside == ["si", "t"]:  # not the pronunciation of it
            pieces.append(data)

    stream(archive.pieces(part), part, start=start, end=end, text=text)
    return texts


def unescaped(text: str) -> str:
    """`_x000D_` is a carriage return, and `_x005F_` an underscore that stands for itself."""
    if "_x" not in text:
        return text
    found = _ESCAPE.sub(lambda code: chr(int(code[1], 16)), text)
    if any("\ud800" <= char <= "\udfff" for char in found):  # halves of characters
        found = whole_characters(found)
    return found
