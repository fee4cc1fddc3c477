"""Which sheets a workbook has, and in which parts of the archive they and what they share lie."""

from __future__ import annotations

import datetime as dt
import posixpath
from dataclasses import dataclass
from typing import Final

from tiebreak.tabular.xlsx.archive import Archive
from tiebreak.tabular.xlsx.damage import SAVE_AGAIN, WorkbookError
from tiebreak.tabular.xlsx.dates import EPOCH_1900, EPOCH_1904
from tiebreak.tabular.xlsx.xml_stream import Attributes, attribute, stream

_USUAL: Final = "xl/workbook.xml"
_OTHER_KINDS: Final = {
    "xl/workbook.bin": "this is a binary Excel workbook (.xlsb)",
    "mimetype": "this is an OpenDocument file",
    "word/document.xml": "this is a Word document",
    "ppt/presentation.xml": "this is a PowerPoint presentation",
    "index/document.iwa": "this is a Numbers document",
}


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet with cells. `hidden`: its tab does not show."""

    title: str
    part: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """`sheets` in their order, without charts; `charts`: how many sheets are charts; `texts`, `styles`: the parts that
    all sheets share, None if there is none; `epoch`: the day 0 of dates.
    """

    sheets: tuple[SheetPart, ...]
    charts: int
    texts: str | None
    styles: str | None
    epoch: dt.datetime


@dataclass(frozen=True, slots=True)
class _Relation:
    kind: str
    target: str


def layout_of(archive: Archive) -> Layout:
    """What the workbook says of itself.

    Raises:
        WorkbookError: no Excel workbook, or a damaged one.
    """
    book = _book_part(archive)
    relations = _relations(archive, book)
    listed: list[tuple[str, str, bool]] = []
    epoch = EPOCH_1900

    def start(tag: str, attributes: Attributes) -> None:
        nonlocal epoch
        if tag == "sheet":
            hidden = attributes.get("state", "visible") != "visible"
            listed.append((attributes.get("name", ""), attribute(attributes, "id") or "", hidden))
        elif tag == "workbookPr" and attributes.get("date1904", "0") in ("1", "true", "on"):
            epoch = EPOCH_1904

    stream(archive.pieces(book), book, start=start, end=lambda _: None)
    sheets, charts = [], 0
    for title, name, hidden in listed:
        relation = relations.get(name)
        if relation is not None and relation.kind != "worksheet":
            charts += 1
        elif relation is None or relation.target not in archive:
            raise WorkbookError(f"its sheet {title!r} is missing from the file; {SAVE_AGAIN}")
        else:
            sheets.append(SheetPart(title, relation.target, hidden))
    if not listed:
        raise WorkbookError(f"it has no sheets; {SAVE_AGAIN}")
    shared = {relation.kind: relation.target for relation in relations.values()}
    return Layout(tuple(sheets), charts, shared.get("sharedStrings"), shared.get("styles"), epoch)


def _book_part(archive: Archive) -> str:
    named = next((r.target for r in _relations(archive, "").values() if r.kind == "officeDocument"), None)
    for other, what in _OTHER_KINDS.items():
        if other in archive:
            raise WorkbookError(f"{what}; save it as .xlsx or as CSV UTF-8")
    for part in (named, _USUAL):
        if part is not None and part in archive:
            return part
    raise WorkbookError("this is a zip archive and no Excel workbook; unpack it and name the files in it")


def _relations(archive: Archive, part: str) -> dict[str, _Relation]:
    """What a part points to, by id; kinds as the last word of their address."""
    folder, name = posixpath.split(part)
    file = posixpath.join(folder, "_rels", f"{name}.rels")
    found: dict[str, _Relation] = {}

    def start(tag: str, attributes: Attributes) -> None:
        if tag == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "").replace("\\", "/")
            kind = attributes.get("Type", "").rpartition("/")[2]
            place = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found.setdefault(attributes.get("Id", ""), _Relation(kind, place))

    if file in archive:
        stream(archive.pieces(file), file, start=start, end=lambda _: None)
    return found
