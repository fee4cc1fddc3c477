"""Markdown for issues and pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tiebreak.report.formats.verdict_rows import verdict_rows

if TYPE_CHECKING:
    from tiebreak.results.records import CompareResult


def render(result: CompareResult) -> str:
    """One table per criterion with the sentence that explains it."""
    from tiebreak.numbers import printable

    parts = []
    for criterion, rows in verdict_rows(result):
        title = f"## {criterion}\n\n" if criterion else ""
        parts.append(title + table(rows))
    sentences = "\n\n".join(printable(found.sentence) for found in result.results)
    return "\n".join(parts) + "\n" + sentences + "\n"


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table of cells in one line each, the header first."""
    cells = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines) + "\n"
