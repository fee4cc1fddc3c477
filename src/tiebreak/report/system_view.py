"""One system over all of its pairs: its place in the order and how often it was preferred."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.report.names import short_names
from tiebreak.results.records import CriterionResult
from tiebreak.results.words import systems_by_rank


@dataclass(frozen=True, slots=True)
class SystemView:
    """One system: its `name`, a `short` one for narrow places, its place in the order, and its wins, ties and losses
    over all items of all its pairs."""

    name: str
    short: str
    number: int
    tier: int
    beats: tuple[str, ...]
    beaten_by: tuple[str, ...]
    equivalent: tuple[str, ...]
    wins: int
    ties: int
    losses: int

    @property
    def items(self) -> int:
        """Compared items over all pairs; at least 1, so that shares exist."""
        return max(self.wins + self.ties + self.losses, 1)

    def share(self, count: int) -> float:
        """Of the compared items, from 0 to 1."""
        return count / self.items


def system_views(found: CriterionResult) -> tuple[SystemView, ...]:
    """All systems, best first."""
    order = found.order
    tier = {name: k for k, names in enumerate(order.tiers, 1) for name in names}
    ranked = systems_by_rank(found)
    short = short_names(ranked)
    views = []
    for number, name in enumerate(ranked, 1):
        first = [pair for pair in found.pairs if pair.system_a == name]
        second = [pair for pair in found.pairs if pair.system_b == name]
        beats = {loser for winner, loser in order.edges if winner == name}
        beaten_by = {winner for winner, loser in order.edges if loser == name}
        same = {a if b == name else b for a, b in order.equivalences if name in (a, b)}
        views.append(
            SystemView(
                name=name,
                short=short[name],
                number=number,
                tier=tier[name],
                beats=tuple(other for other in ranked if other in beats),
                beaten_by=tuple(other for other in ranked if other in beaten_by),
                equivalent=tuple(other for other in ranked if other in same),
                wins=sum(pair.wins for pair in first) + sum(pair.losses for pair in second),
                ties=sum(pair.ties for pair in (*first, *second)),
                losses=sum(pair.losses for pair in first) + sum(pair.wins for pair in second),
            )
        )
    return tuple(views)
