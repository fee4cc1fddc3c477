"""The Hoeffding rule of Thorleiksdóttir et al. (2022), first crossing: for reproduction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.reproduced import hoeffding_excess, hoeffding_threshold
from tiebreak.numbers import percent
from tiebreak.rules.rule import (
    Cells,
    Codes,
    Guarantee,
    MeasureFacts,
    Rule,
    RuleSettings,
    Summary,
    Units,
    Validity,
    by_sign,
    scope_words,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HoeffdingPlan:
    """`d` of the bound; `scale`: the share of a pair's items that is not known to be tied."""

    d: float
    scale: float


@dataclass(frozen=True, slots=True, eq=False)
class RunningMean:
    """`count` values as shares of a, in [0, 1], and their sums `total` (C,); abandoned and withdrawn items count as
    ties. `evidence` (C, 2): how far the mean lies beyond the bound of either side.
    """

    count: int
    total: Floats
    evidence: Floats


class Hoeffding(Rule[HoeffdingPlan, RunningMean]):
    """Decides where |mean share of a - 1/2| > sqrt(-ln(d) / (2n)), d = alpha, for each pair by itself."""

    name: ClassVar[str] = "hoeffding"
    sources: ClassVar[tuple[str, ...]] = ("thorleiksdottir2022",)
    title: ClassVar[str] = "Hoeffding rule of Thorleiksdóttir et al. (2022), first crossing"
    level: ClassVar[str] = "d"

    def guarantee(self, plans: Sequence[HoeffdingPlan], settings: RuleSettings) -> Guarantee:  # noqa: ARG002
        """None."""
        return Guarantee(
            "do not control the error under repeated looks (equal systems: 18% wrong at d = 0.05 within 500 items)"
        )

    def prepare(self, facts: Sequence[MeasureFacts], settings: RuleSettings) -> list[HoeffdingPlan]:
        """The bound, and the share that the labels stand for."""
        return [HoeffdingPlan(settings.alpha, of.scale) for of in facts]

    def start(self, plan: HoeffdingPlan, cells: int = 1) -> RunningMean:  # noqa: ARG002
        """No values."""
        return RunningMean(0, np.zeros(cells), np.full((cells, 2), -np.inf))

    def advance(self, plan: HoeffdingPlan, state: RunningMean, units: Units) -> tuple[RunningMean, Floats]:
        """The mean after each value, and its distance from the bounds."""
        if not units.number:
            return state, np.empty((len(state.total), 0, 2))
        shares = ((units.for_a + units.for_b) / 2 + 1) / 2
        shares[:, 0] += state.total
        totals = np.cumsum(shares, axis=1)
        path = hoeffding_excess(totals, state.count, plan.d)
        return RunningMean(state.count + units.number, totals[:, -1], path[:, -1]), path

    def some(self, state: RunningMean, cells: Cells) -> RunningMean:
        """Some of the cells."""
        return RunningMean(state.count, state.total[cells], state.evidence[cells])

    def verdicts(self, plans: Sequence[HoeffdingPlan], evidence: Floats, settings: RuleSettings) -> Codes:  # noqa: ARG002
        """Strictly beyond the bound."""
        return by_sign(evidence)

    def summary(
        self, plans: Sequence[HoeffdingPlan], states: Sequence[RunningMean], settings: RuleSettings
    ) -> list[Summary]:
        """The interval is the rule's own bound; known ties among these items bring it closer to 0."""
        level = f"{percent(max(0.0, 1 - 2 * settings.alpha))} for one look at this number of items, for this pair"
        validity = Validity(f"{level}, {scope_words(settings.target)}")
        found = []
        for plan, of in zip(plans, states, strict=True):
            if not of.count:
                found.append(Summary(math.nan, -plan.scale, plan.scale, validity))
                continue
            mean, half = 2 * float(of.total[0]) / of.count - 1, 2 * float(hoeffding_threshold(of.count, plan.d))
            low, high = max(-1.0, mean - half), min(1.0, mean + half)
            found.append(Summary(plan.scale * mean, plan.scale * low, plan.scale * high, validity))
        return found


RULE: Final = Hoeffding()
