"""Exact posteriors of the metric-error model by summing over what cannot be seen; shares nothing with the kernel.

Were the human class of every item known, p and the columns of mu would have Dirichlet posteriors. Of the metric-only
items it is not known, but only its counts matter: z_kc of the m_k items that the metric put in class k would get
the human label c. The posterior is the mixture of those Dirichlet posteriors over all tables z with row sums m,
weighted by (with B the multivariate Beta function)

    prod_k m_k!/prod_c z_kc!  *  prod_c B(n_.c + z_.c + 1)  *  B(n_c + h_c + z_c + 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import betainc, gammaln

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExactPosterior:
    """Of the sum; `difference_low` and `difference_high` (95%) only for two classes, else NaN."""

    theta: float
    mean_p: Floats
    difference_low: float = float("nan")
    difference_high: float = float("nan")


def two_classes(paired: ArrayLike, metric_only: ArrayLike, human_only: ArrayLike) -> ExactPosterior:
    """Forced choice: (m_a + 1)(m_b + 1) terms, a few seconds for 10,000 metric labels.

    The Beta posterior of p_a depends only on how many metric-only items would be human wins, z_aa + z_ba.
    """
    n, m, h = (np.asarray(counts, dtype=np.float64) for counts in (paired, metric_only, human_only))
    for_a, for_b = int(m[0]), int(m[1])
    total = for_a + for_b
    log_mass = np.full(total + 1, -np.inf)  # by the number of human wins among the metric-only items
    from_b = np.arange(for_b + 1.0)
    for from_a in range(for_a + 1):
        log_terms = (
            _log_binomial(for_a, from_a)
            + _log_binomial(for_b, from_b)
            + _log_beta(n[0, 0] + from_a + 1, n[1, 0] + from_b + 1)
            + _log_beta(n[0, 1] + for_a - from_a + 1, n[1, 1] + for_b - from_b + 1)
        )
        reached = slice(from_a, from_a + for_b + 1)
        log_mass[reached] = np.logaddexp(log_mass[reached], log_terms)
    wins = n[:, 0].sum() + h[0] + 1 + np.arange(total + 1.0)
    losses = n[:, 1].sum() + h[1] + 1 + total - np.arange(total + 1.0)
    log_mass += _log_beta(wins, losses)
    mass = np.exp(log_mass - log_mass.max())
    mass /= mass.sum()
    mean = float(mass @ (wins / (wins + losses)))

    def excess(share: float, level: float) -> float:
        return float(mass @ betainc(wins, losses, share)) - level

    low, high = (2 * float(brentq(excess, 0, 1, args=(level,))) - 1 for level in (0.025, 0.975))
    return ExactPosterior(float(mass @ betainc(losses, wins, 0.5)), np.array([mean, 1 - mean]), low, high)


def three_classes(paired: ArrayLike, metric_only: ArrayLike, human_only: ArrayLike) -> ExactPosterior:
    """Win, tie, loss: prod_k (m_k + 1)(m_k + 2)/2 terms, so for some twenty metric-only items at most."""
    n, m, h = (np.asarray(counts, dtype=np.float64) for counts in (paired, metric_only, human_only))
    rows = [_splits(int(count)) for count in m]
    first, second, third = (row[index.ravel()] for row, index in zip(rows, _all_indices(rows), strict=True))
    z = np.stack([first, second, third], axis=1)  # (terms, metric class, human class)
    human = n.sum(axis=0) + h + 1 + z.sum(axis=1)
    log_mass = -gammaln(z + 1).sum(axis=(1, 2)) + gammaln(human).sum(axis=1)
    columns = n + 1 + z
    log_mass += gammaln(columns).sum(axis=(1, 2)) - gammaln(columns.sum(axis=1)).sum(axis=1)
    mass = np.exp(log_mass - log_mass.max())
    mass /= mass.sum()
    theta = float(mass @ betainc(human[:, 2], human[:, 0], 0.5))
    return ExactPosterior(theta, mass @ (human / human.sum(axis=1, keepdims=True)))


def _splits(count: int) -> Floats:
    """All ways (ways, 3) to put `count` items into three classes."""
    ways = [(i, j, count - i - j) for i, j in product(range(count + 1), repeat=2) if i + j <= count]
    return np.array(ways, dtype=np.float64)


def _all_indices(rows: list[Floats]) -> list[NDArray[np.intp]]:
    return list(np.meshgrid(*(np.arange(len(row)) for row in rows), indexing="ij"))


def _log_binomial(total: int, taken: Floats | int) -> Floats:
    return np.asarray(gammaln(total + 1) - gammaln(np.add(taken, 1)) - gammaln(total - np.asarray(taken) + 1))


def _log_beta(first: Floats, second: Floats) -> Floats:
    return np.asarray(gammaln(first) + gammaln(second) - gammaln(first + second))
