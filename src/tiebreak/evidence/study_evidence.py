"""From a study's tables to the evidence of every pair: what every decision method starts from.

Whose labels the evidence on a criterion is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.evidence.human_labels import (
    PairValues,
    ValuesByPair,
    earliest_labels,
    oriented_preferences,
    values_by_pair,
)
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.ordering import (
    drawn_clusters,
    order_seed,
    random_order,
    share_of_identical,
    units_of_budget,
    within_budget,
)
from tiebreak.evidence.pair_evidence import VALUES_KEPT, EvidencePairs, PairEvidence, PairSummary
from tiebreak.records import LabelRule, OrderOfItems, Raters, Target
from tiebreak.rules.rule import ValueSequence

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """How labels become values. `seed` changes the random order of items; fix it before looking at any result.

    `items_per_pair` >= 1: labelled items of a pair that count, in their fixed order; None: all. `ordered`: whether the
    order of items matters; if not, the items are in no order to rely on. `raters`: whose ratings of two outputs are
    compared, with the label rule `mean`.

    Raises:
        ValueError: a budget without an order to count it in.
    """

    label_rule: LabelRule = "mean"
    tie_threshold: float = 0.0
    target: Target = "inputs"
    seed: int = 0
    baseline: str | None = None
    items_per_pair: int | None = None
    ordered: bool = True
    raters: Raters = "same"

    def __post_init__(self) -> None:
        if self.items_per_pair is not None and not self.ordered:
            raise ValueError("items_per_pair takes the first items of a pair: they need an order")


@dataclass(frozen=True, slots=True)
class RatersFound:
    """Who rated the two outputs of an item, over all pairs whose ratings are compared.

    `compared`: whose ratings are compared. `comparisons`: of two rated outputs of an item; `apart`: those of which
    nobody rated both, `partly`: those of which somebody did, and somebody else rated one only. `without`: pairs that
    have no comparison that counts, and are left out.
    """

    compared: Raters = "same"
    comparisons: int = 0
    apart: int = 0
    partly: int = 0
    without: tuple[tuple[str, str], ...] = ()

    def and_pair(self, pair: PairValues) -> RatersFound:
        """With one more pair."""
        if not pair.from_ratings:
            return self
        return RatersFound(
            self.compared,
            self.comparisons + int(pair.items.size) + (pair.apart if self.compared == "same" else 0),
            self.apart + pair.apart,
            self.partly + pair.partly,
            self.without if pair.items.size or not pair.apart else (*self.without, (pair.system_a, pair.system_b)),
        )


@dataclass(frozen=True, slots=True)
class CriterionEvidence:
    """All pairs of one criterion that have labels to compare.

    `summaries`: what the evidence of each of the `pairs` amounts to. `from_ratings`: pairs whose values are compared
    ratings. `rated_pairs_unused`: pairs whose ratings were not used, because preferences on the same pair count
    instead. `raters`: who rated both outputs of a pair.
    """

    criterion: str | None
    pairs: EvidencePairs
    summaries: tuple[PairSummary, ...]
    from_ratings: int
    rated_pairs_unused: int = 0
    raters: RatersFound = field(default_factory=lambda: RatersFound())


@dataclass(frozen=True, slots=True)
class StudyEvidence:
    """Evidence per criterion, and the items that the indices in it refer to, `items` of which any pair has.

    `order`: "random" (seeded by the data), or "none" where no order was asked for. The order of
    the labels' times is no order to bet in: what is labelled next may hang on what was said, and labels that come in
    batches have one time for all.
    """

    index: ItemIndex
    criteria: tuple[CriterionEvidence, ...]
    items: int
    order: OrderOfItems

    @property
    def pairs(self) -> EvidencePairs:
        """Those of all criteria."""
        return sum((found.pairs for found in self.criteria), EvidencePairs(()))

    @property
    def summaries(self) -> tuple[PairSummary, ...]:
        """Of the pairs of all criteria."""
        return tuple(summary for found in self.criteria for summary in found.summaries)


ValueSource = Callable[[str | None, ItemIndex], ValuesByPair]
"""From a criterion to the values of its pairs: labels, differences of mean ratings, or metrics alone."""


def study_evidence(
    study: Study,
    criteria: Sequence[str | None],
    settings: EvidenceSettings,
    source: ValueSource | None = None,
    index: ItemIndex | None = None,
) -> StudyEvidence:
    """The evidence on the given criteria; pairs are oriented by name, or towards the baseline as system_b.

    The values come from human labels, unless another `source` is given; `index`: that of the study, if it is known.
    Evidence in an order is kept, as long as
    `VALUES_KEPT` allows the other is too.
    """
    gathering = _Gathering(ItemIndex.of(study) if index is None else index, settings)
    found = []
    for criterion in criteria:
        if source is None:
            how = (settings.label_rule, settings.tie_threshold, settings.raters)
            makers = values_by_pair(study, criterion, gathering.index, *how)
        else:
            makers = source(criterion, gathering.index)
        chosen = {pair: make for pair, make in makers.items() if settings.baseline is None or settings.baseline in pair}
        found.append(gathering.criterion(criterion, chosen.values()))
    order: OrderOfItems = "random" if settings.ordered else "none"
    return StudyEvidence(gathering.index, tuple(found), int(gathering.used.sum()), order)


class _Gathering:
    """The first pass over all pairs: what each amounts to, and the evidence of as many as may be kept.

    `used` (n_items,): items that any pair has.
    """

    def __init__(self, index: ItemIndex, settings: EvidenceSettings) -> None:
        self.index, self.settings = index, settings
        self.used = np.zeros(len(index.items), dtype=np.bool_)
        self._room = VALUES_KEPT

    def criterion(self, criterion: str | None, makers: Iterable[Callable[[], PairValues]]) -> CriterionEvidence:
        """The evidence of the pairs that have any values."""
        pairs: list[PairEvidence | Callable[[], PairEvidence]] = []
        summaries = []
        rated = unused = 0
        raters = RatersFound(self.settings.raters)
        for make in makers:
            values = _towards(make(), self.settings.baseline)
            raters = raters.and_pair(values)
            if not values.items.size:
                continue
            rated += values.from_ratings
            unused += values.rated_items_unused > 0
            evidence = _evidence(values, criterion, self.index, self.settings)
            self.used[evidence.items] = True
            self._room -= evidence.items.size
            kept = self.settings.ordered or self._room >= 0
            pairs.append(evidence if kept else partial(_made, make, criterion, self.index, self.settings))
            summaries.append(evidence.summary())
        return CriterionEvidence(criterion, EvidencePairs(pairs), tuple(summaries), rated, unused, raters)


def _made(
    make: Callable[[], PairValues], criterion: str | None, index: ItemIndex, settings: EvidenceSettings
) -> PairEvidence:
    return _evidence(_towards(make(), settings.baseline), criterion, index, settings)


def _towards(pair: PairValues, baseline: str | None) -> PairValues:
    return pair.swapped() if baseline is not None and pair.system_a == baseline else pair


def _evidence(pair: PairValues, criterion: str | None, index: ItemIndex, settings: EvidenceSettings) -> PairEvidence:
    """Identical outputs made ties, items brought into their fixed order if they need one, clusters averaged."""
    same, pool_size = index.identical_outputs(pair.system_a, pair.system_b, pair.items)
    is_same = _are_among(pair.items, same)
    free = np.setdiff1d(same, pair.items) if same.size else same
    count = free.size
    if settings.target == "inputs":
        count = share_of_identical(int((~is_same).sum()), int(is_same.sum()), same, free, pool_size)
    rng = np.random.default_rng(order_seed(pair, criterion, settings.seed)) if settings.ordered else None
    if settings.target == "inputs":
        free = free[:count] if rng is None else np.sort(rng.permutation(free)[:count])
    found = _with_free(pair, is_same, free)
    if rng is not None and settings.ordered:
        order = random_order(index.clusters[found.items], rng)
        if settings.target == "items":  # drawn one by one; nobody was asked about the free ones, which stay at the end
            order = np.concatenate([rng.permutation(pair.items.size), np.arange(pair.items.size, found.items.size)])
        found = found.taken(order)
    pool_size, different = max(pool_size, found.items.size), ~_are_among(found.items, same)
    most_units, beyond = None, 0
    if settings.items_per_pair is not None:
        within = within_budget(different, index.clusters[found.items], settings.items_per_pair, settings.target)
        pool = index.in_pool(pair.system_a, pair.system_b)
        pool[found.items] = True
        whole_pool = index.clusters[np.flatnonzero(pool)]
        most_units = units_of_budget(settings.items_per_pair, whole_pool, same.size, settings.target)
        beyond = int((different & ~within).sum())
        found, different = found.taken(within), different[within]
    sequence, clusters = _sequence(found.items, found.values, different, pool_size, same.size, index, settings)
    in_sequence = different if settings.target == "items" else np.ones(found.items.size, dtype=np.bool_)
    drawn = None
    if settings.target == "items":
        others = index.in_pool(pair.system_a, pair.system_b)
        others[found.items], others[same] = True, False
        drawn = drawn_clusters(found.items[different], np.flatnonzero(others), index.clusters)
    return PairEvidence(
        criterion,
        pair.system_a,
        pair.system_b,
        found.items,
        found.values,
        found.labels,
        in_sequence,
        sequence,
        pool_size,
        int((~different).sum()),
        clusters,
        most_units,
        beyond,
        found.variances,
        different,
        index.clusters[found.items] if clusters is not None else None,
        drawn,
        pair.points,
    )


@dataclass(frozen=True, slots=True)
class _Labelled:
    """Items (n,) with values, labels and variances as in `PairEvidence`."""

    items: NDArray[np.intp]
    values: Floats
    labels: NDArray[np.int64]
    variances: Floats | None

    def taken(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> _Labelled:
        """These of them, in this order."""
        variances = None if self.variances is None else self.variances[chosen]
        return _Labelled(self.items[chosen], self.values[chosen], self.labels[chosen], variances)


def _with_free(pair: PairValues, is_same: NDArray[np.bool_], free: NDArray[np.intp]) -> _Labelled:
    """The labelled items, ties where `is_same` (n,), and the `free` (m,) ones after them, ties without a label."""
    if not free.size and not is_same.any():
        return _Labelled(pair.items, pair.values, pair.labels, pair.variances)
    nothing = np.zeros(free.size)
    return _Labelled(
        np.concatenate([pair.items, free]),
        np.concatenate([np.where(is_same, 0.0, pair.values), nothing]),
        np.concatenate([pair.labels, nothing.astype(np.int64)]),
        None if pair.variances is None else np.concatenate([np.where(is_same, 0.0, pair.variances), nothing]),
    )


def _are_among(items: NDArray[np.intp], same: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which items are among those with identical outputs, which most pairs have none of."""
    return np.isin(items, same) if same.size else np.zeros(items.size, dtype=np.bool_)


def _sequence(
    items: NDArray[np.intp],
    values: Floats,
    different: NDArray[np.bool_],
    pool_size: int,
    same: int,
    index: ItemIndex,
    settings: EvidenceSettings,
) -> tuple[ValueSequence, int | None]:
    """What is bet on. For `items` the identical outputs are known ties: they are left out, and the rest stands for all.

    For `inputs` there is one bet per cluster, on its mean, as large as the cluster is beside the largest; the clusters
    come in the order of their first items. Sizes are those that the study lists, however much is labelled. Without an
    order the identical outputs, which nobody was asked about, are spread evenly over the clusters of the others:
    which of them stand for the labels at hand is nobody's choice.
    """
    if settings.target == "items":
        left = pool_size - same
        return ValueSequence.complete(values[different], max(left, int(different.sum())), left / pool_size), None
    clusters = index.clusters[items]
    if index.clustered_by is None:
        return ValueSequence.complete(values), None
    _, first, member = np.unique(clusters, return_index=True, return_inverse=True)
    if first.size == items.size:
        return ValueSequence.complete(values), None
    if not settings.ordered and different.any() and not different.all():
        _, member = np.unique(clusters[different], return_inverse=True)
        if member.max() + 1 == member.size:  # beside known ties every item stands alone
            return ValueSequence.complete(values), None
        means = different.mean() * np.bincount(member, weights=values[different]) / np.bincount(member)
        return ValueSequence.complete(np.clip(means, -1, 1)), int(first.size)
    means = np.bincount(member, weights=values) / np.bincount(member)
    order = np.argsort(first)
    sequence = ValueSequence.complete(np.clip(means[order], -1, 1))
    sizes = np.bincount(index.clusters)[clusters[first[order]]]
    return replace(sequence, weights=None if (sizes == sizes[0]).all() else sizes / sizes.max()), int(first.size)


_PAIR: Final = ["system_a", "system_b"]


def labels_by_annotator(
    study: Study, evidence: CriterionEvidence, index: ItemIndex, rule: LabelRule
) -> list[tuple[str, int]]:
    """Each annotator with the number of their labels in the evidence, most first; `study`: the part that was compared.

    A rating serves many pairs, but was paid once; one that no other could be compared with is no evidence. What comes
    after the budget of a pair is none either.
    """
    within = _within_budget(evidence, index)
    names = [pl.Series("annotator", [], dtype=pl.String)]
    if study.preferences is not None:
        used = _preferences(study, study.preferences, evidence.criterion, rule)
        pairs = {(min(pair.system_a, pair.system_b), max(pair.system_a, pair.system_b)) for pair in evidence.summaries}
        compared = pl.DataFrame(sorted(pairs), schema=dict.fromkeys(_PAIR, pl.String), orient="row")
        used = used.join(compared, on=_PAIR, how="semi")
        names.append((used if within is None else used.join(within, on=[*_PAIR, "item"], how="semi"))["annotator"])
    if study.ratings is not None and evidence.from_ratings:
        by = ["item", "annotator"] if evidence.raters.compared == "same" else ["item"]
        about = study.ratings.filter(pl.col("criterion").eq_missing(pl.lit(evidence.criterion)))
        about = about.filter(pl.col("system").n_unique().over(by) > 1)
        if within is not None:
            served = pl.concat([within.select("item", system=name) for name in _PAIR])
            about = about.join(served, on=["item", "system"], how="semi")
        names.append(about["annotator"])
    counts = pl.concat(names).to_frame().group_by("annotator").len()
    # One column after the other: sorting by two takes several times as long.
    return counts.sort("annotator").sort("len", descending=True, maintain_order=True).rows()


def _preferences(study: Study, preferences: pl.DataFrame, criterion: str | None, rule: LabelRule) -> pl.DataFrame:
    """Those on a criterion that the label rule takes, with system_a < system_b."""
    if rule == "first":
        return earliest_labels(oriented_preferences(study, criterion))
    pair = pl.min_horizontal(_PAIR).alias("system_a"), pl.max_horizontal(_PAIR).alias("system_b")
    return preferences.filter(pl.col("criterion").eq_missing(pl.lit(criterion))).select("item", "annotator", *pair)


def _within_budget(evidence: CriterionEvidence, index: ItemIndex) -> pl.DataFrame | None:
    """The items (item, system_a, system_b) of each pair, by name; None where nothing comes after a budget."""
    if not any(pair.beyond_budget for pair in evidence.summaries):
        return None
    frames = []
    for pair in evidence.pairs:
        first, second = sorted((pair.system_a, pair.system_b))
        items = pl.Series("item", [index.items[item] for item in pair.items], dtype=pl.String).to_frame()
        frames.append(items.with_columns(system_a=pl.lit(first), system_b=pl.lit(second)))
    return pl.concat(frames)
