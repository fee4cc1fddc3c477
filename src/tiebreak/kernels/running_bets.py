"""The e-processes of `bet_mixture`, `bounded_mean` and `metric_help`, one value at a time, on a grid of null values.

Those kernels turn a whole sequence into a path; a campaign gets its values one by one and must not start again with
each. Here the wealth of every bet against every null value of a fixed grid is kept, for both directions, so that a
value costs the same however many came before, and directions, equivalence and interval come out of one record. The
values are the same as those of the path kernels (the tests check it to rounding).

Kept are not the bets' wealths but log E and each bet's share of the wealth, like a posterior over bets: E grows by the
mean factor under the shares. A value needs no logarithm per bet. Bets that have lost all but 1e-290 of the wealth are
dropped, so that E is at most that of the paths, by nothing that could matter.

Items may be abandoned or withdrawn, by somebody who has seen every answer, also those that wait behind them. Such a
unit counts as the worst for either side, -1 in row 0 and +1 in what row 1 negates, and E must be at most what it would
have been with the label: then nobody gains by it, whatever they know. So bets must not learn of it. They learn from the
labels as they came; where there is none they are the less favourable of what any label could have made of them.

Rows (2) are the directions: row 0 argues "the mean is above m" on the values themselves, row 1 the same on the negated
ones. Wealth is nonincreasing in m, so that a rejected grid value rejects everything below it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.bet_mixture import BetPrior, log_wealth_per_outcome
from tiebreak.kernels.bounded_mean import KappaPrior
from tiebreak.kernels.metric_help import FLOOR, LARGEST_FRACTION
from tiebreak.kernels.planned_bets import HelpStep
from tiebreak.records import UnitValue

Floats = NDArray[np.float64]

_BOUNDED_FRACTION = 0.9  # of bounded_mean
_PRIOR_SQUARES, _PRIOR_COUNT = 2.1, 3.0  # of bounded_mean
_LOST = 1e-290  # smaller shares are dropped: near the smallest number they would be rounded up at each loss


class Taught(NamedTuple):
    """What adaptive bets learn from: `total` and `squares` of the labels as they came, times their weights. `unknown`:
    units without one, whose worst values in each direction add up to `worst_a`, `worst_b`.
    """

    total: float = 0.0
    squares: float = 0.0
    unknown: int = 0
    worst_a: float = 0.0
    worst_b: float = 0.0


@dataclass(frozen=True, slots=True)
class RunningWealth:
    """After `count` values: share of each bet in the wealth (2, G, J); current and largest log E (2, G).

    `sums`, `squares` (2,): of the values of each direction, times their weights (they differ where an item was
    abandoned or withdrawn). `weight`: the sum of the weights, which is `count` where all weigh 1. `taught`: kept by the
    bets that learn from it.
    """

    count: int
    shares: Floats
    log_e: Floats
    sup_log_e: Floats
    sums: Floats
    squares: Floats
    weight: float
    taught: Taught


STEPS: Final = 100
"""Of a grid on which directions and intervals are found."""


def null_grid(extra: tuple[float, ...] = (), steps: int = STEPS) -> Floats:
    """Sorted null values (G,): `steps` - 1 equally spaced inside (-1, 1), 0, and the extra ones (margins)."""
    inside = np.linspace(-1.0, 1.0, steps + 1)[1:-1]
    return np.unique(np.round(np.concatenate([inside, [0.0], np.clip(extra, -1.0, 1.0)]), 12))


def start(nulls: Floats, log_weights: Floats) -> RunningWealth:
    """Before any value: log E is 0 everywhere, the shares are the prior weights of the bets (J,)."""
    shape = (2, nulls.size)
    shares = np.broadcast_to(np.exp(log_weights), (*shape, log_weights.size))
    return RunningWealth(0, shares, np.zeros(shape), np.zeros(shape), np.zeros(2), np.zeros(2), 0.0, Taught())


def continued(wealth: RunningWealth, shares: Floats) -> RunningWealth:
    """The same wealth in other bets, divided over them by `shares` (2, J) at every null value."""
    spread = np.broadcast_to(shares[:, None, :], (*wealth.log_e.shape, shares.shape[-1]))
    return replace(wealth, shares=spread)


def outcome_factors(prior: BetPrior, nulls: Floats) -> Floats:
    """Factors (3, G, J) of a loss, a tie and a win for each null value and bet; made once."""
    return np.exp(np.stack([log_wealth_per_outcome(prior, float(null)) for null in nulls], axis=1))


def after_outcome(wealth: RunningWealth, factors: Floats, for_a: int, for_b: int) -> RunningWealth:
    """One outcome in {-1, 0, 1}: as evidence for a and for b. These bets learn nothing."""
    grown = np.empty(wealth.shares.shape)
    np.multiply(wealth.shares[0], factors[for_a + 1], out=grown[0])
    np.multiply(wealth.shares[1], factors[1 - for_b], out=grown[1])
    return _with(wealth, grown, np.array([for_a, -for_b], dtype=np.float64), None, wealth.taught)


def after_value(
    wealth: RunningWealth,
    prior: KappaPrior,
    nulls: Floats,
    value: UnitValue,
    pool_size: int | None,
    weight: float = 1.0,
) -> RunningWealth:
    """One value in [-1, 1], with the adaptive bets of `bounded_mean`; `weight` in (0, 1], 1 with a pool.

    Raises:
        ValueError: more values than the pool holds.
    """
    values = np.array([value.for_a, -value.for_b])
    null_mean = _undrawn_null_mean(wealth, nulls, pool_size)
    low, high = _scales(wealth, pool_size)
    room = np.maximum(1.0 + null_mean, 0.0)
    with np.errstate(divide="ignore"):
        largest = np.where(room > 0, _BOUNDED_FRACTION / room, np.inf)
    edge = (values[:, None] - null_mean)[..., None]
    bets = np.minimum(high * prior.kappas, largest[..., None])
    if low < high:  # a gain is bet on as little as any label that is missing could have made it, a loss as much
        bets = np.where(edge > 0, np.minimum(low * prior.kappas, largest[..., None]), bets)
    grown = wealth.shares * (1 + bets * weight * edge)
    pool = None if pool_size is None else (nulls, pool_size)
    return _with(wealth, grown, weight * values, pool, _after(wealth.taught, value, weight), weight)


def after_assisted(
    wealth: RunningWealth,
    prior: KappaPrior,
    nulls: Floats,
    value: UnitValue,
    pool_size: int | None,
    step: HelpStep,
) -> RunningWealth:
    """One value in [-1, 1], with what the metric said before it: the bets of `metric_help`.

    What they learn of labels that are missing is for the metric's regression to say: a clear view of what waits behind
    such an item may bend them.
    """
    values = np.array([value.for_a, -value.for_b])
    null_mean = _undrawn_null_mean(wealth, nulls, pool_size)
    highest = np.maximum([step.above, step.below], 1e-12)[:, None]
    reach = np.maximum([step.reach_above, step.reach_below], 1e-12)[:, None]
    centred = np.array([step.centred, -step.centred])[:, None, None]
    room = np.maximum(1.0 + null_mean, 1e-12)
    wanted = _shrinking(wealth.count, pool_size) / step.variance * prior.kappas
    theta = np.minimum(wanted, np.minimum(LARGEST_FRACTION / room, 1 / (room + reach))[..., None])
    spare = (1 - FLOOR) * np.maximum(1 - theta * room[..., None], 0.0)
    metric_bet = np.minimum(wanted, spare / highest[..., None])
    gain = theta * (values[:, None] - null_mean)[..., None] - metric_bet * centred
    pool = None if pool_size is None else (nulls, pool_size)
    return _with(wealth, wealth.shares * (1 + gain), values, pool, _after(wealth.taught, value, 1.0))


def rejected_below(wealth: RunningWealth, nulls: Floats, log_threshold: float) -> tuple[float, float]:
    """(low, high): all null values outside are rejected at this one-sided threshold, at some look; else -1 and 1.

    The grid has a spacing; the interval is wider than that of the path kernels by at most one step on either side.
    """
    rejected = wealth.sup_log_e >= log_threshold
    low = float(nulls[rejected[0]].max(initial=-1.0))
    high = -float(nulls[rejected[1]].max(initial=-1.0))
    return low, high


def _with(
    wealth: RunningWealth,
    grown: Floats,
    values: Floats,
    pool: tuple[Floats, int] | None,
    taught: Taught,
    weight: float = 1.0,
) -> RunningWealth:
    """The record after values (2,), one for each direction, times their weight; `grown`: the shares times their
    factors, to be kept."""
    growth = grown.sum(axis=-1)
    grown /= growth[..., None]
    grown *= grown > _LOST
    log_e = wealth.log_e + np.log(growth)
    sums = wealth.sums + values
    if pool is not None:
        nulls, pool_size = pool
        # Would even losses on everything undrawn leave the pool's mean above the null?
        least_total = sums - (pool_size - wealth.count - 1)
        log_e = np.where((least_total[:, None] > pool_size * nulls + 1e-9) | np.isposinf(wealth.log_e), np.inf, log_e)
    return RunningWealth(
        count=wealth.count + 1,
        shares=grown,
        log_e=log_e,
        sup_log_e=np.maximum(wealth.sup_log_e, log_e),
        sums=sums,
        squares=wealth.squares + values**2,
        weight=wealth.weight + weight,
        taught=taught,
    )


def _after(taught: Taught, value: UnitValue, weight: float) -> Taught:
    """With the label of one more unit, or without one that is missing."""
    total, squares, unknown, worst_a, worst_b = taught
    if value.taught is None:
        return Taught(total, squares, unknown + 1, worst_a + weight * value.for_a, worst_b - weight * value.for_b)
    known = weight * value.taught
    return Taught(total + known, squares + known * known, unknown, worst_a, worst_b)


def _scales(wealth: RunningWealth, pool_size: int | None) -> tuple[float, float]:
    """What the kappas are multiplied with, at the least and at the most: equal unless labels are missing.

    (Without those the values spread least if the others are all at the mean, and most if they are as far from it as can
    be: not farther than 1 + |mean|.)
    """
    taught, drawn = wealth.taught, wealth.count
    known = max(drawn - taught.unknown, 1)
    residual = max(taught.squares - taught.total**2 / known, 0.0)
    shrinking, count = _shrinking(drawn, pool_size), drawn + _PRIOR_COUNT
    high = shrinking / ((residual + _PRIOR_SQUARES) / count)
    if not taught.unknown:
        return high, high
    most = residual + taught.unknown * (1 + abs(taught.total) / known) ** 2
    return shrinking / ((most + _PRIOR_SQUARES) / count), high


def _undrawn_null_mean(wealth: RunningWealth, nulls: Floats, pool_size: int | None) -> Floats:
    """(2, G): the largest mean that each null leaves for the values not yet drawn, in [-1, 1]."""
    if pool_size is None:
        return np.broadcast_to(nulls, (2, nulls.size))
    if wealth.count >= pool_size:
        raise ValueError(f"{wealth.count + 1} values from a pool of {pool_size}")
    left = pool_size - wealth.count
    taught = wealth.taught
    least = np.array([[taught.total + taught.worst_a], [taught.worst_b - taught.total]])
    return np.asarray(np.clip((pool_size * nulls - least) / left, -1.0, 1.0))


def _shrinking(drawn: int, pool_size: int | None) -> float:
    return 1.0 if pool_size is None else pool_size / (pool_size - drawn)
