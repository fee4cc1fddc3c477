"""How many nulls a family's procedure rejects, in many campaigns at once; the thresholds fall with that number.

The same procedures as in `kernels/multiplicity.py`, which a test compares with these, on running maxima of log E.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MovingThresholds:
    """`log_e` (M + 1,): what log E faces once so many of M nulls are rejected, never rising. `step_up`: the last of the
    ordered nulls that reaches its own threshold takes all before it along (Benjamini-Yekutieli); else Holm.
    """

    log_e: Floats
    step_up: bool

    def rejected(self, sup_log_e: Floats, so_far: Counts) -> Counts:
        """Numbers of rejected nulls (runs,), from running maxima (runs, ...) of M nulls and the numbers before, at the
        thresholds of those: Holm's procedure rejects all that it can once this repeats itself.
        """
        evidence = sup_log_e.reshape(len(so_far), -1)
        if not self.step_up:
            return np.asarray((evidence >= self.log_e[so_far, None]).sum(axis=1))
        strongest_first = -np.sort(-evidence, axis=1)
        reached = strongest_first >= self.log_e[1:]
        return np.asarray((reached * np.arange(1, self.log_e.size)).max(axis=1))

    def rejected_in_all(self, sup_log_e: Floats, so_far: Counts) -> Counts:
        """As `rejected`, until it repeats itself."""
        while ((more := self.rejected(sup_log_e, so_far)) > so_far).any():
            so_far = more
        return so_far


def holm(nulls: int, alpha: float) -> MovingThresholds:
    """E >= (M - j)/alpha, j nulls rejected already."""
    left = np.maximum(nulls - np.arange(nulls + 1), 1)
    return MovingThresholds(np.log(left / alpha), step_up=False)


def benjamini_yekutieli(nulls: int, alpha: float) -> MovingThresholds:
    """E >= M (1 + 1/2 + ... + 1/M)/(alpha k), k nulls rejected; with none, what a first one needs."""
    counts = np.arange(nulls + 1)
    first = math.log(nulls * float(np.sum(1.0 / counts[1:])) / alpha)
    return MovingThresholds(first - np.log(np.maximum(counts, 1)), step_up=True)
