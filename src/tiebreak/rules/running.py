"""The evidence of a mean value by value, without an end: for ratings, whose campaigns end at a width.

A campaign keeps one `RunningWealth` per measure (`kernels.bounded_bets`), whose size does not grow with the labels. The
interval is found on a grid of values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import bounded_bets
from tiebreak.kernels.bounded_bets import KappaPrior, RunningWealth
from tiebreak.records import UnitValue

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RunningPlan:
    """How the evidence of a measure grows; fixed before any label.

    `nulls` (G,): null values for the units. `pool_size`: of a claim about these units, None for inputs like these.
    `weights`: of the units in their order, None where all count alike.
    """

    nulls: Floats
    prior: KappaPrior
    pool_size: int | None
    weights: Floats | None = None


def running_plan(
    *, pool_size: int | None = None, weights: Floats | None = None, steps: int = bounded_bets.STEPS
) -> RunningPlan:
    """The plan of a measure; `steps` of the grid of values."""
    return RunningPlan(bounded_bets.null_grid(steps), bounded_bets.kappa_prior(), pool_size, weights)


def start(plan: RunningPlan) -> RunningWealth:
    """Before any value."""
    return bounded_bets.start(plan.nulls, plan.prior.log_weights)


def advance(plan: RunningPlan, wealth: RunningWealth, value: UnitValue) -> RunningWealth:
    """With the value of one more unit."""
    weight = 1.0 if plan.weights is None else float(plan.weights[wealth.count])
    return bounded_bets.after_value(wealth, plan.prior, plan.nulls, value, plan.pool_size, weight)


def again(plan: RunningPlan, values: Iterable[UnitValue], seen: RunningWealth) -> RunningWealth:
    """The evidence of all values once more, some of which were lowered since; what was `seen` at its largest stands."""
    lowered = reduce(partial(advance, plan), values, start(plan))
    return replace(lowered, sup_log_e=np.maximum(lowered.sup_log_e, seen.sup_log_e))


def interval(plan: RunningPlan, wealth: RunningWealth, log_threshold: float) -> tuple[float, float]:
    """All means that no look has rejected at this one-sided threshold: (low, high) in [-1, 1].

    A single point once the pool is labelled completely.
    """
    if not wealth.count:
        return -1.0, 1.0
    if wealth.count == plan.pool_size and wealth.sums[0] == -wealth.sums[1]:
        return wealth.mean, wealth.mean
    return bounded_bets.rejected_below(wealth, plan.nulls, log_threshold)
