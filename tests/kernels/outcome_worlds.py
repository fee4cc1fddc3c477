"""Every outcome of a small comparison with its exact probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

Floats = NDArray[np.float64]


def all_outcomes(n: int) -> tuple[Floats, Floats, Floats]:
    """Wins, ties and losses of every way that n items can fall."""
    wins, losses = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0), indexing="ij")
    possible = wins + losses <= n
    wins, losses = wins[possible], losses[possible]
    return wins, n - wins - losses, losses


def probabilities(wins: Floats, ties: Floats, losses: Floats, untied: float, difference: float) -> Floats:
    """Multinomial, for a share of untied items and a difference between wins and losses."""
    p = (untied + difference) / 2, 1 - untied, (untied - difference) / 2
    log_ways = gammaln(wins + ties + losses + 1) - gammaln(wins + 1) - gammaln(ties + 1) - gammaln(losses + 1)
    with np.errstate(divide="ignore"):
        log_p = sum(xlogy(count, max(share, 0.0)) for count, share in zip((wins, ties, losses), p, strict=True))
    return np.asarray(np.exp(log_ways + log_p))


def draw_probabilities(wins: Floats, ties: Floats, losses: Floats, pool: tuple[float, float, float]) -> Floats:
    """Multivariate hypergeometric, for the wins, ties and losses that a pool holds."""
    drawn = wins + ties + losses
    log_p = -_log_choose(sum(pool), drawn)
    for count, held in zip((wins, ties, losses), pool, strict=True):
        log_p = log_p + _log_choose(held, count)
    return np.asarray(np.exp(log_p))


def _log_choose(n: float, k: Floats) -> Floats:
    rest = np.where(k <= n, n - k, 0.0)
    return np.where(k <= n, gammaln(n + 1) - gammaln(k + 1) - gammaln(rest + 1), -np.inf)
