"""Estimates as a table in a file, for papers and programs; the ending of its name chooses the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tiebreak.errors import UsageError
from tiebreak.files import check_place, write_bytes
from tiebreak.report.formats import csv_table, latex, markdown

if TYPE_CHECKING:
    from tiebreak.results.estimates.records import CriterionEstimates, EstimateResult


def check_estimates(path: Path) -> Callable[[EstimateResult], str]:
    """What renders this kind of file; fails before any work is done where `write_estimates` would.

    Raises:
        UsageError: another ending, a folder that does not exist, or a folder of that name.
    """
    from tiebreak.report.formats import ENDINGS

    render = _FORMATS.get(path.suffix.lower())
    if render is None:
        raise UsageError(f"cannot write {path.name}: the name must end in {ENDINGS}")
    check_place(path)
    return render


def write_estimates(result: EstimateResult, path: Path) -> None:
    """Write all means to `path`, all or nothing.

    Raises:
        UsageError: as `check_estimates`.
    """
    write_bytes(path, check_estimates(path)(result).encode())


def _csv(result: EstimateResult) -> str:
    frame = result.systems
    return csv_table.table(frame.columns, frame.iter_rows())


def _markdown(result: EstimateResult) -> str:
    from tiebreak.results.names import printable

    parts = [f"## {printable(found.criterion)}\n\n{markdown.table(_rows(found))}" for found in result.results]
    return "\n".join(parts) + "\n" + "\n\n".join(_sentences(result)) + "\n"


def _tex(result: EstimateResult) -> str:
    found = zip(result.results, _sentences(result), strict=True)
    parts = [
        latex.comment(of.criterion) + latex.table(_rows(of), "lrrrr", signed=(3, 4)) + latex.comment(sentence)
        for of, sentence in found
    ]
    return latex.NEEDS + "\n".join(parts)


def _rows(found: CriterionEstimates) -> list[list[str]]:
    from tiebreak.results.estimates.words import best_first, best_of
    from tiebreak.results.names import printable
    from tiebreak.results.numbers import interval, known_number

    rows = [["System", "Items", "Ratings", "Mean", "Interval"]]
    for one in best_first(found):
        best = best_of(one)
        ends = "-" if best.low is None or best.high is None else interval(best.low, best.high)
        rows.append([printable(one.system), f"{one.items:,}", f"{one.ratings:,}", known_number(best.estimate), ends])
    return rows


def _sentences(result: EstimateResult) -> list[str]:
    from tiebreak.results.estimates.words import paper_sentence
    from tiebreak.results.names import printable

    return [printable(paper_sentence(found, result)) for found in result.results]


_FORMATS: Final = MappingProxyType({".csv": _csv, ".tex": _tex, ".md": _markdown})
