"""The Hoeffding rule of Thorleiksdóttir et al. (2022), first crossing: for reproduction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tiebreak.campaign.stopping.rule import MeasureFacts, StoppingRule, Summary
from tiebreak.kernels.reproduced import hoeffding_threshold
from tiebreak.records import UnitValue, Verdict
from tiebreak.results.comparison_terms import hoeffding_validity, scope_words
from tiebreak.results.guarantee import Guarantee, Validity
from tiebreak.rules.registry import RULES
from tiebreak.settings.protocol import DecisionSettings


@dataclass(frozen=True, slots=True)
class RunningMean:
    """`count` values as shares of a, in [0, 1], and their sum; abandoned and withdrawn items count as ties."""

    count: int = 0
    total: float = 0.0

    @property
    def share(self) -> float:
        """Mean share of a; NaN without values."""
        return self.total / self.count if self.count else math.nan


class Hoeffding(StoppingRule[float, RunningMean]):
    """Decides where |mean share of a - 1/2| > sqrt(-ln(d) / (2n)), d = alpha, for each pair by itself.

    The plan of a pair is the share of its items that is not known to be tied.
    """

    name: ClassVar[str] = "hoeffding"
    title: ClassVar[str] = "Hoeffding rule, first crossing"

    def guarantee(self, plans: Sequence[float], settings: DecisionSettings) -> Guarantee:  # noqa: ARG002
        """None."""
        return Guarantee(RULES[self.name].guarantee)

    def prepare(self, facts: Sequence[MeasureFacts], settings: DecisionSettings, batch: int) -> list[float]:  # noqa: ARG002
        """The share that the labels stand for."""
        return [of.scale for of in facts]

    def start(self, plan: float) -> RunningMean:  # noqa: ARG002
        """No values."""
        return RunningMean()

    def advance(self, plan: float, evidence: RunningMean, value: UnitValue) -> RunningMean:  # noqa: ARG002
        """One more value."""
        return RunningMean(evidence.count + 1, evidence.total + ((value.for_a + value.for_b) / 2 + 1) / 2)

    def decide(
        self,
        plans: Sequence[float],  # noqa: ARG002
        evidence: Sequence[RunningMean],
        settings: DecisionSettings,
        changed: int,
    ) -> Mapping[int, Verdict]:
        """Strictly above the bound, on either side; rounded as in `kernels.hoeffding`."""
        of = evidence[changed]
        if not of.count:
            return {}
        bound = float(hoeffding_threshold(of.count, settings.alpha))
        if of.share - bound > 0.5:
            return {changed: "a"}
        return {changed: "b"} if of.share + bound < 0.5 else {}

    def summary(
        self,
        plans: Sequence[float],
        evidence: Sequence[RunningMean],
        settings: DecisionSettings,
    ) -> list[Summary]:
        """The interval is the rule's own bound; known ties among these items bring it closer to 0."""
        validity = Validity(f"{hoeffding_validity(settings.alpha)}, {scope_words(settings.target)}")
        found = []
        for scale, of in zip(plans, evidence, strict=True):
            if not of.count:
                found.append(Summary(math.nan, -scale, scale, validity))
                continue
            mean, half = 2 * of.share - 1, 2 * float(hoeffding_threshold(of.count, settings.alpha))
            ends = max(-1.0, mean - half), min(1.0, mean + half)
            found.append(Summary(scale * mean, scale * ends[0], scale * ends[1], validity))
        return found
