"""Tables that fit: columns where there is room for all of them, else a few lines per row. Nothing is ever cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from tiebreak.cli.terminal import printable_text, say, width_of, wrapped

_WIDE: Final = 100  # columns from which words may be folded inside a column
_GAP: Final = 2
_LEAST_WORDS: Final = 16  # columns for words that are folded

Cell = str | int | Text


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """`head`: what stands above it; `said`: how its value is told in a line, with {} for it (default: after the head),
    where "{} items" becomes "1 item", and "{} people" "1 person".

    `kind`: a name, which begins a row of lines; a figure, which is aligned right; words, which may be folded.
    """

    head: str
    kind: str = "figure"
    said: str | None = None


def name_column(head: str) -> ShownColumn:
    """A column of names."""
    return ShownColumn(head, "name")


def words_column(head: str, said: str | None = None) -> ShownColumn:
    """A column of words."""
    return ShownColumn(head, "words", said)


def show_table(
    console: Console,
    columns: Sequence[ShownColumn],
    rows: Iterable[Sequence[Cell]],
    *,
    indent: int = 0,
    rule: bool = True,
) -> None:
    """Print rows of cells, one cell per column; integers get their commas. Columns that are empty in all rows are left
    out."""
    columns, cells = _kept(columns, rows)
    widths = _widths(columns, cells, width_of(console) - indent)
    if widths is None:
        for row in cells:
            _show_lines(console, columns, row, indent)
        return
    heads = [Text(column.head) for column in columns]
    if any(heads):
        _show_row(console, columns, heads, widths, indent, bottom=True)
        if rule:
            line = "─" if console.encoding.startswith("utf") else "-"
            say(console, line * (sum(widths) + _GAP * (len(widths) - 1)), style="dim", indent=indent)
    for row in cells:
        _show_row(console, columns, row, widths, indent)


def show_in_two(console: Console, columns: Sequence[ShownColumn], rows: Sequence[Sequence[Cell]], first: int) -> int:
    """Print a table of the `first` columns alone where there is room for it, and not for all of them; returns how many
    columns were printed. The others are left for a table of their own.
    """
    room = width_of(console)
    whole, part = (_widths(*_kept(columns[:count], rows), room) is not None for count in (len(columns), first))
    count = first if part and not whole else len(columns)
    show_table(console, columns[:count], [row[:count] for row in rows])
    return count


def _kept(columns: Sequence[ShownColumn], rows: Iterable[Sequence[Cell]]) -> tuple[list[ShownColumn], list[list[Text]]]:
    """Columns that are not empty in all rows, and their cells."""
    cells = [[_text(cell) for cell, _ in zip(row, columns, strict=False)] for row in rows]
    kept = [k for k in range(len(columns)) if any(row[k].plain for row in cells)]
    return [columns[k] for k in kept], [[row[k] for k in kept] for row in cells]


def _text(cell: Cell) -> Text:
    return printable_text(f"{cell:,}" if isinstance(cell, int) else cell)


def _widths(columns: Sequence[ShownColumn], cells: Sequence[Sequence[Text]], room: int) -> list[int] | None:
    """Widths of all columns in the room that there is; None where a number or a name would have to be cut."""
    widths, heads = [], []
    for k, column in enumerate(columns):
        heads.append(max(map(cell_len, column.head.split()), default=0))
        widths.append(max([heads[k], *(cell_len(row[k].plain) for row in cells)]))
        if column.kind == "name":
            widths[k] = max(widths[k], cell_len(column.head))
    spare = room - sum(widths) - _GAP * (len(widths) - 1)
    if spare >= 0:
        return _with_wide_heads(columns, widths, spare)
    words = [k for k, column in enumerate(columns) if column.kind == "words"]
    if not words or room < _WIDE:
        return None
    widest = max(words, key=lambda k: widths[k])
    longest = max(max(map(cell_len, row[widest].plain.split()), default=0) for row in cells)
    least = max(heads[widest], longest, _LEAST_WORDS)
    if widths[widest] + spare < least:
        return None
    widths[widest] += spare
    return widths


def _with_wide_heads(columns: Sequence[ShownColumn], widths: list[int], spare: int) -> list[int]:
    """Heads in one line where there is room for that."""
    for k, column in enumerate(columns):
        more = cell_len(column.head) - widths[k]
        if 0 < more <= spare:
            widths[k] += more
            spare -= more
    return widths


def _show_row(
    console: Console,
    columns: Sequence[ShownColumn],
    row: Sequence[Text],
    widths: Sequence[int],
    indent: int,
    *,
    bottom: bool = False,
) -> None:
    """One row, in as many lines as its highest cell; `bottom`: cells end in the last of them."""
    blocks = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    height = max(map(len, blocks))
    for place in range(height):
        line = Text(" " * indent)
        for k, (column, block, width) in enumerate(zip(columns, blocks, widths, strict=True)):
            at = place - (height - len(block)) if bottom else place
            part = block[at].copy() if 0 <= at < len(block) else Text()
            blanks = width - cell_len(part.plain)
            line.append(" " * (_GAP if k else 0))
            if column.kind == "figure":
                part.pad_left(blanks)
            else:
                part.pad_right(blanks)
            line.append_text(part)
        line.rstrip()
        console.print(line, soft_wrap=True)


def _show_lines(console: Console, columns: Sequence[ShownColumn], row: Sequence[Text], indent: int) -> None:
    """The names in a line, and below it what belongs to them, each value after its head; never broken inside one
    but where it is wider than a line."""
    names = [cell for column, cell in zip(columns, row, strict=True) if column.kind == "name" and cell.plain]
    if names:
        say(console, Text(", ").join(names), indent=indent, hanging=4)
    facts = [
        _fact(column, cell) for column, cell in zip(columns, row, strict=True) if column.kind != "name" and cell.plain
    ]
    named = any(column.kind == "name" for column in columns)  # a row without its name goes on with that above
    inset = indent + (2 if named else 0)
    say_facts(console, facts, indent=inset)


def say_facts(console: Console, facts: Sequence[Text | str], *, indent: int = 0) -> None:
    """Facts in a row, with commas; a line ends between two of them, not inside one."""
    room = width_of(console) - indent
    line = Text()
    for k, fact in enumerate(facts):
        part = Text.assemble(fact, "," if k < len(facts) - 1 else "")
        if line and cell_len(line.plain) + 1 + cell_len(part.plain) > room:
            say(console, line, indent=indent, hanging=2)
            line = Text()
        line = Text.assemble(line, " " if line else "", part)
    if line:
        say(console, line, indent=indent, hanging=2)


def _fact(column: ShownColumn, cell: Text) -> Text:
    before, after = (f"{column.head} ", "") if column.said is None else column.said.split("{}")
    if cell.plain == "1" and not before:
        after = after.replace("people", "person").removesuffix("s")
    return Text.assemble(before, cell, after)
