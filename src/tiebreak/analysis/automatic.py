"""Metric scores and judge preferences as values per item and pair, oriented like the human values.

A metric's value for a pair is score(a) - score(b), with the sign turned where lower is better. A judge's value is 1, 0
or -1: its answers to both orders combined, where a disagreement between them is a tie, and counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.analysis.evidence import PairEvidence
from tiebreak.analysis.human_labels import PairValues
from tiebreak.analysis.items import ItemIndex
from tiebreak.analysis.result import JudgeOrders
from tiebreak.analysis.settings import CompareSettings, check_known
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.records import OUTCOME_CODES

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AutomaticValues:
    """The chosen metrics and judges on one criterion.

    `names`: metrics, then judges. `scores` (n_metrics, n_items, n_systems), higher is better, NaN where absent.
    `answers`: per judge, from (system_a, system_b) with a < b to values (n_items,), NaN where it gave no answer.
    `disagreements`: per judge, items answered in both orders, and those of them with different answers.
    """

    names: tuple[str, ...]
    scores: Floats
    system_column: dict[str, int]
    answers: tuple[dict[tuple[str, str], Floats], ...]
    disagreements: tuple[tuple[int, int], ...]

    def of_pair(self, system_a: str, system_b: str) -> Floats:
        """Values (n_items, n_names) of a pair, positive in favour of system_a, NaN where absent."""
        items = self.scores.shape[1]
        columns = []
        i, j = self.system_column.get(system_a), self.system_column.get(system_b)
        for metric in self.scores:
            missing = i is None or j is None
            columns.append(np.full(items, np.nan) if missing else metric[:, i] - metric[:, j])
        first, second = sorted((system_a, system_b))
        sign = 1.0 if first == system_a else -1.0
        for judge in self.answers:
            found = judge.get((first, second))
            columns.append(np.full(items, np.nan) if found is None else sign * found)
        return np.column_stack(columns) if columns else np.empty((items, 0))


@dataclass(frozen=True, slots=True)
class PairAutomatic:
    """Automatic values of one pair: `labelled` (n, M) in the order of its evidence, `unlabelled` (u, M) in fixed order.

    `unlabelled` holds the rest of the pair's pool; NaN where a metric or judge said nothing.
    """

    names: tuple[str, ...]
    labelled: Floats
    unlabelled: Floats

    def outcomes(self, tie_threshold: float) -> tuple[Floats, Floats]:
        """Outcomes (n,) and (u,) in {-1, 0, 1}: the side that more sources favour, NaN where none judged."""
        return _combined(self.labelled, tie_threshold), _combined(self.unlabelled, tie_threshold)


def pair_automatic(pair: PairEvidence, index: ItemIndex, automatic: AutomaticValues, seed: int) -> PairAutomatic:
    """The automatic values on a pair's evidence and on the rest of its pool, the latter in a random order."""
    values = automatic.of_pair(pair.system_a, pair.system_b)
    rest = np.setdiff1d(index.pool(pair.system_a, pair.system_b), pair.items)
    rest = np.random.default_rng([seed, 5]).permutation(rest)
    return PairAutomatic(automatic.names, values[pair.items], values[rest])


def metric_only_values(
    study: Study, criterion: str | None, index: ItemIndex, settings: CompareSettings
) -> list[PairValues]:
    """Outcomes of metrics and judges alone, for all pairs of systems: what a naive evaluation would decide from."""
    automatic = chosen_values(study, criterion, index, settings)
    found = []
    for system_a, system_b in itertools.combinations(study.systems, 2):
        outcome = _combined(automatic.of_pair(system_a, system_b), settings.metric_tie_threshold)
        items = np.flatnonzero(~np.isnan(outcome))
        if items.size:
            names = tuple(index.items[k] for k in items)
            none = np.zeros(items.size, dtype=np.int64)
            found.append(PairValues(system_a, system_b, items, names, outcome[items], none, None, from_ratings=False))
    return found


def chosen_values(study: Study, criterion: str | None, index: ItemIndex, settings: CompareSettings) -> AutomaticValues:
    """The values of the metrics and judges that the settings name; "all" takes every one that serves the criterion.

    Raises:
        UsageError: a name that the study does not have on this criterion, or "all" where it has none at all.
    """
    metrics = known_metrics(study, criterion) if settings.metrics == ("all",) else settings.metrics
    judges = known_judges(study, criterion) if settings.judges == ("all",) else settings.judges
    if not metrics and not judges:
        about = f" on {criterion}" if criterion is not None else ""
        raise UsageError(
            f"the study has no metrics or judges{about} that 'all' could mean: add scores.csv or "
            "judge_preferences.csv, name criteria that have them, or compare from human labels alone"
        )
    return automatic_values(study, criterion, index, metrics, judges)


def judge_orders(values: AutomaticValues) -> tuple[JudgeOrders, ...]:
    """For each judge that was asked in both orders: how often, and how often its answer changed with the order."""
    names = values.names[len(values.names) - len(values.disagreements) :]
    found = zip(names, values.disagreements, strict=True)
    return tuple(JudgeOrders(name, both, differ) for name, (both, differ) in found if both)


def _combined(values: Floats, tie_threshold: float) -> Floats:
    absent = np.isnan(values)
    votes = np.where(absent | (np.abs(values) <= tie_threshold), 0.0, np.sign(values)).sum(axis=1)
    return np.where(absent.all(axis=1), np.nan, np.sign(votes))


def known_metrics(study: Study, criterion: str | None) -> tuple[str, ...]:
    """Metrics that serve a criterion: scored on it, or on none in particular."""
    return _names(study.scores, "metric", criterion)


def known_judges(study: Study, criterion: str | None) -> tuple[str, ...]:
    """Judges that answered on a criterion, or on none in particular."""
    return _names(study.judge_preferences, "judge", criterion)


def automatic_values(
    study: Study, criterion: str | None, index: ItemIndex, metrics: Sequence[str], judges: Sequence[str]
) -> AutomaticValues:
    """The values of the named metrics and judges.

    Raises:
        UsageError: a name that the study does not have on this criterion, with the nearest one as a hint.
    """
    about = f" on {criterion}" if criterion is not None else ""
    check_known(f"metric{about}", metrics, known_metrics(study, criterion))
    check_known(f"judge{about}", judges, known_judges(study, criterion))
    columns = {name: k for k, name in enumerate(study.systems)}
    scores = np.full((len(metrics), len(index.items), len(columns)), np.nan)
    for k, metric in enumerate(metrics):
        frame = _serving(study.scores, "metric", metric, criterion)
        rows = frame["item"].replace_strict(index.position, return_dtype=pl.Int64).to_numpy()
        places = frame["system"].replace_strict(columns, return_dtype=pl.Int64).to_numpy()
        sign = 1.0 if study.settings.higher_is_better.get(metric, True) else -1.0
        scores[k, rows, places] = sign * frame["value"].to_numpy()
    answers, disagreements = [], []
    for judge in judges:
        values, counts = _judge_answers(_serving(study.judge_preferences, "judge", judge, criterion), index)
        answers.append(values)
        disagreements.append(counts)
    return AutomaticValues((*metrics, *judges), scores, columns, tuple(answers), tuple(disagreements))


def _names(frame: pl.DataFrame | None, column: str, criterion: str | None) -> tuple[str, ...]:
    if frame is None:
        return ()
    return tuple(sorted(frame.filter(_serves(criterion))[column].unique().to_list()))


def _serves(criterion: str | None) -> pl.Expr:
    """Rows for the criterion, and rows without one, which serve every criterion."""
    unnamed = pl.col("criterion").is_null()
    return unnamed if criterion is None else unnamed | (pl.col("criterion") == criterion)


def _serving(frame: pl.DataFrame | None, column: str, name: str, criterion: str | None) -> pl.DataFrame:
    """Rows of one metric or judge that serve a criterion; its own rows go before general ones."""
    if frame is None:
        return pl.DataFrame()
    rows = frame.filter((pl.col(column) == name) & _serves(criterion))
    own = rows.filter(pl.col("criterion").is_not_null())
    return own if own.height else rows


def _judge_answers(frame: pl.DataFrame, index: ItemIndex) -> tuple[dict[tuple[str, str], Floats], tuple[int, int]]:
    flipped = pl.col("system_a") > pl.col("system_b")
    value = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int64)
    combined = (
        frame.filter(pl.col("outcome").is_not_null())
        .with_columns(
            first=pl.min_horizontal("system_a", "system_b"),
            second=pl.max_horizontal("system_a", "system_b"),
            value=pl.when(flipped).then(-value).otherwise(value),
        )
        .group_by("first", "second", "item")
        .agg(low=pl.col("value").min(), high=pl.col("value").max(), answers=pl.len())
        .sort("first", "second", "item")
    )
    both = combined.filter(pl.col("answers") > 1)
    counts = (both.height, int((both["low"] != both["high"]).sum()))
    found: dict[tuple[str, str], Floats] = {}
    for part in combined.partition_by("first", "second", maintain_order=True):
        values = np.full(len(index.items), np.nan)
        agreed = pl.when(pl.col("low") == pl.col("high")).then(pl.col("low")).otherwise(0)
        values[index.numbers(part["item"])] = part.select(agreed).to_series().to_numpy()
        found[(part["first"][0], part["second"][0])] = values
    return found, counts
