"""Betting towards a known budget, with a metric's help: one bet a label, chosen by what may still be reached.

A mixture over bet sizes pays for not knowing the difference and for looking for ever. When at most n_max labels can be
bought, wealth that is short of 1/alpha at the end is worth nothing, so that the bet follows the table of `hedge_table`:
at score X, used share of information u and wealth W, the bet per unit of standardised score is V_y/V, at a score y
halfway between X and the one that the wealth stands for. What is bet on is that of `metric_help`, and each factor is
positive with conditional mean at most one whatever the table says: E is valid at every look, before and after the
budget. Once 1/alpha is reached, and after the budget, the hedge bets nothing any more.

A `reserve` share of the wealth stays in the mixture, for going on after the budget or for e-BH; it costs a few labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import bounded_mean
from tiebreak.kernels import metric_help as mixture_form
from tiebreak.kernels.bounded_mean import KappaPrior
from tiebreak.kernels.hedge_table import HedgeTable, rows_at
from tiebreak.kernels.metric_help import FLOOR, MetricHelp, impossible, shrinking, undrawn_null_mean

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
