"""The Hoeffding rule of Thorleiksdóttir et al. (2022), first crossing: for reproduction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tiebreak.campaign.stopping.rule import PairFacts, StoppingRule, Summary, where
from tiebreak.kernels.hoeffding import hoeffding_threshold
from tiebreak.records import Verdict
from tiebreak.results.comparison_terms import hoeffding_validity
from tiebreak.settings.protocol import DecisionSettings


@dataclass(frozen=True, slots=True)
class RunningMean:
    """`count` values as shares of a, in [0, 1], and their sum; abandoned items count as ties."""

    count: int = 0
    total: float = 0.0

    @property
    def share(self) -> float:
        """Mean share of a; NaN without values."""
        return self.total / self.count if self.count else math.nan


class Hoeffding(StoppingRule[None, RunningMean]):
    """Decides where |mean share of a - 1/2| > sqrt(-ln(d) / (2n)), d = alpha, for each pair by itself."""

    name: ClassVar[str] = "hoeffding"
    title: ClassVar[str] = "Hoeffding rule, first crossing"

    def guarantee(self, settings: DecisionSettings) -> str:  # noqa: ARG002
        """None."""
        return "do not control the error under repeated looks (equal systems: 18% wrong at d = 0.05 within 500 items)"

    def prepare(self, facts: Sequence[PairFacts], settings: DecisionSettings, batch: int) -> list[None]:  # noqa: ARG002
        """Nothing to prepare."""
        return [None] * len(facts)

    def start(self, plan: None) -> RunningMean:  # noqa: ARG002
        """No values."""
        return RunningMean()

    def advance(self, plan: None, evidence: RunningMean, for_a: float, for_b: float) -> RunningMean:  # noqa: ARG002
        """One more value."""
        return RunningMean(evidence.count + 1, evidence.total + ((for_a + for_b) / 2 + 1) / 2)

    def decide(
        self,
        plans: Sequence[None],  # noqa: ARG002
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
        plans: Sequence[None],  # noqa: ARG002
        evidence: Sequence[RunningMean],
        settings: DecisionSettings,
    ) -> list[Summary]:
        """The interval is the rule's own bound."""
        validity = f"{hoeffding_validity(settings.alpha)}, {where(settings.target)}"
        found = []
        for of in evidence:
            if not of.count:
                found.append(Summary(math.nan, -1.0, 1.0, validity))
                continue
            mean, half = 2 * of.share - 1, 2 * float(hoeffding_threshold(of.count, settings.alpha))
            found.append(Summary(mean, max(-1.0, mean - half), min(1.0, mean + half), validity))
        return found
