"""Until a mean, or a difference of means, is known well enough: a confidence sequence whose width is asked for.

The evidence of a mean is kept value by value, without an end (`kernels.bounded_bets`): its size does not grow with the
labels. The interval is found on a grid of values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import bounded_bets
from tiebreak.kernels.bounded_bets import KappaPrior, RunningWealth
from tiebreak.kernels.confidence_sequence import values_to_go
from tiebreak.kernels.pool_metric import PoolMetric, pool_metric
from tiebreak.numbers import percent, plain
from tiebreak.records import UnitValue
from tiebreak.rules.family import Family
from tiebreak.rules.rule import (
    NARROW,
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
    Validity,
    scope_words,
)

Floats = NDArray[np.float64]

_STEPS_PER_HALF_WIDTH: Final = 20
"""Of the grid on which an interval is found, which is at most one step too wide on either side."""
_FEWEST_STEPS, _MOST_STEPS = 100, 2_000
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class WidthPlan:
    """A measure's bets, and what ends it: `half_width` on [-1, 1] (None: only a direction does), `direction`: an
    interval without 0 does too.

    `nulls` (G,): null values for the units. `pool_size`: of a claim about these units, None for inputs like these.
    `weights`: of the units in their order, None where all count alike. `log_threshold` of one side of an interval.
    `metric`: of these units, in their order.
    """

    nulls: Floats
    prior: KappaPrior
    pool_size: int | None
    weights: Floats | None
    half_width: float | None
    direction: bool
    log_threshold: float
    metric: PoolMetric | None = None


@dataclass(frozen=True, slots=True, eq=False)
class WidthState:
    """The `wealth` of each cell. `evidence` (C, 2): the lower end of its interval, and minus the upper one."""

    wealth: tuple[RunningWealth, ...]
    evidence: Floats


class Width(Rule[WidthPlan, WidthState]):
    """A measure ends when (U - L)/2 of its confidence sequence reaches the half-width, or where a direction is asked
    for when 0 is outside.

    The sequence is that of betting on ratings mapped from the declared scale to [-1, 1]; all values that no look has
    rejected at 2M/alpha a side, with M measures (2/alpha without an adjustment). It holds at every look, so that it
    holds where its width ends the campaign. An interval of the t distribution at every look does not: where 80 % of
    ratings on 1 to 5 are fives it ends wrong in .27, with 95 % in .59 (`benchmarks/scores.py` has such controls).

    A metric helps a claim about these items: bets are on what it does not predict of ratings (`kernels.pool_metric`).
    """

    name: ClassVar[str] = "width"
    title: ClassVar[str] = "confidence sequence of a wanted width (betting)"
    looks: ClassVar[Looks] = "every"
    rates: ClassVar[bool] = True
    takes_metric: ClassVar[bool] = True
    predicts: ClassVar[bool] = True

    def guarantee(self, plans: Sequence[WidthPlan], settings: RuleSettings) -> Guarantee:
        """For all measures at once, or for each."""
        return width_guarantee(len(plans), settings)

    def prepare(self, facts: Sequence[MeasureFacts], settings: RuleSettings) -> list[WidthPlan]:
        """The bets of each measure, on a grid that is fine enough for its half-width."""
        if any(of.metric is not None and (of.pool_size is None or of.sizes is not None) for of in facts):
            message = "a metric helps a campaign of ratings about these items only, one by one (--target items)"
            raise PlanError("decision.metrics", message)
        family = Family(settings.alpha, settings.multiplicity, len(facts), margin=False)
        metrics = [None if of.metric is None else pool_metric(of.metric) for of in facts]
        if any(metric is not None and not metric.x.any() for metric in metrics):
            raise PlanError("decision.metrics", "the metric says the same of all outputs of a system: leave it out")
        return [
            WidthPlan(
                nulls=bounded_bets.null_grid(_steps(of.half_width)),
                prior=bounded_bets.kappa_prior(of.half_width),
                pool_size=of.pool_size,
                weights=None if of.sizes is None else of.sizes / of.sizes.max(),
                half_width=of.half_width,
                direction=of.direction,
                log_threshold=family.simultaneous,
                metric=metric,
            )
            for of, metric in zip(facts, metrics, strict=True)
        ]

    def start(self, plan: WidthPlan, cells: int = 1) -> WidthState:
        """No evidence."""
        nothing = bounded_bets.start(plan.nulls, plan.prior.log_weights)
        return WidthState((nothing,) * cells, np.full((cells, 2), -1.0))

    def advance(self, plan: WidthPlan, state: WidthState, units: Units) -> tuple[WidthState, Floats]:
        """More bets, cell by cell."""
        path = np.empty((*units.for_a.shape, 2))
        wealth = list(state.wealth)
        for cell in range(len(wealth)):
            for unit in range(units.number):
                taught = float(units.taught[cell, unit])
                value = UnitValue(
                    float(units.for_a[cell, unit]),
                    float(units.for_b[cell, unit]),
                    None if math.isnan(taught) else taught,
                )
                wealth[cell] = _after(plan, wealth[cell], value)
                low, high = _interval(plan, wealth[cell])
                path[cell, unit] = low, -high
        return WidthState(tuple(wealth), path[:, -1] if units.number else state.evidence), path

    def some(self, state: WidthState, cells: Cells) -> WidthState:
        """Some of the cells."""
        return WidthState(tuple(state.wealth[cell] for cell in cells), state.evidence[cells])

    def again(self, plan: WidthPlan, values: Sequence[UnitValue], seen: WidthState) -> WidthState:
        """All bets as they were, with lower gains; what was rejected stays rejected."""
        (before,), (lowered,) = seen.wealth, super().again(plan, values, seen).wealth
        kept = replace(lowered, sup_log_e=np.maximum(lowered.sup_log_e, before.sup_log_e))
        low, high = _interval(plan, kept)
        return WidthState((kept,), np.array([[low, -high]]))

    def verdicts(self, plans: Sequence[WidthPlan], evidence: Floats, settings: RuleSettings) -> Codes:  # noqa: ARG002
        """No measure depends on another."""
        return width_codes(plans, evidence)

    def summary(
        self, plans: Sequence[WidthPlan], states: Sequence[WidthState], settings: RuleSettings
    ) -> list[Summary]:
        """Estimates and intervals on [-1, 1]."""
        validity = width_validity(len(plans), settings)
        found = []
        for plan, of in zip(plans, states, strict=True):
            wealth = of.wealth[0]
            low, high = _interval(plan, wealth)
            mean = wealth.mean if plan.metric is None or not wealth.count else wealth.with_metric(plan.metric)[0]
            found.append(Summary(min(max(mean, low), high), low, high, validity, log_threshold=plan.log_threshold))
        return found

    def units_to_verdict(self, plan: WidthPlan, state: WidthState, summary: Summary) -> int | None:  # noqa: ARG002
        """Until the width, of one cell."""
        (wealth,) = state.wealth
        if plan.half_width is None or not wealth.count:
            return None
        return values_to_go(
            wealth, plan.prior, plan.nulls, plan.half_width, plan.log_threshold, plan.pool_size, plan.metric
        )


class WantedWidth(Protocol):
    """What ends a measure."""

    @property
    def half_width(self) -> float | None: ...
    @property
    def direction(self) -> bool: ...


def width_codes(plans: Sequence[WantedWidth], evidence: Floats) -> Codes:
    """What intervals on [-1, 1] have come to, (R, K), from their lower ends and minus their upper ones (R, K, 2)."""
    low, high = evidence[..., 0], -evidence[..., 1]
    wanted = np.array([-1.0 if of.half_width is None else of.half_width + _ROUNDING for of in plans])
    codes = np.where((high - low) / 2 <= wanted, np.int8(NARROW), np.int8(0))
    direction = np.where(np.array([of.direction for of in plans]), (low > 0).astype(np.int8) - (high < 0), 0)
    return np.asarray(np.where(direction != 0, direction, codes), dtype=np.int8)


def width_guarantee(measures: int, settings: RuleSettings) -> Guarantee:
    """What intervals promise."""
    whose = "of each by itself" if settings.multiplicity == "none" or measures == 1 else f"of all {measures:,} at once"
    return Guarantee(
        f"hold at every look, {whose}, with a chance of at least {percent(1 - settings.alpha)} "
        f"(alpha = {plain(settings.alpha)}), however often one looks and whenever the campaign ends"
    )


def width_validity(measures: int, settings: RuleSettings) -> Validity:
    """When an interval holds."""
    together = f", all {measures:,} at once" if settings.multiplicity != "none" and measures > 1 else ""
    return Validity(f"{percent(1 - settings.alpha)} at every look{together}, {scope_words(settings.target)}")


def _after(plan: WidthPlan, wealth: RunningWealth, value: UnitValue) -> RunningWealth:
    weight = 1.0 if plan.weights is None else float(plan.weights[wealth.count])
    return bounded_bets.after_value(wealth, plan.prior, plan.nulls, value, plan.pool_size, weight, plan.metric)


def _interval(plan: WidthPlan, wealth: RunningWealth) -> tuple[float, float]:
    """All means in [-1, 1] that no look has rejected, else what lies between those that were rejected last; a single
    point once the pool is labelled completely.
    """
    if not wealth.count:
        return -1.0, 1.0
    if wealth.count == plan.pool_size and wealth.sums[0] == -wealth.sums[1]:
        return wealth.mean, wealth.mean
    ends = bounded_bets.rejected_below(wealth, plan.nulls, plan.log_threshold)
    return min(ends), max(ends)


def _steps(half_width: float | None) -> int:
    if half_width is None:
        return _FEWEST_STEPS
    wanted = math.ceil(2 * _STEPS_PER_HALF_WIDTH / half_width)
    return min(max(wanted, _FEWEST_STEPS), _MOST_STEPS)


RULE: Final = Width()
