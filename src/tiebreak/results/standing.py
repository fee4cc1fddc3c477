"""Pairs as they are shown: the better system first, decided pairs by the order of the systems, then the nearest."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tiebreak.numbers import natural_key
from tiebreak.results.order import Order, order_of
from tiebreak.results.records import CriterionResult, PairResult, WinRate


def order_of_pairs(pairs: Sequence[PairResult]) -> Order:
    """The order of the compared systems that the verdicts of these pairs amount to."""
    systems = {name for pair in pairs for name in (pair.system_a, pair.system_b)}
    return order_of(systems, [(pair.system_a, pair.system_b, pair.verdict, pair.also) for pair in pairs])


def standings(found: CriterionResult) -> tuple[list[PairResult], list[PairResult]]:
    """All pairs with the winner first. Decided pairs, in the order of the better system and then of the other,
    equivalent ones after them; and undecided pairs, the nearest to a verdict first, then those with more items."""
    tier = {name: place for place, names in enumerate(found.order.tiers) for name in names}

    def place(name: str) -> tuple[object, ...]:
        return tier.get(name, len(tier)), natural_key(name)

    def distance(pair: PairResult) -> tuple[float, int]:
        return math.inf if pair.items_to_decision is None else pair.items_to_decision, -pair.items

    every = [pair.winner_first() for pair in found.pairs]
    decided = [pair for pair in every if pair.verdict != "undecided"]
    undecided = [pair for pair in every if pair.verdict == "undecided"]
    decided.sort(key=lambda pair: (pair.verdict == "equivalent", place(pair.system_a), place(pair.system_b)))
    undecided.sort(key=lambda pair: (distance(pair), natural_key(pair.system_a), natural_key(pair.system_b)))
    return decided, undecided


def win_rates_of(pairs: Sequence[PairResult]) -> tuple[WinRate, ...]:
    """Win rates by the differences of pairs, without intervals; by name."""
    met: dict[str, list[float | None]] = {}
    for pair in pairs:
        gap = pair.difference.estimate
        met.setdefault(pair.system_a, []).append(None if gap is None else (1 + gap) / 2)
        met.setdefault(pair.system_b, []).append(None if gap is None else (1 - gap) / 2)
    rates = []
    for system in sorted(met):
        known = [rate for rate in met[system] if rate is not None]
        all_known = len(known) == len(met[system])
        rates.append(WinRate(system, len(met[system]), math.fsum(known) / len(known) if all_known else None))
    return tuple(rates)


def capped(
    decided: Sequence[PairResult], undecided: Sequence[PairResult], most: int | None
) -> tuple[Sequence[PairResult], Sequence[PairResult]]:
    """The first of both, `most` in all; a quarter of the places is for undecided pairs, if there are as many."""
    if most is None or len(decided) + len(undecided) <= most:
        return decided, undecided
    for_undecided = min(len(undecided), max(most // 4, most - len(decided)))
    return decided[: most - for_undecided], undecided[:for_undecided]
