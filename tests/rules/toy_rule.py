"""A decision rule in one file, with its line in the registry, and a command that runs with it.

python -m tests.rules.toy_rule compare STUDY --rule lead
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak.rules import registry
from tiebreak.rules.rule import (
    Cells,
    Codes,
    Floats,
    Guarantee,
    MeasureFacts,
    Rule,
    RuleSettings,
    Summary,
    Units,
    Validity,
    by_sign,
)

LEAD = 12


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Units so far, and wins less losses of each cell."""

    units: int
    lead: Floats
    evidence: Floats


class Lead(Rule[MeasureFacts, Counts]):
    """Whoever is ahead by twelve items is better."""

    name: ClassVar[str] = "lead"
    title: ClassVar[str] = "a lead of twelve items"

    def guarantee(self, plans: Sequence[MeasureFacts], settings: RuleSettings) -> Guarantee:  # noqa: ARG002
        return Guarantee("promise nothing")

    def prepare(self, facts: Sequence[MeasureFacts], settings: RuleSettings) -> list[MeasureFacts]:  # noqa: ARG002
        return list(facts)

    def start(self, plan: MeasureFacts, cells: int = 1) -> Counts:  # noqa: ARG002
        return Counts(0, np.zeros(cells), np.full((cells, 2), -np.inf))

    def advance(self, plan: MeasureFacts, state: Counts, units: Units) -> tuple[Counts, Floats]:  # noqa: ARG002
        sides = [state.lead[:, None] + np.cumsum(of, axis=1) for of in (units.for_a, units.for_b)]
        path = np.stack([sides[0] - LEAD + 0.5, -sides[1] - LEAD + 0.5], axis=-1)
        if not units.number:
            return state, path
        return Counts(state.units + units.number, (sides[0] + sides[1])[:, -1] / 2, path[:, -1]), path

    def some(self, state: Counts, cells: Cells) -> Counts:
        return Counts(state.units, state.lead[cells], state.evidence[cells])

    def verdicts(self, plans: Sequence[MeasureFacts], evidence: Floats, settings: RuleSettings) -> Codes:  # noqa: ARG002
        return by_sign(evidence)

    def summary(
        self,
        plans: Sequence[MeasureFacts],
        states: Sequence[Counts],
        settings: RuleSettings,  # noqa: ARG002
    ) -> list[Summary]:
        means = [float(of.lead[0]) / of.units if of.units else math.nan for of in states]
        both = [(mean, plan.scale) for plan, mean in zip(plans, means, strict=True)]
        return [Summary(scale * mean, -scale, scale, Validity("no level")) for mean, scale in both]


RULE = Lead()
LINE = registry.Line("reproduction", "tests.rules.toy_rule")

if __name__ == "__main__":
    registry.LINES["lead"] = LINE
    from tiebreak.cli.main import run  # the choices of options are made from the registry when it is read

    run()
