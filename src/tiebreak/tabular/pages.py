"""The sheets of a workbook that are one table: those with the header of the first, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tiebreak.errors import InputError
from tiebreak.tabular.headers import Table, table_of
from tiebreak.tabular.workbook import PageGrid

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
        gaps=tuple(gap for _, other in read for gap in other.gaps),
        renamed=table.renamed,
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
