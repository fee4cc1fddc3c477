"""Empirical Bernstein stopping (Mnih, Szepesvári & Audibert 2008, section 3.1), for a width instead of a relative
error: beside the rule `width`, to see what betting saves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from tiebreak.campaign.stopping.rule import Finding, MeasureFacts, PlanError, StoppingRule, Summary
from tiebreak.campaign.stopping.width import width_guarantee, width_validity
from tiebreak.records import UnitValue
from tiebreak.results.guarantee import Guarantee
from tiebreak.results.terms import Looks
from tiebreak.settings.protocol import DecisionSettings

_POWER: Final = 1.1
"""p of d_t = c/t^p with c = delta (p - 1)/p, as in the paper's experiments."""
_RANGE: Final = 2.0
"""R, of values in [-1, 1]."""


@dataclass(frozen=True, slots=True)
class BernsteinPlan:
    """`half_width` on [-1, 1]; `delta`: chance that the interval fails at any look."""

    half_width: float
    delta: float


class RunningMoments(NamedTuple):
    """Of the values of one direction: their mean, and the sum of squares about it."""

    mean: float = 0.0
    squares: float = 0.0

    def after(self, value: float, count: int) -> RunningMoments:
        """With one more value, the `count`-th."""
        mean = self.mean + (value - self.mean) / count
        return RunningMoments(mean, self.squares + (value - self.mean) * (value - mean))


class BernsteinEvidence(NamedTuple):
    """After so many `values`: what argues for more and for less, which differ where ratings are missing, and the
    interval that no look has left.
    """

    values: int = 0
    for_a: RunningMoments = RunningMoments()
    for_b: RunningMoments = RunningMoments()
    low: float = -1.0
    high: float = 1.0


class Bernstein(StoppingRule[BernsteinPlan, BernsteinEvidence]):
    """|mean_t - mu| <= sd_t sqrt(2 log(3/d_t)/t) + 3 R log(3/d_t)/t at every t: the interval is the intersection."""

    name: ClassVar[str] = "bernstein"
    title: ClassVar[str] = "empirical Bernstein stopping (Mnih et al. 2008), for a wanted width"
    looks: ClassVar[Looks] = "every"

    def guarantee(self, plans: Sequence[BernsteinPlan], settings: DecisionSettings) -> Guarantee:
        """As that of `width`."""
        return width_guarantee(len(plans), settings)

    def prepare(self, facts: Sequence[MeasureFacts], settings: DecisionSettings, batch: int) -> list[BernsteinPlan]:  # noqa: ARG002
        """The chance of error, shared by all measures."""
        shared = 1 if settings.multiplicity == "none" else len(facts)
        plans = []
        for of in facts:
            if of.sizes is not None:
                raise PlanError(
                    "decision.rule", "bernstein counts single items, but here they form clusters; take width"
                )
            plans.append(BernsteinPlan(of.half_width or 0.0, settings.alpha / shared))
        return plans

    def start(self, plan: BernsteinPlan) -> BernsteinEvidence:  # noqa: ARG002
        """No values."""
        return BernsteinEvidence()

    def advance(self, plan: BernsteinPlan, evidence: BernsteinEvidence, value: UnitValue) -> BernsteinEvidence:
        """One more value, and the interval cut to its bound."""
        count = evidence.values + 1
        for_a, for_b = evidence.for_a.after(value.for_a, count), evidence.for_b.after(value.for_b, count)
        low = max(evidence.low, for_a.mean - _reach(for_a, count, plan.delta))
        high = min(evidence.high, for_b.mean + _reach(for_b, count, plan.delta))
        return BernsteinEvidence(count, for_a, for_b, low, high)

    def decide(
        self,
        plans: Sequence[BernsteinPlan],
        evidence: Sequence[BernsteinEvidence],
        settings: DecisionSettings,  # noqa: ARG002
        changed: int,
    ) -> Mapping[int, Finding]:
        """The measure that changed: no other depends on it."""
        of = evidence[changed]
        return {changed: "narrow"} if (of.high - of.low) / 2 <= plans[changed].half_width else {}

    def summary(
        self, plans: Sequence[BernsteinPlan], evidence: Sequence[BernsteinEvidence], settings: DecisionSettings
    ) -> list[Summary]:
        """Estimates and intervals on [-1, 1]."""
        validity = width_validity(len(plans), settings)
        return [
            Summary(
                (of.for_a.mean + of.for_b.mean) / 2 if of.values else math.nan,
                of.low,
                of.high,
                validity,
                variance=(of.for_a.squares + of.for_b.squares) / 2 / of.values if of.values else math.nan,
            )
            for of in evidence
        ]


def _reach(of: RunningMoments, count: int, delta: float) -> float:
    """c_t of the paper."""
    log = math.log(3 * count**_POWER * _POWER / (delta * (_POWER - 1)))
    return math.sqrt(2 * of.squares / count * log / count) + 3 * _RANGE * log / count
