"""Damaged, hostile and odd workbooks, made by hand from the parts of a small one: as they come from cut downloads,
other programs, people with odd habits, and somebody who means harm.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import xlwt

MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
BOOK, SHEET, TEXTS, STYLES = "xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"
OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

ROWS: Final = (("task", "answer", "seconds"), ("t0", "First text", "12"), ("t1", "No difference", "3.5"))
"""What a table of these workbooks says, where it can be read."""


NOTHING_TO_READ: Final = "damaged or cut off|holds any data|no row below it|there is no table with the columns"
"""What is said of a workbook whose parts contradict each other."""


@dataclass(frozen=True, slots=True)
class Odd:
    """`content`: the file; `error`: what is said of it (a pattern), or None where it reads as `ROWS`."""

    content: bytes
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Hostile:
    """A workbook that is made when it is asked for, and what is said of it, as in `Odd`."""

    content: Callable[[], bytes]
    error: str | None = None


def parts(**changed: bytes | None) -> dict[str, bytes]:
    """A small workbook's parts; `book`, `sheet`, `texts`, `styles` and `root` in place of its own, None for none."""
    texts = "".join(f"<si><t>{text}</t></si>" for text in ("task", "answer", "seconds", "First text", "No difference"))
    own = {
        "_rels/.rels": relations(("officeDocument", BOOK)),
        BOOK: book(("Tasks", "rId1")),
        "xl/_rels/workbook.xml.rels": relations(
            ("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")
        ),
        SHEET: sheet(
            '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>'
            '<row r="2"><c r="A2" t="inlineStr"><is><t>t0</t></is></c><c r="B2" t="s"><v>3</v></c>'
            '<c r="C2"><v>12</v></c></row><row r="3"><c r="A3" t="str"><v>t1</v></c><c r="B3" t="s"><v>4</v></c>'
            '<c r="C3" s="1"><v>3.5</v></c></row>'
        ),
        TEXTS: f'<sst xmlns="{MAIN}" count="5" uniqueCount="5">{texts}</sst>'.encode(),
        STYLES: _styles('<xf numFmtId="0"/><xf numFmtId="2"/>'),
    }
    names = {"book": BOOK, "sheet": SHEET, "texts": TEXTS, "styles": STYLES, "root": "_rels/.rels"}
    own |= {names[key]: content for key, content in changed.items() if content is not None}
    return {name: content for name, content in own.items() if name not in _dropped(names, changed)}


def _styles(formats: str) -> bytes:
    return f'<styleSheet xmlns="{MAIN}"><cellXfs>{formats}</cellXfs></styleSheet>'.encode()


def _dropped(names: Mapping[str, str], changed: Mapping[str, bytes | None]) -> set[str]:
    return {names[key] for key, content in changed.items() if content is None}


def relations(*targets: tuple[str, str]) -> bytes:
    """A part that points to others, by their kind, as rId1, rId2, ..."""
    listed = "".join(
        f'<Relationship Id="rId{k}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for k, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}">{listed}</Relationships>'.encode()


def book(*sheets: tuple[str, str], settings: str = "", state: str = "visible") -> bytes:
    """The part that lists the sheets: (title, id); `state` of the first."""
    listed = "".join(
        f'<sheet name="{title}" sheetId="{k}" r:id="{name}"{f""" state="{state}" """ if k == 1 else ""}/>'
        for k, (title, name) in enumerate(sheets, 1)
    )
    return f'<workbook xmlns="{MAIN}" xmlns:r="{_RELATIONS}">{settings}<sheets>{listed}</sheets></workbook>'.encode()


def sheet(rows: str, after: str = "", before: str = "") -> bytes:
    """The part of a sheet with these rows."""
    return f'{before}<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData>{after}</worksheet>'.encode()


def archive(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The parts as a zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method, compresslevel=9) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return stream.getvalue()


def with_rows(rows: str, after: str = "", *, before: str = "") -> bytes:
    """A workbook whose sheet has these rows."""
    return archive(parts(sheet=sheet(rows, after, before)))


def table_rows(more: str = "") -> str:
    """`ROWS` as the rows of a sheet, with texts in their cells, and further rows."""
    return "".join(
        f'<row r="{line}">'
        + "".join(f'<c r="{"ABC"[k]}{line}" t="str"><v>{cell}</v></c>' for k, cell in enumerate(row))
        + "</row>"
        for line, row in enumerate(ROWS, 1)
    ) + more  # fmt: skip


def patched(content: bytes, at: int, value: bytes) -> bytes:
    """The file with other bytes at a place."""
    return content[:at] + value + content[at + len(value) :]


def directory_entries(content: bytes) -> Iterable[int]:
    """Where the entries of the archive's directory begin."""
    at = content.find(b"PK\x01\x02")
    while at >= 0:
        yield at
        at = content.find(b"PK\x01\x02", at + 4)


def entry_of(content: bytes, name: str) -> tuple[int, int]:
    """Where the directory's entry of a part begins, and where the part itself does."""
    for at in directory_entries(content):
        length = struct.unpack_from("<H", content, at + 28)[0]
        if content[at + 46 : at + 46 + length] == name.encode():
            return at, struct.unpack_from("<I", content, at + 42)[0]
    raise LookupError(name)


def with_fields(name: str, *, flags: int | None = None, method: int | None = None, size: int | None = None) -> bytes:
    """A good workbook whose archive says something else of a part: flags, way of compression, size when inflated."""
    content = archive(parts())
    entry, local = entry_of(content, name)
    for value, in_entry, in_local, form in ((flags, 8, 6, "<H"), (method, 10, 8, "<H"), (size, 24, 22, "<I")):
        if value is not None:
            content = patched(content, entry + in_entry, struct.pack(form, value))
            content = patched(content, local + in_local, struct.pack(form, value))
    return content


def corrupt_deflate(name: str) -> bytes:
    """A good workbook with other bytes in the middle of a part."""
    content = archive(parts())
    _, local = entry_of(content, name)
    return patched(content, local + 30 + len(name) + 20, b"\xff\x00\xff\x00\xff")


def _ole(*names: str) -> bytes:
    return OLE + bytes(504) + b"".join((name + "\0").encode("utf-16-le").ljust(64, b"\0") for name in names)


_BOMB: Final = "<!DOCTYPE x [" + '<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
) + "]>"  # fmt: skip
_MERGED: Final = '<mergeCell ref="A1:C3"/><mergeCell ref="A1:C4"/>'
_OUTSIDE: Final = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


_ODS_KIND: Final = b"application/vnd.oasis.opendocument.spreadsheet"
_ODS: Final = (
    b'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    b'<manifest:file-entry manifest:full-path="/" manifest:media-type="%s"/></manifest:manifest>' % _ODS_KIND
)


def open_document() -> bytes:
    """The content of an OpenDocument table that says `ROWS`."""
    namespace = "urn:oasis:names:tc:opendocument:xmlns"
    rows = "".join(
        "<table:table-row>"
        + "".join(f'<table:table-cell office:value-type="string"><text:p>{c}</text:p></table:table-cell>' for c in row)
        + "</table:table-row>"
        for row in ROWS
    )
    return (
        f'<office:document-content xmlns:office="{namespace}:office:1.0" xmlns:table="{namespace}:table:1.0" '
        f'xmlns:text="{namespace}:text:1.0"><office:body><office:spreadsheet><table:table table:name="Tasks">{rows}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    ).encode()


def old_excel() -> bytes:
    """`ROWS` as an .xls file."""
    written = xlwt.Workbook()
    page = written.add_sheet("Tasks")
    for row, cells in enumerate(ROWS):
        for column, cell in enumerate(cells):
            page.write(row, column, cell)
    stream = io.BytesIO()
    written.save(stream)
    return stream.getvalue()


def _good() -> dict[str, Odd]:
    """What is odd, and reads all the same."""
    prefixed = sheet(table_rows()).replace(b"<", b"<x:").replace(b"<x:/", b"</x:").replace(b"xmlns=", b"xmlns:x=")
    without_places = table_rows().replace(' r="', ' x="')
    backwards = "".join(reversed(table_rows().replace("</row>", "</row>\n").splitlines()))
    strict = sheet(table_rows()).replace(MAIN.encode(), b"http://purl.oclc.org/ooxml/spreadsheetml/main")
    return {
        "plain": Odd(archive(parts())),
        "stored": Odd(archive(parts(), zipfile.ZIP_STORED)),
        "no styles": Odd(archive(parts(styles=None))),
        "styles that the sheet asks for are not there": Odd(archive(parts(styles=_styles("")))),
        "another prefix": Odd(archive(parts(sheet=prefixed))),
        "strict namespaces": Odd(archive(parts(sheet=strict))),
        "cells without references": Odd(with_rows(without_places)),
        "rows from last to first": Odd(with_rows(backwards)),
        "a blank cell in the last row": Odd(with_rows(table_rows('<row r="1048576"><c r="A1048576" s="1"/></row>'))),
        "a blank cell in the last column": Odd(with_rows(table_rows('<row r="4"><c r="XFD4" t="str"><v/></c></row>'))),
        "one merged cell over all of the sheet beside the table": Odd(
            with_rows(table_rows(), '<mergeCells><mergeCell ref="D4:XFD1048576"/></mergeCells>')
        ),
        "a hidden sheet": Odd(archive(parts(book=book(("Tasks", "rId1"), state="hidden")))),
        "a sheet with a long name": Odd(archive(parts(book=book(("n" * 5_000, "rId1"))))),
        "bytes before the end": Odd(archive(parts()) + b"\0" * 100),
        "OpenDocument": Odd(
            archive({"mimetype": _ODS_KIND, "content.xml": open_document(), "META-INF/manifest.xml": _ODS})
        ),
        "old Excel": Odd(old_excel()),
        "a formula that gave an empty text": Odd(
            with_rows(table_rows('<row r="9"><c r="D9" t="str"><f>IF(A1=1,1,"")</f><v></v></c></row>'))
        ),
    }  # fmt: skip


def _damaged() -> dict[str, Odd]:
    """Archives that are cut off or changed, and parts that are missing or no XML."""
    good = archive(parts())
    found = {
        f"corrupt deflate in {name}": Odd(corrupt_deflate(name), NOTHING_TO_READ)
        for name in (BOOK, SHEET, TEXTS, STYLES)
    }
    found |= {
        f"no XML in {key}": Odd(archive(parts(**{key: b"<a><b></a>"})), NOTHING_TO_READ)
        for key in ("book", "sheet", "texts", "styles")
    }
    found |= {f"cut after {k} of 10": Odd(good[: len(good) * k // 10], "damaged or cut off") for k in (1, 5, 9)}
    lost = table_rows().replace('<c r="B2" t="str"><v>First text</v>', '<c r="B2" t="s"><v>{}</v>')
    return found | {
        "only the magic": Odd(b"PK\x03\x04", "damaged or cut off"),
        "an empty archive": Odd(archive({}), "zip archive and no workbook"),
        "an archive of other files": Odd(archive({"notes.txt": b"hi"}), "zip archive and no workbook"),
        "no workbook part": Odd(archive(parts(book=None)), "zip archive and no workbook"),
        "no sheet part": Odd(archive(parts(sheet=None)), NOTHING_TO_READ),
        "no shared texts": Odd(archive(parts(texts=None)), NOTHING_TO_READ),
        "a shared text beyond the table": Odd(with_rows(lost.format("7")), NOTHING_TO_READ),
        "a sheet without a part": Odd(archive(parts(book=book(("Tasks", "rId7")))), NOTHING_TO_READ),
        "no sheets": Odd(archive(parts(book=book())), NOTHING_TO_READ),
        "empty parts": Odd(archive(dict.fromkeys(parts(), b"")), NOTHING_TO_READ),
        "a sheet that is empty": Odd(archive(parts(sheet=b"")), NOTHING_TO_READ),
        "a type of nobody": Odd(
            with_rows(table_rows('<row r="4"><c r="A4" t="q"><v>1</v></c></row>')), NOTHING_TO_READ
        ),
        "a cell called nothing": Odd(with_rows(table_rows('<row r="4"><c r=""><v>1</v></c></row>')), NOTHING_TO_READ),
        "a row called minus one": Odd(with_rows(table_rows('<row r="-1"/>')), NOTHING_TO_READ),
        "a cell outside a row": Odd(with_rows("<c><v>1</v></c>"), NOTHING_TO_READ),
    }


def _protected_and_foreign() -> dict[str, Odd]:
    """Files of other kinds under the name of a workbook."""
    return {
        "password-protected": Odd(_ole("Root Entry", "EncryptionInfo", "EncryptedPackage"), "is password-protected"),
        "no old Excel": Odd(_ole("Root Entry", "Workbook"), "damaged or cut off"),
        "old Word": Odd(_ole("Root Entry", "WordDocument"), "old Word document"),
        "some OLE file": Odd(_ole("Root Entry"), "no workbook can be found"),
        "an encrypted part": Odd(with_fields(SHEET, flags=1), "is password-protected"),
        "unknown compression": Odd(with_fields(SHEET, method=99), "compressed in a way that Excel does not know"),
        "bzip2": Odd(archive(parts(), zipfile.ZIP_BZIP2), "compressed in a way that Excel does not know"),
        "lzma": Odd(archive(parts(), zipfile.ZIP_LZMA), "compressed in a way that Excel does not know"),
        "no OpenDocument": Odd(archive({"mimetype": b"x", "content.xml": b"<a/>"}), "damaged or cut off"),
        "Word": Odd(archive({"word/document.xml": b"<a/>"}), "Word document"),
        "PowerPoint": Odd(archive({"ppt/presentation.xml": b"<a/>"}), "PowerPoint presentation"),
        "only a blank sheet": Odd(with_rows(""), "no sheet of the workbook holds any data"),
        "xlsb": Odd(archive({"xl/workbook.bin": b"\0"}), "binary Excel workbook"),
        "gzip": Odd(b"\x1f\x8b\x08" + bytes(20), "gunzip"),
        "a page": Odd(b"\xef\xbb\xbf\n<HTML><table><tr><td>task</td></tr></table>", "HTML or XML page"),
        "XML of Excel 2003": Odd(b'<?xml version="1.0"?><Workbook/>', "HTML or XML page"),
        "PDF": Odd(b"%PDF-1.7\n", "PDF"),
        "only charts": Odd(
            archive(parts() | {"xl/_rels/workbook.xml.rels": relations(("chartsheet", "chartsheets/sheet1.xml"))}),
            NOTHING_TO_READ,
        ),
    }  # fmt: skip


def repeated(unit: str, times: int, *, before: str = "", after: str = "") -> bytes:
    """A workbook with the same XML many times below its table, packed as tightly as can be; made in pieces."""
    head, _, tail = sheet(table_rows(before + "|" + after)).partition(b"|")
    stream, at_once = io.BytesIO(), 100_000
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for name, content in parts(sheet=None).items():
            target.writestr(name, content)
        with target.open(SHEET, "w", force_zip64=True) as part:
            part.write(head)
            for k in range(0, times, at_once):
                part.write(unit.encode() * min(at_once, times - k))
            part.write(tail)
    return stream.getvalue()


HOSTILE: Final[Mapping[str, Hostile]] = {
    "a value in the last cell": Hostile(
        lambda: with_rows(table_rows('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')),
        "scattered over 1,048,576 rows",
    ),
    "a blank in the last row": Hostile(lambda: with_rows(table_rows('<row r="1048576"><c r="A1048576" s="1"/></row>'))),
    "one merged cell over all rows": Hostile(
        lambda: with_rows(table_rows(), '<mergeCells><mergeCell ref="A2:XFD1048576"/></mergeCells>')
    ),
    "values in the last column of 2,000 rows": Hostile(
        lambda: with_rows(table_rows(_in_last_column(2_000))), "scattered over 1,999 rows"
    ),
    "entities in entities": Hostile(lambda: with_rows(table_rows(), before=_BOMB), "declares XML entities"),
    "entities of other files": Hostile(lambda: with_rows(table_rows(), before=_OUTSIDE), "declares XML entities"),
    "entities in the texts": Hostile(
        lambda: archive(parts(texts=_BOMB.encode() + parts()[TEXTS])), "declares XML entities"
    ),
    "2e7 empty cells": Hostile(
        lambda: repeated("<c/>", 20_000_000, before='<row r="4">', after="</row>"), "inflates to far more"
    ),
    "5e6 blank rows": Hostile(
        lambda: repeated('<row r="5"><c r="A5" s="1"/></row>', 5_000_000), "inflates to far more"
    ),
    "400 MB of one letter": Hostile(
        lambda: repeated("a", 400_000_000, before='<row r="4"><c r="A4" t="str"><v>', after="</v></c></row>"),
        "inflates to far more",
    ),
    "just below what is allowed": Hostile(lambda: repeated('<row r="5"><c r="A5" s="1"/></row>', 150_000)),
    "a part that says it is small": Hostile(lambda: with_fields(SHEET, size=10), "damaged"),
    "a part that says it is 4 GB": Hostile(lambda: with_fields(SHEET, size=2**32 - 2)),
    "data on the diagonal": Hostile(
        lambda: with_rows(
            table_rows("".join(f'<row r="{k}"><c r="{_letters(k)}{k}"><v>{k}</v></c></row>' for k in range(4, 6_000)))
        ),
        "scattered over 5,999 rows",
    ),
    "a text of two million letters": Hostile(
        lambda: repeated("a", 2_000_000, before='<row r="4"><c r="A4" t="str"><v>', after="</v></c></row>"),
        "a text of more than 1,000,000 characters in line 4, column A",
    ),
    "merged cells that overlap": Hostile(
        lambda: with_rows(table_rows(), f"<mergeCells>{_MERGED * 150_000}</mergeCells>"),
        "merged cells of its sheet 'Tasks' overlap",
    ),
    "tags in tags": Hostile(lambda: with_rows("<a>" * 500_000), NOTHING_TO_READ),
}
"""What is small and grows when it is read; made when it is asked for."""


def _in_last_column(rows: int) -> str:
    return "".join(f'<row r="{k}"><c r="XFD{k}"><v>{k}</v></c></row>' for k in range(4, rows))


def _letters(number: int) -> str:
    found = ""
    while number:
        number, rest = divmod(number - 1, 26)
        found = chr(ord("A") + rest) + found
    return found


SMALL: Final[Mapping[str, Odd]] = {**_good(), **_damaged(), **_protected_and_foreign()}
"""The rest of the corpus."""
