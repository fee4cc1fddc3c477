"""The metric's help for outcomes: bins of the metric predict the outcome, refitted after every label.

What costs labels at high correlation in the linear form (`control_variate`) is the straight line. Here the metric is
cut into quantile bins, and two binary logistic regressions (win or not, loss or not) on the bin's standardised mean
predict f_k = P(win) - P(loss) from past labels. `metric_help` bets with it.

Two separate, strongly penalised regressions with one Newton step a label are deliberate: caution in the first thirty
labels decides how many labels are needed in the end.

All arrays may have leading axes (pairs, or runs of a simulation) in front of the ones that are named.

Quantile bins of a metric, symmetric under a change of sign: swapping the two systems mirrors the bins exactly.

A value that equals a cut point gets a bin of its own between its neighbours, so that a metric with few values (a judge
that answers win, tie or loss) is not cut through the middle of a value, and so that negating the metric reverses the
bins instead of shifting ties from one bin to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.control_variate import counts_with_companions
from tiebreak.kernels.metric_help import MetricHelp

BINS = 10


def cut_points(reference: Floats, bins: int = BINS) -> Floats:
    """The bins - 1 quantiles (..., bins - 1) of the reference values (..., R), R >= 1, halfway between two values.

    Repeated cut points (a metric with few values) are kept: the slots between them stay empty.
    """
    ordered = np.sort(reference, axis=-1)
    size = ordered.shape[-1]
    numerators = size * np.arange(1, bins)
    upper = numerators // bins
    lower = np.where(numerators % bins == 0, upper - 1, upper)
    return np.asarray((ordered[..., lower] + ordered[..., upper]) / 2)


def bin_numbers(metric: Floats, cuts: Floats) -> Integers:
    """Slot (..., n) of each metric value (..., n): from 0 to 2 C for C cut points (..., C), odd on a cut point.

    Leading axes of both are the same, or `cuts` has none.
    """
    if cuts.ndim == 1:
        return np.asarray(np.searchsorted(cuts, metric, "left") + np.searchsorted(cuts, metric, "right"))
    slots = np.empty(metric.shape, dtype=np.intp)
    for place in np.ndindex(metric.shape[:-1]):
        slots[place] = bin_numbers(metric[place], cuts[place])
    return slots


def bin_means(reference: Floats, cuts: Floats) -> Floats:
    """Mean of the standardised reference values in each of the 2 C + 1 slots; (..., 2 C + 1).

    A slot without reference values lies on the line between its neighbours. A reference without spread gives zeros.
    """
    if reference.ndim > 1:
        rows = [bin_means(reference[place], cuts[place]) for place in np.ndindex(reference.shape[:-1])]
        return np.array(rows).reshape(*reference.shape[:-1], -1)
    slots = np.arange(2 * cuts.size + 1)
    largest = float(np.abs(reference).max())
    scaled = reference / largest if largest > 0 else reference  # squares of huge values would overflow
    spread = float(scaled.std())
    if not spread > 1e-12:
        return np.zeros(slots.size)
    numbers = bin_numbers(reference, cuts)
    counts = np.bincount(numbers, minlength=slots.size)
    sums = np.bincount(numbers, weights=(scaled - scaled.mean()) / spread, minlength=slots.size)
    filled = counts > 0
    return np.interp(slots, slots[filled], sums[filled] / counts[filled])


Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

_PENALTY_CONSTANT, _PENALTY_SLOPE = 1.0, 0.3
# Before any label: P(win) = P(loss) = 0.4 in the middle, and a metric whose higher values speak for the system. An
# inverted metric is learnt from the labels, within 1% of the labels that no opinion would need.
START_CONSTANT, START_SLOPES = -0.4, np.array([0.6, -0.6])
_UNIFORM_WEIGHT = 0.5
_PRIOR_VARIANCE_SUM, _PRIOR_COUNT = 1.8, 3.0


@dataclass(frozen=True, slots=True)
class BinRows:
    """What the metric alone says, before any label: fixed as soon as the order of the items is.

    `slots` (..., n): bin of each labelled item. `sets` (..., n, K): bin shares of the set that the t-th label comes
    from; `expected` (..., n, K): those that the variance is expected over. `means` (..., K): standardised mean of each
    bin. `pool_size`: N for a claim about these items; `plan` (..., n): companions of each, for a claim about inputs.
    """

    slots: Integers
    sets: Floats
    expected: Floats
    means: Floats
    pool_size: int | None
    plan: Integers | None = None


def regress_items(outcomes: Floats, drawn: Floats, undrawn: Floats) -> MetricHelp:
    """For a claim about these N items: outcomes (..., n) in {-1, 0, 1}, their metric (..., n) and that of the N - n
    items left over (..., N - n), the latter in any order.

    Raises:
        ValueError: a metric value that is not finite, or shapes that do not fit.
    """
    _check_outcomes(outcomes, drawn)
    if not drawn.shape[-1] + undrawn.shape[-1]:
        nothing = np.zeros(outcomes.shape)
        return MetricHelp(nothing, nothing, nothing, nothing, nothing, nothing, 0)
    return _regress(outcomes, item_rows(drawn, undrawn))


def item_rows(drawn: Floats, undrawn: Floats) -> BinRows:
    """For a claim about these items: the metric (..., n) of the items to be labelled, in their order, and that of the
    others (..., N - n), in any order.

    Raises:
        ValueError: a metric value that is not finite.
    """
    count = drawn.shape[-1]
    metric = np.concatenate([drawn, undrawn], axis=-1)
    _check_finite(metric)
    cuts = cut_points(metric)
    slots = bin_numbers(metric, cuts)
    means = bin_means(metric, cuts)
    width = means.shape[-1]
    once = slots[..., :count, None] == np.arange(width)
    totals = np.stack([(slots == slot).sum(axis=-1) for slot in range(width)], axis=-1)
    left = totals[..., None, :] - np.cumsum(once, axis=-2) + once
    shares = left / left.sum(axis=-1, keepdims=True)
    return BinRows(slots[..., :count], shares, shares, means, metric.shape[-1])


def regress_inputs(outcomes: Floats, drawn: Floats, pool: Floats, plan: Integers, reserved: Floats) -> MetricHelp:
    """For inputs like these: outcomes (n,) in {-1, 0, 1} and their metric (n,) in their fixed order, the metric of the
    unlabelled pool (U,) in its fixed order, the plan (n,) of `companions.plan_companions`, and the metric (R,) of
    reserved items, which are in neither. Leading axes go to all of them.

    Without reserved items the metric is not used (f = 0).

    Raises:
        ValueError: a metric value that is not finite, shapes that do not fit, a plan that uses more than the pool.
    """
    _check_outcomes(outcomes, drawn)
    return _regress(outcomes, input_rows(drawn, pool, plan, reserved))


def input_rows(drawn: Floats, pool: Floats, plan: Integers, reserved: Floats) -> BinRows:
    """For inputs like these: see `regress_inputs`.

    Raises:
        ValueError: a metric value that is not finite, or a plan that uses more than the pool.
    """
    for values in (drawn, pool, reserved):
        _check_finite(values)
    if not reserved.shape[-1]:
        drawn, pool, reserved = np.zeros_like(drawn), np.zeros_like(pool), np.zeros((*reserved.shape[:-1], 1))
    cuts = cut_points(reserved)
    means = bin_means(reserved, cuts)
    width = means.shape[-1]
    slots, pool_slots = bin_numbers(drawn, cuts), bin_numbers(pool, cuts)
    sets = np.empty((*drawn.shape, width))
    for place in np.ndindex(drawn.shape[:-1]):
        sets[place] = counts_with_companions(slots[place], pool_slots[place], plan[place], width)
    # What the variance is expected over: the reserve and all earlier sets.
    known = (bin_numbers(reserved, cuts)[..., None] == np.arange(width)).sum(axis=-2)[..., None, :]
    known = known + np.cumsum(sets, axis=-2) - sets
    sizes = sets.sum(axis=-1, keepdims=True)
    return BinRows(slots, sets / sizes, known / known.sum(axis=-1, keepdims=True), means, None, plan)


def _regress(outcomes: Floats, rows: BinRows) -> MetricHelp:
    win, loss = probabilities(outcomes, rows.slots, rows.means)
    return help_from(win, loss, np.arange(outcomes.shape[-1]), rows)


def help_from(win: Floats, loss: Floats, past: NDArray[np.integer], rows: BinRows) -> MetricHelp:
    """The help of predictions (..., n, K) that were made after `past` (n,) labels, for the labels of the rows."""
    slots, sets, expected, plan = rows.slots, rows.sets, rows.expected, rows.plan
    prediction = win - loss
    mean = (sets * prediction).sum(axis=-1)
    of_drawn = np.take_along_axis(prediction, slots[..., None], axis=-1)[..., 0]
    highest, lowest = _extremes(prediction, sets)
    expected_mean = (expected * prediction).sum(axis=-1)
    expected_highest, expected_lowest = _extremes(prediction, expected)
    residual = (expected * (win + loss - prediction**2)).sum(axis=-1)
    variances = (past * residual + _PRIOR_VARIANCE_SUM) / (past + _PRIOR_COUNT)
    if plan is not None:
        spread = (expected * prediction**2).sum(axis=-1) - expected_mean**2
        # Without companions h - f + fbar is h: its variance is the residual one plus that of f.
        variances = variances + past / (past + _PRIOR_COUNT) * np.maximum(spread, 0.0) / (plan + 1)
    return MetricHelp(
        centred=of_drawn - mean,
        above=highest - mean,
        below=mean - lowest,
        reach_above=expected_highest - expected_mean,
        reach_below=expected_mean - expected_lowest,
        variances=variances,
        pool_size=rows.pool_size,
    )


def _extremes(prediction: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Largest and smallest prediction (..., n) over the bins (..., n, K) that have a share."""
    present = shares > 0
    return (
        np.asarray(np.where(present, prediction, -np.inf).max(axis=-1)),
        np.asarray(np.where(present, prediction, np.inf).min(axis=-1)),
    )


def probabilities(outcomes: Floats, slots: Integers, means: Floats) -> tuple[Floats, Floats]:
    """P(win) and P(loss) per bin before each label (..., n, K), from the labels before it.

    Binary logistic regressions on (1, mean of the bin), ridge penalty around the start, one Newton step on all labels
    so far after each; made compatible (sum at most one) and mixed with the uniform at weight 0.5/(t + 4).
    """
    lead, count, width = outcomes.shape[:-1], outcomes.shape[-1], means.shape[-1]
    fitted = np.empty((*lead, count, 2, width))
    x = np.broadcast_to(means, (*lead, width))
    powers = powers_of(x)
    hit = np.stack([outcomes > 0, outcomes < 0], axis=-1).astype(np.float64)
    labelled_x = np.take_along_axis(x, slots, axis=-1)[..., None]
    hits, hits_x = np.cumsum(hit, axis=-2), np.cumsum(hit * labelled_x, axis=-2)
    seen = np.zeros((*lead, 1, width))
    one_hot = np.eye(width)
    constant, slope = np.full((*lead, 2), START_CONSTANT), np.broadcast_to(START_SLOPES, (*lead, 2))
    for t in range(count):
        p = logistic(constant, slope, x)
        fitted[..., t, :, :] = p
        seen = seen + one_hot[slots[..., t]][..., None, :]
        constant, slope = newton_step(constant, slope, hits[..., t, :], hits_x[..., t, :], seen, p, powers)
    return compatible(fitted, np.arange(count))


def logistic(constant: Floats, slope: Floats, x: Floats) -> Floats:
    """P(win) and P(loss) (..., 2, K), each by itself, from constants and slopes (..., 2) at bin means x (..., K)."""
    score = constant[..., None] + slope[..., None] * x[..., None, :]
    return np.asarray(1 / (1 + np.exp(-np.minimum(np.maximum(score, -30.0), 30.0))))


def powers_of(x: Floats) -> Floats:
    """1, x and x squared (..., K, 3), for `newton_step`."""
    return np.stack([np.ones_like(x), x, x**2], axis=-1)


def newton_step(
    constant: Floats, slope: Floats, hits: Floats, hits_x: Floats, seen: Floats, p: Floats, powers: Floats
) -> tuple[Floats, Floats]:
    """Constants and slopes (..., 2) after one Newton step on all labels so far.

    `hits`, `hits_x` (..., 2): number of wins and losses, and sums of the bin means at them. `seen` (..., 1, K): labels
    per bin; `p` (..., 2, K): the probabilities at the old constants and slopes.
    """
    expected = seen * p
    first = expected @ powers
    second = (expected * (1 - p)) @ powers
    gradient_0 = hits - first[..., 0] - _PENALTY_CONSTANT * (constant - START_CONSTANT)
    gradient_1 = hits_x - first[..., 1] - _PENALTY_SLOPE * (slope - START_SLOPES)
    h00, h01, h11 = second[..., 0] + _PENALTY_CONSTANT, second[..., 1], second[..., 2] + _PENALTY_SLOPE
    determinant = h00 * h11 - h01**2
    return (
        constant + (h11 * gradient_0 - h01 * gradient_1) / determinant,
        slope + (h00 * gradient_1 - h01 * gradient_0) / determinant,
    )


def compatible(fitted: Floats, past: NDArray[np.integer]) -> tuple[Floats, Floats]:
    """P(win) and P(loss) per bin (..., n, K) from `fitted` (..., n, 2, K): sum at most one, mixed with the uniform at
    weight 0.5/(t + 4), t the number of `past` labels (n,).
    """
    weight = (_UNIFORM_WEIGHT / (past + 4))[:, None]
    total = np.maximum(fitted.sum(axis=-2), 1.0)
    return (
        (1 - weight) * fitted[..., 0, :] / total + weight / 3,
        (1 - weight) * fitted[..., 1, :] / total + weight / 3,
    )


def _check_outcomes(outcomes: Floats, drawn: Floats) -> None:
    if outcomes.shape != drawn.shape:
        raise ValueError(f"{outcomes.shape} outcomes, but {drawn.shape} metric values of labelled items")
    if not np.isin(outcomes, (-1.0, 0.0, 1.0)).all():
        raise ValueError("the regression form needs outcomes -1, 0 or 1; use the linear form for bounded values")


def _check_finite(metric: Floats) -> None:
    if not np.isfinite(metric).all():
        raise ValueError(f"metric values must be finite, not {metric[~np.isfinite(metric)][0]}")
