"""A mean of few human values with the help of metrics that are known on the whole pool, by held-out regression.

h_i are the human values of n labelled units of a pool of N items, g_i the values of M metrics on them, known on the
whole pool. For each item a slope b_(i) is fitted without it (without its whole cluster), and

    estimate = mean over the labelled of h_i - b_(i) . (g_i - mean of g over the pool).

What an item's label is corrected by never depends on that label, so that residuals are as large as they are on new
items: 16 useless metrics cannot look useful. *Which* metrics (none, one of them, or all by ridge) is chosen without
the item too, in each fold by its own AICc, with 2 log M for the search among M single metrics, and none unless another
choice is better by 2; never by the variance of the result. All folds come from one set of cross products in closed form
(the fold's are the total less its own), no fit is repeated item by item.

Error of the estimate, f = n/N, e the residuals: (1 - f) var(e)/n for these items, and ((1 - f) var(e) + f var(h))/n
for inputs like these, where the pool is a sample too. `adjusted` are values whose mean is the estimate, and whose
variance over n is that error (inputs: residuals of (1 - sqrt(f)) b) or that before the factor 1 - f (items: of b).
What a metric leaves out (NaN) counts as its mean, with a label and without one alike. Then f of the error is the share
of the items with a value that are labelled, the largest one of the metrics used: where only labelled items have values
nothing is gained, whatever the size of the pool, and such a metric is never used.
A single value far outside would have a slope that others set, times a large number: with a heavy-tailed metric at
n = 30 that widened intervals by a tenth and erred .09 at .05, .04 at .01 (now .05, .009). So values beyond 4 robust
standard deviations from the pool's median count as that far; the estimate stays unbiased, since the same is done on the
whole pool, without any label. Where every item is labelled, nothing can be gained, and the values are returned as they
are.

Measured for items of a large pool: width 1.001-1.012 of that without, with 1 or 16 useless metrics at n = 30 and 100;
.82 with one of rho .6 (at best .80), .81-.86 with 15 useless ones beside it; .67 with 16 of rho .3 together.

With one metric it is the estimator of prediction-powered inference with tuned weight (PPI++), the control variate of
Chaganty et al. (2018), but for the slope's being held out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.confidence_sequence import width_ratio

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

_PENALTIES = (0.05, 0.3, 1.0)  # ridge, in units of a standardised metric's variance times the labels
FEWEST_UNITS = 8
_REACH, _NORMAL_QUARTILES = 4.0, 1.349  # standard deviations; between the quartiles of a normal distribution
_CLEARLY = 2.0  # by so much of AICc a metric must be better than none, else 30 labels use a useless one in 3 of 10 sets


Unused = Literal["all-labelled", "few-units", "constant-values", "constant-metric", "no-sign"]
"""Why metrics change nothing: every item with a value is labelled; fewer than `FEWEST_UNITS` items or clusters are; all
values, or each metric, are the same throughout; or no metric predicts the values clearly better than their mean does.
"""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What metrics make of the values.

    `adjusted` (n,): values whose mean is `estimate`. `used` (M,): the share of folds in which a metric had a slope;
    `slopes` (M,): the mean slope over folds, per unit of the metric. `width_ratio`: the width of an interval over that
    without metrics, on held-out residuals (the noise of an item's labels, which no metric takes away from `items`, left
    out), with an interval for it, about 95 %, `ratio_low` to `ratio_high` (`width_ratio`). That may lie above 1: then
    the metrics cost something. Where only some folds use a metric it holds 1 and what all folds with a metric give.
    `unused`: why no fold uses any metric, None where some do.
    """

    estimate: float
    adjusted: Floats
    used: Floats
    slopes: Floats
    width_ratio: float
    ratio_low: float
    ratio_high: float
    unused: Unused | None


@dataclass(frozen=True, slots=True)
class _Folds:
    """Cross products of U folds, each without one unit: metrics (U, M, M), with values (U, M), of values (U,)."""

    metrics: Floats
    cross: Floats
    squares: Floats
    labels: Floats


def held_out_regression(
    values: Floats,
    metrics: Floats,
    pool: Floats,
    target: Literal["inputs", "items"],
    clusters: Integers | None = None,
    *,
    always: bool = False,
) -> HeldOut:
    """`values` (n,), `metrics` (n, M) of the same items, `pool` (N, M) of all items, the labelled among them.

    `clusters` (n,): a whole number for each item, equal within a cluster; left out together. Values and metrics may
    have any scale; a metric that is constant on the pool is never used. With fewer than 8 clusters or items none is. A
    few ms for 100 items and 16 metrics. No values: estimate nan.

    `always`: what the metrics do at this n, good or bad. "None" is no choice then, and that every item is labelled no
    obstacle: it is about drawing so many from a pool far larger.

    Raises:
        UsageError: numbers that are infinite, values that are NaN, shapes that do not fit, more labelled items than the
            pool holds.
    """
    _check(values, metrics, pool, clusters)
    count, metric_count = metrics.shape
    labelled = _labelled_shares(metrics, pool)
    metrics, pool = within_reach(*_filled(metrics, pool))
    units = np.arange(count) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    unit_count = int(units.max(initial=-1)) + 1
    center, scale = pool.mean(axis=0) if pool.size else np.zeros(metric_count), np.ones(metric_count)
    spread = pool.std(axis=0) if pool.size else np.zeros(metric_count)
    varies = spread > 1e-12 * np.maximum(1.0, np.abs(center))
    can_tell = (labelled < 1.0) | always
    unused: Unused | None = None
    if not can_tell.any():
        unused = "all-labelled"
    elif unit_count < FEWEST_UNITS:
        unused = "few-units"
    elif not np.ptp(values):
        unused = "constant-values"
    elif not (varies & can_tell).any():
        unused = "constant-metric"
    if unused is not None:
        return _without(values, metric_count, unused)
    varies &= can_tell
    scale[varies] = spread[varies]
    standardised = (metrics - center) / scale * varies
    mean = math.fsum(values) / count
    slopes, with_one = _chosen_slopes(_folds(values - mean, standardised, units, unit_count), varies)
    slopes = with_one if always else slopes
    estimate = mean + float(((values - mean) - (slopes[units] * standardised).sum(axis=1)).mean())
    whole = count / pool.shape[0]
    kept = _kept(float(labelled[slopes.any(axis=0)].max(initial=whole)), whole if target == "items" else 0.0)
    predicted, forced = (
        (of[units] * (standardised - standardised.mean(axis=0))).sum(axis=1) for of in (slopes, with_one)
    )
    residuals = values - kept * predicted
    residuals = residuals - residuals.mean()
    ratio, low, high = _width(values, predicted, kept, units)
    folds_using = slopes.any(axis=1)
    if folds_using.any() and not folds_using.all():  # then what the metrics do with other labels is all or nothing
        _, low_forced, high_forced = _width(values, forced, kept, units)
        low, high = min(low, low_forced, 1.0), max(high, high_forced, 1.0)
    used = (slopes != 0).mean(axis=0)
    reason: Unused | None = None if used.any() else "no-sign"
    return HeldOut(estimate, residuals + estimate, used, slopes.mean(axis=0) / scale, ratio, low, high, reason)


def _labelled_shares(metrics: Floats, pool: Floats) -> Floats:
    """Of the items with a value of each metric (M,) the share that is labelled; 1 without any."""
    known, of_pool = ((~np.isnan(of)).sum(axis=0) for of in (metrics, pool))
    return np.where(of_pool > 0, known / np.maximum(of_pool, 1), 1.0)


def _filled(metrics: Floats, pool: Floats) -> tuple[Floats, Floats]:
    """Both, with the mean of the pool's values where a metric has none."""
    known = ~np.isnan(pool)
    if known.all():
        return metrics, pool
    means = np.where(known, pool, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(np.isnan(metrics), means, metrics), np.where(known, pool, means)


def _kept(labelled: float, drawn: float) -> float:
    """The share of what is predicted that is taken from values, for a variance that times 1 - `drawn` is that of the
    estimate; `labelled`: of the items with a value, `drawn`: of all items of the claim, 0 for inputs like these.

    A whole prediction that explains R^2 gains R^2 (1 - labelled) in all, and a share k of it R^2 (1 - (1 - k)^2).
    """
    gained = 1.0 if labelled <= drawn else (1.0 - labelled) / (1.0 - drawn)
    return 1.0 - math.sqrt(1.0 - gained)


def _width(values: Floats, predicted: Floats, kept: float, units: Integers) -> tuple[float, float, float]:
    """`width_ratio` of values less the share `kept` of what is predicted.

    Residuals of the whole prediction are as small as any slope makes them, so that how well the slope is known hardly
    moves their squares, and the jackknife may take it as given. Residuals of a share are not: their interval, with the
    slope taken as given, held the truth in .76-.90. It follows from that of the whole instead: of the share of squares
    that the whole takes away, 1 - (1 - kept)^2 is gained.
    """
    plain, whole, part = (of - of.mean() for of in (values, values - predicted, values - kept * predicted))
    of_whole = width_ratio(whole, plain, units)
    if kept == 1.0:
        return of_whole
    rest = (1.0 - kept) ** 2
    ratio, low, high = (math.sqrt(rest + (1.0 - rest) * of**2) for of in of_whole)
    found = width_ratio(part, plain, units)[0]
    return found, found * low / ratio, found * high / ratio


def within_reach(metrics: Floats, pool: Floats) -> tuple[Floats, Floats]:
    """Both, with values farther than `_REACH` robust standard deviations from the pool's median moved to there.

    Metrics that are the same on half of the pool, such as those of two values, stay as they are.
    """
    if not pool.shape[0]:
        return metrics, pool
    in_order = np.sort(pool, axis=0)  # where numpy finds three places in a third of the time, sorting included
    low, median, high = np.quantile(in_order, [0.25, 0.5, 0.75], axis=0)
    reach = np.where(high > low, _REACH * (high - low) / _NORMAL_QUARTILES, np.inf)
    return np.clip(metrics, median - reach, median + reach), np.clip(pool, median - reach, median + reach)


def _without(values: Floats, metric_count: int, unused: Unused) -> HeldOut:
    mean = math.fsum(values) / values.size if values.size else math.nan
    nothing = np.zeros(metric_count)
    return HeldOut(mean, values.copy(), nothing, nothing.copy(), 1.0, 1.0, 1.0, unused)


def _folds(values: Floats, metrics: Floats, units: Integers, unit_count: int) -> _Folds:
    """Cross products about the fold's own means: those of all items less those of the unit that is left out."""
    sizes = np.bincount(units, minlength=unit_count).astype(np.float64)
    outer = metrics[:, :, None] * metrics[:, None, :]
    left = sizes.sum() - sizes
    metric_sums, value_sums = _without_unit(metrics, units, unit_count), _without_unit(values, units, unit_count)
    metric_means = metric_sums / left[:, None]
    return _Folds(
        _without_unit(outer, units, unit_count) - metric_sums[:, :, None] * metric_means[:, None, :],
        _without_unit(metrics * values[:, None], units, unit_count) - metric_means * value_sums[:, None],
        _without_unit(values**2, units, unit_count) - value_sums**2 / left,
        left,
    )


def _without_unit(terms: Floats, units: Integers, unit_count: int) -> Floats:
    """Sums (U, ...) of terms (n, ...) over all items but those of each unit."""
    total = terms.sum(axis=0)
    if unit_count == units.size:
        return np.asarray(total - terms)
    sums = np.zeros((unit_count, *terms.shape[1:]))
    np.add.at(sums, units, terms)
    return np.asarray(total - sums)


def _chosen_slopes(folds: _Folds, varies: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Slopes (U, M): in each fold those of the candidate with the smallest criterion, which knows the fold only.

    Then those of the best candidate that is not none.

    The criterion is U log(residual squares / labels) + 2 (df + log choices) U / (U - df - 3), U the fold's units.
    """
    units, metric_count = folds.cross.shape
    fold_units = units - 1.0
    searched = math.log(max(int(varies.sum()), 1))
    own = np.einsum("umm->um", folds.metrics)
    single = np.where(own > 1e-9, folds.cross / np.where(own > 1e-9, own, 1.0), 0.0)
    left = folds.squares[:, None] - single * folds.cross
    criteria = [_criterion(folds.squares, folds.labels, fold_units, 0.0, 0.0) - _CLEARLY]
    candidates = [np.zeros((units, metric_count))]
    best = np.argmin(np.where(varies, left, np.inf), axis=1)
    rows = np.arange(units)
    chosen = np.zeros((units, metric_count))
    chosen[rows, best] = single[rows, best]
    criteria.append(_criterion(left[rows, best], folds.labels, fold_units, 1.0, searched))
    candidates.append(chosen)
    if varies.sum() > 1:
        for penalty in _PENALTIES:
            slopes, squares, freedom = _ridge(folds, penalty)
            criteria.append(_criterion(squares, folds.labels, fold_units, freedom, math.log(len(_PENALTIES))))
            candidates.append(slopes)
    scores, slopes_of = np.array(criteria), np.array(candidates)
    return slopes_of[np.argmin(scores, axis=0), rows], slopes_of[1 + np.argmin(scores[1:], axis=0), rows]


def _ridge(folds: _Folds, penalty: float) -> tuple[Floats, Floats, float]:
    """Slopes (U, M) of all metrics together, their residual squares (U,), and the degrees of freedom they use."""
    metric_count = folds.cross.shape[1]
    weight = penalty * folds.labels[:, None]
    penalised = folds.metrics + weight[:, :, None] * np.eye(metric_count)
    slopes = np.asarray(np.linalg.solve(penalised, folds.cross[:, :, None])[:, :, 0], dtype=np.float64)
    # With (C + weight) b = c the fitted squares b C b are b c - weight b b, so that left over are:
    squares = folds.squares - (slopes * (folds.cross + weight * slopes)).sum(axis=1)
    spectrum = np.maximum(np.linalg.eigvalsh(folds.metrics.mean(axis=0) / folds.labels.mean()), 0.0)
    return slopes, squares, float((spectrum / (spectrum + penalty)).sum())


def _criterion(squares: Floats, labels: Floats, units: float, freedom: float, searched: float) -> Floats:
    room = units - freedom - 3.0
    if room <= 0:
        return np.full(squares.shape, np.inf)
    with np.errstate(divide="ignore"):
        fit = units * np.log(np.maximum(squares, 0.0) / labels)
    return np.asarray(fit + 2.0 * (freedom + searched) * units / room)


def _check(values: Floats, metrics: Floats, pool: Floats, clusters: Integers | None) -> None:
    if metrics.ndim != 2 or pool.ndim != 2 or metrics.shape[0] != values.size or metrics.shape[1] != pool.shape[1]:
        raise UsageError(f"values {values.shape}, metrics {metrics.shape} and pool {pool.shape} do not fit")
    if clusters is not None and clusters.shape != values.shape:
        raise UsageError(f"{values.size} values, but {clusters.size} clusters")
    if pool.shape[0] < values.size:
        raise UsageError(f"{values.size} labelled items do not fit a pool of {pool.shape[0]}")
    infinite = (("metrics", np.isinf(metrics), metrics), ("metrics of the pool", np.isinf(pool), pool))
    for name, bad, numbers in (("values", ~np.isfinite(values), values), *infinite):
        if bad.any():
            raise UsageError(f"{name} must be finite, but one of them is {numbers[bad][0]}")
