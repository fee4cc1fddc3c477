"""A file that somebody named, whatever it is: its records, again and again, with the places where they stand.

A spreadsheet as text: named columns, rows of text cells, and the line at which each row starts.

Everything an importer later says about a file ("line 7, column winner") comes from here, so that no other module
needs to know whether the cells were read from a CSV file or from an Excel workbook.

The sheets of a workbook that are one table: those with the header of the first, one below the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.errors import InputError, Problem, Unit, UsageError
from tiebreak.tabular.cells import refuse_other_kinds, whole_characters
from tiebreak.tabular.delimited import read_delimited
from tiebreak.tabular.documents import document_of, is_by_line, lines_of, looks_like_json, records_in
from tiebreak.tabular.headers import Grid, Sheet, sheet_of
from tiebreak.tabular.workbook import grid_of, is_workbook, problems_of, read_pages

_HEAD: Final = 4096
_SLICE: Final = 5_000
"""Rows of a Parquet file that are in memory at a time."""
_PEEKED: Final = 20
_PARQUET: Final = b"PAR1"
_ZIP: Final = b"PK\x03\x04"


Record = Mapping[str, object]


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
        return None if self.is_json or self.is_parquet or self.is_folder else _sheet(self.file)

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


Sources = Sequence[Source]


def _rows_of_parquet(path: Path, source: str) -> Iterator[tuple[int, Record]]:
    try:
        table = pl.scan_parquet(path)
        number, rows = 0, table.head(_SLICE).collect()
        while rows.height:
            for row in rows.iter_rows(named=True):
                number += 1
                yield number, row
            rows = table.slice(number, _SLICE).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError([Problem(source, f"this Parquet file cannot be read: {error}")]) from error


PART: Final = "sheet"
"""The column of the names of sheets, where rows are from several."""


def read_sheet(source: str) -> Sheet:
    """Read `FILE.csv`, `FILE.tsv`, `FILE.xlsx` or `FILE.xlsx#Sheet`.

    Raises UsageError for a file that does not exist or a sheet that it lacks; InputError (all problems of the file at
    once) for a wrong encoding, broken quoting, rows longer or shorter than the header, formulas that were never
    calculated, and files without a header or without rows.
    """
    Source(source)  # refuses what is no table
    sheet = _sheet(source)
    if sheet.wrong:
        raise InputError([problem for _, problem in sheet.wrong])
    return sheet


def _sheet(source: str) -> Sheet:
    """The same, with cells that have no value: whether they matter is for whoever knows what the columns are."""
    path, part = split_source(source)
    content = path.read_bytes()
    if is_workbook(content):
        return _of_workbook(content, source, part)
    if part is not None:
        raise UsageError(f"{path} is neither an Excel workbook nor JSON, so it has no sheet or list {part!r}")
    return sheet_of(read_delimited(content, source=source), source=source)


def _of_workbook(content: bytes, source: str, name: str | None) -> Sheet:
    """The first sheet that is a table, and the others that have the same columns. Hidden ones are read only if there is
    no other; a sheet of one column, or without rows, is notes beside a table.

    Raises:
        InputError: no sheet has rows below a header.
    """
    every = read_pages(content, source=source, name=name)
    pages = [page for page in every if page.rows or page.uncalculated]
    if not pages:
        nothing = f"the sheet {name!r} holds no data" if name else "no sheet of the workbook holds any data"
        raise InputError([Problem(source, nothing)])
    tables = _tables(pages, source)
    first, table = min(tables, key=lambda pair: (pair[0].hidden, len(pair[1].columns) < 2))
    same = [(page, _in_order(other, table)) for page, other in tables if not page.hidden or page is first]
    read = [(page, other) for page, other in same if other is not None]
    wrong: list[tuple[str, Problem]] = []
    for page, other in read:
        names = dict(zip(other.letters, other.columns, strict=True))
        problems = problems_of(page, source if len(every) == 1 else f"{source}#{page.title}")
        wrong += [(names.get(problem.column or "", ""), problem) for problem in problems]
    unread = tuple(
        (f"the {'hidden ' if page.hidden else ''}sheet {page.title}", len(page.rows))
        for page in pages
        if all(page is not other_page for other_page, _ in read)
    )
    if len(read) == 1:
        return replace(table, unread=unread, wrong=tuple(wrong))
    part = PART if PART not in table.columns else f"{PART} of {source}"
    return replace(
        table,
        columns=(*table.columns, part),
        lines=tuple(line for _, other in read for line in other.lines),
        rows=tuple((*row, page.title) for page, other in read for row in other.rows),
        headers_again=sum(other.headers_again for _, other in read),
        unread=unread,
        letters=(*table.letters, ""),
        wrong=tuple(wrong),
        part_column=part,
        sources=tuple(f"{source}#{page.title}" for page, other in read for _ in other.rows),
    )


def _tables(pages: Sequence[Grid], source: str) -> list[tuple[Grid, Sheet]]:
    """The sheets with rows below a header; raises what is wrong with the first if there is none."""
    sheets, wrong = [], []
    for page, grid in [(page, grid_of(page, source)) for page in pages]:
        try:
            sheets.append((page, sheet_of(grid, source=source)))
        except InputError as error:
            wrong.append(error)
    if not sheets:
        raise wrong[0]
    return sheets


def _in_order(table: Sheet, first: Sheet) -> Sheet | None:
    """The table with its columns in another's order; None if they are called differently."""
    places = {name.casefold(): place for place, name in enumerate(table.columns)}
    names = [name.casefold() for name in first.columns]
    if len(places) < len(table.columns) or places.keys() != set(names) or len(names) != len(places):
        return None
    order = [places[name] for name in names]
    return replace(
        table,
        columns=first.columns,
        letters=tuple(table.letters[j] for j in order),
        rows=tuple(tuple(row[j] for j in order) for row in table.rows),
    )


def split_source(source: str) -> tuple[Path, str | None]:
    """`FILE`, `FILE#Sheet` or `FILE#LIST` as path and part; a file whose own name holds a `#` wins."""
    path = Path(source)
    if path.is_file():
        return path, None
    name, hash_sign, sheet = source.rpartition("#")
    if hash_sign and Path(name).is_file():
        return Path(name), sheet
    if path.is_dir():
        raise UsageError(f"{source} is a folder; name the files in it (the last argument is the new study)")
    raise UsageError(f"there is no file {source}")
