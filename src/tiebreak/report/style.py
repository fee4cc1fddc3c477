"""One palette for all pictures: blue and orange (the pair that every kind of colour vision tells apart), after Okabe
and Ito (2008), darkened until white text on them has a contrast above 4.5, and lightened for dark pages.

System names in pictures: how wide they are, and shortened where they would not fit, but never to the same. A figure
on a page.
"""

from __future__ import annotations

import io
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from tiebreak.numbers import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIGHT: Final[dict[str, str]] = {
    "page": "#ffffff",
    "panel": "#f6f7f9",
    "line": "#d5d9e0",
    "text": "#16191f",
    "muted": "#545b68",
    "edge": "#7b8494",
    "first": "#0068a5",
    "second": "#b34a00",
    "equal": "#00735a",
    "open": "#e4e7ec",
    "on-fill": "#ffffff",
    "on-open": "#3f4652",
    "tie": "#b9bfca",
    "warn": "#fff3d6",
    "warn-line": "#b98900",
    "link": "#005a90",
}
"""Colours on white: `first` for the first system (or the row) being better, `second` for the other, `equal` for
equivalence, `open` for undecided, `tie` for ties, `edge` for arrows; the rest is text and paper."""

DARK: Final[dict[str, str]] = {
    "page": "#14171c",
    "panel": "#1d2128",
    "line": "#3a414d",
    "text": "#eceef2",
    "muted": "#a9b1be",
    "edge": "#8b95a5",
    "first": "#62b6ea",
    "second": "#f39a52",
    "equal": "#3cc79b",
    "open": "#323945",
    "on-fill": "#0b0d10",
    "on-open": "#d4d9e1",
    "tie": "#717a89",
    "warn": "#332b14",
    "warn-line": "#d9a928",
    "link": "#7cc4f2",
}

SYMBOL: Final[dict[str, str]] = {"first": "+", "second": "−", "equal": "=", "open": "?"}
"""What a cell shows beside its colour, from the point of view of its row."""


def variables(palette: dict[str, str]) -> str:
    """The palette as CSS custom properties."""
    return "".join(f"--{name}:{colour};" for name, colour in palette.items())


LONGEST: Final = 34
_WIDE = 1.0
_NARROW = 0.56  # of the font size, a mean over sans-serif fonts


def short_names(names: Iterable[str], longest: int = LONGEST) -> Mapping[str, str]:
    """Each name in one line of at most `longest` characters; names that differ stay different.

    The middle of a longer one is left out: both ends are kept, because names of variants differ at their ends. Names
    that would then be alike show the part in which they differ, and names that are still alike a number.
    """
    lines = {name: " ".join(printable(name).split()) or "(no name)" for name in dict.fromkeys(names)}
    shown = {name: _between_ends(line, longest) for name, line in lines.items()}
    times = Counter(shown.values())
    for short in [short for short, count in times.items() if count > 1]:
        alike = [name for name, mine in shown.items() if mine == short]
        shown |= dict(zip(alike, _around_differences([lines[name] for name in alike], longest), strict=True))
    return _numbered(shown, longest)


def _between_ends(line: str, longest: int) -> str:
    if len(line) <= longest:
        return line
    head = (longest - 1) * 3 // 5
    return f"{line[:head]}…{line[-(longest - 1 - head) :]}"


def _around_differences(lines: list[str], longest: int) -> list[str]:
    """Lines that begin and end alike, each with the word in which they differ."""
    start = _shared(lines)
    rest = [line[start:][::-1] for line in lines]
    end = _shared(rest)
    return [_around(line, start, len(line) - end, longest) for line in lines]


def _shared(lines: list[str]) -> int:
    """How many characters all lines begin with."""
    first, last = min(lines), max(lines)
    return next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))


def _around(line: str, start: int, end: int, longest: int) -> str:
    """A line with its part from `start` to `end`, and as much of both ends as there is room for."""
    while start > 0 and line[start - 1].isalnum() and end - start < longest // 2:
        start -= 1
    while end < len(line) and line[end].isalnum() and end - start < longest // 2:
        end += 1
    end = min(end, start + longest - 2)
    room = longest - 2 - (end - start)
    tail = min(room // 2, len(line) - end)
    head = min(room - tail, start)
    before = line[:start] if start <= head + 1 else f"{line[:head]}…"
    after = line[end:] if len(line) - end <= tail + 1 else f"…{line[len(line) - tail :]}"
    return f"{before}{line[start:end]}{after}"


def _numbered(shown: Mapping[str, str], longest: int) -> dict[str, str]:
    """What is still alike gets a number at its end, but for the first."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name, short in shown.items():
        mine, number = short, 1
        while mine in taken:
            number += 1
            mark = f"…{number}"
            mine = f"{short[: longest - len(mark)]}{mark}"
        taken.add(mine)
        found[name] = mine
    return found


def width(text: str, size: float) -> float:
    """Approximate width of a line of text at this font size; a little generous."""
    return size * sum(
        _WIDE if unicodedata.east_asian_width(c) in "WF" else 0.72 if c.isupper() or c in "mw@%" else _NARROW
        for c in text
    )


def svg_of(figure: Figure) -> str:
    """A figure as an SVG element; the same figure gives the same text."""
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "tiebreak", "svg.fonttype": "none"}):
        figure.savefig(stream, format="svg", metadata={"Date": None}, bbox_inches="tight", pad_inches=0.08)
    _, start, drawing = stream.getvalue().partition("<svg")
    return start + drawing
