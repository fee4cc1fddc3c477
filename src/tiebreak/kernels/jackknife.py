"""How far an estimate may be off, from what it is without each unit.

The jackknife's standard error, beside a t distribution of as many degrees of freedom as that error itself can be known
by: 2 U/(kurtosis - 1) for U units, at least 4, at most U - 1. With U - 1 degrees the interval is too short where few
units weigh much. Ratios of variances go on the log scale, where they are nearly symmetric.

Measured: `width_ratio`, `rating_variance`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Floats = NDArray[np.float64]

_SIDE = 0.975
_FEWEST_DEGREES = 4.0
_NOTHING = 1e-20  # squares that are rounding


def jackknife_reach(left_out: Floats) -> float:
    """How far a 95 % interval reaches to either side; 0 where no unit changes the estimate.

    `left_out` (U,), at least two: the estimate without each unit, on a scale where it is about symmetric.
    """
    units = left_out.size
    moved = left_out - left_out.mean()
    squares = float(moved @ moved)
    if squares <= _NOTHING:
        return 0.0
    kurtosis = units * float((moved**4).sum()) / squares**2
    freedom = min(max(2 * units / max(kurtosis - 1, _NOTHING), _FEWEST_DEGREES), units - 1.0)
    return float(stdtrit(freedom, _SIDE)) * math.sqrt(squares * (units - 1) / units)


def log_interval(estimate: float, left_out: Floats, shift: float) -> tuple[float, float] | None:
    """The 95 % interval of `estimate`, on the scale log(estimate + shift); None where that does not exist.

    `left_out` (U,): the estimate without each unit. `shift`: what keeps the sum positive, so that estimates near 0 or
    below it have an interval too; the low end is above -shift.
    """
    moved = left_out + shift
    if left_out.size < 2 or not estimate + shift > 0 or not (np.isfinite(moved) & (moved > 0)).all():
        return None
    factor = math.exp(jackknife_reach(np.log(moved)))
    return (estimate + shift) / factor - shift, (estimate + shift) * factor - shift


def correlation_interval(estimate: float, left_out: Floats) -> tuple[float, float] | None:
    """The 95 % interval of a correlation, on Fisher's scale; None where that does not exist, as for 1 or -1.

    `left_out` (U,): the correlation without each unit.
    """
    if left_out.size < 2 or not (np.abs(np.append(left_out, estimate)) < 1).all():
        return None
    reach, middle = jackknife_reach(np.arctanh(left_out)), math.atanh(estimate)
    return math.tanh(middle - reach), math.tanh(middle + reach)
