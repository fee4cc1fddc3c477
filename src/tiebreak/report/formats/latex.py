"""LaTeX for papers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tiebreak.report.formats.verdict_rows import verdict_rows

if TYPE_CHECKING:
    from tiebreak.results.records import CompareResult

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
        header, *body = rows
        lines = [r"\begin{tabular}{llrrrl}", r"\toprule", _tex_row(header), r"\midrule"]
        lines += [_tex_row(row) for row in body]
        lines += [r"\bottomrule", r"\end{tabular}"]
        title = _tex_comment(criterion) if criterion else ""
        parts.append(title + "\n".join(lines) + "\n" + _tex_comment(found.sentence))
    return "% needs \\usepackage{booktabs}\n" + "\n".join(parts)


def _tex_row(cells: Sequence[str]) -> str:
    escaped = ["".join(_TEX_SPECIAL.get(char, char) for char in cell) for cell in cells]
    escaped[4] = re.sub(r"-(?=\d)", "$-$", escaped[4])  # the difference: a minus sign, not a hyphen
    # After the end of a row or \midrule a bracket would start an optional argument.
    protected = "{}" if escaped[0].startswith("[") else ""
    return protected + " & ".join(escaped) + r" \\"


def _tex_comment(text: str) -> str:
    from tiebreak.results.names import printable

    return f"% {printable(text)}\n"
