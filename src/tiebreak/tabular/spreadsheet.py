"""A spreadsheet as text: named columns, rows of text cells, and the line at which each row starts.

Everything an importer later says about a file ("line 7, column winner") comes from here, so that no other module
needs to know whether the cells were read from a CSV file or from an Excel workbook.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tiebreak.errors import InputError, Problem, Unit, UsageError
from tiebreak.tabular.cells import whole_characters
from tiebreak.tabular.delimited import read_delimited
from tiebreak.tabular.foreign import refuse_other_kinds
from tiebreak.tabular.grid import MOST_COLUMNS, Grid
from tiebreak.tabular.json_lines import looks_like_json, read_json
from tiebreak.tabular.json_lists import ChooseLists
from tiebreak.tabular.workbook import is_workbook, read_workbook


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of text cells.

    `source`: the file as the user named it (with `#Sheet` where a sheet was named). `stem`: its name without folder
    and extension. `columns`: unique and not empty. `lines[i]`: 1-based number of row i, as a spreadsheet program shows
    it; for JSON the line or the record (`unit`).
    `rows[i][j]`: the text of row i in column j, "" for a blank cell, otherwise as it stands in the file.
    `gaps`: numbers at which blank rows between rows with data begin. `decimal_comma`: numbers are written 3,5.
    `renamed`: columns that had no name, or a name already taken. `headers_again`: how many rows repeated the header and
    were left out. `unread`: parts of the file that are not in the rows, such as `the list tags`, with how many rows
    they have. `beside`: columns whose values the file says of all rows at once;
    `elements`: of the elements of a list, beside which others say something of several rows.
    """

    source: str
    stem: str
    columns: tuple[str, ...]
    lines: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    gaps: tuple[int, ...] = ()
    decimal_comma: bool = False
    renamed: tuple[str, ...] = ()
    headers_again: int = 0
    unit: Unit = "row"
    unread: tuple[tuple[str, int], ...] = ()
    beside: frozenset[str] = frozenset()
    elements: frozenset[str] = frozenset()

    def values(self, column: str) -> list[str]:
        """The cells of one column, in order of the rows."""
        position = self.columns.index(column)
        return [row[position] for row in self.rows]


def read_sheet(source: str, choose: ChooseLists | None = None) -> Sheet:
    """Read `FILE.csv`, `FILE.tsv`, `FILE.jsonl`, `FILE.xlsx`, `FILE.xlsx#Sheet` or `FILE.json#LIST`.

    `choose` says of which lists within JSON records the elements are rows; without it none are.

    Raises UsageError for a file that does not exist or a sheet or list that it lacks; InputError (all problems
    of the file at once) for a wrong encoding, broken quoting, rows longer or shorter than the header, formulas
    that were never calculated, and files without a header or without rows.
    """
    path, part = split_source(source)
    content = path.read_bytes()
    if not content.strip():
        raise InputError([Problem(source, "the file is empty; it needs a header line and at least one row")])
    refuse_other_kinds(content, source=source)
    if is_workbook(content):
        grid = read_workbook(content, source=source, sheet_name=part)
        return _with_header(grid, source=source, stem=part or whole_characters(path.stem))
    if looks_like_json(content):
        grid = read_json(content, source=source, path=part, choose=choose)
    elif part is not None:
        raise UsageError(f"{path} is neither an Excel workbook nor JSON, so it has no sheet or list {part!r}")
    else:
        grid = read_delimited(content, source=source)
    return _with_header(grid, source=source, stem=whole_characters(path.stem))


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


def _with_header(grid: Grid, *, source: str, stem: str) -> Sheet:
    """Take the first real row as column names; drop columns without name and data, and blank rows."""
    filled = [number for number, (_, row) in enumerate(grid.rows) if _has_data(row)]
    widths = [sum(1 for cell in grid.rows[number][1] if cell.strip()) for number in filled]
    if not filled:
        raise InputError([Problem(source, "the file is empty; it needs a header line and at least one row")])
    # A title above the table is a row with one cell only, where every table row has more.
    widest = max(widths)
    start = next(place for place, width in enumerate(widths) if width > 1 or widest == 1)
    header = list(grid.rows[filled[start]][1])
    below = filled[start + 1 :]
    body = [number for number in below if list(grid.rows[number][1]) != header]
    headers_again = len(below) - len(body)
    if body and grid.has_second_header(filled[start], body[0]):
        header = _joined_header(header, grid.rows[body[0]][1])
        body = body[1:]
    if not body:
        problem = Problem(source, "there is a header but no row below it", grid.rows[filled[start]][0], unit=grid.unit)
        raise InputError([problem])
    data = [grid.rows[number] for number in body]
    if grid.ragged_is_wrong:
        data = _without_unused_ends(header, data)
        _refuse_ragged(header, data, source=source)
    width = max(len(header), *(len(row) for _, row in data))
    names = header + [""] * (width - len(header))
    padded = [(line, (*row, *[""] * (width - len(row)))) for line, row in data]
    kept = [j for j in range(width) if names[j].strip() or any(row[j].strip() for _, row in padded)]
    if len(kept) > MOST_COLUMNS:
        message = f"{len(kept):,} columns, and the most is {MOST_COLUMNS:,}; keep those that matter"
        raise InputError([Problem(source, message)])
    columns, renamed = _unique_names([names[j] for j in kept], [grid.letter(j) for j in kept])
    return Sheet(
        source=source,
        stem=stem,
        columns=columns,
        lines=tuple(line for line, _ in padded),
        rows=tuple(tuple(row[j] for j in kept) for _, row in padded),
        gaps=tuple(gap for row in body[1:] if (gap := grid.gap_before(row)) is not None),
        decimal_comma=grid.decimal_comma,
        renamed=renamed,
        headers_again=headers_again,
        unit=grid.unit,
        unread=grid.unread,
        beside=grid.beside,
        elements=grid.elements,
    )


def _has_data(row: Sequence[str]) -> bool:
    return any(cell.strip() for cell in row)


def _joined_header(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Two header rows (a merged cell above several) as one: `Fluency` over `rater 1` is `Fluency rater 1`."""
    width = max(len(first), len(second))
    above = [*first, *[""] * (width - len(first))]
    below = [*second, *[""] * (width - len(second))]
    return [
        " ".join(dict.fromkeys(part.strip() for part in pair if part.strip()))
        for pair in zip(above, below, strict=True)
    ]


def _refuse_ragged(header: Sequence[str], data: Sequence[tuple[int, Sequence[str]]], *, source: str) -> None:
    """A delimited row with more or fewer cells than the header is a delimiter or line break outside quotes."""
    problems = []
    for line, row in data:
        surplus = any(cell.strip() for cell in row[len(header) :])
        if surplus or len(row) < len(header):
            problems.append(
                Problem(
                    source,
                    f"the row has {len(row)} cells and the header has {len(header)}; "
                    "a text that holds the delimiter or a line break must stand in double quotes",
                    line=line,
                    unit="row",
                )
            )
    if problems:
        raise InputError(problems)


def _without_unused_ends(
    header: Sequence[str], data: list[tuple[int, tuple[str, ...]]]
) -> list[tuple[int, tuple[str, ...]]]:
    """The rows filled up to the header where no row at all has its last cells: Mechanical Turk names columns for a
    verdict (Approve, Reject) that it never writes."""
    longest = max(len(row) for _, row in data)
    if longest >= len(header) or any(len(row) != longest for _, row in data):
        return data
    return [(line, (*row, *[""] * (len(header) - longest))) for line, row in data]


def _unique_names(names: Sequence[str], letters: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Column names without repetition: `text`, `text (2)`; a column without a name is `column C`."""
    cleaned = [" ".join(name.split()) or f"column {letter}" for name, letter in zip(names, letters, strict=True)]
    taken = set(cleaned)
    seen: Counter[str] = Counter()
    unique, renamed = [], []
    for original, name in zip(names, cleaned, strict=True):
        seen[name] += 1
        new = name
        while seen[name] > 1 and new in taken:
            new = f"{name} ({seen[name]})"
            seen[name] += new in taken
        taken.add(new)
        unique.append(new)
        if new != name or not original.strip():
            renamed.append(new)
    return tuple(unique), tuple(renamed)
