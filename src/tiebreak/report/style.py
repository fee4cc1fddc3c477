"""One palette for all pictures: blue and orange (the pair that every kind of colour vision tells apart), after Okabe
and Ito (2008), darkened until white text on them has a contrast above 4.5, and lightened for dark pages."""

from __future__ import annotations

from typing import Final

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
