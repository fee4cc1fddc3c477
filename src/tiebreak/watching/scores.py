"""Metric values in a ledger: which are written down at which look, and which of them may help.

A value that was made after a label was seen may know the label. So values are written down once, at the look at which
their system joins, and help predict an item only if nobody's label of it had been seen by then. Items that entered the
evidence at that very look were not predicted: their values only teach what to expect of the others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.evidence.automatic_names import check_said, known_metrics, refuse_all
from tiebreak.evidence.items import name_numbers
from tiebreak.watching.ledger import Ledger
from tiebreak.watching.looks import SCORES, Pair

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_KEYS = ["item", "system", "metric", "criterion"]


def chosen_metrics(study: Study, asked: Sequence[str], criteria: Collection[str | None]) -> tuple[str, ...]:
    """The names asked for, sorted; ("all",) takes every metric that serves one of the criteria.

    Raises:
        UsageError: a name that the study does not have, or "all" where it has none.
    """
    known = sorted({name for criterion in criteria for name in known_metrics(study, criterion)})
    if tuple(asked) == ("all",):
        if not known:
            refuse_all(study, ("metric",), None, "add scores.csv, or leave --metric out")
        return tuple(known)
    check_said(study, "metric", asked, known)
    return tuple(sorted(set(asked)))


def metrics_again(ledger: Ledger, study: Study, asked: Sequence[str]) -> tuple[str, ...]:
    """What a later look asks for, to be held against what the first one chose."""
    if tuple(asked) != ("all",):
        return tuple(sorted(set(asked)))
    return tuple(sorted({name for pair in ledger.pairs for name in known_metrics(study, pair[0])}))


def scores_of(study: Study, metrics: Collection[str], systems: Collection[str]) -> pl.DataFrame:
    """The values of these metrics for these systems, in the columns of the ledger: higher is better."""
    if study.scores is None or not metrics:
        return pl.DataFrame(schema=SCORES)
    lower = [name for name in metrics if not study.settings.higher_is_better.get(name, True)]
    value = pl.when(pl.col("metric").is_in(lower)).then(-pl.col("value")).otherwise(pl.col("value"))
    rows = study.scores.filter(pl.col("metric").is_in(list(metrics)) & pl.col("system").is_in(list(systems)))
    return rows.select("item", "system", "metric", "criterion", value=value.cast(pl.Float64))


@dataclass(frozen=True, slots=True)
class MovedScores:
    """Metric values that the ledger has and the study does not (`vanished`), or otherwise (`changed`), and such as came
    `late`, after the look at which their system joined: the rows.
    """

    vanished: pl.DataFrame
    changed: pl.DataFrame
    late: pl.DataFrame


def moved_scores(ledger: Ledger, study: Study) -> MovedScores:
    """What became of the sealed values in the study."""
    known = ledger.tables["scores"]
    systems = {name for _, *pair in ledger.pairs for name in pair}
    now = scores_of(study, ledger.begun.settings.metrics, systems)
    both = known.join(now, on=_KEYS, how="inner", nulls_equal=True, suffix="_now", maintain_order="left")
    return MovedScores(
        known.join(now, on=_KEYS, how="anti", nulls_equal=True, maintain_order="left"),
        both.filter(pl.col("value") != pl.col("value_now")),
        now.join(known, on=_KEYS, how="anti", nulls_equal=True, maintain_order="left"),
    )


class SealedMetrics:
    """The metric values of a ledger, pair by pair. `items`: names, to which numbers refer."""

    def __init__(self, ledger: Ledger, items: Sequence[str]) -> None:
        self._metrics, self._items = ledger.begun.settings.metrics, len(items)
        frame = ledger.tables["scores"]
        frame = frame.with_columns(number=pl.Series(name_numbers(frame["item"], items), dtype=pl.Int64))
        parts = frame.partition_by("metric", "system", "criterion", as_dict=True)
        self._scores = {(str(key[0]), str(key[1]), key[2]): part for key, part in parts.items()}
        looks = frame.group_by("system").agg(pl.col("look").min())
        self._look = {str(system): int(look) for system, look in looks.select("system", "look").iter_rows()}
        self._labelled = np.full(len(items), np.iinfo(np.intp).max, dtype=np.intp)
        for name in ("preferences", "ratings"):
            rows = ledger.tables[name]
            np.minimum.at(self._labelled, name_numbers(rows["item"], items), rows["look"].to_numpy().astype(np.intp))

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which items (n_items,) have a label that a look saw, on any pair and of anybody."""
        return self._labelled < np.iinfo(np.intp).max

    @property
    def labelled_at_first(self) -> NDArray[np.bool_]:
        """Which items (n_items,) had a label at the first look."""
        return self._labelled <= 1

    def of_pair(self, pair: Pair, entered: Indices) -> tuple[tuple[str, ...], Floats]:
        """Names (M,) of the metrics that serve a pair, and their values (n_items, M), positive in favour of the first
        system; NaN where there is none, or where it was not written down before the labels of the item.

        `entered` (n_items,): the look at which each item became evidence.
        """
        criterion, first, second = pair
        found: dict[str, Floats] = {}
        for metric in self._metrics:
            own = any((metric, system, criterion) in self._scores for system in (first, second))
            serving = criterion if own else None
            if any((metric, system, serving) in self._scores for system in (first, second)):
                found[metric] = self._of(metric, first, serving) - self._of(metric, second, serving)
        if not found:
            return (), np.empty((self._items, 0))
        values = np.stack(list(found.values()), axis=1)
        sealed = max(self._look[system] for system in (first, second) if system in self._look)
        values[(self._labelled <= sealed) & (entered > sealed)] = np.nan
        return tuple(found), values

    def _of(self, metric: str, system: str, criterion: str | None) -> Floats:
        values = np.full(self._items, np.nan)
        rows = self._scores.get((metric, system, criterion))
        if rows is not None:
            values[rows["number"].to_numpy()] = rows["value"].to_numpy()
        return values
