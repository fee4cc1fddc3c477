"""What the labels of a study can decide, pair by pair, and how many more would decide the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from tiebreak.comparison.finished_advice import could_decide, least_to_agree
from tiebreak.comparison.reach import (
    detectable_differences,
    effective_units,
    items_enough,
    items_of_another_pair,
    pooled_square,
    usual_range,
)
from tiebreak.evidence.pair_evidence import PairEvidence, PairSummary
from tiebreak.evidence.study_evidence import CriterionEvidence, StudyEvidence
from tiebreak.rules.power import ASSUMED_TIES, outcomes_enough

ALPHA: Final = 0.05
TARGET_DIFFERENCES: Final = (0.2, 0.1)
"""Differences P(a preferred) - P(b preferred) for which the items needed are worked out."""


@dataclass(frozen=True, slots=True)
class PairSupport:
    """What the labels of one pair on one criterion can show.

    `items` compared, `ties` of them tied, and human `labels` behind them; `units`: items, or where items are grouped
    clusters of equal size that would say as much; `pool_size` items of the pool; `detectable_difference`: what one look
    at so many units finds in 80% of studies (`detectable_differences`), None: no difference, however large. `clusters`:
    number of clusters that the items come in, None where every item stands alone; `detectable_range`: between what the
    difference lies, where few clusters do not tell it better (`usual_range`).
    """

    criterion: str | None
    system_a: str
    system_b: str
    items: int
    ties: int
    labels: int
    units: float
    pool_size: int
    detectable_difference: float | None
    clusters: int | None
    detectable_range: tuple[float, float] | None = None

    @property
    def fewer_tie(self) -> bool:
        """Whether a difference so large comes with fewer ties than the pair has: they leave no room for it."""
        return self.detectable_difference is not None and self.detectable_difference > 1 - self.ties / self.items

    @property
    def usual_ends(self) -> tuple[float, float] | None:
        """Between what the difference lies, as far as that can be told; None: no difference, however large."""
        if self.detectable_difference is None:
            return None
        return self.detectable_range or (self.detectable_difference, self.detectable_difference)


@dataclass(frozen=True, slots=True)
class Need:
    """What it takes to find `difference` on every labelled pair: `items` for the pair that needs most and `items_least`
    for the one that needs least, of those that need more than they have; `further_items` over all pairs together, and
    the human labels that go with them at the present number per item (a rating serves all pairs of its system).
    `pairs_ready` have enough already.
    """

    difference: float
    items: int
    items_least: int
    further_items: int
    further_labels: int
    pairs_ready: int


@dataclass(frozen=True, slots=True)
class NeedOfOthers:
    """The `items` that each pair without labels needs to find `difference`, when all of them have labels and so many
    pairs are `tested_together`: the family grows with them.
    """

    difference: float
    items: int
    tested_together: int


@dataclass(frozen=True, slots=True)
class CriterionSupport:
    """`pairs` with labels out of `possible_pairs` that could have any; `tie_rate` over all of them.

    `from_ratings`: the values compare ratings (for most pairs); `labels_per_item`: median over pairs of the labels
    that one more item of a pair costs, or of the ratings per output. `least`: what must agree for any verdict, in
    words, where some pair has too few units for one to be usual, whatever the difference; `hopeless`: whether no pair
    has enough of them, even if all labels agreed. `others`: what pairs without labels need, None where all have some.
    """

    criterion: str | None
    possible_pairs: int
    pairs: tuple[PairSupport, ...]
    tie_rate: float
    from_ratings: bool
    labels_per_item: float
    needs: tuple[Need, ...]
    least: str | None = None
    hopeless: bool = False
    others: NeedOfOthers | None = None


def study_support(evidence: StudyEvidence, possible: int) -> tuple[CriterionSupport, ...]:
    """What one look at the labels can decide on each criterion, with all pairs of all criteria tested together.

    `possible`: pairs that could have labels. With labels those join the family on each criterion that has any.
    """
    family = sum(len(found.pairs) for found in evidence.criteria)
    whole = sum(max(possible, len(found.pairs)) for found in evidence.criteria if len(found.pairs))
    return tuple(criterion_support(found, possible, family, whole) for found in evidence.criteria)


def criterion_support(found: CriterionEvidence, possible: int, family: int, whole: int) -> CriterionSupport:
    """What one look at the labels on a criterion can decide when `family` pairs are tested together at alpha 0.05.

    The level is that of a direction among K pairs, alpha / 2K. `possible`: pairs that could have labels; `whole`: the
    family when they have.
    """
    labelled = [k for k, pair in enumerate(found.summaries) if pair.labels]
    asked = [found.summaries[k] for k in labelled]
    ties = sum(pair.ties for pair in asked)
    total = sum(pair.items for pair in asked)
    pooled = pooled_square(asked)
    level = direction_level(family)
    smallest = detectable_differences(asked, lambda k: found.pairs[labelled[k]], pooled, level)
    spreads = [None if known is None else usual_range(k, asked, known) for k, known in enumerate(smallest)]
    pairs = tuple(_pair_support(*of) for of in zip(asked, smallest, spreads, strict=True))
    from_ratings = 2 * found.from_ratings > len(asked)
    per_item = _labels_per_item(pairs, from_ratings)
    needs = []
    for difference in TARGET_DIFFERENCES:
        items = [
            items_enough(pair, pooled, difference, level, known) for pair, known in zip(asked, smallest, strict=True)
        ]
        least = outcomes_enough(difference, pooled, level)
        needs.append(_need(pairs, difference, items, least, from_ratings, per_item))
    tie_rate = ties / total if total else ASSUMED_TIES
    without = [labelled[k] for k, difference in enumerate(smallest) if difference is None]
    words = least_to_agree(found.pairs[without[0]], level) if without else None
    hopeless = len(without) == len(pairs) and not any(could_decide(found.pairs[k], level) for k in without)
    return CriterionSupport(
        criterion=found.criterion,
        possible_pairs=possible,
        pairs=pairs,
        tie_rate=tie_rate,
        from_ratings=from_ratings,
        labels_per_item=per_item,
        needs=tuple(needs),
        least=words,
        hopeless=hopeless,
        others=_need_of_others(asked, lambda k: found.pairs[labelled[k]], whole) if possible > len(asked) else None,
    )


def _need_of_others(asked: Sequence[PairSummary], evidence: Callable[[int], PairEvidence], whole: int) -> NeedOfOthers:
    """From pairs that were `asked` about, as their items are: the number for the one that would need most."""
    pooled, level, difference = pooled_square(asked), direction_level(whole), TARGET_DIFFERENCES[0]
    found: Sequence[float | None] = [None] * len(asked)
    if any(pair.clustered for pair in asked):
        found = detectable_differences(asked, evidence, pooled, level)
    items = [
        items_of_another_pair(pair, pooled, difference, level, known) for pair, known in zip(asked, found, strict=True)
    ]
    return NeedOfOthers(
        difference, max(items, default=outcomes_enough(difference, pooled, level)), tested_together=whole
    )


def direction_level(pairs: int) -> float:
    """alpha / 2K: what the p-value of a direction faces among K pairs."""
    return ALPHA / (2 * max(pairs, 1))


def _pair_support(pair: PairSummary, smallest: float | None, spread: tuple[float, float] | None) -> PairSupport:
    return PairSupport(
        criterion=pair.criterion,
        system_a=pair.system_a,
        system_b=pair.system_b,
        items=pair.items,
        ties=pair.ties,
        labels=pair.labels,
        units=effective_units(pair),
        pool_size=pair.pool_size,
        detectable_difference=smallest,
        clusters=pair.drawn or pair.clusters,
        detectable_range=spread,
    )


def _labels_per_item(pairs: Sequence[PairSupport], from_ratings: bool) -> float:
    if not pairs:
        return 1.0
    per_pair = median(pair.labels / pair.items for pair in pairs)
    return per_pair / 2 if from_ratings else per_pair


def _need(
    pairs: Sequence[PairSupport],
    difference: float,
    items: Sequence[int],
    without_pairs: int,
    from_ratings: bool,
    labels_per_item: float,
) -> Need:
    """`items` (pairs,) that each pair would need in all; `without_pairs`: the number where there is none yet."""
    further = [max(0, wanted - pair.items) for wanted, pair in zip(items, pairs, strict=True)]
    waiting = [wanted for wanted, more in zip(items, further, strict=True) if more]
    asked = sum(further)
    if from_ratings:
        most: dict[str, int] = {}
        for count, pair in zip(further, pairs, strict=True):
            for system in (pair.system_a, pair.system_b):
                most[system] = max(most.get(system, 0), count)
        asked = sum(most.values())
    return Need(
        difference=difference,
        items=max(items, default=without_pairs),
        items_least=min(waiting, default=max(items, default=without_pairs)),
        further_items=sum(further),
        further_labels=math.ceil(asked * labels_per_item),
        pairs_ready=sum(count == 0 for count in further),
    )
