"""The cells of one sheet: only those with something in them, wherever they stand."""

from __future__ import annotations

import datetime as dt
import math
import operator
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from tiebreak.tabular.xlsx.damage import SAVE_AGAIN, Place, WorkbookError
from tiebreak.tabular.xlsx.dates import DateKind, moment
from tiebreak.tabular.xlsx.texts import unescaped
from tiebreak.tabular.xlsx.xml_stream import Attributes, stream

ROWS: Final = 1_048_576
COLUMNS: Final = 16_384
_LONGEST_TEXT: Final = 1_000_000  # characters; Excel's limit is 32,767, other programs have none
_REFERENCE: Final = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MOST_EXACT_DIGITS: Final = 300


@dataclass(frozen=True, slots=True)
class Shared:
    """What the sheets of a workbook share: texts, the styles of dates, the day 0 of dates."""

    texts: Sequence[str]
    dates: Mapping[str, DateKind]
    epoch: dt.datetime


@dataclass(frozen=True, slots=True)
class SheetCells:
    """`places[k]`: row * COLUMNS + column, both from 0, of the cell with `texts[k]`, which is not blank, ascending.
    `uncalculated`: formulas without a stored value; `errors`: cells with an error value, such as #N/A; both by
    (row, column) from 0. `merged`: (first row, first column, last row, last column), from 0.
    """

    places: Sequence[int]
    texts: Sequence[str]
    uncalculated: Mapping[tuple[int, int], str]
    errors: Mapping[tuple[int, int], str]
    merged: Sequence[tuple[int, int, int, int]]


def sheet_cells(pieces: Iterable[bytes], part: str, title: str, shared: Shared) -> SheetCells:
    """The cells of a sheet. `part`, `title`: its names in the archive and for people.

    Raises:
        WorkbookError: it is damaged; the text, or its place, says where.
    """
    reader = _Reader(title, shared)
    stream(pieces, part, start=reader.start, end=reader.end, text=reader.text)
    return reader.cells()


@dataclass(slots=True)
class _Reader:
    """Follows the tags of a sheet."""

    title: str
    shared: Shared
    row: int = -1
    column: int = -1
    kind: str = "n"
    style: str = "0"
    inside: str = ""  # the tag whose text is wanted
    in_cell: bool = False
    spoken: bool = False  # within the pronunciation of a text
    value: list[str] = field(default_factory=list)
    has_value: bool = False
    formula: list[str] | None = None
    places: array[int] = field(default_factory=lambda: array("q"))
    texts: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    uncalculated: dict[tuple[int, int], str] = field(default_factory=dict)
    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    merged: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)

    def start(self, tag: str, attributes: Attributes) -> None:
        """A tag begins."""
        if tag == "c":
            self._open(attributes)
        elif tag == "row":
            self._next_row(attributes.get("r"))
        elif self.in_cell:
            if tag == "v" or (tag == "t" and not self.spoken):
                self.inside = tag
                self.has_value = True
            elif tag == "f":
                self.inside = tag
                self.formula = []
            elif tag == "rPh":
                self.spoken = True
        elif tag == "mergeCell":
            reference = attributes.get("ref", "")
            if reference not in self.merged:
                self.merged[reference] = self._range(reference)

    def text(self, data: str) -> None:
        """Text within a tag; one text may come in several pieces."""
        if self.inside == "f" and self.formula is not None:
            self.formula.append(data)
        elif self.inside:
            self.value.append(data)

    def end(self, tag: str) -> None:
        """A tag ends; with that of a cell its value is known."""
        if tag == self.inside:
            self.inside = ""
        elif tag == "c":
            self._close()
        elif tag == "rPh":
            self.spoken = False

    def _next_row(self, number: str | None) -> None:
        self.column = -1
        if number is None:
            self.row += 1
        elif number.isdecimal() and len(number) < 8 and 1 <= (row := int(number)) <= ROWS:
            self.row = row - 1
        else:
            raise self._damaged(f"has a row with the number {number[:20]!r}")

    def _open(self, attributes: Attributes) -> None:
        reference = attributes.get("r")
        if reference is None:
            self.column += 1
        else:
            self.column = self._cell(reference)[1]
        if not (0 <= self.row < ROWS and self.column < COLUMNS):
            raise self._damaged("has a cell outside its rows and columns")
        self.kind, self.style = attributes.get("t", "n"), attributes.get("s", "0")
        self.in_cell, self.has_value, self.formula = True, False, None
        self.value.clear()

    def _close(self) -> None:
        self.in_cell, self.inside = False, ""
        if self.has_value or self.formula is not None:
            text = self._text() if self.has_value else ""
            if text:
                self.places.append(self.row * COLUMNS + self.column)
                self.texts.append(self.known.setdefault(text, text))
            elif self.formula is not None and self.kind != "str":
                self.uncalculated[self.row, self.column] = "=" + "".join(self.formula)

    def _text(self) -> str:
        """The value of the cell that ends here, as a person reads it."""
        raw = "".join(self.value)
        if len(raw) > _LONGEST_TEXT:
            raise self._wrong(f"a text of {len(raw):,} characters; the most is {_LONGEST_TEXT:,}", raw)
        if self.kind == "s":
            return self._shared_text(raw.strip()) if raw.strip() else ""
        if self.kind in ("str", "inlineStr"):
            return unescaped(raw)
        plain = raw.strip()
        if self.kind == "e" and plain:
            self.errors[self.row, self.column] = plain
        if self.kind in ("e", "d") or not plain:
            return _iso(plain) if self.kind == "d" else plain
        if self.kind == "b" and plain in ("0", "1"):
            return "true" if plain == "1" else "false"
        if self.kind != "n" or _NUMBER.fullmatch(plain) is None:
            raise self._wrong(f"the cell is damaged (type {self.kind[:20]!r}); {SAVE_AGAIN}", plain)
        return self._number(plain)

    def _shared_text(self, raw: str) -> str:
        if not self.shared.texts:
            raise self._wrong(f"the workbook has lost its table of texts; {SAVE_AGAIN}")
        if not raw.isdecimal() or len(raw) > 9 or int(raw) >= len(self.shared.texts):
            raise self._wrong(f"the text of this cell is missing from the file; {SAVE_AGAIN}", raw)
        return self.shared.texts[int(raw)]

    def _number(self, raw: str) -> str:
        kind = self.shared.dates.get(self.style)
        number = float(raw)
        if kind is not None and (date := moment(number, kind, self.shared.epoch)) is not None:
            return cell_text(date)
        if not math.isfinite(number):
            raise self._wrong("the number is beyond what can be read", raw)
        if raw.lstrip("+-").isdecimal() and len(raw) < _MOST_EXACT_DIGITS:
            return str(int(raw))
        return cell_text(number)

    def _range(self, reference: str) -> tuple[int, int, int, int]:
        first, _, last = reference.partition(":")
        top, left = self._cell(first)
        bottom, right = self._cell(last or first)
        return min(top, bottom), min(left, right), max(top, bottom), max(left, right)

    def _cell(self, reference: str) -> tuple[int, int]:
        """Row and column, from 0."""
        match = _REFERENCE.fullmatch(reference)
        if match is None:
            raise self._damaged(f"has a cell called {reference[:20]!r}")
        column = 0
        for letter in match[1].upper():
            column = column * 26 + ord(letter) - ord("A") + 1
        row = int(match[2])
        if not (1 <= row <= ROWS and column <= COLUMNS):
            raise self._damaged(f"has a cell called {reference[:20]!r}")
        return row - 1, column - 1

    def _damaged(self, what: str) -> WorkbookError:
        return WorkbookError(f"its sheet {self.title!r} {what}, so it is damaged; {SAVE_AGAIN}")

    def _wrong(self, message: str, value: str | None = None) -> WorkbookError:
        return WorkbookError(message, Place(self.title, self.row + 1, self.column), value)

    def cells(self) -> SheetCells:
        places: Sequence[int] = self.places
        texts = self.texts
        if not all(map(operator.lt, places, islice(places, 1, None))):
            order = sorted(range(len(places)), key=places.__getitem__)
            places, texts = [places[k] for k in order], [texts[k] for k in order]
            if not all(map(operator.lt, places, islice(places, 1, None))):
                raise self._damaged("has two values for one cell")
        return SheetCells(places, texts, self.uncalculated, self.errors, tuple(self.merged.values()))


def cell_text(value: float | dt.datetime | dt.time | dt.timedelta) -> str:
    """A value as a person reads it: 7.0 is "7", a date is ISO 8601."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat()
    return value.isoformat() if isinstance(value, dt.time) else str(value)


def _iso(text: str) -> str:
    """A date that is written out, as `cell_text` would write it."""
    try:
        return cell_text(dt.datetime.fromisoformat(text))
    except ValueError:
        return text
