"""A fixed number of items per pair, fixed beforehand, and one sign test at the end: the classical design."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tiebreak.campaign.stopping.rule import PairFacts, StoppingRule, Summary, where
from tiebreak.records import Verdict
from tiebreak.results.numbers import percent
from tiebreak.results.terms import Looks
from tiebreak.rules.family import FamilyRule
from tiebreak.rules.fixed_sample import FixedVerdict, sign_verdicts
from tiebreak.settings.protocol import DecisionSettings


@dataclass(frozen=True, slots=True)
class RunningCounts:
    """Units that favour a, neither and b so far; abandoned ones favour neither."""

    wins: int = 0
    ties: int = 0
    losses: int = 0

    @property
    def total(self) -> int:
        """All units so far."""
        return self.wins + self.ties + self.losses


class FixedSample(StoppingRule[int, RunningCounts]):
    """The plan of a pair is its number of units. Nothing is decided before every pair has all of them."""

    name: ClassVar[str] = "fixed"
    title: ClassVar[str] = "sign test after a fixed number of items"
    looks: ClassVar[Looks] = "one"
    needs_items_per_pair: ClassVar[bool] = True

    def guarantee(self, settings: DecisionSettings) -> str:  # noqa: ARG002
        """At the end only."""
        return "hold for the number of items fixed beforehand: there is no looking earlier"

    def prepare(self, facts: Sequence[PairFacts], settings: DecisionSettings, batch: int) -> list[int]:  # noqa: ARG002
        """The number of units."""
        return [pair.most_units for pair in facts]

    def start(self, plan: int) -> RunningCounts:  # noqa: ARG002
        """No values."""
        return RunningCounts()

    def advance(self, plan: int, evidence: RunningCounts, for_a: float, for_b: float) -> RunningCounts:  # noqa: ARG002
        """One more value."""
        value = for_a + for_b
        return RunningCounts(evidence.wins + (value > 0), evidence.ties + (value == 0), evidence.losses + (value < 0))

    def decide(
        self,
        plans: Sequence[int],
        evidence: Sequence[RunningCounts],
        settings: DecisionSettings,
        changed: int,  # noqa: ARG002
    ) -> Mapping[int, Verdict]:
        """All pairs at once, at the end."""
        if any(of.total < units for of, units in zip(evidence, plans, strict=True)):
            return {}
        verdicts = _tests(evidence, settings)
        return {k: found.verdict for k, found in enumerate(verdicts) if found.verdict != "undecided"}

    def next_look(self, plan: int, evidence: RunningCounts) -> int:  # noqa: ARG002
        """At the end."""
        return plan

    def summary(
        self,
        plans: Sequence[int],
        evidence: Sequence[RunningCounts],
        settings: DecisionSettings,
    ) -> list[Summary]:
        """Adjusted Wald intervals, for the end."""
        pairs = len(plans)
        together = settings.multiplicity in ("holm", "bonferroni")
        whom = "" if pairs == 1 else f", for all {pairs:,} pairs at once" if together else ", for each pair by itself"
        validity = (
            f"{percent(1 - settings.alpha)} at the number of items fixed beforehand{whom}, {where(settings.target)}"
        )
        return [
            Summary(
                estimate=(of.wins - of.losses) / of.total if of.total else math.nan,
                low=test.low if of.total else -1.0,
                high=test.high if of.total else 1.0,
                validity=validity,
                p_value=test.p_value,
            )
            for of, test in zip(evidence, _tests(evidence, settings), strict=True)
        ]


def _tests(evidence: Sequence[RunningCounts], settings: DecisionSettings) -> list[FixedVerdict]:
    rule = FamilyRule(settings.alpha, settings.multiplicity)
    return sign_verdicts([(of.wins, of.ties, of.losses) for of in evidence], rule)
