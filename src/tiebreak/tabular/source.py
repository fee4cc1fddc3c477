"""A file that somebody named, whatever it is: its records, again and again, with the places where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.errors import InputError, Problem, Unit
from tiebreak.tabular.cells import refuse_other_kinds, whole_characters
from tiebreak.tabular.documents import document_of, is_by_line, lines_of, looks_like_json, records_in
from tiebreak.tabular.headers import Sheet
from tiebreak.tabular.nested import Record
from tiebreak.tabular.spreadsheet import read_sheet, split_source

_HEAD: Final = 4096
_SLICE: Final = 5_000
"""Rows of a Parquet file that are in memory at a time."""
_PEEKED: Final = 20
_PARQUET: Final = b"PAR1"
_ZIP: Final = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Place:
    """File and 1-based number of a record; `unit` says what is counted."""

    file: str
    line: int | None
    unit: Unit = "row"

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}, {self.unit} {self.line}"

    def problem(self, message: str, column: str | None = None, value: str | None = None) -> Problem:
        """What is wrong here, in a column and with a value of it."""
        return Problem(self.file, message, self.line, column, value, self.unit)


class Source:
    """A file as the user named it: `FILE`, `FILE.xlsx#Sheet` or `FILE.json#LIST`; a folder, for tools that write some.

    `unit`: what the numbers of its records count.
    """

    def __init__(self, file: str) -> None:
        """Look at the file.

        Raises:
            UsageError: there is none.
        """
        self.file = file
        self.is_folder = Path(file).is_dir()
        self.path, self.part = (Path(file), None) if self.is_folder else split_source(file)
        self.stem = whole_characters(self.part or self.path.stem)
        head = b""
        if not self.is_folder:
            with self.path.open("rb") as stream:
                head = stream.read(_HEAD)
            if not head.strip():
                message = "the file is empty; it needs a header line and at least one row"
                raise InputError([Problem(file, message)])
        self.is_parquet, self.is_zip = head.startswith(_PARQUET), head.startswith(_ZIP)
        self.is_json = looks_like_json(head)
        if not (self.is_folder or self.is_parquet or self.is_zip):
            refuse_other_kinds(head if self.is_json else self.path.read_bytes(), source=file)

    @cached_property
    def is_by_line(self) -> bool:
        """Whether it is JSON with an object on each line."""
        return self.is_json and self.part is None and is_by_line(self.path)

    @cached_property
    def unit(self) -> Unit:
        """What the places in it are counted in."""
        return "line" if self.is_by_line else "record" if self.is_json or self.is_parquet else "row"

    @cached_property
    def document(self) -> object:
        """The whole of a JSON file that is one document; None for any other file."""
        return document_of(self.path.read_bytes(), self.file) if self.is_json and not self.is_by_line else None

    @cached_property
    def sheet(self) -> Sheet | None:
        """The cells of a spreadsheet or delimited file; None for any other."""
        return None if self.is_json or self.is_parquet or self.is_folder else read_sheet(self.file)

    @cached_property
    def first(self) -> tuple[Record, ...]:
        """The first records; none where the file has none that can be read."""
        if self.is_folder:
            return ()
        try:
            return tuple(record for _, record in islice(self.records(), _PEEKED))
        except InputError:
            return ()

    def records(self) -> Iterator[tuple[int, Record]]:
        """The records of the file with their numbers; of JSON and Parquet with what is nested in them.

        Raises:
            InputError: the file cannot be read.
        """
        if self.is_by_line:
            yield from lines_of(self.path, self.file)
        elif self.is_json:
            yield from enumerate(records_in(self.document, self.file, self.part), 1)
        elif self.is_parquet:
            yield from _rows_of_parquet(self.path, self.file)
        elif self.sheet is not None:
            for line, row in zip(self.sheet.lines, self.sheet.rows, strict=True):
                yield line, dict(zip(self.sheet.columns, row, strict=True))

    def placed(self) -> Iterator[tuple[Place, Record]]:
        """The same with the places where they stand."""
        for number, (line, record) in enumerate(self.records()):
            yield Place(self.file_of(number), line, self.unit), record

    def file_of(self, number: int) -> str:
        """The file, with its sheet where there are several, of record `number` (from 0)."""
        return self.file if self.sheet is None else self.sheet.source_of(number)


def _rows_of_parquet(path: Path, source: str) -> Iterator[tuple[int, Record]]:
    try:
        table = pl.scan_parquet(path)
        number, rows = 0, table.head(_SLICE).collect()
        while rows.height:
            for row in rows.iter_rows(named=True):
                number += 1
                yield number, row
            rows = table.slice(number, _SLICE).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError([Problem(source, f"this Parquet file cannot be read: {error}")]) from error
    except BaseException as error:  # a panic of the library in Rust, which is no Exception
        if type(error).__name__ != "PanicException":
            raise
        raise InputError([Problem(source, "this Parquet file is damaged")]) from error
