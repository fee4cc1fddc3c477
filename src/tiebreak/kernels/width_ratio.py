"""The width of an interval with metrics over that without, and how sure that is.

Measured with `held_out_regression`, of the samples that show a saving (500 each): the interval holds the ratio of the
mean variances in .935-.955 (30 to 100 labels, one metric of rho .4 to .9, or one of .6 beside 15 useless ones), in
.95 and more where the metrics are useless, in .85 where one of rho .5 is found among 16 with 30 labels (two of three
such samples show a saving: those in which it looks large). For inputs like these, with 60 of 100, 150 of 400 and 300
of 3,000 items labelled and a metric of .5 or .8 of the lead behind the labels, in .915-.963 (1,000 samples each).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiebreak.kernels.jackknife import degrees_of_freedom

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

_NOTHING = 1e-20  # squares that are rounding


def width_ratio(residuals: Floats, plain: Floats, units: Integers) -> tuple[float, float, float]:
    """Width with metrics over width without, and an interval for it, about 95 %; 0 to 1 where one unit is all.

    `residuals`, `plain` (n,): values with mean zero, with metrics and without, of items in `units` (n,) numbered from
    0; at least two units, and `plain` not all zero. The interval is a jackknife over units on the log scale, with a t
    of as many degrees of freedom as the jackknife's own variance can be known by: 2 U/(kurtosis - 1), at least 4, at
    most U - 1. (With the delta method and U - 1 degrees few units that weigh much make it too short.)
    """
    unit_count = int(units.max()) + 1
    with_, without = (np.bincount(units, weights=of, minlength=unit_count) ** 2 for of in (residuals, plain))
    all_with, all_without = float(with_.sum()), float(without.sum())
    if not all_with or (with_ == all_with).any() or (without == all_without).any():
        return math.sqrt(all_with / all_without), 0.0, max(1.0, math.sqrt(all_with / all_without))
    left_out = np.log((all_with - with_) / (all_without - without)) / 2
    moved = left_out - left_out.mean()
    squares = float(moved @ moved)
    ratio = math.sqrt(all_with / all_without)
    if squares <= _NOTHING:
        return ratio, ratio, ratio
    reach = float(stdtrit(degrees_of_freedom(moved), 0.975)) * math.sqrt(squares * (unit_count - 1) / unit_count)
    return ratio, ratio * math.exp(-reach), ratio * math.exp(reach)
