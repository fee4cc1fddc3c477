"""Cohen's kappa of two raters whose items come in clusters, with an interval that knows the end of its scale.

kappa = (p_o - p_e) / (1 - p_e), p_o the share of items on which both give the same answer and p_e the share that two
raters with these answers would reach without looking (Cohen 1960). Its error is the jackknife's over clusters, which
goes to 0 where nearly all answers agree. So the interval is that of the share p_o with kappa's error in place of its
own (`cluster_share`), carried over to kappa's scale by p_e as it was found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.cluster_share import wilson
from tiebreak.kernels.jackknife import jackknife

Floats = NDArray[np.float64]

_ALL = 1e-12  # short of 1: rounding


@dataclass(frozen=True, slots=True)
class Kappa:
    """`low` and `high` are None where one of the two always gives the same answer, so that kappa is 0 whatever the
    other says, or where clusters do not tell: there is one, or one has all answers of a kind."""

    estimate: float
    low: float | None
    high: float | None


def cluster_kappa(tables: Floats, alpha: float, seen: float = 0.0) -> Kappa:
    """Of `tables` (G, C, C): per cluster, how many items have each answer of the one and of the other. `seen`: the
    share of the pool that these are, 0 for inputs like these.

    Raises:
        UnidentifiedError: both always give the same one answer.
    """
    count, total = tables.shape[1], tables.sum(axis=0)
    estimate = float(_kappa(total[None])[0])
    if math.isnan(estimate):
        raise UnidentifiedError("kappa needs two answers in use: by chance both would always agree")
    if seen >= 1:
        return Kappa(estimate, estimate, estimate)
    if (total.sum(axis=0) > 0).sum() == 1 or (total.sum(axis=1) > 0).sum() == 1:
        return Kappa(estimate, None, None)
    try:
        found = jackknife(tables.reshape(-1, count * count), lambda sums: _kappa(sums.reshape(-1, count, count)))
    except UnidentifiedError:
        return Kappa(estimate, None, None)
    agreeing, by_chance = (float(of[0]) for of in _shares(total[None]))
    error, sizes = found.error * (1 - by_chance), tables.sum(axis=(1, 2))
    low, high = wilson(agreeing, error, sizes, alpha, seen)
    return Kappa(estimate, *((end - by_chance) / (1 - by_chance) for end in (low, high)))


def _shares(tables: Floats) -> tuple[Floats, Floats]:
    """Shares (m,) of tables (m, C, C) on the diagonal, and there by chance."""
    sizes = tables.sum(axis=(1, 2))
    sizes = np.where(sizes > 0, sizes, np.nan)
    agreeing = np.einsum("mcc->m", tables) / sizes
    by_chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / sizes**2
    return agreeing, by_chance


def _kappa(tables: Floats) -> Floats:
    agreeing, by_chance = _shares(tables)
    exists = by_chance < 1 - _ALL
    return np.where(exists, (agreeing - by_chance) / np.where(exists, 1 - by_chance, 1.0), np.nan)
