"""CSV for programs, and for people who open it in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tiebreak.tabular.cells import csv_text

if TYPE_CHECKING:
    from tiebreak.results.records import CompareResult


def render(result: CompareResult) -> str:
    """Every field of every pair, one row per pair, numbers unrounded; empty where a rule has no value. A text that a
    spreadsheet would take for a formula has an apostrophe before it.

    An own analysis of the labels of a campaign, or of a watched study, names it in a column of its own, lest it be
    taken for its verdict.
    """
    frame, own = result.pairs, result.own_analysis
    mark = {} if own is None else {"own_analysis_of": own.name}
    return table([*frame.columns, *mark], ([*row, *mark.values()] for row in frame.iter_rows()))


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV; None is an empty cell, and a text that would be a formula is none."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(map(_cell, row) for row in rows)
    return stream.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str):
        return csv_text(value)
    return "" if value is None else value
