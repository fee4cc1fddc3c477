"""Workbooks (.xlsx, .xls, .ods) as rows of text, read by fastexcel (calamine).

Only cells with something in them count: a sheet ends with the last of them, and rows and columns without any are left
out, so that a stray format in the last row of a sheet costs nothing. What fastexcel does not tell of .xlsx (merged
cells, error values, formulas that were never calculated) is looked up in the XML of the sheet, which is first held
against what a file of its size can hold.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from typing import Final
from xml.etree import ElementTree

import fastexcel
import polars as pl

from tiebreak.errors import InputError, Problem, TiebreakError, UsageError, did_you_mean
from tiebreak.tabular.cells import is_old_excel
from tiebreak.tabular.headers import CellTexts, Grid, column_letter

_ZIP_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
_NO_WORKBOOK: Final = {
    "xl/workbook.bin": "this is a binary Excel workbook (.xlsb); save it as .xlsx",
    "word/document.xml": "this is a Word document; save its table as .xlsx or CSV UTF-8",
    "ppt/presentation.xml": "this is a PowerPoint presentation; save its table as .xlsx or CSV UTF-8",
    "index/document.iwa": "this is a Numbers document; save it as .xlsx or CSV UTF-8",
}
_SAVE_AGAIN: Final = "open it in a spreadsheet program and save it again as .xlsx"

_BYTES_ALWAYS: Final = 32 * 1024 * 1024
_BYTES_PER_BYTE: Final = 50  # cells of one text each reach 26
_PLACES_ALWAYS: Final = 8_000_000  # cells between the first and the last, blank ones too: fastexcel makes them all
_PLACES_PER_CELL: Final = 20
_LONGEST_TEXT: Final = 1_000_000  # characters; Excel's limit is 32,767, other programs have none
_PIECE: Final = 1024 * 1024
_ENCRYPTED: Final = 1  # a flag of a member
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others inflate without bounds, and Excel has none

_FILLED: Final = re.compile(rb'<(?:\w+:)?c r="([A-Z]{1,3})(\d{1,7})"[^>/]*>')
_ERROR: Final = re.compile(
    rb'<(?:\w+:)?c r="([A-Z]+)(\d+)"[^>]*\bt="e"[^>/]*>.{0,4000}?<(?:\w+:)?v>([^<]*)<', re.DOTALL
)
_UNCALCULATED: Final = re.compile(
    rb'<(?:\w+:)?c r="([A-Z]+)(\d+)"(?![^>]*t="str")[^>/]*><(?:\w+:)?f(?:>([^<]*)</(?:\w+:)?f>|[^>]*/>)'
    rb"(?:<(?:\w+:)?v ?/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)
_MERGED: Final = re.compile(rb'<(?:\w+:)?mergeCell ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_TEXT_COUNT: Final = re.compile(rb'\b(?:uniqueC|c)ount="(\d{1,30})"')
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)?")


def is_workbook(content: bytes) -> bool:
    """Whether a file is a zip archive (.xlsx, .ods) or an old Excel workbook (.xls), whatever it is called."""
    return content.startswith(_ZIP_MAGIC) or is_old_excel(content)


class _WorkbookError(Exception):
    """A workbook, or one of its cells, that cannot be read; the text says why and what to do."""


def read_pages(content: bytes, *, source: str, name: str | None = None) -> tuple[Grid, ...]:
    """The sheet of this name, else all sheets of a workbook, in its order, those without data too.

    Raises:
        UsageError: there is no such sheet.
        InputError: no workbook, or a damaged one.
    """
    with _reading(source):
        parts = _sheet_parts(content) if content.startswith(_ZIP_MAGIC) else {}
        reader = fastexcel.read_excel(content)
        titles = tuple(reader.sheet_names)
        if name is not None and name not in titles:
            raise UsageError(
                f"{source}: the workbook has no sheet {name!r}{did_you_mean(name, titles)} "
                f"(it has {', '.join(titles) or 'only charts'})"
            )
        return tuple(_page(reader, title, parts.get(title, b"")) for title in (titles if name is None else (name,)))


def _page(reader: fastexcel.ExcelReader, title: str, xml: bytes) -> Grid:
    _check_extent(title, xml)
    uncalculated, errors, merged = _cells(_UNCALCULATED, xml, "="), _cells(_ERROR, xml), _merged(xml)
    sheet = reader.load_sheet(title, header_row=None, skip_rows=0, dtypes="string")
    hidden = sheet.visible != "visible"
    if not sheet.width or not sheet.height:
        return Grid((), title, hidden, positions=(), uncalculated=uncalculated, merged=merged)
    places = [column.absolute_index for column in sheet.available_columns()]
    rows = _texts(title, sheet.to_polars(), places, errors)
    kept = [place for place in range(len(places)) if any(cells[place] for _, cells in rows)]
    return Grid(
        rows=tuple((row, tuple(cells[place] for place in kept)) for row, cells in rows),
        title=title,
        hidden=hidden,
        positions=tuple(places[place] for place in kept),
        uncalculated=uncalculated,
        errors=errors,
        merged=merged,
    )


def _texts(title: str, frame: pl.DataFrame, places: Sequence[int], errors: CellTexts) -> list[tuple[int, list[str]]]:
    """The rows with data, numbered from 1; error values stand where fastexcel leaves a blank."""
    numbers = {row for row, _ in errors}
    filled = frame.with_row_index("row number", offset=1)
    anything = pl.any_horizontal(pl.col(frame.columns).is_not_null()) | pl.col("row number").is_in(list(numbers))
    rows = []
    for number, *cells in filled.filter(anything).iter_rows():
        texts = [_text(cell) for cell in cells]
        if number in numbers:
            texts = [text or errors.get((number, place), "") for text, place in zip(texts, places, strict=True)]
        long = next((place for place, text in zip(places, texts, strict=True) if len(text) > _LONGEST_TEXT), None)
        if long is not None:
            raise _WorkbookError(
                f"its sheet {title!r} has a text of more than {_LONGEST_TEXT:,} characters in line {number}, column "
                f"{column_letter(long)}"
            )
        if any(texts):
            rows.append((number, texts))
    return rows


def _text(cell: str | None) -> str:
    """A cell as a person reads it: a date alone, a time of day alone, or both in ISO 8601."""
    if not cell:
        return ""
    match = _MOMENT.fullmatch(cell)
    if match is None:
        return cell
    day, time = match.groups()
    if day.startswith("1899-12-3"):  # Excel's day 0
        return str(time)
    return str(day) if time == "00:00:00" else f"{day}T{time}"


# ---- what is looked up in the archive --------------------------------------------------------------------------


def _sheet_parts(content: bytes) -> dict[str, bytes]:
    """The XML of each sheet of an .xlsx file, by title; none of .ods, whose size is checked alike.

    Raises:
        _WorkbookError: no workbook, a damaged one, or one that inflates to far more than its size allows.
    """
    archive = zipfile.ZipFile(io.BytesIO(content))
    parts = {info.filename.replace("\\", "/").lstrip("/").casefold(): info for info in archive.infolist()}
    foreign = next((message for name, message in _NO_WORKBOOK.items() if name in parts), None)
    if foreign is not None:
        raise _WorkbookError(foreign)
    left = _BYTES_ALWAYS + _BYTES_PER_BYTE * len(content)
    texts: dict[str, bytes] = {}
    for name, info in parts.items():
        text = _inflated(archive, info, left)
        left -= len(text)
        if name.endswith((".xml", ".rels")):
            if b"<!ENTITY" in text[:4096] or b"<!DOCTYPE" in text[:4096]:
                raise _WorkbookError(f"its part {name} declares XML entities, which no table needs; {_SAVE_AGAIN}")
            texts[name] = text
    if any(int(count) > len(text) for text in texts.values() for count in _TEXT_COUNT.findall(text[:4096])):
        raise _WorkbookError(f"its table of texts claims more texts than it can hold; {_SAVE_AGAIN}")
    book = texts.get("xl/workbook.xml")
    if book is None:
        if "mimetype" in parts or "content.xml" in parts:
            return {}
        raise _WorkbookError(f"this is a zip archive and no workbook; {_SAVE_AGAIN}")
    return _parts_by_title(book, texts.get("xl/_rels/workbook.xml.rels", b"<x/>"), texts)


def _inflated(archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> bytes:
    """The content of a part, at most `left` bytes."""
    if info.flag_bits & _ENCRYPTED:
        raise _WorkbookError("it is password-protected; save it without a password")
    if info.compress_type not in _METHODS:
        raise _WorkbookError(f"its part {info.filename} is compressed in a way that Excel does not know; {_SAVE_AGAIN}")
    pieces, size = [], 0
    with archive.open(info) as stream:
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > left:
                raise _WorkbookError(
                    "it inflates to far more than a table of its size can hold, perhaps to millions of empty cells; "
                    "copy the cells with data into a new workbook, or save them as CSV UTF-8"
                )
    return b"".join(pieces)


def _parts_by_title(book: bytes, relations: bytes, texts: Mapping[str, bytes]) -> dict[str, bytes]:
    targets = {node.get("Id"): node.get("Target", "") for node in ElementTree.fromstring(relations)}
    parts = {}
    for node in ElementTree.fromstring(book).iter():
        if node.tag.endswith("}sheet"):
            target = targets.get(next((value for key, value in node.items() if key.endswith("}id")), ""), "")
            path = posixpath.normpath(posixpath.join("/xl", target.replace("\\", "/"))).lstrip("/").casefold()
            parts[node.get("name", "")] = texts.get(path, b"")
    return parts


def _check_extent(title: str, xml: bytes) -> None:
    """Refuse a sheet whose first and last cells span far more than its data: all cells between them are made."""
    places = _FILLED.findall(xml)
    if not places:
        return
    rows = [int(row) for _, row in places]
    columns = [_column(letters) for letters in {letters for letters, _ in places}]
    extent = (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1)
    if extent > _PLACES_ALWAYS + _PLACES_PER_CELL * len(places):
        raise _WorkbookError(
            f"the data of its sheet {title!r} is scattered over {max(rows):,} rows and {max(columns) + 1:,} columns; "
            "copy the table into a new workbook, or save it as CSV UTF-8"
        )


def _cells(pattern: re.Pattern[bytes], xml: bytes, before: str = "") -> dict[tuple[int, int], str]:
    """The text that a pattern finds of each cell, by (row from 1, column from 0)."""
    return {
        (int(row), _column(letters)): before + unescape((text or b"").decode("utf-8", "replace"))
        for letters, row, text in pattern.findall(xml)
    }


def _merged(xml: bytes) -> tuple[tuple[int, int, int, int], ...]:
    ranges = {
        (int(top), _column(left), int(bottom), _column(right)) for left, top, right, bottom in _MERGED.findall(xml)
    }
    return tuple(sorted((min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in ranges))


def _column(letters: bytes) -> int:
    """0 of A, 26 of AA."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1


@contextmanager
def _reading(source: str) -> Iterator[None]:
    """What keeps a workbook from being read, also what libraries say of a damaged one, with the name of the file."""
    try:
        yield
    except (TiebreakError, MemoryError):
        raise
    except BaseException as error:  # a panic of the library in Rust is no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        why = str(error) if isinstance(error, _WorkbookError) else f"the file is damaged or cut off; {_SAVE_AGAIN}"
        raise InputError([Problem(source, f"this workbook cannot be read: {why}")]) from error


# ---- pages as grids --------------------------------------------------------------------------------------------


def problems_of(page: Grid, source: str) -> list[Problem]:
    """Cells that have no value to be read: one problem for each cause in a column, at the first of its cells, with how
    many there are.
    """
    uncalculated = "a formula without a stored value; open the file in a spreadsheet program and save it"
    causes: dict[tuple[int, str, str], list[tuple[int, str]]] = {}
    for (row, column), value in sorted(page.errors.items()):
        message = "an Excel error value; correct or clear the cell"
        causes.setdefault((column, message, value), []).append((row, value))
    for (row, column), formula in sorted(page.uncalculated.items()):
        causes.setdefault((column, uncalculated, ""), []).append((row, formula))
    problems = []
    for (column, message, _), cells in causes.items():
        (row, value), count = cells[0], len(cells)
        counted = f" ({count:,} such cells in this column)" if count > 1 else ""
        problems.append(Problem(source, message + counted, row, column_letter(column), value))
    return problems


def grid_of(page: Grid, source: str) -> Grid:
    """The page with the value of merged cells wherever they reach.

    Raises:
        InputError: merged cells overlap.
    """
    lines = [line for line, _ in page.rows]
    cells = [list(row) for _, row in page.rows]
    spans: list[tuple[int, int, int]] = []
    places = page.positions or ()
    room = len(lines) * len(places)
    for top, left, bottom, right in page.merged:
        rows = range(bisect_left(lines, top), bisect_right(lines, bottom))
        columns = range(bisect_left(places, left), bisect_right(places, right))
        room -= len(rows) * len(columns)
        if room < 0:
            message = f"this workbook cannot be read: merged cells of its sheet {page.title!r} overlap; unmerge them"
            raise InputError([Problem(source, message)])
        if not (rows and columns and lines[rows[0]] == top and places[columns[0]] == left):
            continue  # it begins beside all data: there is no value
        value = cells[rows[0]][columns[0]]
        for row in rows:
            for column in columns:
                cells[row][column] = value
        if top == bottom and len(columns) > 1:
            spans.append((rows[0], columns[0], columns[-1]))
    for row, first, last in spans:
        # The copies of a merged title are blanked, so that it still looks like the one cell that it is.
        if not any(cell.strip() for j, cell in enumerate(cells[row]) if not first <= j <= last):
            cells[row][first + 1 : last + 1] = [""] * (last - first)
    rows_filled = tuple((line, tuple(row)) for line, row in zip(lines, cells, strict=True))
    return replace(page, rows=rows_filled, header_spans=tuple(sorted(spans)))
