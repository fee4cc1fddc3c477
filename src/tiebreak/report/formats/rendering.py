"""Tables as CSV for programs, LaTeX for papers, and Markdown for issues and pages."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tiebreak.numbers import printable
from tiebreak.tabular.cells import csv_text


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table for readers, the header first; each cell, title and sentence is shown in one line.

    `title`, such as a criterion, or ""; `columns`: the alignment of each in LaTeX; `signed`: columns with numbers that
    may be negative; `sentences`: what must be read with it; `bold`: cells (row, column) to stand out.
    """

    title: str
    rows: Iterable[Iterable[object]]
    columns: str
    signed: tuple[int, ...] = ()
    sentences: tuple[str, ...] = ()
    bold: frozenset[tuple[int, int]] = frozenset()

    def cells(self, escaped: Callable[[str, int], str], bold: str) -> list[list[str]]:
        """The rows, each cell with its column `escaped`, and put into `bold` where it stands out."""
        texts = [[escaped(printable(str(cell)), column) for column, cell in enumerate(cells)] for cells in self.rows]
        for row, column in self.bold:
            texts[row][column] = bold.format(texts[row][column])
        return texts


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds: `header` and `rows` for programs, numbers unrounded, and tables for readers; `sources`: the
    keys of what to cite.
    """

    header: Sequence[str]
    rows: Iterable[Sequence[object]]
    tables: Sequence[PaperTable]
    sources: tuple[str, ...] = ()


def as_csv(of: Contents) -> str:
    """The rows for programs. None is an empty cell, and a text that a spreadsheet would take for a formula has an
    apostrophe before it.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(of.header)
    writer.writerows(map(_cell, row) for row in of.rows)
    return stream.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str):
        return csv_text(value)
    return "" if value is None else value


def as_markdown(of: Contents) -> str:
    """A table each, with the sentences below it."""
    parts = []
    for table in of.tables:
        cells = table.cells(lambda cell, _column: cell.replace("|", r"\|"), "**{}**")
        widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
        lines = [
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
            for row in cells
        ]
        lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
        title = [f"## {printable(table.title)}"] if table.title else []
        parts.append("\n\n".join([*title, "\n".join(lines), *map(printable, table.sentences)]) + "\n")
    return "\n".join(parts)


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


def as_latex(of: Contents) -> str:
    """A `tabular` with booktabs rules each; titles and sentences are comments around it."""
    parts = []
    for table in of.tables:
        signed = table.signed
        header, *body = table.cells(lambda cell, k: _escaped(cell, signed=k in signed), r"\textbf{{{}}}")  # noqa: B023
        lines = [rf"\begin{{tabular}}{{{table.columns}}}", r"\toprule", _tex_row(header), r"\midrule"]
        lines += [*map(_tex_row, body), r"\bottomrule", r"\end{tabular}"]
        title, *sentences = (f"% {printable(text)}" for text in (table.title, *table.sentences))
        parts.append("\n".join([*([title] if table.title else []), *lines, *sentences]) + "\n")
    cited = rf"% cite \citep{{{','.join(of.sources)}}}; the same command with --out FILE.bib writes the entries"
    return f"% needs \\usepackage{{booktabs}}\n{cited}\n" + "\n".join(parts)


def as_bibtex(of: Contents) -> str:
    """An entry for each source that the result rests on."""
    from tiebreak.messages.bibliography import ENTRIES

    return "\n\n".join(ENTRIES[key] for key in of.sources) + "\n"


def _escaped(cell: str, *, signed: bool) -> str:
    escaped = "".join(_TEX_SPECIAL.get(char, char) for char in cell)
    return re.sub(r"-(?=\d)", "$-$", escaped) if signed else escaped  # a minus sign, not a hyphen


def _tex_row(escaped: Sequence[str]) -> str:
    # After the end of a row or \midrule a bracket would start an optional argument.
    protected = "{}" if escaped[0].startswith("[") else ""
    return protected + " & ".join(escaped) + r" \\"


FORMATS: Final = MappingProxyType({".csv": as_csv, ".tex": as_latex, ".md": as_markdown, ".bib": as_bibtex})
