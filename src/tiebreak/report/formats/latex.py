"""LaTeX for papers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tiebreak.report.formats.verdict_rows import verdict_rows

if TYPE_CHECKING:
    from tiebreak.results.records import CompareResult

NEEDS: Final = "% needs \\usepackage{booktabs}\n"

_TEX_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def render(result: CompareResult) -> str:
    """A `tabular` with booktabs rules per criterion; the sentence for the paper follows as a comment."""
    parts = []
    for (criterion, rows), found in zip(verdict_rows(result), result.results, strict=True):
        title = comment(criterion) if criterion else ""
        parts.append(title + table(rows, "llrrrl", signed=(4,)) + comment(found.sentence))
    return NEEDS + "\n".join(parts)


def table(rows: Sequence[Sequence[str]], columns: str, signed: Sequence[int]) -> str:
    """A `tabular` of cells in one line each, the header first; `signed`: columns with numbers that may be negative."""
    header, *body = ([_escaped(cell, signed=k in signed) for k, cell in enumerate(row)] for row in rows)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _tex_row(header), r"\midrule"]
    lines += [*map(_tex_row, body), r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _escaped(cell: str, *, signed: bool) -> str:
    escaped = "".join(_TEX_SPECIAL.get(char, char) for char in cell)
    return re.sub(r"-(?=\d)", "$-$", escaped) if signed else escaped  # a minus sign, not a hyphen


def _tex_row(escaped: Sequence[str]) -> str:
    # After the end of a row or \midrule a bracket would start an optional argument.
    protected = "{}" if escaped[0].startswith("[") else ""
    return protected + " & ".join(escaped) + r" \\"


def comment(text: str) -> str:
    """A line that TeX does not print."""
    from tiebreak.numbers import printable

    return f"% {printable(text)}\n"
