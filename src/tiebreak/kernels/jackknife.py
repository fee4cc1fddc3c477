"""The error of any smooth figure of sums, by leaving out one unit at a time.

A figure f(S) of sums S over G independent units; f_(g) is f of the sums without unit g. Its squared error is
(G - 1)/G times the sum of (f_(g) - their mean)^2 (Tukey 1958; Efron & Tibshirani 1993, ch. 11). No draws: the same
labels give the same error, in whatever order they come.

Degrees of freedom are as many as that sum of squares can be known by, 2 G/(kurtosis - 1) of the moves, at least 4
and at most G - 1: few units that weigh much know it badly.
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
    moved = left_out - left_out.mean()
    squares = float(moved @ moved)
    if squares <= _NOTHING:
        return Jackknife(estimate, 0.0, units - 1.0)
    return Jackknife(estimate, math.sqrt(squares * (units - 1) / units), degrees_of_freedom(moved))


def degrees_of_freedom(moved: Floats) -> float:
    """Those by which the sum of squares of moves (G,), not all 0, is known."""
    units = moved.size
    kurtosis = units * float((moved**4).sum()) / float(moved @ moved) ** 2
    return min(max(2 * units / max(kurtosis - 1, _NOTHING), _FEWEST_DEGREES), units - 1.0)
