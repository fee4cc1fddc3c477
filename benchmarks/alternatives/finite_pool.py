"""E-process for outcomes on a finite pool of items, from the exact probability of a sequence without replacement.

Null: among the N items of the pool at most as many are wins as losses (ties in any number). Ties are dropped: given
the numbers W <= L of wins and losses in the pool, W + L <= N, the non-ties arrive in uniformly random order, and a
sequence with w wins and l losses has probability W_(w) L_(l) / (W+L)_(w+l) (falling factorials). With Q the
probability of the sequence under a mixture over alternatives fixed beforehand,

    E = Q(sequence) / max over (W, L) in the null of the probability of the sequence

is at most Q/P for every P in the null, hence has expectation at most one at every stopping time.

Where w > l the maximum is at W = L. From W to W + 1 the probability rises exactly where
((w-l)^2 - w - l)(W + 1) + 2 w l > 0, so that it has one peak: at the largest pool, W = floor(N/2), wherever
(w-l)^2 >= w + l (E is large only there), and between W = w and floor(N/2) otherwise. Where w <= l the maximum is
1/C(w+l, w), at the pool that holds just these. (Taking the largest pool alone, as a factor on the mixture for
unlimited inputs, is slightly too small a denominator near w = l.) The tests check the maximum against all pools by
brute force.

`compare` uses `bounded_mean` with a pool, which also serves interval and equivalence and needs fewer labels where
ties are frequent; benchmarks/power.py prints both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from tiebreak.kernels.bet_mixture import BetPrior, log_e_from_counts, outcome_counts

Floats = NDArray[np.float64]


def log_e_path(outcomes: NDArray[np.int8], prior: BetPrior, pool_size: int) -> Floats:
    """log E after each outcome (n,) in {-1, 0, 1}, drawn without replacement from `pool_size` items.

    E is infinite once the null is impossible (more wins than half of the pool can hold).

    Raises:
        ValueError: more outcomes than the pool holds.
    """
    if outcomes.size > pool_size:
        raise ValueError(f"{outcomes.size} outcomes from a pool of {pool_size}")
    losses, ties, wins = outcome_counts(outcomes)
    log_alternative = log_e_from_counts(losses, np.zeros_like(ties), wins, prior) - (wins + losses) * np.log(2.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(log_alternative - log_largest_null_probability(wins, losses, pool_size))


def log_largest_null_probability(wins: Floats, losses: Floats, pool_size: int) -> Floats:
    """log max P(a sequence with these wins and losses) over pools with W <= L, W + L <= N; -inf if there is none."""
    count = wins + losses
    log_arrangements = gammaln(count + 1) - gammaln(wins + 1) - gammaln(losses + 1)
    half = float(pool_size // 2)
    # P(W+1, W+1) > P(W, W) exactly where ((w-l)^2 - n)(W+1) + 2wl > 0: rising for ever, or up to one turning point.
    falling = count - (wins - losses) ** 2
    turning = np.ceil(2 * wins * losses / np.maximum(falling, 1.0)) - 1
    balanced = np.where(falling > 0, np.clip(turning, wins, np.maximum(half, wins)), np.maximum(half, wins))
    largest = np.where(wins <= half, _log_balanced(balanced, wins, losses), -np.inf)
    return np.asarray(np.where(wins > losses, largest, -log_arrangements))


def _log_balanced(half: Floats, wins: Floats, losses: Floats) -> Floats:
    """log of half_(w) half_(l) / (2 half)_(w+l), for w <= half; where l > half the value is not used."""
    return np.asarray(
        2 * gammaln(half + 1)
        - gammaln(half - wins + 1)
        - gammaln(np.maximum(half - losses, 0.0) + 1)
        - gammaln(2 * half + 1)
        + gammaln(np.maximum(2 * half - wins - losses, 0.0) + 1)
    )
