"""The error of any smooth figure of sums, by leaving out one unit at a time.

A figure f(S) of sums S over G independent units; f_(g) is f of the sums without unit g. Its squared error is
(G - 1)/G times the sum of (f_(g) - their mean)^2 (Tukey 1958; Efron & Tibshirani 1993, ch. 11). No draws: the same
labels give the same error, in whatever order they come.

The t distribution beside it has as many degrees of freedom as that sum of squares can be known by, 2 G/(kurtosis - 1)
of the moves, at least 4 and at most G - 1: few units that weigh much know it badly. Ratios of variances go on the log
scale, and correlations on Fisher's, where they are nearly symmetric.

Measured: `width_ratio`, `rating_variance`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiebreak.errors import UnidentifiedError

Floats = NDArray[np.float64]
Figure = Callable[[Floats], Floats]
"""From sums (..., K) to the figure (...), NaN where it does not exist."""

_FEWEST_DEGREES: Final = 4.0
_NOTHING: Final = 1e-20  # squares that are rounding


@dataclass(frozen=True, slots=True)
class Jackknife:
    """A figure with its standard `error` and the `freedom` of a t for it; an error of 0 says that no unit moves it."""

    estimate: float
    error: float
    freedom: float

    def reach(self, alpha: float) -> float:
        """Half the width of its interval at level 1 - `alpha`."""
        return float(stdtrit(self.freedom, 1 - alpha / 2)) * self.error


def jackknife(sums: Floats, figure: Figure) -> Jackknife:
    """Of `sums` (G, K) by unit.

    Raises:
        UnidentifiedError: fewer than two units, or a figure that does not exist, or not without one of them.
    """
    units = sums.shape[0]
    if units < 2:
        raise UnidentifiedError(f"an error needs two independent units or more, but there are {units}")
    total = sums.sum(axis=0)
    estimate = float(figure(total[None])[0])
    left_out = figure(total - sums)
    if not (math.isfinite(estimate) and np.isfinite(left_out).all()):
        raise UnidentifiedError("the figure does not exist without some of the units")
    return _of(estimate, left_out)


def jackknife_reach(left_out: Floats) -> float:
    """How far a 95 % interval reaches to either side; 0 where no unit changes the estimate.

    `left_out` (G,), at least two: the estimate without each unit, on a scale where it is about symmetric.
    """
    return _of(0.0, left_out).reach(0.05)


def log_interval(estimate: float, left_out: Floats, shift: float) -> tuple[float, float] | None:
    """The 95 % interval of `estimate`, on the scale log(estimate + shift); None where that does not exist.

    `left_out` (G,): the estimate without each unit. `shift`: what keeps the sum positive, so that estimates near 0 or
    below it have an interval too; the low end is above -shift.
    """
    moved = left_out + shift
    if left_out.size < 2 or not estimate + shift > 0 or not (np.isfinite(moved) & (moved > 0)).all():
        return None
    factor = math.exp(jackknife_reach(np.log(moved)))
    return (estimate + shift) / factor - shift, (estimate + shift) * factor - shift


def correlation_interval(estimate: float, left_out: Floats) -> tuple[float, float] | None:
    """The 95 % interval of a correlation, on Fisher's scale; None where that does not exist, as for 1 or -1.

    `left_out` (G,): the correlation without each unit.
    """
    if left_out.size < 2 or not (np.abs(np.append(left_out, estimate)) < 1).all():
        return None
    reach, middle = jackknife_reach(np.arctanh(left_out)), math.atanh(estimate)
    return math.tanh(middle - reach), math.tanh(middle + reach)


def _of(estimate: float, left_out: Floats) -> Jackknife:
    units = left_out.size
    moved = left_out - left_out.mean()
    squares = float(moved @ moved)
    if squares <= _NOTHING:
        return Jackknife(estimate, 0.0, units - 1.0)
    kurtosis = units * float((moved**4).sum()) / squares**2
    freedom = min(max(2 * units / max(kurtosis - 1, _NOTHING), _FEWEST_DEGREES), units - 1.0)
    return Jackknife(estimate, math.sqrt(squares * (units - 1) / units), freedom)
