"""What became of many runs of a campaign: one small row per run, one row per run and pair, and their summary.

Runs as a long table, one row per run and pair, for files and for other programs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiebreak.records import document
from tiebreak.rules.rule import FINDINGS, VERDICTS
from tiebreak.simulate.engines.step_engine import FinishedCampaign

Codes = NDArray[np.int8]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_CODES = {finding: code for code, finding in FINDINGS.items()}
_Z = 1.959964


@dataclass(frozen=True, slots=True, eq=False)
class RunTable:
    """R runs of K pairs. `verdict` (R, K): 1 a, -1 b, 2 equivalent, 0 undecided; `items`, `pair_labels` (R, K): used on
    the pair; `decided_at`, `decided_labels` (R, K): items and labels at the verdict, 0 without one.

    Per run (R,): `labels` paid, `late` ones that arrived after the end or were not needed, `cost`, `seconds` from the
    opening to the end, `work` seconds of people, `ended` why. `truth` (K,): the true difference of each pair, NaN where
    unknown.
    """

    pairs: tuple[tuple[str, str], ...]
    verdict: Codes
    items: Counts
    pair_labels: Counts
    decided_at: Counts
    decided_labels: Counts
    labels: Counts
    late: Counts
    cost: Floats
    seconds: Floats
    work: Floats
    ended: tuple[str, ...]
    truth: Floats

    def __len__(self) -> int:
        return int(self.labels.size)

    @classmethod
    def of_run(cls, finished: FinishedCampaign, truth: Floats) -> RunTable:
        """The table of one run through the step engine."""
        state = finished.state
        measures = state.measures
        tracks = [state.tracks[of.tracks[0]] for of in state.plan.measures]

        def row(values: Sequence[int | None]) -> Counts:
            return np.array([[0 if value is None else value for value in values]], dtype=np.int64)

        return cls(
            pairs=tuple((pair.system_a, pair.system_b) for pair in state.plan.pairs),
            verdict=np.array([[_CODES[measure.verdict] for measure in measures]], dtype=np.int8),
            items=row([track.items for track in tracks]),
            pair_labels=row([track.labels for track in tracks]),
            decided_at=row([measure.decided_at for measure in measures]),
            decided_labels=row([measure.decided_labels for measure in measures]),
            labels=np.array([state.labels]),
            late=np.array([state.late]),
            cost=np.array([finished.cost]),
            seconds=np.array([finished.seconds]),
            work=np.array([finished.work]),
            ended=(finished.ended,),
            truth=truth,
        )

    @classmethod
    def joined(cls, parts: Sequence[RunTable]) -> RunTable:
        """The runs of several tables of the same pairs, in order."""
        arrays = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in (
                *("verdict", "items", "pair_labels", "decided_at", "decided_labels"),
                *("labels", "late", "cost", "seconds", "work"),
            )
        }
        ended = tuple(end for part in parts for end in part.ended)
        return cls(pairs=parts[0].pairs, ended=ended, truth=parts[0].truth, **arrays)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """(R, K): a direction that the truth contradicts (no difference contradicts either)."""
        sign = np.sign(np.nan_to_num(self.truth))
        directed = np.abs(self.verdict) == 1
        return np.asarray(directed & ~np.isnan(self.truth) & (self.verdict != sign))


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """A figure over runs with its 95% interval; `p10`, `p90`: the range of single runs, None for shares."""

    value: float
    low: float
    high: float
    p10: float | None = None
    p90: float | None = None


def share(hits: int, runs: int) -> RunEstimate:
    """A share of runs with Wilson's interval."""
    centre = (hits + _Z**2 / 2) / (runs + _Z**2)
    half = _Z / (runs + _Z**2) * math.sqrt(hits * (runs - hits) / runs + _Z**2 / 4)
    return RunEstimate(hits / runs, max(0.0, centre - half), min(1.0, centre + half))


def mean(values: NDArray[Any]) -> RunEstimate:
    """A mean over runs with Student's interval (not below 0; one run: that value), and the range of 80% of the runs.

    All means here are of counts, times or money.
    """
    numbers = np.asarray(values, dtype=np.float64)
    half = 0.0
    if numbers.size > 1:
        half = float(stdtrit(numbers.size - 1, 0.975) * numbers.std(ddof=1)) / math.sqrt(numbers.size)
    centre = float(numbers.mean())
    low, high = (float(found) for found in np.percentile(numbers, [10, 90]))
    return RunEstimate(centre, max(0.0, centre - half), centre + half, low, high)


@dataclass(frozen=True, slots=True)
class PairOverRuns:
    """A pair over all runs. `truth`: its true difference, None where unknown; `wrong`: share of runs with a direction
    that the truth contradicts. `decided_labels`: over the decided runs only, None without any.
    """

    system_a: str
    system_b: str
    truth: float | None
    a: RunEstimate
    b: RunEstimate
    equivalent: RunEstimate
    undecided: RunEstimate
    wrong: RunEstimate | None
    items: RunEstimate
    labels: RunEstimate
    decided_labels: RunEstimate | None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """All runs. `any_wrong`: share of runs with at least one wrong direction, None where the truth is unknown;
    `ended`: share of runs by why they ended.
    """

    repetitions: int
    pairs: tuple[PairOverRuns, ...]
    labels: RunEstimate
    late: RunEstimate
    cost: RunEstimate
    hours: RunEstimate
    work_hours: RunEstimate
    decided_pairs: RunEstimate
    any_wrong: RunEstimate | None
    ended: dict[str, RunEstimate]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return document(self)


def summarise(table: RunTable) -> RunSummary:
    """Means, shares and their intervals."""
    runs = len(table)
    known = not np.isnan(table.truth).all()
    ends = sorted(set(table.ended))
    return RunSummary(
        repetitions=runs,
        pairs=tuple(_pair_summary(table, k) for k in range(len(table.pairs))),
        labels=mean(table.labels),
        late=mean(table.late),
        cost=mean(table.cost),
        hours=mean(table.seconds / 3600),
        work_hours=mean(table.work / 3600),
        decided_pairs=mean((table.verdict != 0).sum(axis=1)),
        any_wrong=share(int(table.wrong.any(axis=1).sum()), runs) if known else None,
        ended={end: share(table.ended.count(end), runs) for end in ends},
    )


def _pair_summary(table: RunTable, k: int) -> PairOverRuns:
    runs, verdict = len(table), table.verdict[:, k]
    shares = {name: share(int((verdict == code).sum()), runs) for code, name in VERDICTS.items()}
    decided = verdict != 0
    truth = float(table.truth[k])
    return PairOverRuns(
        system_a=table.pairs[k][0],
        system_b=table.pairs[k][1],
        truth=None if math.isnan(truth) else truth,
        **shares,
        wrong=None if math.isnan(truth) else share(int(table.wrong[:, k].sum()), runs),
        items=mean(table.items[:, k]),
        labels=mean(table.pair_labels[:, k]),
        decided_labels=mean(table.decided_labels[decided, k]) if decided.any() else None,
    )


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
        "verdict": [VERDICTS[int(code)] for code in table.verdict.ravel()],
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
