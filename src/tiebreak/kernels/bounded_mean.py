"""E-process for the mean of bounded values: mean labels, cluster means, and pools of known size.

Null: the mean of values h_i in [-1, 1] is at most m, where

- `pool_size=None` (inputs like these): E[h_i | past] <= m;
- `pool_size=N` (these N items): the N values are drawn in random order without replacement and their mean is at
  most m. The undrawn mean is then at most m_t = (N m - S_t)/(N - t), S_t the sum of the t values drawn.

Wealth of expert kappa: prod_t (1 + bet_t (h_t - m_t)), bet_t = min(kappa (N/(N-t))/v_t, 0.9/(1+m_t)), where v_t is a
variance estimate from past values that does not depend on m. Each factor has conditional mean at most one and is
positive, so that the mixture over experts is a nonnegative supermartingale under the null: its running maximum
exceeds 1/alpha with probability at most alpha. Bets do not grow with m, so that the wealth is nonincreasing in m:
one family serves directions, interval and equivalence.

A null that the values drawn make impossible (m_t < -1) has E = infinity, from then on.

Values of unequal weights w_i in (0, 1], such as clusters of unequal size, for `inputs`: in place of h_i give
w_i h_i + (1 - w_i) m, so that the factor is 1 + bet_i w_i (h_i - m), for the null E[w_i (h_i - m) | past] <= 0: that
the weighted mean is at most m. Scales must not know m: give those of w_i h_i.
Source: betting without replacement as in Waudby-Smith & Ramdas (2020, 2024).

Sums in logarithms, fast for the small matrices of the e-processes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def log_sum_exp(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(sum(exp(terms))) over the last axis.

    +inf wins over everything; a row of -inf only gives -inf. Checked against scipy.special.logsumexp, which is
    several times slower on (500, 64) because it supports weights, signs and masks.
    """
    largest = terms.max(axis=-1)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(over="ignore", divide="ignore"):
        return np.asarray(np.log(np.exp(terms - shift[..., None]).sum(axis=-1)) + shift)


Floats = NDArray[np.float64]

LARGEST_FRACTION = 0.9
_PRIOR_SQUARES = 2.1  # with _PRIOR_COUNT: variance 0.7, that of a pair with 30% ties, worth three values
_PRIOR_COUNT = 3.0
_BLOCK = 256  # values whose factors are worked out together where it may end early


@dataclass(frozen=True, slots=True)
class KappaPrior:
    """Bet scales kappa (J,) in units of (difference), and the logarithms (J,) of weights that sum to one."""

    kappas: Floats
    log_weights: Floats


def kappa_prior(spread: float = 0.15, low: float = 0.015, high: float = 0.6, points: int = 20) -> KappaPrior:
    """Log-spaced scales on [low, high], half-normal density of standard deviation `spread` per unit of kappa.

    (Per log-spaced point the density is multiplied by kappa.) The best kappa for a difference delta is about
    delta; a spread of 0.10 is a little better for equivalence, 0.15 for directions.
    """
    kappas = np.geomspace(low, high, points)
    mass = kappas * np.exp(-(kappas**2) / (2 * spread**2))
    return KappaPrior(kappas, np.log(mass / mass.sum()))


def bet_scales(values: Floats, pool_size: int | None = None, starts: NDArray[np.intp] | None = None) -> Floats:
    """(N/(N-t))/v_t before each value (..., n): how much the past says to bet per unit of kappa. Does not know m.

    `starts` (n,): how many values the past of each is, where not all before it are (`looks`).

    Raises:
        ValueError: more values than the pool holds.
    """
    count = values.shape[-1]
    drawn = np.arange(count, dtype=np.float64)
    if pool_size is not None and count > pool_size:
        raise ValueError(f"{count} values from a pool of {pool_size}")
    sums, squares, known = _before(values), _before(values**2), drawn
    if starts is not None:
        sums, squares, known = sums[..., starts], squares[..., starts], drawn[starts]
    residual = np.maximum(squares - sums**2 / np.maximum(known, 1.0), 0.0)
    variance = (residual + _PRIOR_SQUARES) / (known + _PRIOR_COUNT)
    shrinking = 1.0 if pool_size is None else pool_size / (pool_size - drawn)
    return np.asarray(shrinking / variance)


def log_e_path(
    values: Floats,
    prior: KappaPrior,
    null: float = 0.0,
    pool_size: int | None = None,
    scales: Floats | None = None,
) -> Floats:
    """log E after each value (..., n), in [-1, 1] and in their fixed order, against "mean <= null" (null in [-1, 1]).

    `scales` may hold `bet_scales(values, pool_size)` when many nulls are tested on the same values. With a pool,
    E is infinite as soon as (and for as long as) the null cannot be true of any completion of the pool.
    """
    if scales is None:
        scales = bet_scales(values, pool_size)
    null_mean = undrawn_null_mean(values, null, pool_size)
    log_wealth = np.cumsum(log_factors(values, null_mean, scales, prior), axis=-2)
    path = log_sum_exp(log_wealth + prior.log_weights)
    if pool_size is None:
        return path
    drawn = np.arange(1, values.shape[-1] + 1)
    impossible = rules_out(np.cumsum(values, axis=-1), drawn, null, pool_size)
    return np.where(np.logical_or.accumulate(impossible, axis=-1), np.inf, path)


def first_crossing(
    values: Floats, prior: KappaPrior, null: float, pool_size: int | None, scales: Floats, threshold: float
) -> int:
    """How many of the values (n,) it takes until log E first reaches the threshold; n + 1 if it never does.

    What `log_e_path` would say, worked out only as far as that.
    """
    null_mean, count = undrawn_null_mean(values, null, pool_size), values.size
    if pool_size is not None:
        impossible = rules_out(np.cumsum(values), np.arange(1, count + 1), null, pool_size)
        count = int(impossible.argmax()) if impossible.any() else count
    log_wealth = prior.log_weights
    for start in range(0, count, _BLOCK):
        part = slice(start, min(start + _BLOCK, count))
        paths = log_wealth + np.cumsum(log_factors(values[part], null_mean[part], scales[part], prior), axis=0)
        reached = log_sum_exp(paths) >= threshold
        if reached.any():
            return start + int(reached.argmax()) + 1
        log_wealth = paths[-1]
    return count + 1


def log_factors(values: Floats, null_mean: Floats, scales: Floats, prior: KappaPrior) -> Floats:
    """The logarithm of what each value (..., n) multiplies the wealth of each expert by (..., n, J).

    `null_mean` (..., n) before each; `scales` (..., n) as of `bet_scales`.
    """
    room = np.maximum(1.0 + null_mean, 0.0)
    with np.errstate(divide="ignore"):
        largest_bets = np.where(room > 0, LARGEST_FRACTION / room, np.inf)  # no value is below -1
    bets = np.minimum(np.multiply.outer(scales, prior.kappas), largest_bets[..., None])
    return np.asarray(np.log1p(bets * (values - null_mean)[..., None]))


def undrawn_null_mean(values: Floats, null: float, pool_size: int | None) -> Floats:
    """m_t before each value (..., n): the largest mean that the null leaves for the values not yet drawn, at most 1.

    Above 1 the null is certainly true from here on, and capping keeps the process a supermartingale (betting
    against a null mean that is too small only loses).
    """
    if pool_size is None:
        return np.full(values.shape, null)
    left = pool_size - np.arange(values.shape[-1])
    return np.asarray(np.clip((pool_size * null - _before(values)) / left, -1.0, 1.0))


def _before(values: Floats) -> Floats:
    """The sum of the values before each of them (..., n)."""
    return np.cumsum(values, axis=-1) - values


def rules_out(totals: Floats, drawn: NDArray[np.intp], null: float, pool_size: int) -> NDArray[np.bool_]:
    """Whether even losses on everything undrawn would leave the pool's mean above the null, after so many values
    `drawn` with these `totals`."""
    return np.asarray(totals - (pool_size - drawn) > pool_size * null + 1e-9)
