"""E-process for outcomes on inputs like these: a mixture of fixed bets.

Null: E[h_i | past] <= m for the outcomes h_i in [-1, 1] of one pair, in a fixed order. For a bet b in
[0, 1/(1+m)) the wealth prod_i (1 + b (h_i - m)) is a nonnegative supermartingale under the null, and so is any
average of such wealths with weights fixed beforehand. By Ville's inequality its running maximum exceeds 1/alpha
with probability at most alpha, however often one looks.

At m = 0 a tie multiplies the wealth by one: dropping ties is exact, not an approximation. With weights from a
Beta(A, A) truncated to (1/2, 1) for (1+b)/2 the average is the closed form
2^(w+l+1) B(w+A, l+A)/B(A, A) P(Beta(w+A, l+A) > 1/2), which the tests check. One family serves every null value
m (directions, interval, equivalence), because b(m) = min(b, 0.98/(1+m)) keeps the wealth nonincreasing in m.

The opposite null, E[h_i | past] >= m, is tested by the negated values against -m.
Source: betting and mixtures as in Waudby-Smith & Ramdas (2024); the beta mixture goes back to Robbins (1970).

A mean of few bounded values, without order and without approximation: one look, any distribution on [-1, 1].

Null: the mean of h_i in [-1, 1] is at most delta. With lambda = kappa / (1 + delta) each factor
1 + lambda (h_i - delta) is nonnegative and has mean at most 1, so that

    E(delta) = mean over kappa in [0, 1] of prod_i (1 + kappa (h_i - delta) / (1 + delta))

has mean at most 1: the null is rejected at level q where E >= 1/q (Markov), p = min(1, 1/E). E falls as delta rises,
and is the same in every order. It holds for independent items, and for items drawn without replacement from a pool
whose mean is at most delta (Maclaurin's inequality: drawing without replacement makes the product's mean smaller).
Ties change nothing at delta = 0. Eight wins of eight reject at .025, E = (2^9 - 1)/9.
Source: the mixture of Robbins (1970) with the bets of Waudby-Smith & Ramdas (2024), all placed at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.bounded_mean import log_sum_exp

Floats = NDArray[np.float64]

_LARGEST_FRACTION = 0.98  # of the largest bet that cannot go bankrupt


@dataclass(frozen=True, slots=True)
class BetPrior:
    """Bets (J,) in (0, 1), increasing within a component, and the logarithms (J,) of weights that sum to one."""

    bets: Floats
    log_weights: Floats


def truncated_beta_prior(concentration: float, points: int = 32) -> BetPrior:
    """Bets 2q - 1 with q ~ Beta(A, A) truncated to (1/2, 1): density proportional to (1 - b^2)^(A-1) on (0, 1).

    Gauss-Legendre points: the average is exact for polynomials of degree 2 `points` - 1, and a valid e-process
    whatever `points` is. `concentration` A > 0; 10 suits differences of 0.05 to 0.4, 1 is uniform.
    """
    nodes, weights = np.polynomial.legendre.leggauss(points)
    bets = (nodes + 1) / 2
    log_mass = np.log(weights) + (concentration - 1) * np.log1p(-(bets**2))
    return BetPrior(bets, log_mass - log_sum_exp(log_mass))


def log_uniform_prior(low: float = 0.02, high: float = 0.9, points: int = 80) -> BetPrior:
    """Bets log-spaced on [low, high], equal weights: better than a Beta for large effects, worse for small ones."""
    return BetPrior(np.geomspace(low, high, points), np.full(points, -np.log(points)))


def mixed_prior(priors: Sequence[BetPrior]) -> BetPrior:
    """The equal-weight average of several priors: loses at most log(len(priors)) against the best of them."""
    return BetPrior(
        np.concatenate([prior.bets for prior in priors]),
        np.concatenate([prior.log_weights for prior in priors]) - np.log(len(priors)),
    )


def default_prior() -> BetPrior:
    """Half Beta(20, 20), half Beta(2, 2): never much worse than a good prior for small or for large effects.

    Labels to a decision are within 6% of the better of Beta(10, 10) and log-uniform bets at differences of 0.1 to 0.9.
    """
    return mixed_prior([truncated_beta_prior(20.0), truncated_beta_prior(2.0)])


def log_wealth_per_outcome(prior: BetPrior, null: float) -> Floats:
    """Logarithm of the factor by which a loss, a tie and a win (rows) multiply the wealth of each bet; (3, J)."""
    bets = np.minimum(prior.bets, _LARGEST_FRACTION / (1 + null)) if null > -1 else prior.bets
    return np.log1p(np.multiply.outer(np.array([-1.0, 0.0, 1.0]) - null, bets))


def log_e_from_counts(losses: Floats, ties: Floats, wins: Floats, prior: BetPrior, null: float = 0.0) -> Floats:
    """log E after the given counts (arrays of one shape) against the null "mean difference <= null".

    `null` in [-1, 1). At null = -1 every bet wins (the null says that all items are losses). Counts of zero give 0.
    """
    gain = log_wealth_per_outcome(prior, null)
    log_wealth = (
        np.multiply.outer(losses, gain[0])
        + np.multiply.outer(ties, gain[1])
        + np.multiply.outer(wins, gain[2])
        + prior.log_weights
    )
    return log_sum_exp(log_wealth)


def log_e_path(outcomes: NDArray[np.number], prior: BetPrior, null: float = 0.0) -> Floats:
    """log E after each of the outcomes (n,) in {-1, 0, 1}, in their fixed order, against "mean <= null"."""
    losses, ties, wins = outcome_counts(outcomes)
    return log_e_from_counts(losses, ties, wins, prior, null)


def outcome_counts(outcomes: NDArray[np.number]) -> tuple[Floats, Floats, Floats]:
    """Running counts (n,) of losses, ties and wins."""
    return (
        np.cumsum(outcomes < 0, dtype=np.float64),
        np.cumsum(outcomes == 0, dtype=np.float64),
        np.cumsum(outcomes > 0, dtype=np.float64),
    )


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_KAPPAS, _SHARES = (_NODES + 1) / 2, _WEIGHTS / 2  # exact for up to 79 items, since the product is a polynomial


def mixture_p(values: Floats, null: float) -> float:
    """p-value of "mean <= null" for `values` (n,) in [-1, 1] and a null in [-1, 1]; 1 without values.

    Never falls as the null rises. Impossible nulls (a value above -1 where the null is -1) have p = 0.
    """
    if null <= -1.0:
        return 0.0 if (values > -1).any() else 1.0
    kinds, counts = np.unique(values, return_counts=True)
    wealth = float(log_wealth(kinds, counts[None, :].astype(np.float64), null)[0])
    return float(np.exp(-max(wealth, 0.0)))


def log_wealth(kinds: Floats, counts: Floats, null: float) -> Floats:
    """log E (R,) of R samples with `counts` (R, D) of the different values `kinds` (D,); a null in (-1, 1]."""
    with np.errstate(divide="ignore"):
        log_products = counts @ np.log1p(np.multiply.outer((kinds - null) / (1 + null), _KAPPAS))
    top = log_products.max(axis=1, initial=-np.inf)
    found: Floats = top + np.log(np.exp(log_products - top[:, None]) @ _SHARES)
    return found
