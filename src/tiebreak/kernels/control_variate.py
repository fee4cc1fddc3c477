"""The metric's help for bounded values, linear form: bet on h - lambda . (g - its mean) instead of h.

h_t is the human value of the t-th item, g_t the values of one or several metrics on the same item (any numbers;
winsorised here), and lambda_t slopes fitted on past items only. What is subtracted has conditional mean zero whatever
the metrics are worth, so that the null mean of h is untouched and a useless, inverted or adversarial metric costs
labels but never validity.

- These N items: g is known on all of them, and the mean that is subtracted is that of the items not yet drawn.
- Inputs like these: the mean over the labelled item and its fresh unlabelled companions (see `companions`). Taking the
  pool's mean as if it were the population's is not valid, and the tests show it.

Slopes: ridge regression on the past with the metrics' covariance S taken from all N items or from reserved ones,
lambda_t = (t S + 3 diag S)^-1 sum of (h - its past mean)(g - its past mean); with one metric this is
cov/Var(g) * t/(t+3). The resulting process is nonincreasing in the null value.
Source: control variates as in Chaganty et al. (2018), inside the betting of `bounded_mean`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.bounded_mean import Shift
from tiebreak.kernels.companions import means_with_companions

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

_WINSOR_SD = 1.6
_LARGEST_SLOPE = 3.0
_RIDGE_LABELS = 3.0
_PRIOR_SQUARES = 2.1
_PRIOR_COUNT = 3.0


@dataclass(frozen=True, slots=True)
class ControlVariate:
    """What `bounded_mean.log_e_path` needs: a shift for each direction, and bet scales from the residual variance.

    `scales` (n,); `slopes` (n, M), per standardised metric, of the direction "a is better".
    """

    shift_for_a: Shift
    shift_for_b: Shift
    scales: Floats
    slopes: Floats


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
    standardised = (scores / unit - center) / np.where(varies, spread, 1.0)
    return np.where(varies, np.clip(standardised, -_WINSOR_SD, _WINSOR_SD), 0.0)


def control_items(values: Floats, drawn: Floats, undrawn: Floats) -> ControlVariate:
    """For a claim about these N items: values (n,) in [-1, 1], metric of the same items `drawn` (n,) or (n, M) in
    order, and of the others `undrawn` (N - n,) or (N - n, M) in any order. Winsorised over all N items here.

    Raises:
        ValueError: a metric value that is not finite, or shapes that do not fit.
    """
    drawn, undrawn = _columns(values, drawn), _columns(None, undrawn)
    count, pool = values.size, values.size + undrawn.shape[0]
    everything = np.concatenate([drawn, undrawn])
    metric = winsorised(everything, everything)
    mean_left = (metric.sum(axis=0) - _before(metric[:count])) / (pool - np.arange(count))[:, None]
    if not pool:
        return _control(values, metric, metric, np.eye(metric.shape[1]), metric, metric, np.empty(0))
    covariance = np.cov(metric.T, bias=True).reshape(metric.shape[1], -1)
    lowest, highest = metric.min(axis=0) - mean_left, metric.max(axis=0) - mean_left
    control = _control(values, metric[:count], mean_left, covariance, lowest, highest, np.full(count, np.inf))
    shrinking = pool / (pool - np.arange(count))
    return ControlVariate(control.shift_for_a, control.shift_for_b, shrinking * control.scales, control.slopes)


def control_inputs(values: Floats, drawn: Floats, pool: Floats, plan: Integers, reserved: Floats) -> ControlVariate:
    """For inputs like these: values (n,) in [-1, 1] and metric `drawn` (n,) or (n, M) in their fixed order, that of the
    unlabelled `pool` (U,) or (U, M) in its fixed order, the plan (n,) of `companions.plan_companions`, and that of
    `reserved` items (R,) or (R, M), which are in neither. Winsorised by the reserve; without one no metric is used.

    Raises:
        ValueError: a metric value that is not finite, shapes that do not fit, a plan that uses more than the pool.
    """
    drawn, pool, reserved = _columns(values, drawn), _columns(None, pool), _columns(None, reserved)
    metric, standard = winsorised(drawn, reserved), winsorised(reserved, reserved)
    means = means_with_companions(metric, winsorised(pool, reserved), plan)
    covariance = standard.T @ standard / max(reserved.shape[0], 1)
    if reserved.shape[0]:
        centred = standard - standard.mean(axis=0)
        covariance = centred.T @ centred / reserved.shape[0]
    # g - mean = k/(k+1) (g - mean of the companions), and both are within the winsor limits.
    spread = (2 * _WINSOR_SD * plan / (plan + 1))[:, None] * np.ones(metric.shape[1])
    return _control(values, metric, means, covariance, -spread, spread, (plan + 1).astype(np.float64))


def _control(
    values: Floats, metric: Floats, mean: Floats, covariance: Floats, lowest: Floats, highest: Floats, sizes: Floats
) -> ControlVariate:
    """`lowest` and `highest` (n, M) bound metric - mean at each draw, given the past; `sizes` (n,) of the sets whose
    mean is subtracted."""
    past = np.arange(values.size, dtype=np.float64)
    safe = np.maximum(past, 1.0)
    sum_h, sum_g = _before(values), _before(metric)
    cross = _before(values[:, None] * metric) - sum_h[:, None] * sum_g / safe[:, None]
    squares_h = _before(values**2) - sum_h**2 / safe
    outer = metric[:, :, None] * metric[:, None, :]
    squares_g = _before(outer) - sum_g[:, :, None] * sum_g[:, None, :] / safe[:, None, None]
    slopes = _slopes(past, cross, covariance)
    explained = 2 * (slopes * cross).sum(axis=1) - np.einsum("ti,tij,tj->t", slopes, squares_g, slopes)
    residual = np.maximum(squares_h - explained, 0.0)
    variance = (residual + _PRIOR_SQUARES) / (past + _PRIOR_COUNT)
    variance += np.einsum("ti,ij,tj->t", slopes, covariance, slopes) / np.maximum(sizes, 1.0) if sizes.size else 0.0
    amount = (slopes * (metric - mean)).sum(axis=1)
    ends = np.stack([slopes * highest, slopes * lowest])
    largest, smallest = ends.max(axis=0).sum(axis=1), ends.min(axis=0).sum(axis=1)
    return ControlVariate(Shift(amount, largest), Shift(-amount, -smallest), 1 / variance, slopes)


def _slopes(past: Floats, cross: Floats, covariance: Floats) -> Floats:
    """Ridge slopes (n, M) before each label, at most 3 per standard deviation in size."""
    own = np.diag(covariance)
    ridge = np.diag(np.where(own > 0, own, 1.0)) * _RIDGE_LABELS
    slopes = np.linalg.solve(past[:, None, None] * covariance + ridge, cross[:, :, None])[:, :, 0]
    return np.clip(slopes, -_LARGEST_SLOPE, _LARGEST_SLOPE)


def _columns(values: Floats | None, metric: Floats) -> Floats:
    columns = metric[:, None] if metric.ndim == 1 else metric
    if values is not None and columns.shape[0] != values.size:
        raise ValueError(f"{values.size} values, but the metric of {columns.shape[0]} labelled items")
    return columns


def _before(terms: Floats) -> Floats:
    """Sum of the terms before each position, along the first axis."""
    return np.cumsum(terms, axis=0) - terms
