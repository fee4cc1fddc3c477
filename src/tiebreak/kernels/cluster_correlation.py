"""The correlation of two figures per item where items come in clusters, with an interval.

Pearson's correlation of all items together. Its error is the jackknife's over clusters on Fisher's scale, atanh r,
where it hardly depends on r (Fisher 1921); the ends of the interval come back by tanh.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.jackknife import jackknife

Floats = NDArray[np.float64]

_NO_SPREAD = 1e-12
_PERFECT = 1 - 1e-12


@dataclass(frozen=True, slots=True)
class Correlation:
    """`low` and `high` are None where the correlation is 1 or -1, where the scale of its error ends, or where clusters
    do not tell: there is one, or it has all that varies."""

    estimate: float
    low: float | None
    high: float | None


def cluster_correlation(
    first: Floats, second: Floats, clusters: NDArray[np.intp], alpha: float, seen: float = 0.0
) -> Correlation:
    """Of `first` (n,) and `second` (n,), with a whole number for the cluster of each item. `seen`: the share in [0, 1]
    of the pool that these are, 0 for inputs like these: the error shrinks by sqrt(1 - seen).

    Raises:
        UnidentifiedError: one of both does not vary.
    """
    _, units = np.unique(clusters, return_inverse=True)
    moments = (np.ones(first.size), first, second, first**2, second**2, first * second)
    sums = np.column_stack([np.bincount(units, weights=of) for of in moments]).astype(np.float64)
    estimate = float(_correlation(sums.sum(axis=0)[None])[0])
    if not math.isfinite(estimate):
        raise UnidentifiedError("a figure that does not vary correlates with nothing")
    if seen >= 1:
        return Correlation(estimate, estimate, estimate)
    if abs(estimate) > _PERFECT:
        return Correlation(math.copysign(1.0, estimate), None, None)
    try:
        found = jackknife(sums, lambda of: np.arctanh(np.clip(_correlation(of), -_PERFECT, _PERFECT)))
    except UnidentifiedError:
        return Correlation(estimate, None, None)
    reach = found.reach(alpha) * math.sqrt(1 - seen)
    return Correlation(estimate, math.tanh(found.estimate - reach), math.tanh(found.estimate + reach))


def _correlation(sums: Floats) -> Floats:
    """Of sums (m, 6): number, both, their squares, and their product."""
    count, one, two, one_squared, two_squared, product = sums.T
    count = np.where(count > 0, count, np.nan)
    spread = (one_squared - one**2 / count) * (two_squared - two**2 / count)
    exists = spread > _NO_SPREAD * count**2
    return np.where(exists, (product - one * two / count) / np.sqrt(np.where(exists, spread, 1.0)), np.nan)
