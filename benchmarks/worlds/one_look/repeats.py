"""Judgements made again by the same person, through the whole product: tables in, verdicts out.

Many pairs of systems that share nothing stand in one study and are compared without correction, each at alpha: as many
studies of one pair, but faster.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from benchmarks.cells import ALPHAS, Cell, Counts, Measure, Rng
from scipy.special import bdtrc

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study

ITEMS = 50
RUNS = 40_000
_PAIRS = 250  # in one study
_AGAIN = 0.4  # of all judgements
_KEPT = 0.6  # of those made again say the same, and the others are drawn anew


def counted(timed: bool) -> Measure:
    """Wrong directions of `compare`, and of the sign test of all rows, between systems that are equal."""

    def measure(rng: Rng, runs: int) -> Counts:
        found = {f"{kind} {alpha}": 0.0 for kind in ("wrong", "control") for alpha in ALPHAS}
        for start in range(0, runs, _PAIRS):
            pairs = min(_PAIRS, runs - start)
            table = _judgements(rng, pairs, timed)
            study = Study.from_tables(preferences=table)
            pairs_of = [pair for of in compare(study, multiplicity="none").results for pair in of.pairs]
            if len(pairs_of) != pairs:
                raise ValueError(f"{pairs} pairs went in, but {len(pairs_of)} were compared")
            for alpha in ALPHAS:
                found[f"wrong {alpha}"] += sum(pair.p_value is not None and pair.p_value <= alpha for pair in pairs_of)
                found[f"control {alpha}"] += float((_sign_of_rows(table) <= alpha).sum())
        return found

    return measure


def _judgements(rng: Rng, pairs: int, timed: bool) -> pl.DataFrame:
    outcomes = rng.integers(0, 3, size=(pairs, ITEMS))
    anew = np.where(rng.random(outcomes.shape) < _KEPT, outcomes, rng.integers(0, 3, size=outcomes.shape))
    again = rng.random(outcomes.shape) < _AGAIN
    pair, item = np.indices(outcomes.shape)
    rows = [np.concatenate([of.ravel(), of[again]]) for of in (pair, item)]
    judged = np.concatenate([outcomes.ravel(), anew[again]])
    table = pl.DataFrame(
        {
            "item": [f"i{of}" for of in rows[1]],
            "system_a": [f"a{of}" for of in rows[0]],
            "system_b": [f"b{of}" for of in rows[0]],
            "annotator": "one",
            "outcome": np.array(["a", "tie", "b"])[judged].tolist(),
        }
    )
    if timed:
        days = np.where(np.arange(judged.size) < outcomes.size, 1, 2)
        table = table.with_columns(decided_at=pl.Series([f"2026-01-0{day}T10:00:00Z" for day in days]))
    return table[rng.permutation(table.height)]


def _sign_of_rows(table: pl.DataFrame) -> np.ndarray:
    counts = table.group_by("system_a").agg(
        wins=(pl.col("outcome") == "a").sum(), losses=(pl.col("outcome") == "b").sum()
    )
    wins, losses = (counts[name].to_numpy().astype(np.int64) for name in ("wins", "losses"))
    return np.minimum(1.0, 2 * bdtrc(np.maximum(wins, losses) - 1, wins + losses, 0.5))


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    for timed in (True, False):
        yield Cell(
            "repeats",
            f"{ITEMS} items, {_AGAIN:.0%} judged again, "
            + ("the first by its time counts" if timed else "no times: a tie where the answers differ"),
            "exact",
            counted(timed),
            RUNS,
            (timed,),
        )
