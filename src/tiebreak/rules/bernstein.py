"""Empirical Bernstein stopping (Mnih, Szepesvári & Audibert 2008, section 3.1), for a width instead of a relative
error: beside the rule `width`, to see what betting saves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.rules.rule import (
    Cells,
    Codes,
    Guarantee,
    Looks,
    MeasureFacts,
    PlanError,
    Rule,
    RuleSettings,
    Summary,
    Units,
)
from tiebreak.rules.width import width_codes, width_guarantee, width_validity

Floats = NDArray[np.float64]

_POWER: Final = 1.1
"""p of d_t = c/t^p with c = delta (p - 1)/p, as in the paper's experiments."""
_RANGE: Final = 2.0
"""R, of values in [-1, 1]."""


@dataclass(frozen=True, slots=True)
class BernsteinPlan:
    """`half_width` on [-1, 1]; `delta`: chance that the interval fails at any look."""

    half_width: float
    delta: float
    direction: bool = False


class RunningMoments(NamedTuple):
    """Of the values of one direction: their means (C,), and the sums of squares about them."""

    mean: Floats
    squares: Floats

    def after(self, value: Floats, count: int) -> RunningMoments:
        """With one more value, the `count`-th."""
        mean = self.mean + (value - self.mean) / count
        return RunningMoments(mean, self.squares + (value - self.mean) * (value - mean))


@dataclass(frozen=True, slots=True, eq=False)
class BernsteinState:
    """After so many `values`: what argues for more and for less, which differ where ratings are missing. `evidence`
    (C, 2): of the interval that no look has left, the lower end and minus the upper one.
    """

    values: int
    for_a: RunningMoments
    for_b: RunningMoments
    evidence: Floats


class Bernstein(Rule[BernsteinPlan, BernsteinState]):
    """|mean_t - mu| <= sd_t sqrt(2 log(3/d_t)/t) + 3 R log(3/d_t)/t at every t: the interval is the intersection."""

    name: ClassVar[str] = "bernstein"
    title: ClassVar[str] = "empirical Bernstein stopping (Mnih et al. 2008), for a wanted width"
    looks: ClassVar[Looks] = "every"
    rates: ClassVar[bool] = True

    def guarantee(self, plans: Sequence[BernsteinPlan], settings: RuleSettings) -> Guarantee:
        """As that of `width`."""
        return width_guarantee(len(plans), settings)

    def prepare(self, facts: Sequence[MeasureFacts], settings: RuleSettings) -> list[BernsteinPlan]:
        """The chance of error, shared by all measures."""
        if any(of.sizes is not None for of in facts):
            raise PlanError("decision.rule", "bernstein counts single items, but here they form clusters; take width")
        if any(of.pool_size is not None or of.direction for of in facts):
            raise PlanError("decision.rule", "bernstein finds means and differences on inputs like these; take width")
        shared = 1 if settings.multiplicity == "none" else len(facts)
        return [BernsteinPlan(of.half_width or 0.0, settings.alpha / shared) for of in facts]

    def start(self, plan: BernsteinPlan, cells: int = 1) -> BernsteinState:  # noqa: ARG002
        """No values."""
        none = RunningMoments(np.zeros(cells), np.zeros(cells))
        return BernsteinState(0, none, none, np.full((cells, 2), -1.0))

    def advance(self, plan: BernsteinPlan, state: BernsteinState, units: Units) -> tuple[BernsteinState, Floats]:
        """More values, after each of which the interval is cut to its bound."""
        path = np.empty((*units.for_a.shape, 2))
        count, for_a, for_b, evidence = state.values, state.for_a, state.for_b, state.evidence
        for unit in range(units.number):
            count += 1
            for_a, for_b = for_a.after(units.for_a[:, unit], count), for_b.after(units.for_b[:, unit], count)
            low = for_a.mean - _reach(for_a, count, plan.delta)
            high = for_b.mean + _reach(for_b, count, plan.delta)
            evidence = np.maximum(evidence, np.stack([low, -high], axis=-1))
            path[:, unit] = evidence
        return BernsteinState(count, for_a, for_b, evidence), path

    def some(self, state: BernsteinState, cells: Cells) -> BernsteinState:
        """Some of the cells."""
        for_a, for_b = (RunningMoments(of.mean[cells], of.squares[cells]) for of in (state.for_a, state.for_b))
        return BernsteinState(state.values, for_a, for_b, state.evidence[cells])

    def verdicts(self, plans: Sequence[BernsteinPlan], evidence: Floats, settings: RuleSettings) -> Codes:  # noqa: ARG002
        """No measure depends on another."""
        return width_codes(plans, evidence)

    def summary(
        self, plans: Sequence[BernsteinPlan], states: Sequence[BernsteinState], settings: RuleSettings
    ) -> list[Summary]:
        """Estimates and intervals on [-1, 1]."""
        validity = width_validity(len(plans), settings)
        return [
            Summary(
                float(of.for_a.mean[0] + of.for_b.mean[0]) / 2 if of.values else math.nan,
                float(of.evidence[0, 0]),
                -float(of.evidence[0, 1]),
                validity,
            )
            for of in states
        ]


def _reach(of: RunningMoments, count: int, delta: float) -> Floats:
    """c_t of the paper."""
    log = math.log(3 * count**_POWER * _POWER / (delta * (_POWER - 1)))
    return np.asarray(np.sqrt(2 * of.squares / count * log / count) + 3 * _RANGE * log / count)


RULE: Final = Bernstein()
