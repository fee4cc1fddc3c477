"""Runs as a long table, one row per run and pair, for files and for other programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.simulate.runs.table import VERDICT_NAMES, RunTable


def run_frame(table: RunTable) -> pl.DataFrame:
    """Columns: run (from 0), system_a, system_b, true_difference (null where unknown), verdict, items, labels,
    decided_at, decided_labels (null without a verdict); and of the whole run: run_labels, run_late, run_cost,
    run_seconds, run_work_seconds, run_ended.
    """
    runs, pairs = table.verdict.shape
    decided = (table.verdict != 0).ravel()
    truth = [None if np.isnan(value) else float(value) for value in table.truth]
    columns: dict[str, Any] = {
        "run": np.repeat(np.arange(runs), pairs),
        "system_a": [a for a, _ in table.pairs] * runs,
        "system_b": [b for _, b in table.pairs] * runs,
        "true_difference": pl.Series(truth * runs, dtype=pl.Float64),
        "verdict": [VERDICT_NAMES[int(code)] for code in table.verdict.ravel()],
        "items": table.items.ravel(),
        "labels": table.pair_labels.ravel(),
        "decided_at": _where(decided, table.decided_at.ravel()),
        "decided_labels": _where(decided, table.decided_labels.ravel()),
        "run_labels": np.repeat(table.labels, pairs),
        "run_late": np.repeat(table.late, pairs),
        "run_cost": np.repeat(table.cost, pairs),
        "run_seconds": np.repeat(table.seconds, pairs),
        "run_work_seconds": np.repeat(table.work, pairs),
        "run_ended": [end for end in table.ended for _ in range(pairs)],
    }
    return pl.DataFrame(columns)


def _where(known: NDArray[np.bool_], values: NDArray[np.int64]) -> pl.Series:
    return pl.Series(
        [int(value) if present else None for present, value in zip(known, values, strict=True)], dtype=pl.Int64
    )
