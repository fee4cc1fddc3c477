"""From a study's tables to one ordered sequence of values per pair: what every decision method starts from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.evidence.budget import units_of_budget, within_budget
from tiebreak.evidence.drawn_clusters import DrawnClusters, drawn_clusters
from tiebreak.evidence.human_labels import PairValues, pair_values
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.ordering import order_seed, random_order, share_of_identical
from tiebreak.kernels.cluster_means import effective_clusters
from tiebreak.records import LabelRule, OrderOfItems, Raters, Target
from tiebreak.rules.sequence import ValueSequence

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """How labels become values. `seed` changes the random order of items; fix it before looking at any result.

    `items_per_pair` >= 1: labelled items of a pair that count, in their fixed order; None: all. `ordered`: whether the
    order of items matters; if not, the items are in no order to rely on. `raters`: whose ratings of two outputs are
    compared, with the label rule `mean`.
    """

    label_rule: LabelRule = "mean"
    tie_threshold: float = 0.0
    target: Target = "inputs"
    seed: int = 0
    baseline: str | None = None
    items_per_pair: int | None = None
    ordered: bool = True
    raters: Raters = "same"


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """The labels of one pair on one criterion, in their fixed order.

    `items` (n,) indices into `StudyEvidence.index.items`; `values` (n,) in [-1, 1], positive favours system_a, 0
    where the outputs are identical; `labels` (n,) human labels behind each value (0: identical outputs that nobody
    was asked about). `sequence`: the same per unit of evidence, with the pool for a claim about these items; made from
    the items `in_sequence` (n,), which for such a claim leaves out identical outputs: they are known ties.
    `variances` (n,): variance of the labels of an item where values are means of several, else None. `different` (n,):
    items whose outputs are not identical; `units_of` (n,): a number for the cluster of each item, None where every item
    stands alone or the claim is about these items; `drawn`: for such a claim, the clusters of the items in the sequence
    where whole clusters were drawn. `identical`: items among the n with identical outputs; `clusters`:
    number of units if items were grouped. With a budget, `most_units` are the units that it can buy (None: no budget),
    and `beyond_budget` counts the labelled items after it, which are left out of everything here.
    """

    criterion: str | None
    system_a: str
    system_b: str
    items: NDArray[np.intp]
    values: Floats
    labels: NDArray[np.int64]
    in_sequence: NDArray[np.bool_]
    sequence: ValueSequence
    pool_size: int
    identical: int
    clusters: int | None
    most_units: int | None = None
    beyond_budget: int = 0
    variances: Floats | None = None
    different: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    units_of: NDArray[np.intp] | None = None
    drawn: DrawnClusters | None = None

    @property
    def counts(self) -> tuple[int, int, int]:
        """Items that favour a, are tied, and favour b."""
        return int((self.values > 0).sum()), int((self.values == 0).sum()), int((self.values < 0).sum())

    @property
    def clustered(self) -> bool:
        """Whether evidence is that of clusters of items."""
        return self.units_of is not None or self.drawn is not None

    @property
    def effective_clusters(self) -> float | None:
        """Clusters of equal size that would say as much; None where every item stands alone."""
        members = self.units_of if self.drawn is None else self.drawn.numbers
        if members is None:
            return None
        sizes = np.unique(members if self.drawn else members[self.different], return_counts=True)[1]
        return effective_clusters(sizes.astype(np.float64))


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

    @classmethod
    def of(cls, pairs: Sequence[PairValues], raters: Raters) -> RatersFound:
        """What the values of all pairs of a criterion say."""
        rated = [pair for pair in pairs if pair.from_ratings]
        apart = sum(pair.apart for pair in rated)
        counted = sum(pair.items.size for pair in rated) + (apart if raters == "same" else 0)
        without = tuple((pair.system_a, pair.system_b) for pair in rated if not pair.items.size)
        return cls(raters, counted, apart, sum(pair.partly for pair in rated), without)


@dataclass(frozen=True, slots=True)
class CriterionEvidence:
    """All pairs of one criterion that have labels to compare.

    `from_ratings`: pairs whose values are compared ratings. `rated_pairs_unused`: pairs whose ratings were not used,
    because preferences on the same pair count instead. `raters`: who rated both outputs of a pair.
    """

    criterion: str | None
    pairs: tuple[PairEvidence, ...]
    from_ratings: int
    rated_pairs_unused: int = 0
    raters: RatersFound = field(default_factory=lambda: RatersFound())


@dataclass(frozen=True, slots=True)
class StudyEvidence:
    """Evidence per criterion, and the items that the indices in it refer to.

    `order`: "random" (seeded by the data), or "none" where no order was asked for. The order of
    the labels' times is no order to bet in: what is labelled next may hang on what was said, and labels that come in
    batches have one time for all.
    """

    index: ItemIndex
    criteria: tuple[CriterionEvidence, ...]
    order: OrderOfItems


ValueSource = Callable[[str | None, ItemIndex], list[PairValues]]
"""From a criterion to the values of its pairs: human labels, or (for comparison only) metrics alone."""


def study_evidence(
    study: Study, criteria: Sequence[str | None], settings: EvidenceSettings, source: ValueSource | None = None
) -> StudyEvidence:
    """The evidence on the given criteria; pairs are oriented by name, or towards the baseline as system_b.

    The values come from human labels, unless another `source` is given.
    """
    index = ItemIndex.of(study)
    found = []
    for criterion in criteria:
        if source is None:
            how = (settings.label_rule, settings.tie_threshold, settings.seed, settings.raters)
            raw = pair_values(study, criterion, index, *how)
        else:
            raw = source(criterion, index)
        raw = [_towards(pair, settings.baseline) for pair in raw if _has(pair, settings.baseline)]
        raters = RatersFound.of(raw, settings.raters)
        raw = [pair for pair in raw if pair.items.size]
        pairs = tuple(_ordered(pair, criterion, index, settings) for pair in raw)
        rated = sum(pair.from_ratings for pair in raw)
        unused = sum(pair.rated_items_unused > 0 for pair in raw)
        found.append(CriterionEvidence(criterion, pairs, rated, unused, raters))
    return StudyEvidence(index, tuple(found), "random" if settings.ordered else "none")


def _has(pair: PairValues, baseline: str | None) -> bool:
    return baseline is None or baseline in (pair.system_a, pair.system_b)


def _towards(pair: PairValues, baseline: str | None) -> PairValues:
    return pair.swapped() if baseline is not None and pair.system_a == baseline else pair


def _ordered(pair: PairValues, criterion: str | None, index: ItemIndex, settings: EvidenceSettings) -> PairEvidence:
    """Identical outputs made ties, items brought into their fixed order, clusters averaged."""
    same, pool_size = index.identical_outputs(pair.system_a, pair.system_b, pair.items)
    is_same = _are_among(pair.items, same)
    free = np.setdiff1d(same, pair.items) if same.size else same
    rng = np.random.default_rng(order_seed(pair, criterion, settings.seed))
    if settings.target == "inputs":
        count = share_of_identical(int((~is_same).sum()), int(is_same.sum()), same, free, pool_size)
        free = np.sort(rng.permutation(free)[:count])
    items = np.concatenate([pair.items, free])
    values = np.concatenate([np.where(is_same, 0.0, pair.values), np.zeros(free.size)])
    labels = np.concatenate([pair.labels, np.zeros(free.size, dtype=np.int64)])
    variances = None if pair.variances is None else np.concatenate([np.where(is_same, 0, pair.variances), 0.0 * free])
    order = random_order(index.clusters[items], rng)
    if settings.target == "items":  # drawn one by one; nobody was asked about the free ones, which stay at the end
        order = np.concatenate([rng.permutation(pair.items.size), np.arange(pair.items.size, items.size)])
    items, values, labels = items[order], values[order], labels[order]
    variances = None if variances is None else variances[order]
    pool_size, different = max(pool_size, items.size), ~_are_among(items, same)
    most_units, beyond = None, 0
    if settings.items_per_pair is not None:
        within = within_budget(different, index.clusters[items], settings.items_per_pair, settings.target)
        whole_pool = np.union1d(index.pool(pair.system_a, pair.system_b), items)
        most_units = units_of_budget(settings.items_per_pair, index.clusters[whole_pool], same.size, settings.target)
        beyond = int((different & ~within).sum())
        items, values, labels, different = items[within], values[within], labels[within], different[within]
        variances = None if variances is None else variances[within]
    sequence, clusters = _sequence(items, values, different, pool_size, same.size, index, settings.target)
    in_sequence = different if settings.target == "items" else np.ones(items.size, dtype=np.bool_)
    identical = int((~different).sum())
    drawn = None
    if settings.target == "items":
        pool = np.setdiff1d(np.union1d(index.pool(pair.system_a, pair.system_b), items), same)
        drawn = drawn_clusters(items[different], pool, index.clusters)
    return PairEvidence(
        criterion,
        pair.system_a,
        pair.system_b,
        items,
        values,
        labels,
        in_sequence,
        sequence,
        pool_size,
        identical,
        clusters,
        most_units,
        beyond,
        variances,
        different,
        index.clusters[items] if clusters is not None else None,
        drawn,
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
    target: Target,
) -> tuple[ValueSequence, int | None]:
    """What is bet on. For `items` the identical outputs are known ties: they are left out, and the rest stands for all.

    For `inputs` there is one bet per cluster, on its mean; the clusters come in the order of their first items.
    """
    if target == "items":
        left = pool_size - same
        return ValueSequence.complete(values[different], max(left, int(different.sum())), left / pool_size), None
    clusters = index.clusters[items]
    _, first, member = np.unique(clusters, return_index=True, return_inverse=True)
    if first.size == items.size:
        return ValueSequence.complete(values), None
    means = np.bincount(member, weights=values) / np.bincount(member)
    return ValueSequence.complete(np.clip(means[np.argsort(first)], -1, 1)), int(first.size)
