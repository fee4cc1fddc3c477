"""What the labels of a study can decide, pair by pair, and how many more would decide the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from tiebreak.evidence.study_evidence import CriterionEvidence, PairEvidence
from tiebreak.rules.anytime import Priors
from tiebreak.rules.projection import (
    ASSUMED_TIES,
    detectable_difference,
    drawn_tie_rate,
    units_wanted,
)

ALPHA: Final = 0.05
TARGET_DIFFERENCES: Final = (0.2, 0.1)
"""Differences P(a preferred) - P(b preferred) for which the items needed are worked out."""


@dataclass(frozen=True, slots=True)
class PairSupport:
    """What the labels of one pair on one criterion can show.

    `items` compared, `ties` of them tied, and human `labels` behind them; `units`: items, or clusters where items are
    grouped; `pool_size` items of the pool; `tie_rate`: share of tied items, drawn towards that of all pairs;
    `detectable_difference`: the smallest difference that the units would just about have decided, None: not even the
    largest possible. It takes each unit for one outcome, so that means of several labels may show a little more.
    """

    criterion: str | None
    system_a: str
    system_b: str
    items: int
    ties: int
    labels: int
    units: int
    pool_size: int
    tie_rate: float
    detectable_difference: float | None


@dataclass(frozen=True, slots=True)
class Need:
    """What it takes to find `difference` on every labelled pair: `items` for the pair that needs most,
    `further_items` over all pairs together, and the human labels that go with them at the present number per item (a
    rating serves all pairs of its system). `pairs_ready` have enough already.
    """

    difference: float
    items: int
    further_items: int
    further_labels: int
    pairs_ready: int


@dataclass(frozen=True, slots=True)
class CriterionSupport:
    """`pairs` with labels out of `possible_pairs` of the study's systems; `tie_rate` over all of them.

    `from_ratings`: the values compare ratings (for most pairs); `labels_per_item`: median over pairs of the labels
    that one more item of a pair costs, or of the ratings per output.
    """

    criterion: str | None
    possible_pairs: int
    pairs: tuple[PairSupport, ...]
    tie_rate: float
    from_ratings: bool
    labels_per_item: float
    needs: tuple[Need, ...]


def criterion_support(found: CriterionEvidence, systems: int, family: int, priors: Priors) -> CriterionSupport:
    """What the labels on a criterion can decide when `family` pairs are tested together at alpha 0.05.

    The threshold is that of a direction among K pairs, log(2K/alpha); `compare` takes the pairs of all its criteria
    as one family. `systems`: how many the study has.
    """
    possible = systems * (systems - 1) // 2
    asked = [pair for pair in found.pairs if (pair.labels > 0).any()]
    ties = sum(pair.counts[1] for pair in asked)
    total = sum(pair.values.size for pair in asked)
    pooled = drawn_tie_rate(ties, total)
    threshold = direction_threshold(family)
    cache: dict[tuple[int, float], float | None] = {}
    pairs = tuple(_pair_support(pair, pooled, threshold, priors, cache) for pair in asked)
    from_ratings = 2 * found.from_ratings > len(asked)
    per_item = _labels_per_item(pairs, from_ratings)
    needs = []
    for difference in TARGET_DIFFERENCES:
        units = units_wanted(difference, pooled, threshold, priors)
        needs.append(_need(pairs, difference, units, from_ratings, per_item))
    tie_rate = ties / total if total else ASSUMED_TIES
    return CriterionSupport(found.criterion, possible, pairs, tie_rate, from_ratings, per_item, tuple(needs))


def direction_threshold(pairs: int) -> float:
    """log(2K/alpha): what log E of a direction faces among K pairs."""
    return math.log(2 * max(pairs, 1) / ALPHA)


def _pair_support(
    pair: PairEvidence,
    pooled_ties: float,
    log_threshold: float,
    priors: Priors,
    cache: dict[tuple[int, float], float | None],
) -> PairSupport:
    units = len(pair.sequence)
    tie_rate = round(drawn_tie_rate(pair.counts[1], pair.values.size, pooled_ties), 2)
    if (units, tie_rate) not in cache:
        cache[units, tie_rate] = detectable_difference(units, tie_rate, log_threshold, priors)
    return PairSupport(
        criterion=pair.criterion,
        system_a=pair.system_a,
        system_b=pair.system_b,
        items=int(pair.values.size),
        ties=int(pair.counts[1]),
        labels=int(pair.labels.sum()),
        units=units,
        pool_size=pair.pool_size,
        tie_rate=tie_rate,
        detectable_difference=cache[units, tie_rate],
    )


def _labels_per_item(pairs: Sequence[PairSupport], from_ratings: bool) -> float:
    if not pairs:
        return 1.0
    per_pair = median(pair.labels / pair.items for pair in pairs)
    return per_pair / 2 if from_ratings else per_pair


def _need(
    pairs: Sequence[PairSupport], difference: float, units: int, from_ratings: bool, labels_per_item: float
) -> Need:
    # Items in clusters count for less: a pair whose 100 items make 50 units needs two items a unit.
    items = [math.ceil(units * pair.items / pair.units) for pair in pairs]
    further = [max(0, wanted - pair.items) for wanted, pair in zip(items, pairs, strict=True)]
    asked = sum(further)
    if from_ratings:
        most: dict[str, int] = {}
        for count, pair in zip(further, pairs, strict=True):
            for system in (pair.system_a, pair.system_b):
                most[system] = max(most.get(system, 0), count)
        asked = sum(most.values())
    return Need(
        difference=difference,
        items=max(items, default=units),
        further_items=sum(further),
        further_labels=math.ceil(asked * labels_per_item),
        pairs_ready=sum(count == 0 for count in further),
    )
