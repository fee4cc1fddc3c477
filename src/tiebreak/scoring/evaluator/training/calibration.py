"""When an answer is a tie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_PROBABLE = -1.0
"""No calibration: the outcome with the highest probability."""
NEVER = 1.01
"""No tie, whatever its probability."""
_ROUNDING = 1e-5
"""Probabilities this near are equal: one text read in another batch differs from itself by less."""


def tie_bound(found: Floats, ties_told: float) -> float:
    """The probability of a tie from which on the answer is a tie, so that as many ties are answered as people told.

    `found` (n, 3): probabilities on held-out pairs; `ties_told`: the share of ties among them. `NEVER` where nobody
    told any; `MOST_PROBABLE` without pairs.
    """
    if not found.size:
        return MOST_PROBABLE
    ties = np.sort(found[:, 1])[::-1]
    count = round(ties_told * ties.size)
    if count == 0:
        return NEVER
    return float(ties[0] if count == 1 else (ties[count - 1] + ties[min(count, ties.size - 1)]) / 2)


def answers(found: Floats, bound: float) -> NDArray[np.int8]:
    """1 where the first is better, -1 where the second is, 0 for a tie (n,).

    Texts between which nothing tells are a tie by any bound: their order may not decide.
    """
    equal = np.abs(found[:, 0] - found[:, 2]) <= _ROUNDING
    tie = equal | (found.argmax(1) == 1 if bound == MOST_PROBABLE else found[:, 1] >= bound)
    return np.where(tie, 0, np.where(found[:, 0] > found[:, 2], 1, -1)).astype(np.int8)


def flips(forth: Floats, back: Floats, bound: float) -> NDArray[np.bool_]:
    """Whether the answers (n,) to texts in one order and in the other, both as the first order sees them, differ."""
    return answers(forth, bound) != answers(back, bound)
