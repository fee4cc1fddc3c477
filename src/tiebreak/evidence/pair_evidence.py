"""The evidence of one pair: its labels as arrays, and what they amount to in a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from tiebreak.evidence.ordering import DrawnClusters
from tiebreak.kernels.unit_means import effective_clusters
from tiebreak.rules.rule import ValueSequence

Floats = NDArray[np.float64]

VALUES_KEPT: Final = 1_000_000
"""Values of all pairs together that are kept in memory, some 40 MB; pairs beyond them are made anew when asked for."""


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """The labels of one pair on one criterion, in their fixed order.

    `items` (n,) indices into `StudyEvidence.index.items`; `values` (n,) in [-1, 1], positive favours system_a, 0 where
    the outputs are identical; `labels` (n,) human labels behind each value (0: identical outputs that nobody was asked
    about). `sequence`: the same per unit of evidence, with the pool for a claim about these items; made from the items
    `in_sequence` (n,), which for such a claim leaves out identical outputs: they are known ties. `variances` (n,):
    variance of the labels of an item where values are means of several, else None. `different` (n,): items whose
    outputs are not identical; `units_of` (n,): a number for the cluster of each item, None where every item stands
    alone or the claim is about these items; `drawn`: for such a claim, the clusters of the items in the sequence where
    whole clusters were drawn. `identical`: items among the n with identical outputs; `clusters`: number of clusters of
    the n items if they were grouped. With a budget, `most_units` are the units that it can buy (None: no budget), and
    `beyond_budget` counts the labelled items after it, which are left out of everything here. `points`: as in
    `PairValues`.
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
    points: float | None = None

    @property
    def counts(self) -> tuple[int, int, int]:
        """Items that favour a, are tied, and favour b."""
        return int((self.values > 0).sum()), int((self.values == 0).sum()), int((self.values < 0).sum())

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Which (n,) items have human labels, and are not ties that nobody was asked about."""
        return self.labels > 0

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

    def summary(self) -> PairSummary:
        """What the labels amount to."""
        wins, ties, losses = self.counts
        values = self.sequence.for_a
        return PairSummary(
            criterion=self.criterion,
            system_a=self.system_a,
            system_b=self.system_b,
            wins=wins,
            ties=ties,
            losses=losses,
            labels=int(self.labels.sum()),
            most_labels=int(self.labels.max(initial=0)),
            units=len(self.sequence),
            untied_units=int(np.count_nonzero(values)),
            tied_weight=float((1 - values**2).sum()),
            pool_units=self.sequence.pool_size,
            scale=self.sequence.scale,
            outcomes_only=self.sequence.outcomes_only,
            of_means=self.variances is not None,
            pool_size=self.pool_size,
            identical=self.identical,
            clusters=self.clusters,
            effective_clusters=self.effective_clusters,
            drawn=None if self.drawn is None else self.drawn.count,
            drawn_from=None if self.drawn is None else self.drawn.in_pool,
            beyond_budget=self.beyond_budget,
            points=self.points,
        )


@dataclass(frozen=True, slots=True)
class PairSummary:
    """A pair's evidence without its values: what is kept of every pair, however many there are.

    `wins`, `ties`, `losses`: items that favour a, neither and b; `labels` behind them, `most_labels` behind the item
    that has most; `identical`: items among them with identical outputs; `pool_size`: items of the pool. `units` of
    evidence, `untied_units` of them with a value other than 0, and `tied_weight` the sum of 1 - value^2 over them;
    `pool_units`: units of the pool for a claim about these items, which stand for the share `scale` of all.
    `outcomes_only`: every unit is an item with the value -1, 0 or 1; `of_means`: values are means of several labels.
    `clusters`: of all items, those with identical outputs too, if items were grouped; `effective_clusters`: of equal
    size that would say as much, None where every item stands alone. `drawn`: clusters of a pool that are labelled,
    where whole clusters were drawn, from `drawn_from` of them, if that is known. `beyond_budget`: labelled items left
    out after the budget. `points`: as in `PairValues`.
    """

    criterion: str | None
    system_a: str
    system_b: str
    wins: int
    ties: int
    losses: int
    labels: int
    most_labels: int
    units: int
    untied_units: int
    tied_weight: float
    pool_units: int | None
    scale: float
    outcomes_only: bool
    of_means: bool
    pool_size: int
    identical: int
    clusters: int | None
    effective_clusters: float | None
    drawn: int | None
    drawn_from: int | None
    beyond_budget: int
    points: float | None = None

    @property
    def items(self) -> int:
        """Items with a value."""
        return self.wins + self.ties + self.losses

    @property
    def clustered(self) -> bool:
        """Whether evidence is that of clusters of items."""
        return self.effective_clusters is not None


class EvidencePairs(Sequence[PairEvidence]):
    """The evidence of many pairs, each either kept or made anew whenever it is asked for.

    A rating is compared with those of all other systems: the evidence of all pairs of a hundred systems is a hundred
    times as large as the labels that it comes from.
    """

    def __init__(self, made: Iterable[PairEvidence | Callable[[], PairEvidence]]) -> None:
        self._made = tuple(made)

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, place: int) -> PairEvidence: ...
    @overload
    def __getitem__(self, place: slice) -> EvidencePairs: ...
    def __getitem__(self, place: int | slice) -> PairEvidence | EvidencePairs:
        if isinstance(place, slice):
            return EvidencePairs(self._made[place])
        found = self._made[place]
        return found if isinstance(found, PairEvidence) else found()

    def __add__(self, others: EvidencePairs) -> EvidencePairs:
        return EvidencePairs((*self._made, *others._made))
