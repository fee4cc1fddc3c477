"""Confidence sequence from an e-process that need not be monotone in the null value: on a fixed grid.

The null "difference <= m" contains every true difference up to m. With the grid fixed beforehand, a difference between
two grid values counts as rejected when the grid value above it is: each true difference is tested by one process, at
one level. (Taking everything below the largest rejected value would test each difference many times.) The interval is
therefore up to one step wider than the search of `confidence_sequence`, which needs a monotone process.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SupLogEAt = Callable[[Floats], Floats]
"""From null values (J,) to the running maximum (J,) of log E against "difference <= m" for each."""

STEPS = 200


def lower_limit(sup_log_e: SupLogEAt, log_threshold: float, steps: int = STEPS) -> float:
    """The largest grid value below all grid values that are not rejected; -1 where the lowest one is not.

    The grid has `steps` equal steps from -1 to 1. 1 is never rejected: no difference exceeds it.

    Raises:
        ValueError: fewer than two steps.
    """
    if steps < 2:
        raise ValueError(f"a grid needs at least two steps, not {steps}")
    grid = np.linspace(-1.0, 1.0, steps + 1)
    rejected = sup_log_e(grid[1:-1]) >= log_threshold
    kept = np.flatnonzero(~rejected)
    return float(grid[kept[0]] if kept.size else grid[-2])


def upper_limit(sup_log_e_negated: SupLogEAt, log_threshold: float, steps: int = STEPS) -> float:
    """The mirror image: `sup_log_e_negated` is the process for the other side."""
    return -lower_limit(sup_log_e_negated, log_threshold, steps)
