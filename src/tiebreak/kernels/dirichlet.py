"""Bayesian comparison from human counts alone: a uniform Dirichlet prior on (win, tie, loss).

The human-only case of metric-error-correction. With posterior Dir(wins + 1, ties + 1, losses + 1) the share
of untied items s = 1 - p_tie ~ Beta(wins + losses + 2, ties + 1) is independent of the share of wins among
them, q ~ Beta(wins + 1, losses + 1); hence theta = P(p_a > p_b) = P(q > 1/2) does not depend on the ties,
and the difference p_a - p_b equals s (2q - 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks

QUADRATURE_NODES = 512


@dataclass(frozen=True, slots=True)
class DirichletPosterior:
    """Posterior of p = (P(a wins), P(tie), P(b wins)) given counts.

    `theta`: posterior probability of P(a wins) > P(b wins); `mean_p`: shape (3,), in the order a, tie, b;
    `difference_mean`, `difference_low`, `difference_high`: mean and equal-tailed credible interval of
    P(a wins) - P(b wins), in [-1, 1].
    """

    theta: float
    mean_p: NDArray[np.float64]
    difference_mean: float
    difference_low: float
    difference_high: float

    def direction(self, gamma: float) -> int:
        """1 (a) where theta > 1 - gamma/2, -1 (b) where theta < gamma/2, else 0 (undecided); gamma in (0, 1).

        theta is a posterior probability at one fixed sample: looked at repeatedly the rule errs far more
        often than gamma.
        """
        half = _checks.open_unit("gamma", gamma) / 2.0
        return int(self.theta > 1.0 - half) - int(self.theta < half)


def dirichlet_posterior(wins: float, ties: float, losses: float, credibility: float = 0.95) -> DirichletPosterior:
    """Posterior under the prior Dir(1, 1, 1).

    wins, ties, losses: finite and >= 0 (fractions are allowed); credibility: mass of the interval, in (0, 1).
    Interval ends are accurate to 1e-4. Without labels theta is 1/2 and the interval that of the prior. Raises
    `UsageError` for a count or credibility that cannot be.
    """
    for name, count in (("wins", wins), ("ties", ties), ("losses", losses)):
        if not (math.isfinite(count) and count >= 0.0):
            raise UsageError(f"{name} must be a finite number >= 0, but it is {count}")
    tail = (1.0 - _checks.open_unit("credibility", credibility)) / 2.0
    shape = np.array([wins + 1.0, ties + 1.0, losses + 1.0])
    mean_p = shape / shape.sum()
    low, high = _difference_quantiles(wins, ties, losses, (tail, 1.0 - tail))
    return DirichletPosterior(
        theta=dirichlet_theta(wins, losses),
        mean_p=mean_p,
        difference_mean=float(mean_p[0] - mean_p[2]),
        difference_low=low,
        difference_high=high,
    )


def dirichlet_theta(wins: float, losses: float) -> float:
    """P(p_a > p_b) alone, in closed form, for counts >= 0; the interval of `dirichlet_posterior` has to be searched."""
    return float(betainc(losses + 1.0, wins + 1.0, 0.5))


def _difference_quantiles(wins: float, ties: float, losses: float, levels: tuple[float, float]) -> tuple[float, float]:
    """Quantiles of s (2q - 1) by inverting its distribution function, an average over quantiles of s."""
    from scipy.optimize import brentq

    # P(s (2q - 1) <= x) is the integral over u in (0, 1) of F_q((1 + x / s(u)) / 2), s(u) the quantile of
    # s. The change of variable u = v^2 (3 - 2v) flattens both ends, where s(u) may be steep, so that the
    # midpoint rule converges fast.
    v = (np.arange(QUADRATURE_NODES) + 0.5) / QUADRATURE_NODES
    weights = 6.0 * v * (1.0 - v)
    weights /= weights.sum()
    untied = betaincinv(wins + losses + 2.0, ties + 1.0, v * v * (3.0 - 2.0 * v))

    def excess(x: float, level: float) -> float:
        won = np.clip((1.0 + x / untied) / 2.0, 0.0, 1.0)
        return float(weights @ betainc(wins + 1.0, losses + 1.0, won)) - level

    low, high = (float(brentq(excess, -1.0, 1.0, args=(level,), xtol=1e-9)) for level in levels)
    return low, high
