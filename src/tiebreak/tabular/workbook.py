"""Excel workbooks (.xlsx) as rows of text.

Only cells with something in them count: a sheet ends with the last of them, and rows and columns without any are not
there at all, so that a stray format in the last row of a sheet costs nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.tabular.grid import Grid, column_letter, is_too_sparse
from tiebreak.tabular.xlsx.archive import Archive
from tiebreak.tabular.xlsx.cells import COLUMNS, Shared, SheetCells, sheet_cells
from tiebreak.tabular.xlsx.damage import WorkbookError
from tiebreak.tabular.xlsx.dates import date_styles
from tiebreak.tabular.xlsx.layout import Layout, SheetPart, layout_of
from tiebreak.tabular.xlsx.texts import shared_texts

ZIP_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")

Cells = Mapping[tuple[int, int], str]


def is_workbook(content: bytes) -> bool:
    """A zip archive: .xlsx, whatever the file is called."""
    return content.startswith(ZIP_MAGIC)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a workbook. `columns`: the columns with data, from 0. `rows`: the rows with data, as (1-based row, the
    text of its cell in each of these columns, "" for a blank one); a formula counts by the value that was stored with
    it. By (row from 1, column from 0): `uncalculated`, formulas without such a value, and `errors`, values such as
    #N/A. `merged`: (first row, first column, last row, last column), counted alike.
    """

    title: str
    columns: tuple[int, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    uncalculated: Cells
    errors: Cells
    merged: tuple[tuple[int, int, int, int], ...]


def read_pages(content: bytes, *, source: str) -> tuple[Page, ...]:
    """All pages of a workbook, in its order, those without data too, but no charts.

    Raises:
        InputError: no workbook, or a damaged one.
    """
    with _named(source):
        book = _Book(content)
        return tuple(map(book.page, book.layout.sheets))


@dataclass(frozen=True, slots=True)
class PageGrid:
    """The cells of a page with data, formulas by the value that Excel stored, merged cells with their value in every
    cell that they cover. `problems`: cells that have no value to be read.
    """

    title: str
    hidden: bool
    grid: Grid
    problems: tuple[Problem, ...]


def read_workbook(content: bytes, *, source: str, sheet_name: str | None) -> tuple[PageGrid, ...]:
    """The named sheet, else all with data.

    Raises:
        UsageError: there is no such sheet.
        InputError: no workbook, a damaged one, or one without data.
    """
    with _named(source):
        book = _Book(content)
        sheets = book.layout.sheets if sheet_name is None else (_called(book, source, sheet_name),)
        pages = [(sheet, book.page(sheet)) for sheet in sheets]
        found = [
            PageGrid(page.title, sheet.hidden, _grid(page), tuple(_problems(page, source, alone=len(sheets) == 1)))
            for sheet, page in pages
            if page.rows or page.uncalculated
        ]
    if not found:
        nothing = f"the sheet {sheet_name!r} holds no data" if sheet_name else "no sheet of the workbook holds any data"
        raise InputError([Problem(source, nothing + ("" if sheets else "; it has only charts"))])
    return tuple(found)


class _Book:
    """A workbook whose sheets are read when they are asked for."""

    def __init__(self, content: bytes) -> None:
        self._archive = Archive(content)
        self.layout: Layout = layout_of(self._archive)
        texts = shared_texts(self._archive, self.layout.texts)
        self._shared = Shared(texts, date_styles(self._archive, self.layout.styles), self.layout.epoch)

    def page(self, sheet: SheetPart) -> Page:
        found = sheet_cells(self._archive.pieces(sheet.part), sheet.part, sheet.title, self._shared)
        columns = sorted({place % COLUMNS for place in found.places})
        return Page(
            sheet.title,
            tuple(columns),
            tuple(_rows(sheet.title, found, columns)),
            {(row + 1, column): formula for (row, column), formula in found.uncalculated.items()},
            {(row + 1, column): value for (row, column), value in found.errors.items()},
            tuple((top + 1, left, bottom + 1, right) for top, left, bottom, right in found.merged),
        )


def _rows(title: str, found: SheetCells, columns: Sequence[int]) -> Iterator[tuple[int, tuple[str, ...]]]:
    numbers = [place // COLUMNS for place in found.places]
    height = len(set(numbers))
    if is_too_sparse(height, len(columns), len(numbers)):
        raise WorkbookError(
            f"the data of its sheet {title!r} is scattered over {height:,} rows and {len(columns):,} columns; copy the "
            "table into a new workbook, or save it as CSV UTF-8"
        )
    at = {column: place for place, column in enumerate(columns)}
    start = 0
    while start < len(numbers):
        end = bisect_right(numbers, numbers[start], lo=start)
        cells = [""] * len(columns)
        for place, text in zip(found.places[start:end], found.texts[start:end], strict=True):
            cells[at[place % COLUMNS]] = text
        yield numbers[start] + 1, tuple(cells)
        start = end


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Errors of a workbook with the name of the file and, where they are about a cell, its place."""
    try:
        yield
    except WorkbookError as error:
        if error.place is None:
            raise InputError([Problem(source, f"this workbook cannot be read: {error.message}")]) from error
        place = error.place
        file = source if source.endswith(f"#{place.page}") else f"{source}#{place.page}"
        raise InputError([Problem(file, error.message, place.row, column_letter(place.column), error.value)]) from error


def _called(book: _Book, source: str, name: str) -> SheetPart:
    titles = [sheet.title for sheet in book.layout.sheets]
    if name not in titles:
        raise UsageError(
            f"{source}: the workbook has no sheet {name!r}{did_you_mean(name, titles)} "
            f"(it has {', '.join(titles) or 'only charts'})"
        )
    return book.layout.sheets[titles.index(name)]


def _problems(page: Page, source: str, *, alone: bool) -> list[Problem]:
    """Cells without a value, named with their sheet if there are others."""
    file = source if alone else f"{source}#{page.title}"
    return [*_error_values(page, file), *_uncalculated(page, file)]


def _error_values(page: Page, source: str) -> list[Problem]:
    causes = {place: (place[1], value) for place, value in page.errors.items()}
    return _by_cause(page.errors, causes, source, "an Excel error value; correct or clear the cell")


def _uncalculated(page: Page, source: str) -> list[Problem]:
    causes = {place: (place[1], "") for place in page.uncalculated}
    message = "a formula without a stored value; open the file in a spreadsheet program and save it"
    return _by_cause(page.uncalculated, causes, source, message)


def _by_cause(
    cells: Cells, causes: Mapping[tuple[int, int], tuple[int, str]], source: str, message: str
) -> list[Problem]:
    """One problem for each cause, at the first of its cells, with how many there are."""
    counts = Counter(causes.values())
    first: dict[tuple[int, str], tuple[int, int]] = {}
    for place in sorted(causes):
        first.setdefault(causes[place], place)
    return [
        Problem(
            source,
            message + (f" ({counts[cause]:,} such cells in this column)" if counts[cause] > 1 else ""),
            row,
            column_letter(column),
            cells[row, column],
        )
        for cause, (row, column) in first.items()
    ]


def _grid(page: Page) -> Grid:
    """The page with the value of merged cells wherever they reach.

    Raises:
        WorkbookError: merged cells overlap.
    """
    lines = [line for line, _ in page.rows]
    cells = [list(row) for _, row in page.rows]
    spans: list[tuple[int, int, int]] = []
    room = len(lines) * len(page.columns)
    for top, left, bottom, right in page.merged:
        rows = range(bisect_left(lines, top), bisect_right(lines, bottom))
        columns = range(bisect_left(page.columns, left), bisect_right(page.columns, right))
        room -= len(rows) * len(columns)
        if room < 0:
            raise WorkbookError(f"merged cells of its sheet {page.title!r} overlap; unmerge them")
        if not (rows and columns and lines[rows[0]] == top and page.columns[columns[0]] == left):
            continue  # it begins beside all data: there is no value
        value = cells[rows[0]][columns[0]]
        for row in rows:
            for column in columns:
                cells[row][column] = value
        if top == bottom and len(columns) > 1:
            spans.append((rows[0], columns[0], columns[-1]))
    rows_of_text = [(line, tuple(row)) for line, row in zip(lines, cells, strict=True)]
    return Grid(
        rows=_without_decoration(rows_of_text, spans),
        header_spans=tuple(sorted(spans)),
        positions=page.columns,
        without_blank_rows=True,
    )


def _without_decoration(
    rows: list[tuple[int, tuple[str, ...]]], spans: Sequence[tuple[int, int, int]]
) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Blank the copies of a merged title, so that it still looks like the one cell that it is."""
    for row, first, last in spans:
        line, cells = rows[row]
        others = [cell for j, cell in enumerate(cells) if cell.strip() and not first <= j <= last]
        if not others:
            rows[row] = (line, (*cells[: first + 1], *[""] * (last - first), *cells[last + 1 :]))
    return tuple(rows)
