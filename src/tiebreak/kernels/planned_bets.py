"""Bets for a planned number of units: evidence about a bounded mean that may be read after every unit.

For each null value m0 and either side the wealth is multiplied by 1 + theta (h - m0) at each unit of value h in
[-1, 1], theta >= 0 chosen before h is seen. Under "the mean is at most m0" the wealth is a nonnegative supermartingale
that starts at 1, whatever theta is: the chance that it ever reaches 1/level is at most the level (Ville), so that the
inverse of the largest wealth so far is a p-value at every look. How well it does is up to theta, which is that of
`hedge_table`: with v the mean square of h - m0 so far (three values of 0.6 added) and X the sum of h - m0 over
sqrt(v H), theta = B(u, y)/sqrt(v H) at u = (t + 1/2)/H and a score y halfway between X and the one that the wealth
stands for. No factor is less than a tenth. Once 1/level is reached, and after the plan, nothing more is bet.

*Weights* w in (0, 1] (clusters of unequal size, as shares of the largest): h - m0 counts w times, and theta does not
know w.

*Pools* of N units drawn without replacement: the null leaves m = (N m0 - S)/(N - t) for the units not yet drawn, S the
sum so far, and below -1 it is impossible. With k = N/(N - t) the score is k (S - t m0)/sqrt(v tau), tau = N H/(N - H),
and u = N (t + 1/2)/(N - t - 1/2)/tau; of a pool at most 80% are planned on.

*Looks*: the units of one look may come in any order if theta and m are those at its start: of a pool without
replacement the mean of the product of n factors is at most that with replacement (Maclaurin's inequality), which is at
most one.

*A metric's help*: before each unit f - fbar is known of it (`metric_help`); the factor is 1 + theta (h - m) - T (f -
fbar), with T at most theta and as large as leaves the factor positive whichever unit comes.

Source: betting by Waudby-Smith & Ramdas (2024); the bets towards a plan are our own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.hedge_table import hedge_row
from tiebreak.kernels.metric_help import HelpStep

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LARGEST_FRACTION: Final = 0.9
LARGEST_SHARE_OF_POOL: Final = 0.8
_FLOOR: Final = 0.02  # of the room that a metric's part must leave
_PRIOR_SQUARES, _PRIOR_COUNT = 1.8, 3.0


class BetPlan(NamedTuple):
    """`nulls` (G,) in [-1, 1], increasing; `level`: what the bets aim at; `planned`: H; `pool_size`: N, or None."""

    nulls: Floats
    level: float
    planned: int
    pool_size: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Bets:
    """After `units` units, of cells (C,) side by side and two sides: for, and against with the sign turned.

    What bets learn from, labels as they came: `sums` (C, 2) of values times weights w, `shifts` (C, 2) of what a metric
    said of them; `weights` (C, 1) of w; `squares`, `products`, `ones` (C, 2) of (w h)^2, w^2 h and w^2; `learnt` (C, 2,
    G) the logarithm of the wealth that they would have made. What counts: `log_wealth`, `sup` (C, 2, G), now and at its
    largest, infinite where a null is impossible; `counted` (C, 2) sums of the values that count.
    """

    units: int
    sums: Floats
    shifts: Floats
    weights: Floats
    squares: Floats
    products: Floats
    ones: Floats
    learnt: Floats
    counted: Floats
    log_wealth: Floats
    sup: Floats

    def of(self, cells: NDArray[np.intp] | Bools) -> Bets:
        """Some of the cells."""
        return Bets(
            self.units,
            self.sums[cells],
            self.shifts[cells],
            self.weights[cells],
            self.squares[cells],
            self.products[cells],
            self.ones[cells],
            self.learnt[cells],
            self.counted[cells],
            self.log_wealth[cells],
            self.sup[cells],
        )


def start(plan: BetPlan, cells: int = 1) -> Bets:
    """Before any unit."""
    zeros, even = np.zeros((cells, 2)), np.zeros((cells, 2, plan.nulls.size))
    return Bets(0, zeros, zeros, np.zeros((cells, 1)), zeros, zeros, zeros, even, zeros, even, even)


def advance(
    plan: BetPlan,
    bets: Bets,
    values: Floats,
    learnt: Floats | None = None,
    weights: Floats | None = None,
    metric: HelpStep | None = None,
) -> Bets:
    """With the units of one more look.

    `values` (C, 2, n): what evidence for either side takes for the value of each unit, of the second side with the
    sign turned. `learnt` (C, 2, n): the labels as they came, no less than the values, where these were lowered; NaN
    where a label is missing, of which bets learn nothing. `weights` (C, n): of inputs like these, None where all count
    alike. `metric`: of a look of a single unit.
    """
    means = _null_means(plan, bets)
    theta = _limited(_bets(plan, bets, metric), means, metric)
    expected = 0.0 if metric is None else _against_metric(theta, means, metric)
    weight = None if weights is None else weights[:, None, :]

    def grown(of: Floats, missing: Bools | None = None) -> Floats:
        """Logarithms (C, 2, G) of what values (C, 2, n) multiply the wealth by, those that are `missing` left out."""
        total = np.zeros(means.shape)
        for unit in range(of.shape[-1]):
            gains = theta * (of[..., unit : unit + 1] - means)
            if weight is not None:
                gains = gains * weight[..., unit : unit + 1]
            growth = np.log1p(gains - expected)
            total += growth if missing is None else np.where(missing[..., unit : unit + 1], 0.0, growth)
        return total

    units = bets.units + values.shape[-1]
    counted = bets.counted + _summed(values, weight)
    growth = grown(values)
    log_wealth = bets.log_wealth + growth
    if plan.pool_size is not None:
        # Would even losses on everything undrawn leave the pool's mean above the null?
        least = counted[..., None] - (plan.pool_size - units)
        log_wealth = np.where(least > plan.pool_size * plan.nulls + 1e-9, np.inf, log_wealth)
    came, squared = values, np.ones(values.shape) if weight is None else np.broadcast_to(weight**2, values.shape)
    if learnt is not None:
        missing = np.isnan(learnt)
        came, squared = np.where(missing, values, learnt), np.where(missing, 0.0, squared)
        growth = grown(came, missing)
    return Bets(
        units,
        bets.sums + _summed(came, weight),
        bets.shifts if metric is None else bets.shifts + _sides(metric.centred, -metric.centred),
        bets.weights + (values.shape[-1] if weight is None else weight.sum(axis=-1)),
        bets.squares + _summed(came**2, squared),
        bets.products + _summed(came, squared),
        bets.ones + squared.sum(axis=-1),
        bets.learnt + growth,
        counted,
        log_wealth,
        np.maximum(bets.sup, log_wealth),
    )


def _summed(values: Floats, weight: Floats | None) -> Floats:
    """(C, 2) over units."""
    return np.asarray((values if weight is None else weight * values).sum(axis=-1))


def _null_means(plan: BetPlan, bets: Bets) -> Floats:
    """m (C, 2, G): the largest mean that each null leaves for the units not yet drawn, in [-1, 1]."""
    if plan.pool_size is None:
        return np.broadcast_to(plan.nulls, bets.learnt.shape)
    undrawn = max(plan.pool_size - bets.units, 1)
    return np.clip((plan.pool_size * plan.nulls - bets.sums[..., None]) / undrawn, -1.0, 1.0)


def information(plan: BetPlan, units: float | Floats) -> Floats:
    """Share u of the plan's information after so many units, 1 at the plan: of a pool t units are worth N t/(N - t)."""
    if plan.pool_size is None:
        return np.asarray(units / np.float64(plan.planned))
    return np.asarray(plan.pool_size * units / np.maximum(plan.pool_size - units, 0.5) / _total(plan))


def scores(plan: BetPlan, bets: Bets) -> Floats:
    """X (C, 2, G): the sums of the values less the nulls, as scores whose variance at the plan is 1 under the null."""
    return _scored(plan, bets, _variances(plan, bets))


def _total(plan: BetPlan) -> float:
    """All the information of a plan, in units of inputs like these."""
    if plan.pool_size is None:
        return float(plan.planned)
    last = max(min(plan.planned, LARGEST_SHARE_OF_POOL * plan.pool_size), 0.5)
    return plan.pool_size * last / (plan.pool_size - last)


def _variances(plan: BetPlan, bets: Bets) -> Floats:
    """v (C, 2, G): mean squares of the values less the nulls."""
    nulls = plan.nulls
    about_null = bets.squares[..., None] - nulls * (2 * bets.products[..., None] - nulls * bets.ones[..., None])
    return np.asarray((np.maximum(about_null, 0.0) + _PRIOR_SQUARES) / (bets.units + _PRIOR_COUNT))


def _scored(plan: BetPlan, bets: Bets, variances: Floats) -> Floats:
    surplus = (bets.sums - bets.shifts)[..., None] - plan.nulls * bets.weights[..., None]
    return np.asarray(surplus * _unit(plan, bets, variances))


def _unit(plan: BetPlan, bets: Bets, variances: Floats) -> Floats:
    """What a surplus of one adds to the score."""
    shrinking = 1.0 if plan.pool_size is None else plan.pool_size / max(plan.pool_size - bets.units, 1)
    return np.asarray(shrinking / np.sqrt(variances * _total(plan)))


def _bets(plan: BetPlan, bets: Bets, metric: HelpStep | None) -> Floats:
    """theta (C, 2, G) wanted for the next unit, before it is limited."""
    share = float(information(plan, bets.units + 0.5))
    if share >= 1 or bets.units >= plan.planned:
        return np.zeros_like(bets.learnt)
    variances = _variances(plan, bets)
    if metric is not None:
        variances = np.broadcast_to(metric.variance[..., None, None], variances.shape)
    row = hedge_row(plan.level, plan.planned, share)
    bet = row.bet(_scored(plan, bets, variances), math.log(plan.level) + bets.learnt)
    return np.asarray(bet * _unit(plan, bets, variances))


def _limited(theta: Floats, means: Floats, metric: HelpStep | None) -> Floats:
    """theta so that every factor stays positive, also with what a metric's part needs."""
    room = np.maximum(1.0 + means, 1e-12)
    most = LARGEST_FRACTION / room
    if metric is not None:
        reach = np.maximum(_sides(metric.reach_above, metric.reach_below), 1e-12)[..., None]
        most = np.minimum(most, 1 / (room + reach))
    return np.minimum(theta, most)


def _sides(first: Floats, second: Floats) -> Floats:
    """(2,) or (C, 2): of either side."""
    return np.stack([first, second], axis=-1)


def _against_metric(theta: Floats, means: Floats, metric: HelpStep) -> Floats:
    """T (f - fbar) (C, 2, G): what is taken from the gain because the metric expected it."""
    highest = np.maximum(_sides(metric.above, metric.below), 1e-12)[..., None]
    spare = (1 - _FLOOR) * np.maximum(1 - theta * np.maximum(1.0 + means, 1e-12), 0.0)
    centred = _sides(metric.centred, -metric.centred)[..., None]
    return np.asarray(np.minimum(theta, spare / highest) * centred)
