"""CSV for programs."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiebreak.results.records import CompareResult


def render(result: CompareResult) -> str:
    """Every field of every pair, one row per pair, numbers unrounded; empty where a rule has no value."""
    frame = result.pairs
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows(["" if value is None else value for value in row] for row in frame.iter_rows())
    return stream.getvalue()
