"""Estimates as a table in a file, for papers and programs; the ending of its name chooses the format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tiebreak.files import write_bytes
from tiebreak.report.formats import csv_table, latex, markdown, renderer_of

if TYPE_CHECKING:
    import polars as pl

    from tiebreak.results.estimates.records import CriterionEstimates, EstimateResult
    from tiebreak.results.measured.records import MeasuredCriterion, MeasuredResult

ENDINGS: Final = ".csv, .tex, .md or .html"
"""Of all that `estimate` writes; a page (.html) is no table, and is made elsewhere."""

_HEADER: Final = ("Items", "Ratings", "Mean", "Interval")


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One criterion: cells in one line each, the header first, and a sentence to print with them, or ""."""

    criterion: str
    rows: list[list[str]]
    sentence: str


def check_estimates(path: Path) -> Callable[[EstimateResult | MeasuredResult], str]:
    """`renderer_of` for estimates."""
    return renderer_of(path, _FORMATS, ENDINGS)


def write_estimates(result: EstimateResult | MeasuredResult, path: Path) -> None:
    """Write all means, or all that a campaign of ratings asked for, to `path`, all or nothing.

    Raises:
        UsageError: as `check_estimates`.
    """
    write_bytes(path, check_estimates(path)(result).encode())


def _csv(result: EstimateResult | MeasuredResult) -> str:
    frame: pl.DataFrame = result.systems
    if not frame.height:
        frame = result.differences  # a campaign that asked for differences
    return csv_table.table(frame.columns, frame.iter_rows())


def _markdown(result: EstimateResult | MeasuredResult) -> str:
    tables = _tables(result)
    parts = [f"## {found.criterion}\n\n{markdown.table(found.rows)}" for found in tables]
    return "\n".join(parts) + "\n" + "\n\n".join(found.sentence for found in tables if found.sentence) + "\n"


def _tex(result: EstimateResult | MeasuredResult) -> str:
    parts = [
        latex.comment(found.criterion)
        + latex.table(found.rows, "lrrrr", signed=(3, 4))
        + (latex.comment(found.sentence) if found.sentence else "")
        for found in _tables(result)
    ]
    return latex.NEEDS + "\n".join(parts)


def _tables(result: EstimateResult | MeasuredResult) -> Sequence[PaperTable]:
    from tiebreak.numbers import printable
    from tiebreak.results.estimates.records import EstimateResult
    from tiebreak.results.estimates.words import paper_sentence
    from tiebreak.results.measured.words import headline_words

    if isinstance(result, EstimateResult):
        return [
            PaperTable(printable(found.criterion), _estimated(found), printable(paper_sentence(found, result)))
            for found in result.results
        ]
    said = printable(result.sentence or headline_words(result))
    *others, last = result.results
    return [
        *(PaperTable(printable(found.criterion), _measured(found), "") for found in others),
        PaperTable(printable(last.criterion), _measured(last), said),
    ]


def _estimated(found: CriterionEstimates) -> list[list[str]]:
    from tiebreak.numbers import interval, known_number
    from tiebreak.results.estimates.words import best_first, best_of

    rows: list[Iterable[object]] = [("System", *_HEADER)]
    for one in best_first(found):
        best = best_of(one)
        ends = "-" if best.low is None or best.high is None else interval(best.low, best.high)
        rows.append((one.system, f"{one.items:,}", f"{one.ratings:,}", known_number(best.estimate), ends))
    return _printable(rows)


def _measured(found: MeasuredCriterion) -> list[list[str]]:
    from tiebreak.results.measured.words import figures, name_of

    what = "System" if any(len(of.systems) == 1 for of in found.measures) else "Difference"
    best_first = sorted(found.measures, key=lambda of: -(of.mean.estimate or 0.0))
    rows = ((name_of(of), f"{of.items:,}", f"{of.ratings:,}", *figures(of)) for of in best_first)
    return _printable([(what, *_HEADER), *rows])


def _printable(rows: Iterable[Iterable[object]]) -> list[list[str]]:
    from tiebreak.numbers import printable

    return [[printable(str(cell)) for cell in row] for row in rows]


_FORMATS: Final = MappingProxyType({".csv": _csv, ".tex": _tex, ".md": _markdown})
