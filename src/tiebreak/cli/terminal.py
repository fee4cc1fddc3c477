"""Where output goes, and text that never exceeds the terminal: results to standard output, all else to standard error.

Lines are wrapped here and not by rich, which fills them with blanks and crops what does not fit.

Lines that are not wrapped: documents for programs, and remarks beside them. Nothing in them steers a terminal.

Tables that fit: columns where there is room for all of them, else a few lines per row. Nothing is ever cut.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from tiebreak.numbers import command_words, printable
from tiebreak.records import Notice

_PIPED_WIDTH: Final = 120  # a pipe has no width; tables are kept readable in logs
_NARROWEST: Final = 20  # what is narrower is no terminal
_WIDE: Final = 80  # columns from which words may be folded inside a column
_GAP: Final = 2
_LEAST_WORDS: Final = 16  # columns for words that are folded
_STEERING: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")  # JSON escapes those below 32

Cell = str | int | Text


class Name(str):
    """The head of a column of names, each of which begins a row."""


class Words(str):
    """The head of a column of words, which may be folded; other heads are those of figures, which are aligned right."""


class Terminal(Console):
    """A stream that people read: sentences, facts, tables and commands, none wider than it is."""

    @property
    def room(self) -> int:
        """Columns to write in."""
        return max(self.width, _NARROWEST)

    def say(self, text: str | Text = "", *, style: str = "", indent: int = 0, hanging: int = 0) -> None:
        """Print a text that is wrapped at blanks; a longer word is folded, and what cannot be printed is escaped.

        `indent`: blanks before the first line; `hanging`: blanks before the others beyond those.
        """
        told = _printable(text)
        if style:
            told.stylize_before(style)
        for line in _wrapped(told, self.room, indent, indent + hanging):
            self.print(line, soft_wrap=True)

    def fact(self, name: str, text: str | Text, *, style: str = "bold", indent: int = 0) -> None:
        """A text after its name."""
        self.say(Text.assemble((f"{name}: ", style), text), indent=indent, hanging=2)

    def say_each(self, texts: Iterable[str | Text], *, style: str = "", indent: int = 0, hanging: int = 0) -> None:
        """Print texts one below the other."""
        for text in texts:
            self.say(text, style=style, indent=indent, hanging=hanging)

    def heading(self, title: str, style: str = "bold") -> None:
        """A line of its own, after a blank one."""
        self.say()
        self.say(title, style=style)

    def bullets(self, texts: Iterable[str | Text], *, indent: int = 0) -> None:
        """One paragraph each, with a dash."""
        self.say_each((Text.assemble("- ", text) for text in texts), indent=indent, hanging=2)

    def warnings(self, warnings: Sequence[Notice]) -> None:
        """Warnings below a heading of their own, where there are any."""
        if warnings:
            self.heading("Warnings", "bold yellow")
            self.bullets(warning.text for warning in warnings)

    def command(self, *parts: str | Path, before: str = "", indent: int = 0) -> None:
        """A `tiebreak` command to be copied; too long for a line it goes on in the next, as shells allow."""
        width = self.room - indent
        lines = [Text(before)]
        for word in command_words(*parts):
            line = lines[-1]
            if line.plain.strip() and cell_len(line.plain) + 1 + cell_len(word) + 2 > width and line.plain != before:
                line.append(" \\")
                lines.append(Text(f"    {word}", style="bold"))
            else:
                line.append(word if not line or line.plain.endswith(" ") else f" {word}", style="bold")
        for line in lines:
            line.pad_left(indent)
            self.print(line, soft_wrap=True)

    def closing(
        self,
        facts: Iterable[tuple[str, str]],
        warnings: Iterable[Notice],
        sentences: Iterable[str],
        *,
        everything: bool,
        brief: Sequence[str] | None = None,
    ) -> None:
        """What every result ends with: facts under their names, warnings and, with `everything`, sentences for a
        paper. `brief`: the facts that are told without it, where these are not all."""
        self.say()
        for name, text in facts:
            if everything or brief is None or name in brief:
                self.fact(name, sentence(text))
        for warning in warnings:
            self.fact("Warning", warning.text, style="bold yellow")
        if not everything:
            self.say("--all adds every row, how to read the figures, and a sentence for a paper.", style="dim")
            return
        self.heading("For a paper")
        self.say_each(sentences)

    def table(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[Cell]],
        *,
        indent: int = 0,
        rule: bool = True,
        most: int | None = None,
        rest: str = "--all",
    ) -> None:
        """Print rows of cells, one cell per column; integers get their commas. Columns that are empty in all rows are
        left out. `most` rows, and how many more there are (`rest`: the option that shows them).
        """
        every = list(rows)
        self._rows(*_kept(columns, every[:most]), indent, rule=rule)
        if most is not None and len(every) > most:
            self.say(f"... and {len(every) - most:,} more ({rest})", style="dim", indent=indent)

    def _rows(self, columns: Sequence[str], cells: Sequence[Sequence[Text]], indent: int, *, rule: bool) -> None:
        widths = _widths(columns, cells, self.room - indent)
        if widths is None:
            for row in cells:
                self._lines(columns, row, indent)
            return
        if any(columns):
            self._row(columns, [Text(column) for column in columns], widths, indent, bottom=True)
            if rule:
                line = "─" if self.encoding.startswith("utf") else "-"
                self.say(line * (sum(widths) + _GAP * (len(widths) - 1)), style="dim", indent=indent)
        for row in cells:
            self._row(columns, row, widths, indent)

    def _row(
        self, columns: Sequence[str], row: Sequence[Text], widths: Sequence[int], indent: int, *, bottom: bool = False
    ) -> None:
        """One row, in as many lines as its highest cell; `bottom`: cells end in the last of them."""
        blocks = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        height = max(map(len, blocks))
        for place in range(height):
            line = Text(" " * indent)
            for k, (column, block, width) in enumerate(zip(columns, blocks, widths, strict=True)):
                at = place - (height - len(block)) if bottom else place
                part = block[at].copy() if 0 <= at < len(block) else Text()
                line.append(" " * (_GAP if k else 0))
                part.align("left" if isinstance(column, Name | Words) else "right", width)
                line.append_text(part)
            line.rstrip()
            self.print(line, soft_wrap=True)

    def _lines(self, columns: Sequence[str], row: Sequence[Text], indent: int) -> None:
        """The names in a line, and below it what belongs to them, each value after its head; never broken inside one
        but where it is wider than a line."""
        names = [cell for column, cell in zip(columns, row, strict=True) if isinstance(column, Name) and cell.plain]
        if names:
            self.say(Text(", ").join(names), indent=indent, hanging=4)
        facts = [
            Text.assemble(f"{column} " if column else "", cell)
            for column, cell in zip(columns, row, strict=True)
            if not isinstance(column, Name) and cell.plain
        ]
        if any(isinstance(column, Name) for column in columns):  # a row without its name goes on with that above
            indent += 2
        line = Text()
        for k, fact in enumerate(facts):
            part = Text.assemble(fact, "," if k < len(facts) - 1 else "")
            if line and cell_len(line.plain) + 1 + cell_len(part.plain) > self.room - indent:
                self.say(line, indent=indent, hanging=2)
                line = Text()
            line = Text.assemble(line, " " if line else "", part)
        if line:
            self.say(line, indent=indent, hanging=2)


def console_for_results() -> Terminal:
    """Standard output; as wide as the terminal, or as COLUMNS says, or 120 columns into a file or pipe."""
    return _console(sys.stdout)


def console_for_messages() -> Terminal:
    """Standard error, for progress and remarks beside a result."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Terminal:
    width = None if stream.isatty() or os.environ.get("COLUMNS", "").isdecimal() else _PIPED_WIDTH
    return Terminal(file=stream, width=width, highlight=False, emoji=False)


def stdin_is_terminal() -> bool:
    """Whether somebody can answer a question."""
    return sys.stdin.isatty()


def sentence(text: str) -> str:
    """With a full stop, where it does not end as a sentence does."""
    return text if text.endswith((".", "?")) else text + "."


def write_json(document: object) -> None:
    """One JSON document in one line on standard output; control characters and marks that turn the direction of
    writing are escaped in it, which says the same.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(_STEERING.sub(lambda char: f"\\u{ord(char[0]):04x}", text) + "\n")


def write_remark(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(printable(text) + "\n")


def _printable(text: str | Text) -> Text:
    """A copy in one line, with its styles and without anything that steers a terminal."""
    if isinstance(text, str):
        return Text(printable(text))
    if text.plain.isprintable():
        return text.copy()
    shown = Text()
    for place in range(len(text)):
        char = text[place]
        part = Text(printable(char.plain))
        for span in char.spans:
            part.stylize(span.style)
        shown.append_text(part)
    return shown


def _wrapped(text: Text, width: int, indent: int = 0, others: int = 0) -> list[Text]:
    """The lines of a text, none wider than `width` or with blanks at its end; `others`: indentation after the first."""
    lines: list[Text] = []
    for start, end in _spans(text.plain, max(width - indent, 1), max(width - others, 1)):
        line = text[start:end]
        line.pad_left(others if lines else indent)
        lines.append(line)
    return lines or [Text()]


def _spans(plain: str, first: int, others: int) -> list[tuple[int, int]]:
    """Where lines of these widths begin and end: between words, or inside a word that is wider than a line."""
    spans: list[tuple[int, int]] = []
    start = end = 0
    room = first
    for word in re.finditer(r"\S+", plain):
        if end and cell_len(plain[start : word.end()]) <= room:
            end = word.end()
            continue
        if end:
            spans.append((start, end))
            room = others
        start, end = (0 if end == 0 else word.start()), word.end()  # a first line keeps its own indentation
        while cell_len(plain[start:end]) > room:
            cut = start + _fitting(plain[start:end], room)
            spans.append((start, cut))
            start, room = cut, others
    if end > start:
        spans.append((start, end))
    return spans


def _fitting(word: str, room: int) -> int:
    """How many characters of a word fit, at least one; of a signature whole parts, where one fits."""
    width = 0
    for place, char in enumerate(word):
        width += cell_len(char)
        if width > room:
            return word.rfind("|", 0, place) + 1 or max(place, 1)
    return len(word)


def _kept(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> tuple[list[str], list[list[Text]]]:
    """Columns that are not empty in all rows, and their cells."""
    cells = [
        [_printable(f"{cell:,}" if isinstance(cell, int) else cell) for cell, _ in zip(row, columns, strict=False)]
        for row in rows
    ]
    kept = [k for k in range(len(columns)) if any(row[k].plain for row in cells)]
    return [columns[k] for k in kept], [[row[k] for k in kept] for row in cells]


def _widths(columns: Sequence[str], cells: Sequence[Sequence[Text]], room: int) -> list[int] | None:
    """Widths of all columns in the room that there is; None where a number or a name would have to be cut."""
    widths, heads = [], []
    for k, column in enumerate(columns):
        heads.append(max(map(cell_len, column.split()), default=0))
        widths.append(max([heads[k], *(cell_len(row[k].plain) for row in cells)]))
        if isinstance(column, Name):
            widths[k] = max(widths[k], cell_len(column))
    spare = room - sum(widths) - _GAP * (len(widths) - 1)
    if spare >= 0:
        for k, column in enumerate(columns):  # heads in one line where there is room for that
            more = cell_len(column) - widths[k]
            if 0 < more <= spare:
                widths[k] += more
                spare -= more
        return widths
    words = [k for k, column in enumerate(columns) if isinstance(column, Words)]
    if not words or room < _WIDE:
        return None
    widest = max(words, key=lambda k: widths[k])
    longest = max(max(map(cell_len, row[widest].plain.split()), default=0) for row in cells)
    least = max(heads[widest], longest, _LEAST_WORDS)
    if widths[widest] + spare < least:
        return None
    widths[widest] += spare
    return widths
