"""Where output goes, and text that never exceeds the terminal: results to standard output, all else to standard error.

Lines are wrapped here and not by rich, which fills them with blanks and crops what does not fit.

Lines that are not wrapped: documents for programs, and remarks beside them. Nothing in them steers a terminal.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from tiebreak.results.numbers import command_words, printable

_PIPED_WIDTH = 120  # a pipe has no width; tables are kept readable in logs
_NARROWEST = 20


def console_for_results() -> Console:
    """Standard output; as wide as the terminal, or as COLUMNS says, or 120 columns into a file or pipe."""
    return _console(sys.stdout)


def console_for_messages() -> Console:
    """Standard error, for progress and remarks beside a result."""
    return _console(sys.stderr)


def stdin_is_terminal() -> bool:
    """Whether somebody can answer a question."""
    return sys.stdin.isatty()


def _console(stream: TextIO) -> Console:
    width = None if stream.isatty() or os.environ.get("COLUMNS", "").isdecimal() else _PIPED_WIDTH
    return Console(file=stream, width=width, highlight=False, emoji=False)


def width_of(console: Console) -> int:
    """Columns to write in; what is narrower than 20 is no terminal."""
    return max(console.width, _NARROWEST)


def say(console: Console, text: str | Text = "", *, style: str = "", indent: int = 0, hanging: int = 0) -> None:
    """Print a text that is wrapped at blanks; a longer word is folded, and what cannot be printed is escaped.

    `indent`: blanks before the first line; `hanging`: blanks before the others beyond those.
    """
    told = printable_text(text)
    if style:
        told.stylize_before(style)
    for line in wrapped(told, width_of(console), indent, indent + hanging):
        console.print(line, soft_wrap=True)


def printable_text(text: str | Text) -> Text:
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


def wrapped(text: Text, width: int, indent: int = 0, others: int | None = None) -> list[Text]:
    """The lines of a text, none wider than `width` or with blanks at its end; `others`: indentation after the first."""
    others = indent if others is None else others
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


def say_command(console: Console, *parts: str | Path, before: str = "", indent: int = 0) -> None:
    """A `tiebreak` command to be copied; too long for a line it goes on in the next, as shells allow."""
    width = width_of(console) - indent
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
        console.print(line, soft_wrap=True)


def sentence(text: str) -> str:
    """With a full stop, where it does not end as a sentence does."""
    return text if text.endswith((".", "?")) else text + "."


def bullets(console: Console, texts: Iterable[str | Text], *, indent: int = 0) -> None:
    """One paragraph each, with a dash."""
    for text in texts:
        say(console, Text.assemble("- ", text), indent=indent, hanging=2)


def heading(console: Console, title: str, style: str = "bold") -> None:
    """A line of its own, after a blank one."""
    say(console)
    say(console, title, style=style)


_STEERING: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")  # JSON escapes those below 32


def write_json(document: object) -> None:
    """One JSON document in one line on standard output; control characters and marks that turn the direction of
    writing are escaped in it, which says the same.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(_STEERING.sub(lambda char: f"\\u{ord(char[0]):04x}", text) + "\n")


def write_remark(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(printable(text) + "\n")
