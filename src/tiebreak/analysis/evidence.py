"""From a study's tables to one ordered sequence of values per pair: what every decision method starts from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.analysis.human_labels import PairValues, pair_values
from tiebreak.analysis.items import ItemIndex
from tiebreak.data.study import Study
from tiebreak.decisions.sequence import ValueSequence
from tiebreak.errors import UsageError
from tiebreak.records import LabelRule, Target

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """How labels become values. `seed` changes the random order of items; fix it before looking at any result."""

    label_rule: LabelRule = "mean"
    tie_threshold: float = 0.0
    target: Target = "inputs"
    seed: int = 0
    baseline: str | None = None


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """The labels of one pair on one criterion, in their fixed order.

    `items` (n,) indices into `StudyEvidence.index.items`; `values` (n,) in [-1, 1], positive favours system_a, 0
    where the outputs are identical; `labels` (n,) human labels behind each value (0: identical outputs that nobody
    was asked about). `sequence`: the same per unit of evidence, with the pool for a claim about these items.
    `identical`: items among the n with identical outputs; `clusters`: number of units if items were grouped.
    """

    criterion: str | None
    system_a: str
    system_b: str
    items: NDArray[np.intp]
    values: Floats
    labels: NDArray[np.int64]
    sequence: ValueSequence
    pool_size: int
    identical: int
    clusters: int | None

    @property
    def counts(self) -> tuple[int, int, int]:
        """Items that favour a, are tied, and favour b."""
        return int((self.values > 0).sum()), int((self.values == 0).sum()), int((self.values < 0).sum())


@dataclass(frozen=True, slots=True)
class CriterionEvidence:
    """All pairs of one criterion that have labels; `from_ratings`: pairs whose values are compared ratings."""

    criterion: str | None
    pairs: tuple[PairEvidence, ...]
    from_ratings: int


@dataclass(frozen=True, slots=True)
class StudyEvidence:
    """Evidence per criterion, and the items that the indices in it refer to.

    `order`: "recorded" (the time of the last label of each item), "exchangeable" (a random order seeded by the data),
    or "mixed" where some pairs have all times and others do not.
    """

    index: ItemIndex
    criteria: tuple[CriterionEvidence, ...]
    order: str


ValueSource = Callable[[str | None, ItemIndex], list[PairValues]]
"""From a criterion to the values of its pairs: human labels, or (for comparison only) metrics alone."""


def study_evidence(
    study: Study, criteria: Sequence[str | None], settings: EvidenceSettings, source: ValueSource | None = None
) -> StudyEvidence:
    """The evidence on the given criteria; pairs are oriented by name, or towards the baseline as system_b.

    The values come from human labels, unless another `source` is given.

    Raises:
        UsageError: `study.toml` asks for the recorded order and labels lack their time.
    """
    index = ItemIndex.of(study)
    asked = study.settings.label_order if source is None else "exchangeable"
    found = []
    orders: set[str] = set()
    for criterion in criteria:
        if source is None:
            raw = pair_values(study, criterion, index, settings.label_rule, settings.tie_threshold, settings.seed)
        else:
            raw = source(criterion, index)
        raw = [_towards(pair, settings.baseline) for pair in raw if _has(pair, settings.baseline)]
        recorded = [_is_recorded(pair, asked) for pair in raw]
        orders.update("recorded" if known else "exchangeable" for known in recorded)
        pairs = tuple(
            _ordered(pair, criterion, index, settings, known) for pair, known in zip(raw, recorded, strict=True)
        )
        found.append(CriterionEvidence(criterion, pairs, sum(pair.from_ratings for pair in raw)))
    return StudyEvidence(index, tuple(found), orders.pop() if len(orders) == 1 else "mixed")


def _is_recorded(pair: PairValues, asked: str | None) -> bool:
    """Whether a pair's items come in the order of their labels' times: as study.toml says, else if all are known.

    Only the recorded order stays the same when labels are added, so that one may look again; a random order of
    everything would be drawn anew with every look.
    """
    if asked == "recorded" and pair.times is None:
        missing = "ratings carry no time" if pair.from_ratings else "some preferences have no decided_at"
        raise UsageError(
            f"study.toml says labels.order = 'recorded', but {missing}: "
            "add the times (decided_at of preferences), or set labels.order = 'exchangeable'"
        )
    return pair.times is not None and asked != "exchangeable"


def _has(pair: PairValues, baseline: str | None) -> bool:
    return baseline is None or baseline in (pair.system_a, pair.system_b)


def _towards(pair: PairValues, baseline: str | None) -> PairValues:
    return pair.swapped() if baseline is not None and pair.system_a == baseline else pair


def _ordered(
    pair: PairValues, criterion: str | None, index: ItemIndex, settings: EvidenceSettings, recorded: bool
) -> PairEvidence:
    """Identical outputs made ties, items brought into their fixed order, clusters averaged."""
    same, pool_size = index.identical_outputs(pair.system_a, pair.system_b, pair.items)
    values = np.where(np.isin(pair.items, same), 0.0, pair.values)
    rng = np.random.default_rng(_order_seed(pair, criterion, settings.seed))
    items, labels, times = pair.items, pair.labels, pair.times
    unasked = _unasked_identical(pair.items, same, pool_size, rng)
    if recorded and times is not None:
        order = np.argsort(times, kind="stable")
    else:
        items = np.concatenate([items, unasked])
        values = np.concatenate([values, np.zeros(unasked.size)])
        labels = np.concatenate([labels, np.zeros(unasked.size, dtype=np.int64)])
        order = rng.permutation(items.size)
    items, values, labels = items[order], values[order], labels[order]
    pool_size = max(pool_size, items.size)
    sequence, clusters = _sequence(items, values, pool_size, index, settings.target)
    identical = int(np.isin(items, same).sum())
    return PairEvidence(
        criterion, pair.system_a, pair.system_b, items, values, labels, sequence, pool_size, identical, clusters
    )


def _sequence(
    items: NDArray[np.intp], values: Floats, pool_size: int, index: ItemIndex, target: Target
) -> tuple[ValueSequence, int | None]:
    if target == "items":
        return ValueSequence.complete(values, pool_size), None
    clusters = index.clusters[items]
    _, first, member = np.unique(clusters, return_index=True, return_inverse=True)
    if first.size == items.size:
        return ValueSequence.complete(values), None
    # One bet per cluster, on its mean. The clusters come in the order of their first items: with items in random
    # order large clusters tend to come early, which is harmless, because a cluster's size is no outcome.
    means = np.bincount(member, weights=values) / np.bincount(member)
    return ValueSequence.complete(np.clip(means[np.argsort(first)], -1, 1)), int(first.size)


def _unasked_identical(
    labelled: NDArray[np.intp], same: NDArray[np.intp], pool_size: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Identical outputs that nobody was asked about, as many as the labelled share of the other items.

    Campaigns skip identical outputs; leaving them out would overstate the difference on inputs like these, taking
    all of them would overstate the ties.
    """
    free = np.setdiff1d(same, labelled)
    if free.size == 0:
        return free
    different = pool_size - same.size
    share = np.setdiff1d(labelled, same).size / different if different else 1.0
    wanted = round(min(1.0, share) * same.size) - (same.size - free.size)
    return np.sort(rng.permutation(free)[: max(0, wanted)])


def _order_seed(pair: PairValues, criterion: str | None, seed: int) -> int:
    """A seed that depends on this pair's own labels only: adding a metric or another system does not move it.

    Absolute values and sorted names make it the same whichever system is called a.
    """
    digest = hashlib.sha256(repr((seed, criterion, sorted((pair.system_a, pair.system_b)))).encode())
    digest.update("\x1f".join(pair.item_names).encode())
    digest.update(np.ascontiguousarray(np.abs(pair.values)).tobytes())
    return int.from_bytes(digest.digest()[:16], "little")
