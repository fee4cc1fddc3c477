"""Verdicts as a table in a file: CSV for programs, LaTeX and Markdown for papers and issues."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from tiebreak.errors import UsageError
from tiebreak.results.numbers import interval, known_number
from tiebreak.results.records import CompareResult
from tiebreak.results.words import verdict_words

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
    "\n": " ",
}


def write_table(result: CompareResult, path: Path) -> None:
    """Write all verdicts to `path`; the ending (.csv, .tex, .md) chooses the format. All or nothing.

    Raises:
        UsageError: another ending, a folder that does not exist, or a folder of that name.
    """
    render = writer_for(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(render(result))
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def refuse_inside(study: Path, path: Path) -> None:
    """No output may land among the study's own files: a result is never written over labels.

    Raises:
        UsageError: `path` lies in the study folder.
    """
    if path.resolve().parent == study.resolve():
        raise UsageError(f"cannot write {path}: it lies in the study folder; write results beside it")


def writer_for(path: Path) -> Callable[[CompareResult], str]:
    """The function that renders this kind of file; fails before any work is done where `write_table` would."""
    writers = {".csv": to_csv, ".tex": to_tex, ".md": to_markdown}
    if path.suffix.lower() not in writers:
        raise UsageError(f"cannot write {path.name}: the name must end in .csv, .tex or .md")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: the folder {path.parent} does not exist")
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a folder")
    return writers[path.suffix.lower()]


def to_csv(result: CompareResult) -> str:
    """Every field of every pair, one row a pair, numbers unrounded; empty where a method has no value."""
    frame = result.pairs
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows(["" if value is None else value for value in row] for row in frame.iter_rows())
    return stream.getvalue()


def to_markdown(result: CompareResult) -> str:
    """One table per criterion with the sentence that explains it."""
    parts = []
    for criterion, rows in _tables(result):
        header, *body = rows
        cells = [[cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in (header, *body)]
        widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
        lines = [
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
            for row in cells
        ]
        lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
        title = f"## {criterion}\n\n" if criterion else ""
        parts.append(title + "\n".join(lines) + "\n")
    sentences = "\n\n".join(found.sentence for found in result.results)
    return "\n".join(parts) + "\n" + sentences + "\n"


def to_tex(result: CompareResult) -> str:
    """A `tabular` with booktabs rules per criterion; the sentence for the paper follows as a comment."""
    parts = []
    for (criterion, rows), found in zip(_tables(result), result.results, strict=True):
        header, *body = rows
        lines = [r"\begin{tabular}{llrrrl}", r"\toprule", _tex_row(header), r"\midrule"]
        lines += [_tex_row(row) for row in body]
        lines += [r"\bottomrule", r"\end{tabular}"]
        title = _tex_comment(criterion) if criterion else ""
        parts.append(title + "\n".join(lines) + "\n" + _tex_comment(found.sentence))
    return "% needs \\usepackage{booktabs}\n" + "\n".join(parts)


def _tables(result: CompareResult) -> Iterable[tuple[str | None, list[list[str]]]]:
    margin, currency = result.terms.margin, str(result.study["currency"])
    for found in result.results:
        rows = [["System A", "System B", "Items", "Labels", "Difference", "Verdict"]]
        for pair in found.pairs:
            gap = pair.difference
            figures = f"{known_number(gap.estimate)} {interval(gap.low, gap.high)}"
            words = verdict_words(pair, margin, currency)
            rows.append([pair.system_a, pair.system_b, f"{pair.items:,}", f"{pair.labels:,}", figures, words])
        yield found.criterion, rows


def _tex_row(cells: Sequence[str]) -> str:
    escaped = ["".join(_TEX_SPECIAL.get(char, char) for char in cell) for cell in cells]
    # After the end of a row or \midrule a bracket would start an optional argument.
    protected = "{}" if escaped[0].startswith("[") else ""
    return protected + " & ".join(escaped) + r" \\"


def _tex_comment(text: str) -> str:
    return f"% {' '.join(text.splitlines())}\n"
