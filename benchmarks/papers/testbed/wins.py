"""How well something chooses among candidates whose truth is known: pure functions. A truth is higher for better.

The unit is the group of candidates. Groups share no training, so what is drawn anew, and flipped, is whole groups.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAWS = 10_000
_ALL_FLIPS = 14  # groups: as many sign flips as are tried one by one


def won(truth: Sequence[float], chosen: int) -> bool:
    """Whether no candidate is better than the chosen one."""
    return truth[chosen] >= max(truth)


def regret(truth: Sequence[float], chosen: int) -> float:
    """How much better the best is than the chosen one; 0 or more."""
    return max(truth) - truth[chosen]


def chance_of_winning(truth: Sequence[float]) -> float:
    """Of a pick at random."""
    return sum(one >= max(truth) for one in truth) / len(truth)


def chance_regret(truth: Sequence[float]) -> float:
    """The mean regret of a pick at random."""
    return max(truth) - float(np.mean(truth))


def spread(truth: Sequence[float]) -> float:
    """How much better the best is than the worst."""
    return max(truth) - min(truth)


def interval(values: Sequence[float], seed: int, level: float = 0.95) -> tuple[float, float]:
    """Of the mean over groups (n,): quantiles of the means of groups drawn with replacement (percentile bootstrap)."""
    found = np.asarray(values, dtype=float)
    drawn = np.random.default_rng(seed).integers(found.size, size=(DRAWS, found.size))
    low, high = np.quantile(found[drawn].mean(1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def sign_flip(differences: Sequence[float], seed: int) -> float:
    """The two-sided p-value of differences (n,) within groups, were either sign as likely: all 2^n flips up to 14
    groups, else as many drawn ones with the observed one among them.
    """
    found = np.asarray(differences, dtype=float)
    if found.size <= _ALL_FLIPS:
        signs = 1 - 2 * ((np.arange(2**found.size)[:, None] >> np.arange(found.size)) & 1)
        seen, more = 0, 0
    else:
        signs = np.random.default_rng(seed).choice([-1, 1], size=(DRAWS, found.size))
        seen, more = 1, 1
    bound = abs(found.sum()) - 1e-9 * np.abs(found).sum()
    return float((np.abs(signs @ found) >= bound).sum() + more) / (len(signs) + seen)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for their number (Holm 1979), in the same order."""
    found = np.asarray(p_values, dtype=float)
    order = np.argsort(found, kind="stable")
    adjusted = np.maximum.accumulate(found[order] * np.arange(found.size, 0, -1))
    result = np.empty(found.size)
    result[order] = np.minimum(adjusted, 1.0)
    return [float(one) for one in result]
