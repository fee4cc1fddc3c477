"""Posterior probabilities of all pairs together, from human labels and a metric or judge that errs: for one look.

It goes beyond `--rule posterior`, which takes labels for the truth and learns each pair alone. It has no error rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.comparison.people import PersonLabels, person_labels
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.evidence.automatic import AutomaticValues, chosen_values, combined
from tiebreak.evidence.items import ItemIndex
from tiebreak.importers.reading import StudySource, study_of
from tiebreak.kernels.metric_error_joint import CLASSES, JointLabels, joint_posterior
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.shared import LARGEST_SEED

Codes = NDArray[np.intp]

_NO_PEOPLE: Final = {"annotator": pl.Series([], dtype=pl.String), "accuracy": pl.Series([], dtype=pl.Float64)}


@dataclass(frozen=True, slots=True)
class PosteriorTogether:
    """`pairs`: system_a, system_b, labels, difference (posterior mean), low and high (95%), theta = P(a is preferred
    more often), equivalent = P(|difference| <= margin), null without a margin. `annotators`: annotator, accuracy, the
    posterior mean of how often a label is the true class; empty where annotators do not err. `strength` of pooling:
    how many items of one pair the metric's errors on all the others are worth.
    """

    pairs: pl.DataFrame
    annotators: pl.DataFrame
    strength: float


def posterior_together(
    study: StudySource,
    *,
    metrics: Sequence[str] = (),
    judges: Sequence[str] = (),
    criterion: str | None = None,
    annotators_err: bool = False,
    pooled: bool = True,
    strata: str | None = None,
    margin: float | None = None,
    tie_threshold: float = 0.0,
    metric_tie_threshold: float = 0.0,
    seed: int = 0,
    draws: int = 4_000,
) -> PosteriorTogether:
    """All pairs of a study in one model (metric-error-correction, section 3, and what it leaves open).

    Args:
        study: a study, its folder, or a table of labels.
        metrics, judges: whose outcomes are used, by the side that most of them favour.
        criterion: of the labels; None where there is only one.
        annotators_err: estimate how often each annotator is right, for studies where items have several labels: a
            single label says nothing of it, and the prior decides. If not, an item has the side of the mean of its
            labels.
        pooled: let what is learned of the metric on one pair help on the others.
        strata: column of items, such as a difficulty; the metric errs in each as it does there.
        margin: of practical equivalence, on the scale of the difference.
        tie_threshold, metric_tie_threshold: largest differences of ratings and of scores that are ties.
        seed, draws: of the sampler.

    Raises:
        UsageError: no metric or judge, an unknown name, no labels, several criteria and none named, or a margin outside
            (0, 1).
    """
    study = study_of(study)
    if not metrics and not judges:
        raise UsageError("name a metric or judge whose errors are to be corrected")
    if margin is not None and not 0 < margin < 1:
        raise UsageError(f"margin is {margin:g}, but must lie between 0 and 1")
    if draws < 1 or not 0 <= seed <= LARGEST_SEED:
        raise UsageError("draws must be 1 or more, and the seed a whole number from 0 on")
    index = ItemIndex.of(study)
    criterion = _criterion(study, criterion)
    values = chosen_values(study, criterion, index, metrics, judges)
    annotators = _annotators(study, criterion)
    settings = CompareSettings(tie_threshold=tie_threshold)
    of_pairs = {pair: labels for pair, labels in person_labels(study, criterion, index, settings) if labels.items.size}
    if not of_pairs:
        raise UsageError(f"{study.name} has no labels of two systems on one item")
    table = _Table(index, values, _strata(study, index, strata), metric_tie_threshold, annotators_err)
    for pair in sorted(of_pairs):
        table.add(*pair, of_pairs[pair])
    found = joint_posterior(
        *table.whole(), annotators_err=annotators_err, pooled=pooled, rng=np.random.default_rng([seed, 9]), draws=draws
    )
    low, high = np.quantile(found.differences, [0.025, 0.975], axis=0)
    pairs = pl.DataFrame(
        {
            "system_a": [a for a, _ in sorted(of_pairs)],
            "system_b": [b for _, b in sorted(of_pairs)],
            "labels": [of_pairs[pair].items.size for pair in sorted(of_pairs)],
            "difference": found.differences.mean(axis=0),
            "low": low,
            "high": high,
            "theta": (found.differences > 0).mean(axis=0),
            "equivalent": None if margin is None else (np.abs(found.differences) <= margin).mean(axis=0),
        },
        schema_overrides={"equivalent": pl.Float64},
    )
    people = pl.DataFrame({"annotator": annotators, "accuracy": found.accuracy} if annotators_err else _NO_PEOPLE)
    return PosteriorTogether(pairs, people.sort("accuracy", "annotator"), found.strength)


def _criterion(study: Study, criterion: str | None) -> str | None:
    known = [name for name in study.criteria if name is not None]
    if criterion is not None:
        check_known("criterion", [criterion], known)
    elif len(study.criteria) > 1:
        raise UsageError(f"name one criterion: {', '.join(known)}")
    elif study.criteria:
        criterion = study.criteria[0]
    return criterion


def _strata(study: Study, index: ItemIndex, column: str | None) -> Codes:
    """The stratum (n_items,) of each item; items without one are one of their own."""
    if column is None:
        return np.zeros(len(index.items), dtype=np.intp)
    items = pl.DataFrame({"item": []}) if study.items is None else study.items
    check_known("column of items", [column], [name for name in items.columns if name != "item"])
    names = dict(items.select("item", pl.col(column).cast(pl.String)).iter_rows())
    return np.unique([names.get(item) or "" for item in index.items], return_inverse=True)[1].astype(np.intp)


def _annotators(study: Study, criterion: str | None) -> pl.Series:
    """Names in order: the numbers that labels have.

    Raises:
        UsageError: some are preferences and some ratings.
    """
    tables = [frame for frame in (study.preferences, study.ratings) if frame is not None]
    of_criterion = [frame.filter(pl.col("criterion").eq_missing(criterion)) for frame in tables]
    found = [frame["annotator"].unique().sort() for frame in of_criterion if frame.height]
    if len(found) > 1:
        raise UsageError(f"{study.name} has preferences and ratings on one criterion: leave one of the tables out")
    return found[0] if found else pl.Series("annotator", [], dtype=pl.String)


class _Table:
    """Labels of all pairs as the sampler takes them; a row for each pair and stratum."""

    def __init__(
        self, index: ItemIndex, values: AutomaticValues, strata: Codes, tie_threshold: float, by_annotator: bool
    ) -> None:
        self._index, self._values, self._strata = index, values, strata
        self._tie_threshold, self._by_annotator = tie_threshold, by_annotator
        self._columns: dict[str, list[Codes]] = {name: [] for name in ("row", "metric", "item", "annotator", "answer")}
        self._only: list[NDArray[np.int64]] = []
        self._pair: list[int] = []
        self._weight: list[float] = []
        self._items = self._pairs = 0

    def add(self, system_a: str, system_b: str, labels: PersonLabels) -> None:
        """A pair: identical outputs are ties, whoever looks, and are counted as those."""
        count = len(self._index.items)
        pool = self._index.in_pool(system_a, system_b)
        pool[labels.items] = True
        open_items = pool & ~self._index.have_identical_outputs(system_a, system_b)
        said = combined(self._values.outcomes_of_pair(system_a, system_b), self._tie_threshold)
        classes = np.where(np.isnan(said), -1, 1 - np.nan_to_num(said)).astype(np.intp)
        kept = open_items[labels.items]
        items, people, values = labels.items[kept], labels.people[kept], labels.values[kept]
        labelled, place = np.unique(items, return_inverse=True)
        if not self._by_annotator:
            values = np.sign(np.round(np.bincount(place, values, labelled.size), 9))
            people, place = np.zeros(labelled.size, dtype=np.intp), np.arange(labelled.size)
        rows, of_row = np.unique(self._strata[open_items], return_inverse=True)
        row = np.full(count, -1)
        row[open_items] = of_row + len(self._pair)
        columns = {
            "row": row[labelled],
            "metric": classes[labelled],
            "item": place + self._items,
            "annotator": people,
            "answer": (1 - np.sign(values)).astype(np.intp),
        }
        for name, column in columns.items():
            self._columns[name].append(column)
        alone = open_items & (classes >= 0)
        alone[labelled] = False
        cells = of_row[alone[open_items]] * CLASSES + classes[alone]
        self._only.append(np.bincount(cells, minlength=rows.size * CLASSES).reshape(-1, CLASSES))
        self._weight += (np.bincount(of_row) / max(int(pool.sum()), 1)).tolist()
        self._pair += [self._pairs] * rows.size
        self._pairs += 1
        self._items += labelled.size

    def whole(self) -> tuple[JointLabels, Codes, NDArray[np.float64]]:
        """Labels, the pair of each row, and its share of the pair's items."""
        columns = {name: np.concatenate(parts).astype(np.intp) for name, parts in self._columns.items()}
        labels = JointLabels(**columns, metric_only=np.concatenate(self._only).astype(np.int64))
        return labels, np.array(self._pair, dtype=np.intp), np.array(self._weight)
