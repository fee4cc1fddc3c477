"""The anytime-valid evidence of one pair, value by value: what `anytime` computes from a whole sequence.

A campaign keeps one `RunningEvidence` per pair, whose size does not grow with the labels. The numbers are those of
`AnytimeProcess` and `AssistedProcess` on the same values in the same order; the interval is found on a grid of
differences, and is at most one grid step wider on either side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import help_gate, running_bets, running_regression
from tiebreak.kernels.help_gate import Gate
from tiebreak.kernels.outcome_regression import BinRows
from tiebreak.kernels.running_bets import RunningWealth
from tiebreak.kernels.running_regression import RunningRegression
from tiebreak.records import UnitValue
from tiebreak.rules.anytime import Priors

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RunningPlan:
    """How the evidence of a pair grows; fixed before any label.

    `nulls` (G,): null values for the units. `outcomes`: factors (3, G, J) where every value is an outcome on inputs
    like these, else None. `rows`: what a metric says of each unit in their order, or None. `pool_size`, `scale`: as in
    `ValueSequence`. `zero`, `margin`: places in `nulls` of 0 and of minus the margin (None without a margin).
    `weights`: of the units in their order, None where all count alike.
    """

    nulls: Floats
    priors: Priors
    outcomes: Floats | None
    rows: BinRows | None
    pool_size: int | None
    scale: float
    zero: int
    margin: int | None
    weights: Floats | None = None


@dataclass(frozen=True, slots=True)
class SupEvidence:
    """Running maxima of log E: for a, for b, and for equivalence (of its smaller side; None without a margin)."""

    for_a: float
    for_b: float
    equivalent: float | None


@dataclass(frozen=True, slots=True, eq=False)
class RunningHelp:
    """What a metric has to say: its regression, whether it is clear that it predicts the labels, and the bets that it
    would have made until then, against the null 0 only.
    """

    regression: RunningRegression
    gate: Gate
    wealth: RunningWealth


@dataclass(frozen=True, slots=True, eq=False)
class RunningEvidence:
    """The evidence after some values. `sup`: the largest so far, which a campaign looks at for all pairs at once."""

    wealth: RunningWealth
    help: RunningHelp | None
    sup: SupEvidence

    @property
    def mean(self) -> float:
        """Mean value per unit, abandoned ones in the middle; NaN before the first."""
        wealth = self.wealth
        return float((wealth.sums[0] - wealth.sums[1]) / 2 / wealth.weight) if wealth.count else float("nan")

    @property
    def variance(self) -> float:
        """Variance of the values per unit, as of units of one weight; NaN before the first."""
        wealth = self.wealth
        if not wealth.count:
            return float("nan")
        share = wealth.weight / wealth.count
        return max(0.0, float((wealth.squares / wealth.count - (wealth.sums / wealth.count) ** 2).mean())) / share**2


def running_plan(
    priors: Priors,
    *,
    margin: float | None,
    outcomes_only: bool,
    pool_size: int | None = None,
    scale: float = 1.0,
    rows: BinRows | None = None,
    factors: Floats | None = None,
    weights: Floats | None = None,
    steps: int = running_bets.STEPS,
) -> RunningPlan:
    """The plan of a pair; the arguments are those of `ValueSequence`, `rows` what a metric says.

    `steps`: of the grid of differences. `factors`: `outcome_factors(priors, margin)`, to be shared by many pairs; made
    here if missing.

    Raises:
        ValueError: a metric with values that are not outcomes.
    """
    if rows is not None and not outcomes_only:
        raise ValueError("a metric helps outcomes only: one value of -1, 0 or 1 per unit")
    unit_margin = None if margin is None else min(margin / scale, 1.0) if scale > 0 else 1.0
    nulls = running_bets.null_grid(_with_mirror(unit_margin), steps)
    mixture = outcomes_only and pool_size is None and weights is None
    if mixture and factors is None:
        factors = running_bets.outcome_factors(priors.outcomes, nulls)
    return RunningPlan(
        nulls=nulls,
        priors=priors,
        outcomes=factors if mixture else None,
        rows=rows,
        pool_size=pool_size,
        scale=scale,
        zero=int(np.searchsorted(nulls, 0.0)),
        margin=None if unit_margin is None else int(np.argmin(np.abs(nulls + unit_margin))),
        weights=weights,
    )


def outcome_factors(priors: Priors, margin: float | None) -> Floats:
    """Factors (3, G, J) of all pairs whose values are outcomes on inputs like these."""
    return running_bets.outcome_factors(priors.outcomes, running_bets.null_grid(_with_mirror(margin)))


def _with_mirror(margin: float | None) -> tuple[float, ...]:
    return () if margin is None else (margin, -margin)


def start(plan: RunningPlan) -> RunningEvidence:
    """Before any value."""
    prior = plan.priors.bounded if plan.outcomes is None else plan.priors.outcomes
    wealth = running_bets.start(plan.nulls, prior.log_weights)
    if plan.rows is None:
        return _evidence(plan, wealth)
    of_metric = running_bets.start(_at_zero(plan), plan.priors.assisted.log_weights)
    return _evidence(plan, wealth, RunningHelp(running_regression.start(plan.rows), Gate(), of_metric))


def advance(plan: RunningPlan, evidence: RunningEvidence, value: UnitValue) -> RunningEvidence:
    """With the value of one more unit."""
    rows, known = plan.rows, evidence.help
    if rows is None or known is None:
        return _evidence(plan, _alone(plan, evidence.wealth, value))
    step = running_regression.help_before(known.regression, rows)
    # A label that is missing teaches the regression a tie: right for items that nobody chose to abandon.
    learnt = 0 if value.taught is None else int(value.taught)
    as_it_came = value if value.taught is None else UnitValue.labelled(value.taught)
    regression = running_regression.after(known.regression, rows, learnt)
    prior, pool = plan.priors.assisted, plan.pool_size
    if known.gate.opened:
        wealth = running_bets.after_assisted(evidence.wealth, prior, plan.nulls, value, pool, step)
        return _evidence(plan, wealth, replace(known, regression=regression))
    wealth = _alone(plan, evidence.wealth, value)
    of_metric = running_bets.after_assisted(known.wealth, prior, _at_zero(plan), as_it_came, pool, step)
    gate = help_gate.after(known.gate, learnt, step.centred)
    if gate.opened:
        wealth = running_bets.continued(wealth, of_metric.shares[:, 0])
    return _evidence(plan, wealth, RunningHelp(regression, gate, of_metric))


def again(plan: RunningPlan, values: Iterable[UnitValue], seen: RunningEvidence) -> RunningEvidence:
    """The evidence of all values once more, some of which were lowered since; what was `seen` at its largest stands."""
    lowered = reduce(partial(advance, plan), values, start(plan))
    wealth = replace(lowered.wealth, sup_log_e=np.maximum(lowered.wealth.sup_log_e, seen.wealth.sup_log_e))
    return _evidence(plan, wealth, lowered.help)


def _alone(plan: RunningPlan, wealth: RunningWealth, value: UnitValue) -> RunningWealth:
    """One more value for the bets on labels alone."""
    if plan.outcomes is not None:
        return running_bets.after_outcome(wealth, plan.outcomes, int(value.for_a), int(value.for_b))
    weight = 1.0 if plan.weights is None else float(plan.weights[wealth.count])
    return running_bets.after_value(wealth, plan.priors.bounded, plan.nulls, value, plan.pool_size, weight)


def _at_zero(plan: RunningPlan) -> Floats:
    return plan.nulls[plan.zero : plan.zero + 1]


def _evidence(plan: RunningPlan, wealth: RunningWealth, help_: RunningHelp | None = None) -> RunningEvidence:
    sup = wealth.sup_log_e
    equivalent = None if plan.margin is None else float(min(sup[0, plan.margin], sup[1, plan.margin]))
    return RunningEvidence(wealth, help_, SupEvidence(float(sup[0, plan.zero]), float(sup[1, plan.zero]), equivalent))


def interval(plan: RunningPlan, evidence: RunningEvidence, log_threshold: float) -> tuple[float, float]:
    """All differences that no look has rejected at this one-sided threshold: (low, high) in [-1, 1].

    None exceeds `plan.scale`, which is all that is known without values; a single point once the pool is labelled
    completely.
    """
    wealth = evidence.wealth
    if not wealth.count:
        return 0.0 - plan.scale, plan.scale
    if wealth.count == plan.pool_size and wealth.sums[0] == -wealth.sums[1]:
        return plan.scale * evidence.mean, plan.scale * evidence.mean
    low, high = running_bets.rejected_below(wealth, plan.nulls, log_threshold)
    return plan.scale * low, plan.scale * high
