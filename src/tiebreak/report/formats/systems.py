"""Systems by criteria, as papers have them: a row per system, a column per criterion, the best figure bold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiebreak.messages.bibliography import sources_of
from tiebreak.numbers import known_number, printable
from tiebreak.report.formats.rendering import Contents, PaperTable
from tiebreak.report.system_figures import Column, SystemFigures, system_figures
from tiebreak.results.estimates import EstimateResult
from tiebreak.results.records import CompareResult

_HEADER = ("criterion", "system", "measure", "value", "low", "high", "letters")


def systems_contents(result: CompareResult | EstimateResult) -> Contents:
    """The table for readers, and a row per criterion and system for programs."""
    found = system_figures(result)
    letters = ("piepho2004",) if isinstance(result, CompareResult) else ()
    return Contents(_HEADER, _rows(found), [_table(found)], (*sources_of(result), *letters))


def _table(found: SystemFigures) -> PaperTable:
    names, columns = found.systems, found.columns
    rows = [["System", *(criterion or found.measure.capitalize() for criterion in columns)]]
    rows += [[name, *(column[name].text if name in column else "-" for column in columns.values())] for name in names]
    bold = {(1 + names.index(best), 1 + k) for k, column in enumerate(columns.values()) for best in _best(column)}
    return PaperTable(
        title="",
        rows=[[printable(cell) for cell in row] for row in rows],
        columns="l" * (1 + len(columns)),
        signed=tuple(range(1, 1 + len(columns))),
        sentences=tuple(map(printable, found.sentences)),
        bold=frozenset(bold),
    )


def _best(column: Column) -> list[str]:
    """The systems whose figure reads as high as the highest."""
    first = next(iter(column.values()), None)
    if first is None or first.value is None:
        return []
    return [name for name, of in column.items() if known_number(of.value) == known_number(first.value)]


def _rows(found: SystemFigures) -> Iterator[Sequence[object]]:
    for criterion, column in found.columns.items():
        for name, of in column.items():
            yield criterion or None, name, found.measure, of.value, of.low, of.high, of.letters or None
