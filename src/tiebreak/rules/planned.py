"""Evidence for a planned number of items that may be looked at after every unit: the rule `planned`.

A pair is planned for at most H units (items, or clusters of items). Single labels on inputs like these are decided by
the exact walk (`kernels.exact_walk`) up to 3,000 units, everything else by bets towards the plan
(`kernels.planned_bets`): means of several labels, clusters, pools of items, metrics and equivalence; all intervals come
from these too.

The evidence for a direction is the logarithm of an inverse p-value that holds at every look: of the walk the lowest
level that it has crossed, of the bets the largest wealth. Thresholds of a family are then the same for both.

State has a leading axis of cells (C,): one pair of a campaign, or the same pair in thousands of simulated runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import exact_walk, metric_help, planned_bets, running_regression
from tiebreak.kernels.exact_walk import Walk, WalkPlan
from tiebreak.kernels.hedge_table import table_like
from tiebreak.kernels.metric_help import Gate, HelpStep
from tiebreak.kernels.outcome_regression import BinRows
from tiebreak.kernels.planned_bets import BetPlan, Bets
from tiebreak.kernels.running_regression import RunningRegression
from tiebreak.rules.family import Family

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

STEPS: Final = 200
"""Of the grid of differences from -1 to 1 on which intervals are found."""

LARGEST_WALK: Final = 3_000
"""Planned units up to which the exact walk decides: its work grows with their square, and beyond them bets find as much
to within one campaign in a hundred.
"""

_CHANCE_80: Final = 0.8416  # normal quantile of .8
_HIGHEST_LEVEL: Final = 0.49
_NEAR: Final = 4096
_STEP: Final = 1e-3
_ROUNDING: Final = 1e-13  # of log levels, so that a level crossed reaches the threshold that it was made for


@dataclass(frozen=True, slots=True, eq=False)
class PairPlan:
    """How the evidence of a pair grows; fixed before any label.

    `family`: of all pairs that are tested together. `bets`: for directions and intervals; `walk`: for directions, where
    labels are single and about inputs like these. `scale`: share of all items that the units stand for, the others
    being known ties. `rows`: what a metric says of each unit in their order, or None; `weights`: of the units in their
    order, None where all count alike. `known` (U,): units that are ties by their texts, None without any. `zero`,
    `margin`: places in `bets.nulls` of 0 and of minus the margin (None without a margin). `intervals`: whether any will
    be asked for.
    """

    family: Family
    bets: BetPlan
    walk: WalkPlan | None
    scale: float
    rows: BinRows | None
    weights: Floats | None
    zero: int
    margin: int | None
    known: NDArray[np.bool_] | None = None
    intervals: bool = True

    @property
    def by_walk_alone(self) -> bool:
        """Whether nothing but the walk is of use: then many units are taken at a time."""
        return self.walk is not None and not self.intervals and self.margin is None and self.known is None

    @property
    def planned(self) -> int:
        """H: the units at which looking ends, without those that are ties by their texts."""
        return self.bets.planned - (0 if self.known is None else int(self.known.sum()))

    def is_known(self, unit: int) -> bool:
        """Whether a unit is a tie by its texts: the walk takes no notice of it, and no time passes."""
        return self.known is not None and unit < self.known.size and bool(self.known[unit])


def plan_pair(
    family: Family,
    planned: int,
    *,
    margin: float | None = None,
    outcomes_only: bool = True,
    pool_size: int | None = None,
    scale: float = 1.0,
    rows: BinRows | None = None,
    weights: Floats | None = None,
    steps: int | None = STEPS,
    by_walk: bool = True,
    known: NDArray[np.bool_] | None = None,
) -> PairPlan:
    """The plan of a pair for `planned` units.

    `outcomes_only`: every unit is one label, -1, 0 or 1. `pool_size`: units of a claim about these, None for inputs
    like these. `steps` of the grid for intervals; None: no interval is asked for. `by_walk`: whether the exact walk may
    decide: not where units enter at looks whose times depend on labels, nor beside the help of a metric.
    `known` (U,): units that are ties by their texts, in their order, which nobody is asked about.

    Raises:
        ValueError: a metric with values that are not outcomes, or a plan below one unit.
    """
    if rows is not None and not outcomes_only:
        raise ValueError("a metric helps outcomes only: one value of -1, 0 or 1 per unit")
    unit_margin = None if margin is None else min(margin / scale, 1.0) if scale > 0 else 1.0
    grid = np.zeros(0) if steps is None else np.linspace(-1.0, 1.0, steps + 1)[1:-1]
    nulls = np.unique(np.round([*grid, 0.0, *([] if unit_margin is None else [-unit_margin])], 12))
    ties = None if known is None or not known[:planned].any() else known[:planned]
    asked = planned if ties is None else max(planned - int(ties.sum()), 1)
    exact = by_walk and outcomes_only and pool_size is None and rows is None and asked <= LARGEST_WALK
    return PairPlan(
        family=family,
        bets=BetPlan(nulls, family.first_level, planned, pool_size),
        walk=WalkPlan(family.levels(), asked) if exact else None,
        scale=scale,
        rows=rows,
        weights=weights,
        zero=int(np.searchsorted(nulls, 0.0)),
        margin=None if unit_margin is None else int(np.argmin(np.abs(nulls + unit_margin))),
        known=ties,
        intervals=steps is not None,
    )


@dataclass(frozen=True, slots=True)
class MetricHelp:
    """A metric's regression on the labels so far, and whether it is clear that it predicts them."""

    regression: RunningRegression
    gate: Gate


@dataclass(frozen=True, slots=True, eq=False)
class PairState:
    """The evidence of a pair after some units, in each cell.

    `walk`, `lead` (C, 2) for a and for b, and the levels `crossed` (C, 2) at most so far: None where bets decide.
    """

    bets: Bets
    walk: Walk | None
    lead: Integers | None
    crossed: Integers | None
    help: MetricHelp | None

    @property
    def units(self) -> int:
        """Units so far."""
        return self.bets.units

    @property
    def mean(self) -> Floats:
        """Mean value per unit (C,), lowered ones in the middle; NaN before the first."""
        if not self.units:
            return np.full(self.bets.weights.shape[0], np.nan)
        return np.asarray((self.bets.counted[:, 0] - self.bets.counted[:, 1]) / 2 / self.bets.weights[:, 0])

    @property
    def variance(self) -> Floats:
        """Variance (C,) of the values per unit, as of units of one weight; NaN before the first."""
        if not self.units:
            return np.full(self.bets.weights.shape[0], np.nan)
        share = self.bets.weights[:, 0] / self.units
        spread = self.bets.squares / self.units - (self.bets.sums / self.units) ** 2
        return np.asarray(np.maximum(spread.mean(axis=-1), 0.0) / share**2)

    def of(self, cells: NDArray[np.intp]) -> PairState:
        """Some of the cells."""
        walk = None if self.walk is None else self.walk.of(cells)
        lead = None if self.lead is None else self.lead[cells]
        crossed = None if self.crossed is None else self.crossed[cells]
        return PairState(self.bets.of(cells), walk, lead, crossed, self.help)


def start(plan: PairPlan, cells: int = 1) -> PairState:
    """Before any unit."""
    help_ = None if plan.rows is None else MetricHelp(running_regression.start(plan.rows), Gate())
    bets = planned_bets.start(plan.bets, cells)
    if plan.walk is None:
        return PairState(bets, None, None, None, help_)
    nothing = np.zeros((cells, 2), dtype=np.int64)
    return PairState(bets, exact_walk.start(plan.walk, cells), nothing, nothing, help_)


def advance_look(
    plan: PairPlan, state: PairState, for_a: Floats, for_b: Floats, step: HelpStep | None = None
) -> PairState:
    """With the units (C, n) of one more look, which bets take in any order; `step`: what a metric says of a single one.

    Not where the walk decides: it looks after every unit.
    """
    weights = None if plan.weights is None else plan.weights[state.units : state.units + for_a.shape[1]][None]
    return replace(
        state, bets=planned_bets.advance(plan.bets, state.bets, np.stack([for_a, -for_b], 1), None, weights, step)
    )


def advance(
    plan: PairPlan, state: PairState, for_a: Floats, for_b: Floats | None = None, learnt: Floats | None = None
) -> PairState:
    """With one more unit: its value in [-1, 1] as evidence for a and for b, both (C,) and equal unless it counts
    against either side; `learnt` (C,): the label as it came, NaN where it is missing.
    """
    for_b = for_a if for_b is None else for_b
    known = for_a if learnt is None else learnt
    values = np.stack([for_a, -for_b], axis=1)
    came = None if learnt is None else np.stack([learnt, -learnt], axis=1)[..., None]
    weights = None if plan.weights is None else plan.weights[state.units : state.units + 1][None]
    step, help_ = _help(plan, state.help, known)
    bets = planned_bets.advance(plan.bets, state.bets, values[..., None], came, weights, step)
    if plan.walk is None or state.walk is None or state.lead is None or state.crossed is None:
        return PairState(bets, None, None, None, help_)
    if plan.is_known(state.units):
        return replace(state, bets=bets)
    lead = state.lead + values.astype(np.int64)
    walk = exact_walk.advance(plan.walk, state.walk, np.isnan(known) | (known != 0))
    return PairState(bets, walk, lead, np.maximum(state.crossed, exact_walk.crossed(walk.boundary, lead)), help_)


def path(plan: PairPlan, state: PairState, for_a: Floats, for_b: Floats, learnt: Floats) -> tuple[PairState, Floats]:
    """With more units (C, n), values and labels as in `advance`; and what counts for verdicts (C, n, D) after each."""
    if plan.by_walk_alone:
        return _walked(plan, state, for_a, for_b, learnt)
    found = np.empty((*for_a.shape, 2 if plan.margin is None else 3))
    for unit in range(for_a.shape[1]):
        of_a, of_b, came = for_a[:, unit], for_b[:, unit], learnt[:, unit]
        if np.array_equal(of_a, of_b) and np.array_equal(of_a, came):
            state = advance(plan, state, of_a)
        else:
            state = advance(plan, state, of_a, of_b, came)
        found[:, unit] = evidence(plan, state).for_verdicts(plan.family)
    return state, found


def _walked(plan: PairPlan, state: PairState, for_a: Floats, for_b: Floats, learnt: Floats) -> tuple[PairState, Floats]:
    """By the walk alone, many units at a time."""
    if plan.walk is None or state.walk is None or state.lead is None or state.crossed is None:
        raise ValueError("no walk")
    walk, boundary = exact_walk.path(plan.walk, state.walk, np.isnan(learnt) | (learnt != 0))
    steps = np.stack([for_a, -for_b], axis=2).astype(np.int64)
    lead = state.lead[:, None] + np.cumsum(steps, axis=1)
    crossed = exact_walk.crossed(boundary, lead)
    if crossed.shape[1]:
        np.maximum(crossed[:, 0], state.crossed, out=crossed[:, 0])
    np.maximum.accumulate(crossed, axis=1, out=crossed)
    bets = replace(state.bets, units=state.units + for_a.shape[1])
    last = (lead[:, -1], crossed[:, -1]) if crossed.shape[1] else (state.lead, state.crossed)
    return PairState(bets, walk, *last, state.help), levels_crossed(plan.walk, crossed)


def with_past(state: PairState, seen: PairState) -> PairState:
    """The state, of which what was `seen` at its largest stands: it was valid then."""
    bets = replace(state.bets, sup=np.maximum(state.bets.sup, seen.bets.sup))
    if state.crossed is None or seen.crossed is None:
        return replace(state, bets=bets)
    return replace(state, bets=bets, crossed=np.maximum(state.crossed, seen.crossed))


def _help(plan: PairPlan, known: MetricHelp | None, label: Floats) -> tuple[HelpStep | None, MetricHelp | None]:
    """What the metric says of the next unit, if it is clear that it predicts labels; and what is known with this one.

    A label that is missing teaches the regression a tie: right for items that nobody chose to abandon.
    """
    if plan.rows is None or known is None:
        return None, None
    step = running_regression.help_before(known.regression, plan.rows)
    value = 0.0 if math.isnan(label[0]) else float(label[0])
    regression = running_regression.after(known.regression, plan.rows, int(value))
    gate = metric_help.gate_after(known.gate, value, float(step.centred))
    return step if known.gate.opened else None, MetricHelp(regression, gate)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Logarithms of inverse p-values that hold at every look: `directions` (C, 2) for a and for b; `beyond` (C, 2) that
    the difference is not below minus the margin, and not above it (None without a margin).
    """

    directions: Floats
    beyond: Floats | None

    @property
    def equivalent(self) -> Floats | None:
        """(C,): for equivalence, which needs both sides."""
        return None if self.beyond is None else np.asarray(self.beyond.min(axis=-1))

    def for_verdicts(self, family: Family) -> Floats:
        """(C, 2) or with a margin (C, 3): for a, for b and for equivalence, all to be compared with the threshold of a
        direction.

        With a margin a direction needs that the far margin is rejected, too: so a wrong direction and a wrong
        equivalence stay within alpha together.
        """
        if self.beyond is None:
            return self.directions
        eased = self.beyond + family.easing
        return np.concatenate([np.minimum(self.directions, eased), eased.min(axis=-1, keepdims=True)], axis=-1)


def evidence(plan: PairPlan, state: PairState, *, now: bool = False) -> Evidence:
    """The largest so far; `now`: of bets as it is after the last unit."""
    wealth = state.bets.log_wealth if now else state.bets.sup
    beyond = None if plan.margin is None else state.bets.sup[..., plan.margin]
    by_bets = wealth[..., plan.zero]
    if plan.walk is None or state.crossed is None:
        return Evidence(by_bets, beyond)
    # Below the first level that it may cross, the walk says nothing: there the bets tell how far it has come.
    below = -math.log(plan.walk.levels[0]) - _ROUNDING
    return Evidence(np.maximum(levels_crossed(plan.walk, state.crossed), np.minimum(by_bets, below)), beyond)


def levels_crossed(plan: WalkPlan, crossed: Integers) -> Floats:
    """Logarithms of the inverse of the lowest of so many levels that were crossed; minus infinity for none."""
    return np.asarray(np.concatenate([[-np.inf], _ROUNDING - np.log(plan.levels)])[crossed])


def interval(plan: PairPlan, state: PairState, log_threshold: float) -> tuple[float, float]:
    """All differences that no look has rejected at this one-sided threshold: (low, high) in [-1, 1], of one cell.

    With the grid fixed beforehand, a difference between two grid values counts as rejected when the grid value above it
    is. None exceeds `plan.scale`; a pool labelled to its end leaves one point. Where the walk decides about 0, the
    interval holds 0 or not as the walk says.
    """
    if not state.units:
        return 0.0 - plan.scale, plan.scale
    bets = state.bets
    if state.units == plan.bets.pool_size and bets.counted[0, 0] == -bets.counted[0, 1]:
        mean = plan.scale * float(state.mean[0])
        return mean, mean
    rejected = bets.sup[0] >= log_threshold  # (2, G)
    if state.crossed is not None:
        # The walk alone decides about 0; a direction that it has found rules out all nulls on the far side of 0.
        by_walk = evidence(plan, state).directions[0] >= log_threshold
        rejected[:, plan.zero] = by_walk
        rejected[by_walk, : plan.zero] = True
    low, high = _limit(plan, rejected[0]), -_limit(plan, rejected[1])
    return plan.scale * low, plan.scale * high


def units_to_verdict(plan: PairPlan, state: PairState, level: float, level_equivalent: float | None) -> int | None:
    """Further units, at least 1, after which the nearest verdict has come with a chance of 80%, of one cell, if values
    go on as they are on average; None where that is beyond the plan.

    The score is taken for Brownian and the threshold for the boundary that `level` spends: a projection.
    """
    side = 0 if state.mean[0] >= 0 else 1
    needs = [_units_to_cross(plan, state, side, plan.zero, level)]
    if plan.margin is not None and level_equivalent is not None:
        both = [_units_to_cross(plan, state, of, plan.margin, level_equivalent) for of in (0, 1)]
        known = [need for need in both if need is not None]
        needs.append(max(known) if len(known) == len(both) else None)
    found = [need for need in needs if need is not None]
    return min(found) if found else None


def _units_to_cross(plan: PairPlan, state: PairState, side: int, null: int, level: float) -> int | None:
    if not state.units or state.units >= plan.bets.planned:
        return None
    ahead = _ahead(state.units, plan.bets.planned)
    now, later = planned_bets.information(plan.bets, state.units), planned_bets.information(plan.bets, ahead)
    score = float(planned_bets.scores(plan.bets, state.bets)[0, side, null])
    expected = score * later / now - _CHANCE_80 * np.sqrt(later - now)
    reached = expected >= table_like(min(level, _HIGHEST_LEVEL), plan.bets.planned).boundary(later)
    return int(ahead[np.argmax(reached)]) - state.units if reached.any() else None


def _ahead(units: int, planned: int) -> Floats:
    """Numbers of units (m,) beyond so many: each of the next 4,096, then a thousandth more at a time, up to the plan.

    A plan may be as large as a thousand million units, and what is projected is no more exact than that.
    """
    near = np.arange(units + 1, min(units + _NEAR, planned) + 1, dtype=np.float64)
    steps = math.ceil(math.log(planned / near[-1]) / _STEP)
    return np.append(near, np.ceil(np.geomspace(near[-1], planned, steps + 1)[1:])) if steps else near


def _limit(plan: PairPlan, rejected: NDArray[np.bool_]) -> float:
    """The largest null below all that are not `rejected` (G,), -1 where the lowest is not."""
    kept = np.flatnonzero(~rejected)
    if not kept.size:
        return float(plan.bets.nulls[-1])
    return float(plan.bets.nulls[kept[0] - 1]) if kept[0] else -1.0
