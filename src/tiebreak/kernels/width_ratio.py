"""The width of an interval with metrics over that without, and how sure that is."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


def width_ratio(residuals: Floats, plain: Floats, units: Integers) -> tuple[float, float, float]:
    """Width with over width without, and its 95 % interval by the delta method on the log scale, t with U - 1."""
    unit_count = int(units.max()) + 1
    with_, without = (np.bincount(units, weights=of, minlength=unit_count) ** 2 for of in (residuals, plain))
    ratio = float(with_.sum() / without.sum())
    if not ratio:
        return 0.0, 0.0, 0.0
    influence = with_ / with_.sum() - without / without.sum()
    error = math.sqrt(float(influence @ influence) * unit_count / (unit_count - 1))
    reach = float(stdtrit(unit_count - 1, 0.975)) * error / 2
    return math.sqrt(ratio), math.sqrt(ratio) * math.exp(-reach), math.sqrt(ratio) * math.exp(reach)
