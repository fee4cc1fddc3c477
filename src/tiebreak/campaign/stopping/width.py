"""Until a mean, or a difference of means, is known well enough: a confidence sequence whose width is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from tiebreak.campaign.stopping.rule import Finding, MeasureFacts, StoppingRule, Summary
from tiebreak.kernels.bounded_bets import RunningWealth
from tiebreak.records import UnitValue
from tiebreak.results.guarantee import Guarantee, Validity
from tiebreak.results.numbers import percent, plain
from tiebreak.results.terms import Looks
from tiebreak.rules import running
from tiebreak.rules.planned import Family
from tiebreak.rules.running import RunningPlan
from tiebreak.settings.protocol import DecisionSettings

_STEPS_PER_HALF_WIDTH: Final = 20
"""Of the grid on which an interval is found, which is at most one step too wide on either side."""
_FEWEST_STEPS, _MOST_STEPS = 100, 2_000


@dataclass(frozen=True, slots=True, eq=False)
class WidthPlan:
    """A measure's bets, and what ends it: `half_width` on [-1, 1] (None: only a direction does), `direction`: an
    interval without 0 does too.
    """

    bets: RunningPlan
    half_width: float | None
    direction: bool


class Width(StoppingRule[WidthPlan, RunningWealth]):
    """A measure ends when (U - L)/2 of its confidence sequence reaches the half-width, or where a direction is asked
    for when 0 is outside.

    The sequence is that of betting (`rules.running`) on ratings mapped from the declared scale to [-1, 1]; all values
    that no look has rejected at 2M/alpha a side, with M measures (2/alpha without an adjustment). It holds at every
    look, so that it holds where its width ends the campaign. An interval of the t distribution at every look does not:
    where 80 % of ratings on 1 to 5 are fives it ends wrong in .27, with 95 % in .59 (METHODS, section 4).
    """

    name: ClassVar[str] = "width"
    title: ClassVar[str] = "confidence sequence of a wanted width (betting)"
    looks: ClassVar[Looks] = "every"

    def guarantee(self, plans: Sequence[WidthPlan], settings: DecisionSettings) -> Guarantee:
        """For all measures at once, or for each."""
        return width_guarantee(len(plans), settings)

    def prepare(self, facts: Sequence[MeasureFacts], settings: DecisionSettings, batch: int) -> list[WidthPlan]:  # noqa: ARG002
        """The bets of each measure, on a grid that is fine enough for its half-width."""
        return [
            WidthPlan(
                running.running_plan(
                    pool_size=of.pool_size,
                    weights=None if of.sizes is None else of.sizes / of.sizes.max(),
                    steps=_steps(of.half_width),
                ),
                of.half_width,
                of.direction,
            )
            for of in facts
        ]

    def start(self, plan: WidthPlan) -> RunningWealth:
        """No evidence."""
        return running.start(plan.bets)

    def advance(self, plan: WidthPlan, evidence: RunningWealth, value: UnitValue) -> RunningWealth:
        """One more bet."""
        return running.advance(plan.bets, evidence, value)

    def again(self, plan: WidthPlan, values: Iterable[UnitValue], seen: RunningWealth) -> RunningWealth:
        """All bets as they were, with lower gains; what was rejected stays rejected."""
        return running.again(plan.bets, values, seen)

    def decide(
        self, plans: Sequence[WidthPlan], evidence: Sequence[RunningWealth], settings: DecisionSettings, changed: int
    ) -> Mapping[int, Finding]:
        """The measure that changed: no other depends on it."""
        plan = plans[changed]
        low, high = running.interval(plan.bets, evidence[changed], _threshold(len(plans), settings))
        found = finding(plan, low, high)
        return {} if found is None else {changed: found}

    def summary(
        self, plans: Sequence[WidthPlan], evidence: Sequence[RunningWealth], settings: DecisionSettings
    ) -> list[Summary]:
        """Estimates and intervals on [-1, 1]."""
        threshold, validity = _threshold(len(plans), settings), width_validity(len(plans), settings)
        found = []
        for plan, of in zip(plans, evidence, strict=True):
            low, high = running.interval(plan.bets, of, threshold)
            found.append(Summary(of.mean, low, high, validity, log_threshold=threshold, variance=of.variance))
        return found


def finding(plan: WidthPlan, low: float, high: float) -> Finding | None:
    """What an interval on [-1, 1] has come to."""
    if plan.direction and (low > 0 or high < 0):
        return "a" if low > 0 else "b"
    narrow = plan.half_width is not None and (high - low) / 2 <= plan.half_width + 1e-12
    return "narrow" if narrow else None


def width_guarantee(measures: int, settings: DecisionSettings) -> Guarantee:
    """What intervals promise."""
    whose = "of each by itself" if settings.multiplicity == "none" or measures == 1 else f"of all {measures:,} at once"
    return Guarantee(
        f"hold at every look, {whose}, with a chance of at least {percent(1 - settings.alpha)} "
        f"(alpha = {plain(settings.alpha)}), however often one looks and whenever the campaign ends"
    )


def width_validity(measures: int, settings: DecisionSettings) -> Validity:
    """When an interval holds."""
    scope = "on inputs like these" if settings.target == "inputs" else "on these items"
    together = f", all {measures:,} at once" if settings.multiplicity != "none" and measures > 1 else ""
    return Validity(f"{percent(1 - settings.alpha)} at every look{together}, {scope}")


def _threshold(measures: int, settings: DecisionSettings) -> float:
    return Family(settings.alpha, settings.multiplicity, measures, margin=False).simultaneous


def _steps(half_width: float | None) -> int:
    if half_width is None:
        return _FEWEST_STEPS
    wanted = math.ceil(2 * _STEPS_PER_HALF_WIDTH / half_width)
    return min(max(wanted, _FEWEST_STEPS), _MOST_STEPS)
