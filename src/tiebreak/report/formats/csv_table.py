"""CSV for programs."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiebreak.results.records import CompareResult


def render(result: CompareResult) -> str:
    """Every field of every pair, one row per pair, numbers unrounded; empty where a rule has no value.

    An own analysis of the labels of a campaign, or of a watched study, names it in a column of its own, lest it be
    taken for its verdict.
    """
    frame, own = result.pairs, result.own_analysis
    mark = [] if own is None else [own.name]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*frame.columns, *(["own_analysis_of"] if mark else [])])
    writer.writerows([*("" if value is None else value for value in row), *mark] for row in frame.iter_rows())
    return stream.getvalue()
