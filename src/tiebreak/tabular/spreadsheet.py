"""A spreadsheet as text: named columns, rows of text cells, and the line at which each row starts.

Everything an importer later says about a file ("line 7, column winner") comes from here, so that no other module
needs to know whether the cells were read from a CSV file or from an Excel workbook.

The sheets of a workbook that are one table: those with the header of the first, one below the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.tabular.cells import refuse_other_kinds
from tiebreak.tabular.delimited import read_delimited
from tiebreak.tabular.headers import Table, table_of
from tiebreak.tabular.workbook import PageGrid, is_workbook, read_workbook

PART: Final = "sheet"
"""The column of the names of sheets, where rows are from several."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A table from one or several sheets: `sources` and `part_column` as in `Sheet`, for several. `unread`: the other
    sheets with data, with how many rows they have.
    """

    table: Table
    sources: tuple[str, ...]
    part_column: str
    unread: tuple[tuple[str, int], ...]


def joined(pages: Sequence[PageGrid], *, source: str) -> Joined:
    """The first sheet that is a table, and the others that have the same columns. Hidden ones are read only if there is
    no other; a sheet of one column, or without rows, is notes beside a table.

    Raises:
        InputError: no sheet has rows below a header, or cells of those that are read have no value.
    """
    tables = _tables(pages, source)
    first, table = min(tables, key=lambda found: (found[0].hidden, len(found[1].columns) < 2))
    same = [(page, _in_order(other, table)) for page, other in tables if not page.hidden or page is first]
    read = [(page, other) for page, other in same if other is not None]
    unread = tuple(
        (f"the {'hidden ' if page.hidden else ''}sheet {page.title}", len(page.grid.rows))
        for page in pages
        if all(page is not one for one, _ in read)
    )
    if problems := [problem for page, _ in read for problem in page.problems]:
        raise InputError(problems)
    if len(read) == 1:
        return Joined(table, (), "", unread)
    name = PART if PART not in table.columns else f"{PART} of {source}"
    whole = Table(
        columns=(*table.columns, name),
        lines=tuple(line for _, other in read for line in other.lines),
        rows=tuple((*row, page.title) for page, other in read for row in other.rows),
        headers_again=sum(other.headers_again for _, other in read),
    )
    sources = tuple(f"{source}#{page.title}" for page, other in read for _ in other.rows)
    return Joined(whole, sources, name, unread)


def _tables(pages: Sequence[PageGrid], source: str) -> list[tuple[PageGrid, Table]]:
    """The sheets with rows below a header; raises what is wrong with the first if there is none."""
    found, wrong = [], []
    for page in pages:
        try:
            found.append((page, table_of(page.grid, source=source)))
        except InputError as error:
            wrong.append(error)
    if not found:
        raise wrong[0]
    return found


def _in_order(table: Table, of: Table) -> Table | None:
    """The table with its columns in another's order; None if they are called differently."""
    places = {name.casefold(): place for place, name in enumerate(table.columns)}
    names = [name.casefold() for name in of.columns]
    if len(places) < len(table.columns) or places.keys() != set(names) or len(names) != len(places):
        return None
    order = [places[name] for name in names]
    return replace(table, columns=of.columns, rows=tuple(tuple(row[j] for j in order) for row in table.rows))


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of text cells.

    `source`: the file as the user named it (with `#Sheet` where a sheet was named). `columns`: unique and not empty.
    `lines[i]`: 1-based number of row i, as a spreadsheet program shows it. `rows[i][j]`: the text of row i in column j,
    "" for a blank cell, otherwise as it stands in the file. `decimal_comma`: numbers are written 3,5. `headers_again`:
    how many rows repeated the header and were left out. `unread`: other sheets, with how many rows they have.
    `part_column`: the column that names the sheet that a row is from. `sources`: file and sheet of each row, where rows
    are from several. `remarks`: sentences about what was taken to be so.
    """

    source: str
    columns: tuple[str, ...]
    lines: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    decimal_comma: bool = False
    headers_again: int = 0
    unread: tuple[tuple[str, int], ...] = ()
    part_column: str = ""
    sources: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def source_of(self, number: int) -> str:
        """The file, with its sheet where there are several, of row `number` (from 0)."""
        return self.sources[number] if self.sources else self.source

    def values(self, column: str) -> list[str]:
        """The cells of one column, in order of the rows."""
        position = self.columns.index(column)
        return [row[position] for row in self.rows]


def read_sheet(source: str) -> Sheet:
    """Read `FILE.csv`, `FILE.tsv`, `FILE.xlsx` or `FILE.xlsx#Sheet`.

    Raises UsageError for a file that does not exist or a sheet that it lacks; InputError (all problems of the file at
    once) for a wrong encoding, broken quoting, rows longer or shorter than the header, formulas that were never
    calculated, and files without a header or without rows.
    """
    path, part = split_source(source)
    content = path.read_bytes()
    if not content.strip():
        raise InputError([Problem(source, "the file is empty; it needs a header line and at least one row")])
    refuse_other_kinds(content, source=source)
    if is_workbook(content):
        return _of_workbook(content, source, part)
    if part is not None:
        raise UsageError(f"{path} is neither an Excel workbook nor JSON, so it has no sheet or list {part!r}")
    grid = read_delimited(content, source=source)
    table = table_of(grid, source=source)
    return Sheet(
        source=source,
        columns=table.columns,
        lines=table.lines,
        rows=table.rows,
        decimal_comma=grid.decimal_comma,
        headers_again=table.headers_again,
        remarks=grid.remarks,
    )


def _of_workbook(content: bytes, source: str, name: str | None) -> Sheet:
    found = joined(read_workbook(content, source=source, sheet_name=name), source=source)
    table = found.table
    return Sheet(
        source=source,
        columns=table.columns,
        lines=table.lines,
        rows=table.rows,
        sources=found.sources,
        headers_again=table.headers_again,
        unread=found.unread,
        part_column=found.part_column,
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
