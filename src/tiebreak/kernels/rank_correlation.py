"""Pearson's and Spearman's correlation with p-values, as tables of papers have them.

The p-value is two-sided, of Student's t with n - 2 degrees of freedom: for Pearson's exact where both are normal and
independent; for Spearman's an approximation, which is not given for fewer than ten points. Both take the points for
independent, which several outputs for one item are not: intervals by item are those of `data_efficiency`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

Floats = NDArray[np.float64]

_FEWEST = 3  # points
_FEWEST_RANKED = 10  # points, for a p-value of ranks


@dataclass(frozen=True, slots=True)
class PaperCorrelations:
    """Of so many `points`; None with fewer than three of them, or where one side is constant. `spearman_p`: from ten
    points on.
    """

    points: int
    spearman: float | None = None
    spearman_p: float | None = None
    pearson: float | None = None
    pearson_p: float | None = None


def paper_correlations(first: Floats, second: Floats) -> PaperCorrelations:
    """Of two rows (n,) of finite values."""
    if first.size < _FEWEST or not np.ptp(first) or not np.ptp(second):
        return PaperCorrelations(first.size)
    spearman, pearson = _correlation(ranks(first), ranks(second)), _correlation(first, second)
    ranked_p = _p_value(spearman, first.size) if first.size >= _FEWEST_RANKED else None
    return PaperCorrelations(first.size, spearman, ranked_p, pearson, _p_value(pearson, first.size))


def ranks(values: Floats) -> Floats:
    """Ranks (n,) from 1; equal values share their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place])


def _correlation(first: Floats, second: Floats) -> float:
    return float(np.clip(np.corrcoef(first, second)[0, 1], -1.0, 1.0))


def _p_value(correlation: float, points: int) -> float:
    freedom = points - 2
    left_over = 1 - correlation**2
    if left_over <= 0:
        return 0.0
    return float(2 * stdtr(freedom, -abs(correlation) * np.sqrt(freedom / left_over)))
