"""The threshold that a known budget allows: exact crossing probability of a mixture by a fixed number of non-ties.

Ville's inequality pays for looking for ever. If at most H non-tied labels can ever be bought, the running maximum
of the same e-process needs only a threshold c < 1/alpha with P(max over n <= H of E_n >= c) = alpha under the walk
with p = 1/2. The probability is computed exactly by a dynamic program over the walk, O(H^2) per candidate c, so
that every look up to H is exactly valid. Beyond H it means nothing, and E >= c is not an e-value statement.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tiebreak.kernels.bet_mixture import BetPrior, log_e_from_counts, log_uniform_prior


@dataclass(frozen=True, slots=True)
class BudgetRule:
    """Decide for a at n non-ties when the wins reach `needed_wins[n]` (index 0 unused; > n: impossible at n).

    `log_threshold` is log c; `crossing_probability` the exact null probability of ever deciding for a, <= alpha.
    """

    prior: BetPrior
    log_threshold: float
    crossing_probability: float
    needed_wins: NDArray[np.int64]


def budget_prior(budget: int, alpha: float, points: int = 80) -> BetPrior:
    """Log-uniform bets on [0.6 m, 0.9], m = sqrt(2 log(1/alpha)/H): effects that H labels can find."""
    smallest = np.sqrt(2 * np.log(1 / alpha) / budget)
    return log_uniform_prior(float(min(0.6 * smallest, 0.5)), 0.9, points)


def budget_rule(budget: int, alpha: float, prior: BetPrior | None = None) -> BudgetRule:
    """The smallest threshold whose exact one-sided crossing probability within `budget` non-ties is at most alpha.

    Raises:
        ValueError: `budget` < 1 or alpha outside (0, 1).
    """
    if budget < 1 or not 0 < alpha < 1:
        raise ValueError(f"needs budget >= 1 and 0 < alpha < 1, not {budget} and {alpha}")
    prior = budget_prior(budget, alpha) if prior is None else prior
    low, high = 0.0, float(np.log(1 / alpha))
    for _ in range(18):
        middle = (low + high) / 2
        if crossing_probability(needed_wins(budget, prior, middle)) <= alpha:
            high = middle
        else:
            low = middle
    boundary = needed_wins(budget, prior, high)
    return BudgetRule(prior, high, crossing_probability(boundary), boundary)


def needed_wins(budget: int, prior: BetPrior, log_threshold: float) -> NDArray[np.int64]:
    """For each number n = 0..H of non-ties the fewest wins at which E reaches the threshold (n + 1: none does).

    E increases with the wins at a fixed n, and with one more non-tie at most one more win is needed, so the
    boundary is found by one pass.
    """
    gain_win = np.log1p(prior.bets)
    gain_loss = np.log1p(-prior.bets)
    boundary = np.empty(budget + 1, dtype=np.int64)
    wins = 0
    for count in range(budget + 1):
        while wins <= count:
            log_e = logsumexp(prior.log_weights + wins * gain_win + (count - wins) * gain_loss)
            if log_e >= log_threshold:
                break
            wins += 1
        boundary[count] = wins
    return boundary


def crossing_probability(boundary: NDArray[np.int64]) -> float:
    """P(wins reach `boundary[n]` at some n = 1..H) for the fair walk, exactly (up to rounding)."""
    alive = np.array([1.0])  # alive[w]: probability of w wins now and no crossing so far
    crossed = 0.0
    for needed in boundary[1:]:
        grown = np.empty(alive.size + 1)
        grown[:-1] = alive / 2
        grown[-1] = 0.0
        grown[1:] += alive / 2
        crossed += float(grown[needed:].sum())
        alive = grown[:needed]
    return crossed


def log_e_path(outcomes: NDArray[np.int8], prior: BetPrior) -> NDArray[np.float64]:
    """log E of the budget's mixture after each outcome (n,); compare with `BudgetRule.log_threshold`."""
    wins = np.cumsum(outcomes > 0, dtype=np.float64)
    losses = np.cumsum(outcomes < 0, dtype=np.float64)
    return log_e_from_counts(losses, np.zeros_like(wins), wins, prior)
