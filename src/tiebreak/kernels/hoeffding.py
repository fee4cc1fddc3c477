"""The Hoeffding rule of dynamic-human-evaluation (Thorleiksdóttir et al. 2022, 3.2), for reproduction.

After n values in [0, 1] with mean m it decides where |m - 1/2| > t, t = sqrt(-ln(d) / (2n)). `1 - d` is
printed in the paper as the probability of the decision being right. It is not: d bounds the error of *one
side* at *one* n that was fixed beforehand, whereas the rule looks after every value and at both sides. With
two equal systems and at most 500 values the first crossing decides wrongly 18% of the time at d = 0.05 and
3.6% at d = 0.01, and more the longer it may run. For decisions whose error rate holds under repeated looks
use the anytime-valid methods.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks


@dataclass(frozen=True, slots=True)
class HoeffdingDecision:
    """Outcome of the rule on one sequence.

    `direction`: 1 (a preferred), -1 (b preferred), 0 (undecided). `stopped_at`: the 1-based number of
    values at the crossing; `mean_at_stop` in [0, 1] and `threshold_at_stop` (t) belong to it; all None when
    undecided.
    """

    direction: int
    stopped_at: int | None
    mean_at_stop: float | None
    threshold_at_stop: float | None


def hoeffding_threshold(n: ArrayLike, d: float) -> NDArray[np.float64]:
    """t = sqrt(-ln(d) / (2n)), the bound on the distance of the mean of `n` values from 1/2; shape of `n`.

    n: numbers >= 1; d in (0, 1). Raises `UsageError` otherwise. It does not control the error under repeated
    looks.
    """
    level = _checks.open_unit("d", d)
    count = np.asarray(n, dtype=np.float64)
    if not (np.isfinite(count) & (count >= 1.0)).all():
        raise UsageError("the number of values must be at least 1 for a Hoeffding bound")
    return np.asarray(np.sqrt(-math.log(level) / (2.0 * count)))


def first_crossing(values: ArrayLike, d: float) -> HoeffdingDecision:
    """The rule as the paper's text describes it: stop at the first n with |running mean - 1/2| > t.

    Strict inequality, both sides, checked from n = 1. values: shape (n,), in the order of labelling, 1 for
    a, 0 for b, in between for ties or shares of annotators. An empty sequence is undecided. Raises
    `UsageError` for a value outside [0, 1] or d outside (0, 1).

    It is a stopping rule (it never looks ahead), but it does **not** control the error at d under repeated
    looks.
    """
    mean, threshold, side = _paths(values, d)
    beyond = np.flatnonzero(side)
    return _decision(mean, threshold, side, int(beyond[0]) if beyond.size else None)


def last_crossing(values: ArrayLike, d: float) -> HoeffdingDecision:
    """The rule as the authors' code applies it, in retrospect: the last crossing that holds to the end.

    Over the whole sequence, the last n at which the running mean moves from not beyond the bound to beyond
    it (or from beyond one side to beyond the other); undecided unless the mean is beyond the bound at the
    end. It **looks ahead**: whether a crossing is the last one is known only when all labels are in, so
    this is no stopping rule and saves no label. It is here to reproduce the paper's Tables 3, 6 and 7
    (whose averages drop undecided runs), and it does not control the error at d either. Arguments and
    errors as in `first_crossing`.
    """
    mean, threshold, side = _paths(values, d)
    if side.size == 0 or side[-1] == 0:
        return _decision(mean, threshold, side, None)
    elsewhere = np.flatnonzero(side != side[-1])
    return _decision(mean, threshold, side, int(elsewhere[-1]) + 1 if elsewhere.size else 0)


def _paths(values: ArrayLike, d: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Running mean, bound, and the side of the bound (1, -1, or 0: not beyond) after each value."""
    level = _checks.open_unit("d", d)
    sequence = np.asarray(values, dtype=np.float64)
    if sequence.ndim != 1:
        raise UsageError(f"the values must be one sequence, but they have {sequence.ndim} dimensions")
    outside = ~((sequence >= 0.0) & (sequence <= 1.0))
    if outside.any():
        place = int(np.flatnonzero(outside)[0])
        raise UsageError(f"value {place + 1} is {sequence[place]}; the Hoeffding rule needs values in [0, 1]")
    n = np.arange(1, sequence.size + 1, dtype=np.float64)
    mean = np.cumsum(sequence) / n
    threshold = hoeffding_threshold(n, level)
    # mean - t > 1/2 rather than |mean - 1/2| > t: the authors' form, so that rounding falls the same way.
    side = (mean - threshold > 0.5).astype(np.int64) - (mean + threshold < 0.5).astype(np.int64)
    return mean, threshold, side


def _decision(
    mean: NDArray[np.float64],
    threshold: NDArray[np.float64],
    side: NDArray[np.int64],
    index: int | None,
) -> HoeffdingDecision:
    if index is None:
        return HoeffdingDecision(0, None, None, None)
    return HoeffdingDecision(int(side[index]), index + 1, float(mean[index]), float(threshold[index]))
