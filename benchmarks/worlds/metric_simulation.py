"""Seeded pools with a metric, and first crossings of the metric-assisted processes: shared by tests and benchmarks.

A metric is g = rho h + sqrt(1 - rho^2) noise on standardised outcomes, so that rho is its correlation with the human
outcome. Many runs are played side by side (leading axis), with the kernels' own functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import control_variate, outcome_regression, planned_bets
from tiebreak.kernels import control_variate as companions
from tiebreak.kernels.metric_help import HelpStep, MetricHelp, openings
from tiebreak.kernels.planned_bets import BetPlan

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Rng = np.random.Generator
MetricMaker = Callable[[Rng, Floats], Floats]


def correlated(rho: float) -> MetricMaker:
    """A metric with correlation rho with the outcomes."""

    def make(rng: Rng, outcomes: Floats) -> Floats:
        spread = outcomes.std() if outcomes.std() > 0 else 1.0
        standard = (outcomes - outcomes.mean()) / spread
        return np.asarray(rho * standard + math.sqrt(1 - rho**2) * rng.standard_normal(outcomes.shape))

    return make


def constant(_: Rng, outcomes: Floats) -> Floats:
    return np.full(outcomes.shape, 3.25)


def two_valued(rng: Rng, outcomes: Floats) -> Floats:
    """Says 1 for most wins and few others."""
    return (rng.random(outcomes.shape) < 0.2 + 0.6 * (outcomes > 0)).astype(np.float64)


def heavy_tailed(rng: Rng, outcomes: Floats) -> Floats:
    """Cauchy noise around the outcome: no mean, no variance, some information."""
    return outcomes + 0.3 * rng.standard_cauchy(outcomes.shape)


METRICS: dict[str, MetricMaker] = {
    "useless": correlated(0.0),
    "rho .5": correlated(0.5),
    "rho .9": correlated(0.9),
    "inverted": correlated(-0.7),
    "constant": constant,
    "heavy-tailed": heavy_tailed,
    "two-valued": two_valued,
}


def pool_of(size: int, difference: float, tie_share: float) -> Floats:
    """Outcomes (size,) whose mean is exactly the difference, unordered."""
    ties = round(size * tie_share)
    wins = round((size - ties + size * difference) / 2)
    losses = size - ties - wins
    if not math.isclose(wins - losses, size * difference, abs_tol=1e-9):
        raise ValueError(f"no pool of {size} has {ties} ties and a difference of exactly {difference}")
    return np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])


@dataclass(frozen=True, slots=True)
class Campaigns:
    """Outcomes and metric (runs, n) in their order, and what else the metric is known on: the undrawn items of a pool,
    or unlabelled companions with a reserve and a plan."""

    outcomes: Floats
    drawn: Floats
    others: Floats
    reserved: Floats | None = None
    plan: Integers | None = None


def items_campaigns(rng: Rng, runs: int, outcomes: Floats, metric: Floats, labels: int) -> Campaigns:
    """One pool, `runs` random orders of which the first `labels` items are labelled."""
    order = np.array([rng.permutation(outcomes.size) for _ in range(runs)])
    drawn, rest = order[:, :labels], order[:, labels:]
    return Campaigns(outcomes[drawn], metric[drawn], metric[rest])


def inputs_campaigns(
    rng: Rng, runs: int, pool_size: int, labels: int, difference: float, tie_share: float, make: MetricMaker
) -> Campaigns:
    """A fresh pool of independent inputs in every run: `labels` to be labelled, a reserve, and companions."""
    p_win = (1 - tie_share + difference) / 2
    uniform = rng.random((runs, pool_size))
    outcomes = (uniform < p_win).astype(np.float64) - (uniform >= p_win + tie_share)
    metric = make(rng, outcomes)
    reserve = companions.reserve_size(pool_size - labels)
    plan = companions.plan_companions(labels - np.arange(labels), pool_size - labels - reserve)
    ends = labels + reserve
    return Campaigns(
        outcomes[:, :labels],
        metric[:, :labels],
        metric[:, ends:],
        metric[:, labels:ends],
        np.tile(plan, (runs, 1)),
    )


def regression(campaigns: Campaigns) -> MetricHelp:
    """The regression form of all runs."""
    if campaigns.reserved is None or campaigns.plan is None:
        return outcome_regression.regress_items(campaigns.outcomes, campaigns.drawn, campaigns.others)
    return outcome_regression.regress_inputs(
        campaigns.outcomes, campaigns.drawn, campaigns.others, campaigns.plan, campaigns.reserved
    )


def linear(campaigns: Campaigns) -> MetricHelp:
    """The linear form of all runs, side by side."""
    helps = []
    for run, outcomes in enumerate(campaigns.outcomes):
        drawn, others = campaigns.drawn[run], campaigns.others[run]
        if campaigns.reserved is None or campaigns.plan is None:
            helps.append(control_variate.control_items(outcomes, drawn, others))
        else:
            plan, reserved = campaigns.plan[run], campaigns.reserved[run]
            helps.append(control_variate.control_inputs(outcomes, drawn, others, plan, reserved))
    arrays = {
        field.name: np.stack([getattr(of_run, field.name) for of_run in helps])
        for field in fields(MetricHelp)
        if field.name != "pool_size"
    }
    return MetricHelp(**arrays, pool_size=helps[0].pool_size)


def bet_path(
    labels: Floats,
    of: MetricHelp | None,
    side: int,
    null: float = 0.0,
    *,
    level: float = 0.025,
    planned: int = 0,
    pool: int | None = None,
) -> Floats:
    """log wealth (..., n) of the bets of a plan against "side * mean <= null", with the help of a metric or without.

    `labels` (..., n) in [-1, 1]; `planned`: H, 0 for all labels; `level` that the bets aim at; `pool`: of a claim about
    so many items, where no metric knows it.
    """
    cells = labels.reshape(-1, labels.shape[-1]) if labels.size else np.zeros((0, labels.shape[-1]))
    pool = pool if of is None else of.pool_size
    plan = BetPlan(np.array([null]), level, planned or max(labels.shape[-1], 1), pool)
    bets = planned_bets.start(plan, len(cells))
    path = np.empty(cells.shape)
    for unit, values in enumerate(cells.T):
        step = None if of is None else HelpStep(*(np.asarray(column).reshape(-1) for column in of.step(unit)))
        bets = planned_bets.advance(plan, bets, np.stack([values, -values], axis=1)[..., None], metric=step)
        path[:, unit] = bets.log_wealth[:, 0 if side > 0 else 1, 0]
    return path.reshape(labels.shape)


def gated_paths(labels: Floats, of: MetricHelp, level: float, planned: int = 0) -> tuple[Floats, Floats]:
    """log wealth (runs, n) against 0 of either side: of the labels alone until they show that the metric predicts them.

    Runs of which the help begins at the same label are played together.
    """
    starts = openings(labels, of.centred)
    paths = np.empty((2, *labels.shape))
    pool = of.pool_size
    for begin in np.unique(starts):
        rows = np.flatnonzero(starts == begin)
        plan = BetPlan(np.zeros(1), level, planned or labels.shape[1], pool)
        bets = planned_bets.start(plan, rows.size)
        for unit, values in enumerate(labels[rows].T):
            step = None if unit < begin else HelpStep(*(column[rows] for column in of.step(unit)))
            bets = planned_bets.advance(plan, bets, np.stack([values, -values], axis=1)[..., None], metric=step)
            paths[:, rows, unit] = bets.log_wealth[:, :, 0].T
    return paths[0], paths[1]


def labels_until(paths: Floats, log_threshold: float) -> Floats:
    """First crossing (runs,); undecided runs count all labels."""
    reached = paths >= log_threshold
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, float(paths.shape[1]))
