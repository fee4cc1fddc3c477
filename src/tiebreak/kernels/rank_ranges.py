"""Places that systems may have: from what is known of pairs to a range of ranks for each system.

A system has no better place than 1 + the number of systems known to be better, and no worse one than the number of
systems less those known to be worse. Where all that is known of pairs is true with chance 1 - alpha, so are all ranges
together.

Source: Mogstad, Romano, Shaikh & Wilhelm (2024), "Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError


def rank_ranges(better: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Best and worst places (K,), the first is 1; better (K, K): whether the row is known to be better than the column.

    Raises:
        UsageError: no square matrix, or two systems of which each is better than the other.
    """
    if better.ndim != 2 or better.shape[0] != better.shape[1]:
        raise UsageError(f"what is known of pairs is a square matrix, not one of shape {better.shape}")
    if (better & better.T).any():
        raise UsageError("two systems cannot each be better than the other")
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
