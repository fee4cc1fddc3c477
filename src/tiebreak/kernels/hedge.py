"""Betting towards a known budget, with a metric's help: one bet a label, chosen by what may still be reached.

A mixture over bet sizes pays for not knowing the difference and for looking for ever. When at most n_max labels can be
bought, wealth that is short of 1/alpha at the end is worth nothing, so that the bet follows the table of `hedge_table`:
at score X, used share of information u and wealth W, the bet per unit of standardised score is V_y/V, at a score y
halfway between X and the one that the wealth stands for. What is bet on is that of `metric_help`, and each factor is
positive with conditional mean at most one whatever the table says: E is valid at every look, before and after the
budget. Once 1/alpha is reached, and after the budget, the hedge bets nothing any more.

A `reserve` share of the wealth stays in the mixture, for going on after the budget or for e-BH; it costs a few labels.

The value function behind the hedge: how a bettor who stops at a known budget would price "crossing by then".

A Brownian score runs from u = 0 to u = 1. A mixture over log-uniform drifts d on [0.6, 6] sqrt(2 log(1/alpha)),
M(u, y) = mean of exp(d y - d^2 u/2), reaches c by u = 1 with null probability alpha; c < 1/alpha, because the looks
end. V(u, y) is the probability that it still will, given the score y at u. V is a martingale under the null, starts at
alpha and ends at 1 on success: alpha^-1 V is the wealth of a bettor who reaches 1/alpha exactly when the mixture
reaches c, and V_y/V is the bet that replicates it.

V solves V_u + V_yy/2 = 0 below the boundary b(u) (M(u, b(u)) = c), V = 1 on it and 0 below it at u = 1. It is solved
backwards by Crank-Nicolson in z = b(u) - y, where the boundary stands still. Nothing here matters for validity: the
table only proposes bets.

Confidence sequence from an e-process that need not be monotone in the null value: on a fixed grid.

The null "difference <= m" contains every true difference up to m. With the grid fixed beforehand, a difference between
two grid values counts as rejected when the grid value above it is: each true difference is tested by one process, at
one level. (Taking everything below the largest rejected value would test each difference many times.) The interval is
therefore up to one step wider than the search of `confidence_sequence`, which needs a monotone process.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import bounded_mean
from tiebreak.kernels import metric_help as mixture_form
from tiebreak.kernels.bounded_mean import KappaPrior
from tiebreak.kernels.metric_help import FLOOR, MetricHelp, impossible, shrinking, undrawn_null_mean

_STEPS, _POINTS = 240, 240
_DEPTH = 9.0  # how far below the boundary the table reaches
_LOWEST_LOG_VALUE = -60.0
_LARGEST_SLOPE = 60.0
_DRIFTS = 60


@dataclass(frozen=True, slots=True)
class HedgeTable:
    """V and V_y/V on used shares u and distances z below the boundary.

    `shares` (U,) from 0 to just below 1, `boundary` (U,) b(u), `distances` (Z,) from 0; `log_values` and `slopes`
    (U, Z): log V, falling in z, and V_y/V >= 0. `threshold`: c.
    """

    alpha: float
    threshold: float
    shares: Floats
    boundary: Floats
    distances: Floats
    log_values: Floats
    slopes: Floats


@dataclass(frozen=True, slots=True)
class HedgeRows:
    """The table at the used shares u_t of the labels t (n,), u_t in (0, 1): `boundary` (n,), the rest (n, Z)."""

    boundary: Floats
    distances: Floats
    minus_log_values: Floats
    slopes: Floats

    def slope(self, label: int, score: Floats, log_value: Floats) -> Floats:
        """V_y/V halfway between the score and the score at which V would be exp(log_value); shapes of `score`.

        Zero where log_value >= 0 (nothing is left to win).
        """
        minus = self.minus_log_values[label]
        implied = self.boundary[label] - np.interp(-log_value, minus, self.distances)
        distance = self.boundary[label] - (score + implied) / 2
        slope = np.interp(distance, self.distances, self.slopes[label])
        return np.where(log_value < 0, slope, 0.0)


@lru_cache(maxsize=64)
def hedge_table(alpha: float) -> HedgeTable:
    """The table for one level; takes about 0.3 s, and the last levels asked for are kept.

    Raises:
        ValueError: alpha outside (0, 1/2).
    """
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha must be in (0, 0.5), not {alpha}")
    log_low, log_high = math.log(1 / alpha) - 2.5, math.log(1 / alpha)
    for _ in range(14):
        middle = (log_low + log_high) / 2
        if _solve(alpha, middle)[0] > alpha:
            log_low = middle
        else:
            log_high = middle
    _, shares, boundary, distances, values = _solve(alpha, log_high)
    slopes = -np.gradient(values, distances, axis=1) / np.maximum(values, math.exp(_LOWEST_LOG_VALUE))
    log_values = np.log(np.maximum(values, math.exp(_LOWEST_LOG_VALUE)))
    # Strictly falling, so that it can be inverted where rounding or the floor has flattened it.
    log_values = np.minimum.accumulate(log_values, axis=1) - 1e-9 * np.arange(distances.size)
    slopes = np.clip(slopes, 0.0, _LARGEST_SLOPE)
    return HedgeTable(alpha, math.exp(log_high), shares, boundary, distances, log_values, slopes)


def rows_at(table: HedgeTable, shares: Floats) -> HedgeRows:
    """The table interpolated at used shares (n,) in [0, 1]; beyond the last row the last row is used."""
    place = np.clip((1 - np.sqrt(np.maximum(1 - shares, 0.0))) * _STEPS, 0.0, table.shares.size - 1.001)
    row = place.astype(np.intp)
    part = place - row
    across = part[:, None]
    return HedgeRows(
        (1 - part) * table.boundary[row] + part * table.boundary[row + 1],
        table.distances,
        -((1 - across) * table.log_values[row] + across * table.log_values[row + 1]),
        (1 - across) * table.slopes[row] + across * table.slopes[row + 1],
    )


def boundary(shares: Floats, alpha: float, log_threshold: float) -> Floats:
    """b(u) (n,) with M(u, b) = c: M rises in y, so that bisection finds it."""
    drifts = np.geomspace(0.6, 6.0, _DRIFTS) * math.sqrt(2 * math.log(1 / alpha))
    penalty = np.multiply.outer(shares, drifts**2) / 2
    low, high = np.full(shares.size, -1.0), np.full(shares.size, 20.0)
    for _ in range(48):
        middle = (low + high) / 2
        exponent = middle[:, None] * drifts - penalty
        top = exponent.max(axis=1)
        log_mixture = top + np.log(np.exp(exponent - top[:, None]).mean(axis=1))
        reached = log_mixture >= log_threshold
        high, low = np.where(reached, middle, high), np.where(reached, low, middle)
    return np.asarray((low + high) / 2)


def _solve(alpha: float, log_threshold: float) -> tuple[float, Floats, Floats, Floats, Floats]:
    """V(0, 0); used shares (U,), boundary (U,), distances (Z,), and V (U, Z) without the row at u = 1."""
    from scipy.linalg import solve_banded

    shares = 1 - (1 - np.arange(_STEPS + 1) / _STEPS) ** 2
    edge = boundary(shares, alpha, log_threshold)
    z = _DEPTH * (np.arange(_POINTS + 1) / _POINTS) ** 2
    below, above = np.diff(z)[:-1], np.diff(z)[1:]
    # Second and first derivatives on the uneven grid: weights of the lower, middle and upper neighbour.
    second = np.stack([2 / (below * (below + above)), -2 / (below * above), 2 / (above * (below + above))])
    first = np.stack(
        [-above / (below * (below + above)), (above - below) / (below * above), below / (above * (below + above))]
    )
    value = np.zeros(z.size)
    value[0] = 1.0
    values = np.empty((_STEPS, z.size))
    for step in range(_STEPS - 1, -1, -1):
        length = float(shares[step + 1] - shares[step])
        speed = float(edge[step + 1] - edge[step]) / length
        generator = second / 2 + speed * first
        # A few fully implicit steps first: the jump at u = 1 makes Crank-Nicolson ring.
        implicit = 1.0 if step > _STEPS - 5 else 0.5
        explicit = (1 - implicit) * length * generator
        right = value[1:-1] + explicit[0] * value[:-2] + explicit[1] * value[1:-1] + explicit[2] * value[2:]
        weights = implicit * length * generator
        right[0] += weights[0, 0]  # V = 1 on the boundary
        bands = np.zeros((3, z.size - 2))
        bands[0, 1:], bands[1], bands[2, :-1] = -weights[2, :-1], 1 - weights[1], -weights[0, 1:]
        value = np.concatenate([[1.0], solve_banded((1, 1), bands, right, check_finite=False), [0.0]])
        values[step] = value
    return float(np.interp(edge[0], z, values[0])), shares[:-1], edge[:-1], z, values


Floats = NDArray[np.float64]

LARGEST_FRACTION = 0.55
LARGEST_SHARE_OF_POOL = 0.8


@dataclass(frozen=True, slots=True)
class Reserve:
    """A share of the wealth in (0, 1) that is left to the mixture with the given prior."""

    share: float
    prior: KappaPrior


def log_e_path(
    labels: Floats,
    metric_help: MetricHelp,
    table: HedgeTable,
    most_labels: int,
    side: int,
    null: float | Floats = 0.0,
    reserve: Reserve | None = None,
    weights: Floats | None = None,
) -> Floats:
    """log E after each label against "side * mean <= null", null in [-1, 1].

    Shape (..., n) as `labels`; null values (J,) are played side by side and give (J, ..., n). `most_labels`: the
    budget n_max; of a pool at most 80% are counted on. `weights` (n,) in (0, 1]: of values of inputs like these without
    a metric's help, where the null is about their weighted mean. Not monotone in the null: bets depend on the wealth so
    far.

    Raises:
        ValueError: a budget below one label, or a reserve outside (0, 1).
    """
    if most_labels < 1 or (reserve is not None and not 0 < reserve.share < 1):
        raise ValueError("the budget must be at least one label, and a reserve a share between 0 and 1")
    nulls = np.asarray(null, dtype=np.float64)
    spread_out = nulls.reshape(nulls.shape + (1,) * labels.ndim)
    values = side * labels
    path = _hedged(values, metric_help, table, most_labels, side, spread_out, weights)
    if reserve is not None:
        kept = [_mixture(values, metric_help, reserve.prior, side, float(m), weights) for m in nulls.ravel()]
        mixture = np.array(kept).reshape(path.shape)
        with np.errstate(invalid="ignore"):
            path = np.logaddexp(math.log(1 - reserve.share) + path, math.log(reserve.share) + mixture)
    if metric_help.pool_size is None:
        return path
    return np.where(impossible(values, spread_out, metric_help.pool_size), np.inf, path)


def _mixture(
    values: Floats, metric_help: MetricHelp, prior: KappaPrior, side: int, null: float, weights: Floats | None
) -> Floats:
    """log E of the mixture, for the `values` of one side."""
    if weights is None:
        return mixture_form.log_e_path(side * values, metric_help, prior, side, null)
    scales = bounded_mean.bet_scales(weights * values)
    return bounded_mean.log_e_path(weights * values + (1 - weights) * null, prior, null, scales=scales)


def information(count: int, most_labels: int, pool_size: int | None) -> tuple[Floats, float]:
    """Used share of the information before each label (count,), from 0; and the total at the budget, in labels.

    Without replacement t labels are worth N t/(N - t).
    """
    past = np.arange(count, dtype=np.float64)
    if pool_size is None:
        return (past + 0.5) / most_labels, float(most_labels)
    last = max(min(float(most_labels), LARGEST_SHARE_OF_POOL * pool_size), 0.5)
    total = pool_size * last / (pool_size - last)
    return pool_size * (past + 0.5) / (pool_size - past - 0.5) / total, total


def _hedged(
    values: Floats,
    metric_help: MetricHelp,
    table: HedgeTable,
    most_labels: int,
    side: int,
    null: Floats,
    weights: Floats | None,
) -> Floats:
    """The wealth of the hedge alone; `null` broadcasts against the values."""
    count, pool = values.shape[-1], metric_help.pool_size
    null_mean = undrawn_null_mean(values, null, pool)
    path = np.zeros(null_mean.shape)
    used, total = information(count, most_labels, pool)
    rows = rows_at(table, np.minimum(used, 1.0))
    unit = shrinking(count, pool) / np.sqrt(metric_help.variances * total)
    centred = side * metric_help.centred
    highest, reach = metric_help.limits(side)
    log_alpha = math.log(table.alpha)
    score, log_wealth = np.zeros(path.shape[:-1]), np.zeros(path.shape[:-1])
    for t in range(count):
        mean = null_mean[..., t]
        gain = values[..., t] - mean if weights is None else weights[t] * (values[..., t] - mean)
        if used[t] < 1:
            wanted = rows.slope(t, score, log_alpha + log_wealth) * unit[..., t]
            room = np.maximum(1 + mean, FLOOR)
            theta = np.minimum(wanted, np.minimum(LARGEST_FRACTION / room, 1 / (room + reach[..., t])))
            spare = (1 - FLOOR) * np.maximum(1 - theta * (1 + mean), 0.0)
            metric_bet = np.minimum(theta, spare / highest[..., t])
            log_wealth = log_wealth + np.log1p(theta * gain - metric_bet * centred[..., t])
            score = score + unit[..., t] * (gain - centred[..., t])
        path[..., t] = log_wealth
    return path


SupLogEAt = Callable[[Floats], Floats]
"""From null values (J,) to the running maximum (J,) of log E against "difference <= m" for each."""

STEPS = 200


def lower_limit(sup_log_e: SupLogEAt, log_threshold: float, steps: int = STEPS) -> float:
    """The largest grid value below all grid values that are not rejected; -1 where the lowest one is not.

    The grid has `steps` equal steps from -1 to 1. 1 is never rejected: no difference exceeds it.

    Raises:
        ValueError: fewer than two steps.
    """
    if steps < 2:
        raise ValueError(f"a grid needs at least two steps, not {steps}")
    grid = np.linspace(-1.0, 1.0, steps + 1)
    rejected = sup_log_e(grid[1:-1]) >= log_threshold
    kept = np.flatnonzero(~rejected)
    return float(grid[kept[0]] if kept.size else grid[-2])


def upper_limit(sup_log_e_negated: SupLogEAt, log_threshold: float, steps: int = STEPS) -> float:
    """The mirror image: `sup_log_e_negated` is the process for the other side."""
    return -lower_limit(sup_log_e_negated, log_threshold, steps)
