"""The metric's help for bounded values, linear form: f = lambda . g, for one or several metrics.

h_t in [-1, 1] is the human value of the t-th item, g_t the values of one or several metrics on the same item (any
numbers; winsorised here), and lambda_t slopes fitted on past items only. `metric_help` bets with f = lambda_t . g.
Taking the pool's mean of g as if it were the population's is not valid for a claim about inputs like these, and the
tests show it: there the mean is that over the labelled item and its fresh unlabelled companions (see `companions`).

Slopes: ridge regression on the past with the metrics' covariance S taken from all N items or from reserved ones,
lambda_t = (t S + 3 c diag S)^-1 sum of (h - its past mean)(g - its past mean), c = (1 + M)/2 for M metrics; with one
metric this is cov/Var(g) * t/(t+3). Few labels cannot carry many metrics: of those with the largest correlation so far,
one and one more for every five labels have a slope (M is their number), the others have none. Which ones is decided
from past labels only, so that it may change from label to label and never touches validity.
Source: control variates as in Chaganty et al. (2018), inside the betting of `metric_help`.

Algorithm 1 of "The price of debiasing automatic metrics" (Chaganty, Mussmann & Liang 2018), as it was published.

With the metric g standardised over *all* outputs and y the ratings of n of them,

    alpha^ = (1/n) sum (y_i - ybar) g_i,   mu^ = (1/n) sum (y_i - alpha^ g_i).

With the true alpha = Cov(f, g) the estimate is unbiased and has the variance (sigma_f^2 (1 - rho^2) + sigma_a^2)/n, and
no unbiased estimator does better in the worst case. The estimated one makes a bias, -E((y - mu) g^2)/n to first order:
an output has a say in what it is corrected by. Cross-fitting removes it, so tiebreak estimates by
`held_out_regression`; this is for comparison with the paper, and for its figures.

Rated outputs apart from the N - n others, it is the point estimate of PPI++ (Angelopoulos, Duchi & Zrnic 2023) with the
weight alpha^ (1 - n/N).

Fresh unlabelled companions: what a metric is compared with for a claim about inputs like these.

The mean of the metric over a pool is as random as the pool, so that it may not be taken for the population's. Instead
the t-th labelled item gets k_t unlabelled companions, drawn with it and never used again. Given the past these k_t + 1
items are exchangeable, so that the labelled one is as likely as any of them: whatever is predicted from the metric has
the mean over the set as its conditional mean, exactly.

What makes it so, and what callers must keep: the order of the items is random and fixed before any label; k_t is
decided before the t-th item is drawn; no item is used twice; reserved items are used for scales and cut points only;
no label of the t-th item has trained the metric.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.records import MOST_COMPANIONS

RESERVED = 100


def plan_companions(labels_left: NDArray[np.number], unlabelled: int, most: int = MOST_COMPANIONS) -> Integers:
    """How many companions k_t (n,) each labelled item gets, so that `unlabelled` items last for the labels expected.

    `labels_left` (n,), >= 1: the labels still expected before the t-th draw, itself included (n_max - t for a budget;
    any guess from the past otherwise). k_t = round(unlabelled left / labels left), between 0 and `most` and never more
    than are left. When nothing is left the metric is not used.
    """
    plan = np.zeros(labels_left.size, dtype=np.intp)
    left = unlabelled
    for t, expected in enumerate(labels_left):
        plan[t] = min(int(np.floor(left / max(float(expected), 1.0) + 0.5)), most, left)
        left -= int(plan[t])
    return plan


def reserve_size(unlabelled: int) -> int:
    """How many unlabelled items to set aside for scales and cut points: 100, or a quarter of a small pool."""
    return min(RESERVED, unlabelled // 4)


def most_with_companions(units: int) -> int:
    """How many of the units may be labelled, where each needs one of its own among those that are neither labelled nor
    set aside.
    """

    def short(labelled: int) -> bool:
        others = units - labelled
        return others - reserve_size(others) < labelled

    return bisect_left(range(units + 1), True, key=short) - 1


def means_with_companions(drawn: Floats, pool: Floats, plan: Integers) -> Floats:
    """Mean (n,) over each labelled item and its companions: `drawn` (n,) or (n, M), `pool` (U,) or (U, M) in order.

    Raises:
        ValueError: the plan uses more companions than the pool holds.
    """
    ends = _ends(plan, pool.shape[0])
    running = np.concatenate([np.zeros_like(pool[:1]), np.cumsum(pool, axis=0)]) if pool.shape[0] else None
    if running is None:  # every set is the labelled item alone
        return drawn.copy()
    sums = running[ends] - running[ends - plan]
    return np.asarray((drawn + sums) / (plan + 1 if drawn.ndim == 1 else (plan + 1)[:, None]))


def counts_with_companions(drawn: Integers, pool: Integers, plan: Integers, slots: int) -> Floats:
    """How many items of each slot (n, slots) are in each set: the labelled item's slot (n,) and its companions' (U,).

    Raises:
        ValueError: the plan uses more companions than the pool holds.
    """
    _ends(plan, pool.shape[0])
    companions = companion_owners(plan)
    owner = np.concatenate([np.arange(plan.size), companions])
    slot = np.concatenate([drawn, pool[: companions.size]])
    return np.bincount(owner * slots + slot, minlength=plan.size * slots).reshape(plan.size, slots).astype(np.float64)


def companion_owners(plan: Integers) -> Integers:
    """To which labelled item each of the first sum(plan) unlabelled items goes."""
    return np.repeat(np.arange(plan.size), plan)


def _ends(plan: Integers, unlabelled: int) -> Integers:
    ends = np.cumsum(plan)
    if plan.size and int(ends[-1]) > unlabelled:
        raise ValueError(f"the plan uses {int(ends[-1])} companions, but there are {unlabelled} unlabelled items")
    return ends


Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

_WINSOR_SD = 1.6
_LARGEST_SLOPE = 3.0
_RIDGE_LABELS = 3.0
_LABELS_PER_METRIC = 5
_PRIOR_SQUARES = 2.1
_PRIOR_COUNT = 3.0
_CHUNK = 2_000_000  # predictions held at a time


def winsorised(scores: Floats, reference: Floats) -> Floats:
    """`scores` (n,) or (n, M) standardised by `reference`, (R,) or (R, M), and cut at 1.6 standard deviations.

    A reference without spread gives zeros: a constant metric helps nobody and hurts nobody. So does an empty one.

    Raises:
        ValueError: a score that is not finite.
    """
    for values in (scores, reference):
        if not np.isfinite(values).all():
            raise ValueError(f"metric values must be finite, not {values[~np.isfinite(values)][0]}")
    if not reference.shape[0]:
        return np.zeros_like(scores)
    largest = np.abs(reference).max(axis=0)  # squares of huge values would overflow
    unit = np.where(largest > 0, largest, 1.0)
    center, spread = (reference / unit).mean(axis=0), (reference / unit).std(axis=0)
    varies = spread > 1e-12
    with np.errstate(over="ignore"):  # a score that is infinitely far out is cut like any other
        standardised = (scores / unit - center) / np.where(varies, spread, 1.0)
    return np.where(varies, np.clip(standardised, -_WINSOR_SD, _WINSOR_SD), 0.0)


def control_items(values: Floats, drawn: Floats, undrawn: Floats) -> MetricHelp:
    """For a claim about these N items: values (n,) in [-1, 1], metric of the same items `drawn` (n,) or (n, M) in
    order, and of the others `undrawn` (N - n,) or (N - n, M) in any order. Winsorised over all N items here.

    Raises:
        ValueError: a metric value that is not finite, or shapes that do not fit.
    """
    metric, slopes, variances = fit_items(values, drawn, undrawn)
    count, pool = values.size, metric.shape[0]
    mean_left = (metric.sum(axis=0) - _before(metric[:count])) / (pool - np.arange(count))[:, None]
    largest, smallest = _extremes(slopes, metric)
    fbar = (slopes * mean_left).sum(axis=1)
    above, below = largest - fbar, fbar - smallest
    centred = (slopes * (metric[:count] - mean_left)).sum(axis=1)
    return MetricHelp(centred, above, below, above, below, variances, pool)


def fit_items(values: Floats, drawn: Floats, undrawn: Floats) -> tuple[Floats, Floats, Floats]:
    """For a claim about these N items: the metrics (N, M), winsorised, and before each label slopes (n, M) and the
    variance (n,) left over. Arguments as of `control_items`.

    Raises:
        ValueError: a metric value that is not finite, or shapes that do not fit.
    """
    drawn, undrawn = _columns(values, drawn), _columns(None, undrawn)
    everything = np.concatenate([drawn, undrawn])
    metric = winsorised(everything, everything)
    return metric, *_fit(values, metric[: values.size], _covariance(metric))


def control_inputs(values: Floats, drawn: Floats, pool: Floats, plan: Integers, reserved: Floats) -> MetricHelp:
    """For inputs like these: values (n,) in [-1, 1] and metric `drawn` (n,) or (n, M) in their fixed order, that of the
    unlabelled `pool` (U,) or (U, M) in its fixed order, the plan (n,) of `companions.plan_companions`, and that of
    `reserved` items (R,) or (R, M), which are in neither. Winsorised by the reserve; without one no metric is used.

    Raises:
        ValueError: a metric value that is not finite, shapes that do not fit, a plan that uses more than the pool.
    """
    drawn, pool, reserved = _columns(values, drawn), _columns(None, pool), _columns(None, reserved)
    metric, others, known = (winsorised(of, reserved) for of in (drawn, pool, reserved))
    covariance = _covariance(known)
    slopes, variances = _fit(values, metric, covariance)
    fbar = (slopes * means_with_companions(metric, others, plan)).sum(axis=1)
    own = (slopes * metric).sum(axis=1)
    largest, smallest = own.copy(), own.copy()
    owners = companion_owners(plan)
    predicted = (slopes[owners] * others[: owners.size]).sum(axis=1)
    np.maximum.at(largest, owners, predicted)
    np.minimum.at(smallest, owners, predicted)
    reach = _WINSOR_SD * np.abs(slopes).sum(axis=1)
    variances = variances + np.einsum("ti,ij,tj->t", slopes, covariance, slopes) / (plan + 1)
    return MetricHelp(own - fbar, largest - fbar, fbar - smallest, reach, reach, variances, None)


def _fit(values: Floats, metric: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Slopes (n, M) before each label, and the variance (n,) left over around them, worth three values of 0.7 more."""
    past = np.arange(values.size, dtype=np.float64)
    safe = np.maximum(past, 1.0)
    sum_h, sum_g = _before(values), _before(metric)
    cross = _before(values[:, None] * metric) - sum_h[:, None] * sum_g / safe[:, None]
    squares_h = _before(values**2) - sum_h**2 / safe
    outer = metric[:, :, None] * metric[:, None, :]
    squares_g = _before(outer) - sum_g[:, :, None] * sum_g[:, None, :] / safe[:, None, None]
    slopes = _slopes(past, cross, covariance)
    explained = 2 * (slopes * cross).sum(axis=1) - np.einsum("ti,tij,tj->t", slopes, squares_g, slopes)
    return slopes, (np.maximum(squares_h - explained, 0.0) + _PRIOR_SQUARES) / (past + _PRIOR_COUNT)


def _slopes(past: Floats, cross: Floats, covariance: Floats) -> Floats:
    """Ridge slopes (n, M) from `past` labels (n,) and their cross products (n, M); 0 for metrics not carried."""
    carried = _carried(past, cross, covariance)
    own = np.diag(covariance)
    ridge = _RIDGE_LABELS * (1 + carried.sum(axis=1)) / 2
    together = past[:, None, None] * covariance * (carried[:, :, None] & carried[:, None, :])
    together = together + ridge[:, None, None] * np.diag(np.where(own > 0, own, 1.0))
    slopes = np.linalg.solve(together, np.where(carried, cross, 0.0)[:, :, None])[:, :, 0]
    return np.asarray(np.clip(slopes, -_LARGEST_SLOPE, _LARGEST_SLOPE))


def _carried(past: Floats, cross: Floats, covariance: Floats) -> NDArray[np.bool_]:
    """Which metrics (n, M) have a slope: the most correlated, one and one more for every five past labels."""
    own = np.diag(covariance)
    strength = np.where(own > 0, np.abs(cross) / np.sqrt(np.where(own > 0, own, 1.0)), -1.0)
    # Equal strengths share the better rank: the order in which metrics are named must not matter.
    rank = (strength[:, None, :] > strength[:, :, None]).sum(axis=2)
    return np.asarray(rank <= (past // _LABELS_PER_METRIC)[:, None])


@dataclass(frozen=True, slots=True)
class Carried:
    """After all labels: which metrics `carried` a slope (M,), and their `shares` (M,) of what they explain together.

    A share is slope times covariance with the values, over the sum of these; all zero where nothing is explained.
    """

    carried: NDArray[np.bool_]
    shares: Floats


def carried_metrics(values: Floats, metric: Floats, reference: Floats) -> Carried:
    """What became of metrics (n, M) of labelled items with values (n,), in any order.

    Both are winsorised by `reference` (R, M), and its covariance is used.

    Raises:
        ValueError: a metric value that is not finite, or shapes that do not fit.
    """
    drawn = winsorised(_columns(values, metric), reference)
    covariance = _covariance(winsorised(reference, reference))
    past = np.array([float(values.size)])
    cross = (
        ((values - values.mean())[:, None] * drawn).sum(axis=0)[None, :]
        if values.size
        else np.zeros((1, drawn.shape[1]))
    )
    parts = np.maximum(_slopes(past, cross, covariance) * cross, 0.0)[0]
    total = float(parts.sum())
    return Carried(_carried(past, cross, covariance)[0], parts / total if total > 0 else parts)


def _extremes(slopes: Floats, metric: Floats) -> tuple[Floats, Floats]:
    """Largest and smallest lambda_t . g (n,) over all items: g (N, M)."""
    if metric.shape[1] == 1:
        ends = slopes * np.array([metric.min(initial=0.0), metric.max(initial=0.0)])
        return ends.max(axis=1), ends.min(axis=1)
    largest, smallest = np.empty(slopes.shape[0]), np.empty(slopes.shape[0])
    step = max(1, _CHUNK // max(metric.shape[0], 1))
    for start in range(0, slopes.shape[0], step):
        predicted = slopes[start : start + step] @ metric.T
        largest[start : start + step], smallest[start : start + step] = predicted.max(axis=1), predicted.min(axis=1)
    return largest, smallest


def _covariance(metric: Floats) -> Floats:
    """(M, M) of metric values (R, M); zeros where there is none."""
    if not metric.shape[0]:
        return np.zeros((metric.shape[1], metric.shape[1]))
    centred = metric - metric.mean(axis=0)
    return np.asarray(centred.T @ centred / metric.shape[0])


def _columns(values: Floats | None, metric: Floats) -> Floats:
    columns = metric[:, None] if metric.ndim == 1 else metric
    if values is not None and columns.shape[0] != values.size:
        raise ValueError(f"{values.size} values, but the metric of {columns.shape[0]} labelled items")
    return columns


def _before(terms: Floats) -> Floats:
    """Sum of the terms before each position, along the first axis."""
    return np.cumsum(terms, axis=0) - terms


def algorithm_1(values: Floats, metric: Floats) -> Floats:
    """mu^ (...) of ratings `values` (..., n) with the standardised `metric` (..., n); n at least 1."""
    if values.shape != metric.shape or not values.shape[-1:] or not values.shape[-1]:
        raise UsageError(f"values {values.shape} and metric {metric.shape} do not fit, or are empty")
    mean = values.mean(axis=-1)
    alpha = (values * metric).mean(axis=-1) - mean * metric.mean(axis=-1)
    return np.asarray(mean - alpha * metric.mean(axis=-1))


def standardised(metric: Floats, pool: Floats) -> Floats:
    """`metric` (...) less the mean of `pool` (N,), over its standard deviation (divisor N); 0 where that is constant.

    Raises:
        UsageError: no pool.
    """
    if not pool.size:
        raise UsageError("a metric is standardised over all outputs, but there is none")
    if not np.ptp(pool):
        return np.zeros_like(metric)
    return np.asarray((metric - pool.mean()) / pool.std())
