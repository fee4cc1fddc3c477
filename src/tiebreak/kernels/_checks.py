"""Checks of arguments that several kernels share; each names the argument, the value and what is allowed."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError


def open_unit(name: str, value: float) -> float:
    """`value` as a float if it lies strictly between 0 and 1; raises `UsageError` otherwise."""
    number = float(value)
    if not (math.isfinite(number) and 0.0 < number < 1.0):
        raise UsageError(f"{name} must lie strictly between 0 and 1, but it is {value}")
    return number


def counts(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """`values` as floats if they are whole numbers >= 0; raises `UsageError` with the first that is not."""
    array = np.asarray(values, dtype=np.float64)
    bad = ~(np.isfinite(array) & (array >= 0.0) & (array == np.floor(array)))
    if bad.any():
        raise UsageError(f"{name} must be whole numbers >= 0, but one of them is {array[bad].flat[0]}")
    return array
