"""Bayesian comparison from human counts alone: a uniform Dirichlet prior on (win, tie, loss).

The human-only case of metric-error-correction. With posterior Dir(wins + 1, ties + 1, losses + 1) the share
of untied items s = 1 - p_tie ~ Beta(wins + losses + 2, ties + 1) is independent of the share of wins among
them, q ~ Beta(wins + 1, losses + 1); hence theta = P(p_a > p_b) = P(q > 1/2) does not depend on the ties,
and the difference p_a - p_b equals s (2q - 1).

The Hoeffding rule of dynamic-human-evaluation (Thorleiksdóttir et al. 2022, 3.2), for reproduction.

After n values in [0, 1] with mean m it decides where |m - 1/2| > t, t = sqrt(-ln(d) / (2n)). `1 - d` is
printed in the paper as the probability of the decision being right. It is not: d bounds the error of *one
side* at *one* n that was fixed beforehand, whereas the rule looks after every value and at both sides. With
two equal systems and at most 500 values the first crossing decides wrongly 18% of the time at d = 0.05 and
3.6% at d = 0.01, and more the longer it may run. For decisions whose error rate holds under repeated looks
use the anytime-valid methods.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
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
        theta=float(dirichlet_theta(wins, losses)),
        mean_p=mean_p,
        difference_mean=float(mean_p[0] - mean_p[2]),
        difference_low=low,
        difference_high=high,
    )


def dirichlet_theta(wins: ArrayLike, losses: ArrayLike) -> NDArray[np.float64]:
    """P(p_a > p_b) alone, in closed form, for counts >= 0; the interval of `dirichlet_posterior` has to be searched."""
    return np.asarray(betainc(np.asarray(losses) + 1.0, np.asarray(wins) + 1.0, 0.5))


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


def hoeffding_threshold(n: ArrayLike, d: float) -> NDArray[np.float64]:
    """t = sqrt(-ln(d) / (2n)), the bound on the distance of the mean of `n` values from 1/2; shape of `n`.

    n: numbers >= 1; d in (0, 1). Raises `UsageError` otherwise. It does not control the error under repeated
    looks.
    """
    level = _checks.open_unit("d", d)
    count = np.asarray(n, dtype=np.float64)
    if not (np.isfinite(count) & (count >= 1.0)).all():
        raise UsageError("the number of values must be at least 1 for a Hoeffding bound")
    return np.asarray(np.sqrt(-math.log(level) / (2.0 * count)))


def hoeffding_excess(totals: NDArray[np.float64], before: int, d: float) -> NDArray[np.float64]:
    """(..., n, 2): how far the mean of all shares lies beyond the bound for a, and for b, after each value.

    totals: (..., n) sums of shares in [0, 1], after one value more than `before`, two more, ...
    """
    n = before + np.arange(1, totals.shape[-1] + 1, dtype=np.float64)
    mean, threshold = totals / n, hoeffding_threshold(n, d)
    # mean - t > 1/2 rather than |mean - 1/2| > t: the authors' form, so that rounding falls the same way.
    return np.stack([(mean - threshold) - 0.5, 0.5 - (mean + threshold)], axis=-1)


def hoeffding_crossings(
    shares: ArrayLike, d: float, *, last: bool = False
) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
    """Directions (R,), 1 (a), -1 (b) or 0 (undecided), and the values (R,) up to the crossing, n where there is none.

    shares: runs (R, n) in the order of labelling: 1 for a, 0 for b, in between for ties or shares of annotators.

    The first crossing is the rule as the paper's text describes it: it never looks ahead, but does **not** control the
    error at d under repeated looks. The `last` is the rule as the authors' code applies it: the value at which the mean
    moves for the last time to the side of the bound on which it ends. It **looks ahead**, saves no label, and is here
    to reproduce the paper's Tables 3, 6 and 7 (whose averages drop undecided runs).

    Raises `UsageError` for a value outside [0, 1] or d outside (0, 1).
    """
    values = np.asarray(shares, dtype=np.float64)
    _checks.open_unit("d", d)
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise UsageError(
            f"the Hoeffding rule needs values in [0, 1], not {values[~((values >= 0) & (values <= 1))][0]}"
        )
    runs, n = values.shape
    if not n:
        return np.zeros(runs, dtype=np.int8), np.zeros(runs, dtype=np.intp)
    excess = hoeffding_excess(np.cumsum(values, axis=1), 0, d)
    side = (excess[..., 0] > 0).astype(np.int8) - (excess[..., 1] > 0).astype(np.int8)
    if last:
        direction = side[:, -1]
        elsewhere = (side != direction[:, None])[:, ::-1]
        place = np.where(elsewhere.any(axis=1), n - elsewhere.argmax(axis=1), 0)
    else:
        place = (side != 0).argmax(axis=1)
        direction = side[np.arange(runs), place]
    return direction, np.where(direction != 0, place + 1, n)
