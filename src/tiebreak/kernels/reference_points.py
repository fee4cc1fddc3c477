"""Points of single samples against common references: 3 for a win, 1 for a draw, 0 for a loss (Zhou & Xu 2020).

The paper takes 50 references, drawn from machine-generated samples of the same task, and the points as an absolute
score of a sample, beside its rating in a tournament in which every sample is a player.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError

WIN: Final = 3
DRAW: Final = 1


def reference_points(outcomes: ArrayLike) -> NDArray[np.int64]:
    """Points (n,) of n samples; outcomes (n, R): 1 where the sample beat the reference, 0 a draw, -1 where it lost.

    Raises:
        UsageError: no reference, or an outcome other than these.
    """
    given = np.asarray(outcomes)
    if given.ndim != 2 or not given.shape[1]:
        raise UsageError(f"outcomes are a row per sample and a column per reference, not of shape {given.shape}")
    if not np.isin(given, (-1, 0, 1)).all():
        raise UsageError(f"an outcome is 1, 0 or -1, but one is {given[~np.isin(given, (-1, 0, 1))][0]}")
    return np.asarray(WIN * (given == 1).sum(axis=1) + DRAW * (given == 0).sum(axis=1), dtype=np.int64)
