"""Metric scores and judge preferences as values per item and pair, oriented like the human values.

A metric's value for a pair is score(a) - score(b), with the sign turned where lower is better. A judge's value is the
mean over both orders of p_a - p_b where it gives probabilities, else of 1, 0 or -1. Its outcome is 1, 0 or -1 in any
case: a disagreement between the orders is a tie, and counted. Where systems have several samples, a score is the mean
over them, and what a judge says the mean over the pairs of samples.

Which metrics and judges serve a criterion, and why one that is named does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.columns import one_way_round
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.evidence.human_labels import PairValues, ValuesByPair
from tiebreak.evidence.items import ItemIndex, name_numbers
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.records import OUTCOME_CODES, Kind

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

JudgedPairs = dict[tuple[str, str], tuple[Indices, Floats]]
"""From (system_a, system_b) with a < b to the items (k,) that a judge answered and what it says of them (k,)."""

_ORDERS_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class AutomaticValues:
    """The chosen metrics and judges on one criterion.

    `names`: metrics, then judges. `scores` (n_metrics, n_systems, n_items), higher is better, NaN where absent.
    `answers`: per judge, its values; `outcomes`: its outcomes, the same unless it gives probabilities.
    `disagreements`: per judge, items answered in both orders, and those of them with different answers.
    """

    names: tuple[str, ...]
    scores: Floats
    system_row: dict[str, int]
    answers: tuple[JudgedPairs, ...]
    outcomes: tuple[JudgedPairs, ...]
    disagreements: tuple[tuple[int, int], ...]

    def of_pair(self, system_a: str, system_b: str) -> Floats:
        """Values (n_items, n_names) of a pair, positive in favour of system_a, NaN where absent."""
        return self._of_pair(system_a, system_b, self.answers)

    def outcomes_of_pair(self, system_a: str, system_b: str) -> Floats:
        """The same with judges' outcomes in place of their values."""
        return self._of_pair(system_a, system_b, self.outcomes)

    @property
    def has_probabilities(self) -> bool:
        """Whether values and outcomes of a judge may differ."""
        return any(said is not outcome for said, outcome in zip(self.answers, self.outcomes, strict=True))

    def _of_pair(self, system_a: str, system_b: str, judges: tuple[JudgedPairs, ...]) -> Floats:
        values = np.full((len(self.names), self.scores.shape[2]), np.nan)
        i, j = self.system_row.get(system_a), self.system_row.get(system_b)
        metrics = self.scores.shape[0]
        if i is not None and j is not None:
            np.subtract(self.scores[:, i], self.scores[:, j], out=values[:metrics])
        first, second = sorted((system_a, system_b))
        sign = 1.0 if first == system_a else -1.0
        for row, judge in zip(values[metrics:], judges, strict=True):
            if (first, second) in judge:
                items, answers = judge[first, second]
                row[items] = sign * answers
        return values.T


class RandomOrders:
    """The random order of the unlabelled items of a pair: fixed by the seed and by how many they are.

    Pairs with as many unlabelled items share an order, which is kept for a few sizes: of many pairs most have the
    same few.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._known: dict[int, Indices] = {}

    def of_size(self, count: int) -> Indices:
        """A permutation (count,)."""
        if count not in self._known:
            if len(self._known) >= _ORDERS_KEPT:
                del self._known[next(iter(self._known))]
            self._known[count] = np.random.default_rng([self._seed, 5]).permutation(count)
        return self._known[count]


@dataclass(frozen=True, slots=True)
class PairAutomatic:
    """Automatic values of one pair: `labelled` (n, M) in the order of its evidence, `unlabelled` (u, M) for the rest of
    its pool; NaN where a metric or judge said nothing.

    What depends on an order of the unlabelled items uses that of `orders`; without it they are in their order already.
    `with_outcomes`: both matrices with judges' outcomes in place of their values; None where these are the same.
    """

    names: tuple[str, ...]
    labelled: Floats
    unlabelled: Floats
    orders: RandomOrders | None = None
    with_outcomes: tuple[Floats, Floats] | None = None

    def first_unlabelled(self, count: int) -> Floats:
        """Values (count, M) of the unlabelled items that come first in their fixed order; count <= u."""
        if self.orders is None:
            return self.unlabelled[:count]
        return self.unlabelled[self.orders.of_size(self.unlabelled.shape[0])[:count]]

    @property
    def unlabelled_judged(self) -> int:
        """Unlabelled items on which at least one metric or judge said something."""
        return int(has_value(self.unlabelled).sum())

    def beside(self, kept: NDArray[np.bool_]) -> PairAutomatic:
        """The same with those unlabelled items alone that `kept` (u,) says."""
        outcomes = self.with_outcomes and (self.with_outcomes[0], self.with_outcomes[1][kept])
        return replace(self, unlabelled=self.unlabelled[kept], with_outcomes=outcomes)

    def outcomes(self, tie_threshold: float) -> tuple[Floats, Floats]:
        """Outcomes (n,) and (u,) in {-1, 0, 1}: the side that more sources favour, NaN where none judged."""
        _, unlabelled = self._said
        return self.labelled_outcomes(tie_threshold), combined(unlabelled, tie_threshold)

    def labelled_outcomes(self, tie_threshold: float) -> Floats:
        """Those (n,) of the labelled items alone."""
        labelled, _ = self._said
        return combined(labelled, tie_threshold)

    @property
    def _said(self) -> tuple[Floats, Floats]:
        return self.with_outcomes or (self.labelled, self.unlabelled)


class AutomaticPairs(Sequence[PairAutomatic]):
    """The automatic values of many pairs, each made anew when it is asked for.

    A pair's values span its whole pool: those of all pairs at once would not fit into memory, and are never needed.
    """

    def __init__(
        self,
        index: ItemIndex,
        pairs: Sequence[PairEvidence],
        values: Mapping[str | None, AutomaticValues],
        orders: RandomOrders,
    ) -> None:
        self._index, self._pairs, self._values, self._orders = index, pairs, values, orders

    def __len__(self) -> int:
        return len(self._pairs) if self._values else 0

    @overload
    def __getitem__(self, place: int) -> PairAutomatic: ...
    @overload
    def __getitem__(self, place: slice) -> AutomaticPairs: ...
    def __getitem__(self, place: int | slice) -> PairAutomatic | AutomaticPairs:
        if isinstance(place, slice):
            return AutomaticPairs(self._index, self._pairs[place], self._values, self._orders)
        return self.of(self._pairs[place])

    def of(self, pair: PairEvidence) -> PairAutomatic:
        """Those of a pair."""
        return pair_automatic(pair, self._index, self._values[pair.criterion], self._orders)


def automatic_pairs(evidence: StudyEvidence, values: Sequence[AutomaticValues], seed: int) -> AutomaticPairs:
    """Those of all pairs: `values` per criterion, or none at all, which makes none."""
    by_criterion = {criterion.criterion: found for criterion, found in zip(evidence.criteria, values, strict=False)}
    return AutomaticPairs(evidence.index, evidence.pairs, by_criterion, RandomOrders(seed))


def pair_automatic(
    pair: PairEvidence, index: ItemIndex, automatic: AutomaticValues, orders: RandomOrders
) -> PairAutomatic:
    """The automatic values on a pair's evidence and on the rest of its pool."""
    rest = index.in_pool(pair.system_a, pair.system_b)
    rest[pair.items] = False

    def parts(values: Floats) -> tuple[Floats, Floats]:
        return values[pair.items], np.compress(rest, values.T, axis=1).T

    systems = (pair.system_a, pair.system_b)
    outcomes = parts(automatic.outcomes_of_pair(*systems)) if automatic.has_probabilities else None
    return PairAutomatic(automatic.names, *parts(automatic.of_pair(*systems)), orders, outcomes)


def automatic_outcomes(
    study: Study, automatic: AutomaticValues, index: ItemIndex, tie_threshold: float
) -> ValuesByPair:
    """Outcomes of metrics and judges alone, for all pairs of systems: what a naive evaluation would decide from."""

    def made(system_a: str, system_b: str) -> PairValues:
        outcome = combined(automatic.outcomes_of_pair(system_a, system_b), tie_threshold)
        items = np.flatnonzero(~np.isnan(outcome))
        none = np.zeros(items.size, dtype=np.int64)
        return PairValues(system_a, system_b, items, index.items, outcome[items], none, from_ratings=False)

    return {pair: partial(made, *pair) for pair in itertools.combinations(study.systems, 2)}


def chosen_values(
    study: Study, criterion: str | None, index: ItemIndex, metrics: Sequence[str], judges: Sequence[str]
) -> AutomaticValues:
    """The values of the metrics and judges named; ("all",) takes every one that serves the criterion.

    Raises:
        UsageError: a name that the study does not have on this criterion, or "all" where it has none at all.
    """
    asked: tuple[tuple[Kind, Sequence[str]], ...] = (("metric", metrics), ("judge", judges))
    kinds = [kind for kind, names in asked if tuple(names) == ("all",)]
    metrics = known_metrics(study, criterion) if tuple(metrics) == ("all",) else metrics
    judges = known_judges(study, criterion) if tuple(judges) == ("all",) else judges
    if not metrics and not judges:
        instead = (
            "add scores.csv or judge_preferences.csv, name criteria that have them, or compare from human labels alone"
        )
        refuse_all(study, kinds, criterion, instead)
    return automatic_values(study, criterion, index, metrics, judges)


def has_value(values: Floats) -> NDArray[np.bool_]:
    """Which rows (n,) of values (n, M) are not NaN throughout."""
    found = np.zeros(values.shape[0], dtype=np.bool_)
    for column in values.T:  # faster than along the short axis, by far
        found |= ~np.isnan(column)
    return found


def combined(values: Floats, tie_threshold: float) -> Floats:
    """Outcomes (n,) in {-1, 0, 1} of values (n, M): the side that more columns favour, NaN where none says anything."""
    votes = np.zeros(values.shape[0])
    for column in values.T:
        votes += np.where(np.isnan(column) | (np.abs(column) <= tie_threshold), 0.0, np.sign(column))
    return np.where(has_value(values), np.sign(votes), np.nan)


def automatic_values(
    study: Study, criterion: str | None, index: ItemIndex, metrics: Sequence[str], judges: Sequence[str]
) -> AutomaticValues:
    """The values of the named metrics and judges.

    Raises:
        UsageError: a name that the study does not have on this criterion, with the nearest one as a hint; or what
            learned from labels of the study.
    """
    check_served(study, "metric", metrics, criterion)
    check_served(study, "judge", judges, criterion)
    system_row = {name: k for k, name in enumerate(study.systems)}
    scores = np.full((len(metrics), len(system_row), len(index.items)), np.nan)
    for k, metric in enumerate(metrics):
        frame = _over_samples(serving(study.scores, "metric", metric, criterion))
        systems = name_numbers(frame["system"], study.systems)
        sign = 1.0 if study.settings.higher_is_better.get(metric, True) else -1.0
        scores[k, systems, index.numbers(frame["item"])] = sign * frame["value"].to_numpy()
    judged = [_judge_answers(serving(study.judge_preferences, "judge", judge, criterion), index) for judge in judges]
    answers, outcomes, disagreements = zip(*judged, strict=True) if judged else ((), (), ())
    return AutomaticValues((*metrics, *judges), scores, system_row, answers, outcomes, disagreements)


def _over_samples(scores: pl.DataFrame) -> pl.DataFrame:
    if scores["sample"].null_count() == scores.height:
        return scores
    return scores.sort("value").group_by("item", "system", maintain_order=True).agg(pl.col("value").mean())


def _judge_answers(frame: pl.DataFrame, index: ItemIndex) -> tuple[JudgedPairs, JudgedPairs, tuple[int, int]]:
    """Its values, its outcomes, and how often it was asked both ways and changed its answer."""
    pair = ("system_a", "system_b", "item")
    outcome = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Float64)
    combined = (
        one_way_round(frame.filter(pl.col("outcome").is_not_null()))
        .with_columns(outcome=outcome, value=pl.coalesce(pl.col("p_a") - pl.col("p_b"), outcome))
        .sort("value")  # so that the sum does not depend on the order of the file
        .group_by(*pair, "sample_a", "sample_b")
        .agg(
            pl.col("value").mean(),
            low=pl.col("outcome").min(),
            high=pl.col("outcome").max(),
            answers=pl.len(),
            likely=pl.col("p_a").is_not_null().any(),
        )
        .sort(pair)
    )
    both = combined.filter(pl.col("answers") > 1)
    counts = (both.height, int((both["low"] != both["high"]).sum()))
    agreed = pl.when(pl.col("low") == pl.col("high")).then(pl.col("low")).otherwise(0.0)
    outcomes = _by_pair(combined.with_columns(value=agreed), index)
    return (_by_pair(combined, index) if combined["likely"].any() else outcomes), outcomes, counts


def _by_pair(combined: pl.DataFrame, index: ItemIndex) -> JudgedPairs:
    pair = ("system_a", "system_b", "item")
    values = combined.group_by(pair, maintain_order=True).agg(pl.col("value").mean())
    return {
        (part["system_a"][0], part["system_b"][0]): (index.numbers(part["item"]), part["value"].to_numpy())
        for part in values.partition_by("system_a", "system_b", maintain_order=True)
    }


def known_metrics(study: Study, criterion: str | None) -> tuple[str, ...]:
    """Metrics that serve a criterion: scored on it, or on none in particular."""
    return _names(study.scores, "metric", criterion)


def known_judges(study: Study, criterion: str | None) -> tuple[str, ...]:
    """Judges that answered on a criterion, or on none in particular."""
    return _names(study.judge_preferences, "judge", criterion)


def check_served(study: Study, kind: Kind, asked: Sequence[str], criterion: str | None) -> None:
    """Refuse what does not serve the criterion.

    Raises:
        UsageError: a name that is known on other criteria alone, or says nothing of these systems; or that the study
            does not have, with the nearest one as a hint.
    """
    frame = study.scores if kind == "metric" else study.judge_preferences
    known = _names(frame, kind, criterion)
    for name in asked:
        if name in known or frame is None:
            continue
        others = sorted(set(frame.filter(pl.col(kind) == name)["criterion"].drop_nulls()))
        if others and criterion is None:
            raise UsageError(
                f"the {kind} {name!r} is known on {', '.join(others)} alone, and the labels name no criterion: say in "
                "their column criterion what they are on"
            )
        if others:
            raise UsageError(
                f"no {kind} {name!r} on {criterion}; it is known on {', '.join(others)}: ask about such criteria only, "
                "or, where names differ by their spelling alone, import with --value FIELD:OTHER=NAME"
            )
    check_said(study, kind, asked, known, criterion)


def check_said(
    study: Study, kind: Kind, asked: Sequence[str], known: Sequence[str], criterion: str | None = None
) -> None:
    """Raise UsageError for the first name that is not known: it says nothing of these systems, or is not there."""
    for name in asked:
        if name not in known and (kind, name) in study.passed_over:
            raise UsageError(study.passed_over[kind, name].words)
    check_known(kind if criterion is None else f"{kind} on {criterion}", asked, known)


def refuse_all(study: Study, kinds: Sequence[Kind], criterion: str | None, instead: str) -> None:
    """Raise UsageError as 'all' means nothing here: what there is learned from all items, or is of other systems, or
    there is nothing; then `instead` says what to do.
    """
    what, about = " or ".join(kinds), f" on {criterion}" if criterion is not None else ""
    passed = [one for (kind, _), one in sorted(study.passed_over.items()) if kind in kinds]
    if passed:
        raise UsageError(f"'all' means no {what}{about} here: {passed[0].words}")
    raise UsageError(f"the study has no {what}{about} that 'all' could mean: {instead}")


def _names(frame: pl.DataFrame | None, column: str, criterion: str | None) -> tuple[str, ...]:
    if frame is None:
        return ()
    return tuple(sorted(frame.filter(_serves(criterion))[column].unique()))


def _serves(criterion: str | None) -> pl.Expr:
    """Rows for the criterion, and rows without one, which serve every criterion."""
    unnamed = pl.col("criterion").is_null()
    return unnamed if criterion is None else unnamed | (pl.col("criterion") == criterion)


def serving(frame: pl.DataFrame | None, column: str, name: str, criterion: str | None) -> pl.DataFrame:
    """Rows of one metric or judge that serve a criterion; its own rows go before general ones."""
    if frame is None:
        return pl.DataFrame()
    rows = frame.filter((pl.col(column) == name) & _serves(criterion))
    own = rows.filter(pl.col("criterion").is_not_null())
    return own if own.height else rows
