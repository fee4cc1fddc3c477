"""Pairs as they are told: the better system first, decided pairs by the order of the systems, then the nearest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tiebreak.numbers import natural_key
from tiebreak.results.records import CriterionResult, PairResult


@dataclass(frozen=True, slots=True)
class Standing:
    """A pair with the better system first or, undecided, the one that is ahead.

    `sign`: ">" the first is better, "=" equivalent, "?" undecided. `estimate` (None of too little evidence) and the
    interval from `low` to `high`: how much more often `first` is preferred; `equivalence`: the interval whose place
    inside the margin makes equivalence, the same way round. `theta`: that the first is better. None where the rule does
    not say.
    """

    pair: PairResult
    first: str
    second: str
    sign: str
    estimate: float | None
    low: float
    high: float
    theta: float | None
    equivalence: tuple[float, float] | None


def standing(pair: PairResult) -> Standing:
    """Of one pair."""
    gap, estimate, rests_on = pair.difference, pair.difference.estimate, pair.equivalence_interval
    sign = "?" if pair.verdict == "undecided" else "=" if pair.winner is None else ">"
    ahead = pair.wins - pair.losses if estimate is None else estimate  # too few units for an estimate still lean
    turned = pair.verdict == "b" if sign == ">" else ahead < 0
    if not turned:
        return Standing(pair, pair.system_a, pair.system_b, sign, estimate, gap.low, gap.high, pair.theta, rests_on)
    against = None if estimate is None else -estimate
    theta = None if pair.theta is None else 1 - pair.theta
    rests_on = None if rests_on is None else (-rests_on[1], -rests_on[0])
    return Standing(pair, pair.system_b, pair.system_a, sign, against, -gap.high, -gap.low, theta, rests_on)


def standings(found: CriterionResult) -> tuple[list[Standing], list[Standing]]:
    """Decided pairs, in the order of the better system and then of the other, equivalent ones after them; and
    undecided pairs, the nearest to a verdict first."""
    tier = {name: place for place, names in enumerate(found.order.tiers) for name in names}

    def place(name: str) -> tuple[object, ...]:
        return tier.get(name, len(tier)), natural_key(name)

    def distance(told: Standing) -> float:
        further = told.pair.items_to_decision
        return math.inf if further is None else further

    every = [standing(pair) for pair in found.pairs]
    decided = [told for told in every if told.sign != "?"]
    undecided = [told for told in every if told.sign == "?"]
    decided.sort(key=lambda told: (told.sign == "=", place(told.first), place(told.second)))
    undecided.sort(key=lambda told: (distance(told), natural_key(told.first), natural_key(told.second)))
    return decided, undecided


def capped(
    decided: Sequence[Standing], undecided: Sequence[Standing], most: int | None
) -> tuple[Sequence[Standing], Sequence[Standing]]:
    """The first of both, `most` in all; a quarter of the places is for undecided pairs, if there are as many."""
    if most is None or len(decided) + len(undecided) <= most:
        return decided, undecided
    for_undecided = min(len(undecided), max(most // 4, most - len(decided)))
    return decided[: most - for_undecided], undecided[:for_undecided]
