"""E-process for the mean of bounded values that come in looks, whose times may hang on whatever was seen.

The null is that of `bounded_mean`, and so are the bets, but for two things. Variances come from the values of earlier
looks only. And nobody knows in which order the values of one look came: the wealth of each expert at the end of a look
is the least that any order would have left, so that it is at most that of the true order, which is a nonnegative
supermartingale. So it is an e-process at the ends of looks, also where a look is taken because of what was seen.

- Inputs like these: each factor depends on its own value alone; all orders leave the same.
- These items: with x_t = h_t - m_t, m_t - m_{t+1} = x_t/(N - t - 1) is the step of the undrawn null mean. Bets in
  proportion to 1/(N - t) therefore add up to about the same in every order, and what differs is their squares, which
  grow with t: of two neighbours, the one with the larger |x| last lowers the wealth. So the least comes from small |x|
  first: by the mean at the beginning of the look, with losses before wins or both in turn, or by the mean as it moves.
  The least of these orders is taken. (By exact recursion over all stopping rules of a first look, pools of 12 to 60
  items: the largest expectation of E is 1.0025; where chance orders the values of a look it is up to 1.5.)

Source: Waudby-Smith & Ramdas (2020) for one value at a time; the least favourable order is our own.
"""

from __future__ import annotations

import bisect

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.bounded_mean import KappaPrior, bet_scales, log_factors, rules_out
from tiebreak.kernels.log_space import log_sum_exp

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_SMALL = 0.5  # of the largest |x| of a look: what lies below comes first
_LITTLE = 0.02  # of what is undrawn: a look that draws no more hardly moves the null mean


def log_e_at_looks(
    values: Floats,
    ends: Indices,
    prior: KappaPrior,
    null: float = 0.0,
    pool_size: int | None = None,
    scales: Floats | None = None,
) -> Floats:
    """log E at the end of each look (L,) against "mean <= null".

    `values` (n,) in [-1, 1], those of a look in any order; `ends` (L,): how many there were at the end of each look,
    increasing to n. `scales` may hold `scales_of_looks` of the same, or of the values times their weights.
    """
    if scales is None:
        scales = scales_of_looks(values, ends, pool_size)
    if pool_size is None:
        gains = log_factors(values, np.full(values.shape, null), scales, prior)
        totals = np.add.reduceat(gains, _starts(ends), axis=0) if values.size else gains
        return log_sum_exp(np.cumsum(totals, axis=0) + prior.log_weights)
    log_wealth, found = prior.log_weights, np.empty(ends.size)
    drawn, total = 0, 0.0
    for look, end in enumerate(ends.tolist()):
        mean = min(max((pool_size * null - total) / (pool_size - drawn), -1.0), 1.0)
        of_look = values[drawn:end]
        orders = of_look[least_favourable(of_look - mean)]
        if end - drawn > _LITTLE * (pool_size - drawn):
            orders = np.vstack([orders, nearest_first(of_look, pool_size * null - total, pool_size - drawn)])
        before = total + np.cumsum(orders, axis=1) - orders
        means = np.clip((pool_size * null - before) / (pool_size - np.arange(drawn, end)), -1.0, 1.0)
        log_wealth = log_wealth + log_factors(orders, means, scales[drawn:end], prior).sum(axis=1).min(axis=0)
        found[look] = log_sum_exp(log_wealth)
        drawn, total = end, float(values[:end].sum())
    impossible = np.logical_or.accumulate(rules_out(np.cumsum(values)[ends - 1], ends, null, pool_size))
    return np.where(impossible, np.inf, found)


def scales_of_looks(values: Floats, ends: Indices, pool_size: int | None = None) -> Floats:
    """`bet_scales` (n,) with the variance of earlier looks."""
    starts = np.repeat(_starts(ends), np.diff(ends, prepend=0)) if ends.size else ends
    return bet_scales(values, pool_size, starts)


def least_favourable(x: Floats) -> Indices:
    """Four orders (4, n) of x = h - m (n,) of which one leaves about the least wealth."""
    size, places = np.abs(x), np.arange(x.size)
    large = size >= _SMALL * size.max(initial=0.0)
    by_size = np.lexsort((x, size))
    rank = np.zeros(x.size, dtype=np.intp)
    counts = []
    for sign in (x < 0, x >= 0):
        of_sign = by_size[(large & sign)[by_size]]
        rank[of_sign] = places[: of_sign.size]
        counts.append(of_sign.size)
    surplus = rank >= min(counts)
    in_turn = 2 * rank + (x >= 0)
    losses_first = np.lexsort((size, large & (x >= 0), large))
    surplus_last = np.lexsort((size, np.where(large, in_turn, -1), large & surplus, large))
    surplus_first = np.lexsort((size, np.where(large, in_turn, -1), large & ~surplus, large))
    return np.stack([by_size, losses_first, surplus_last, surplus_first])


def nearest_first(values: Floats, total: float, left: int) -> Floats:
    """The values (n,) in the order in which each is the nearest of those left to the undrawn null mean before it.

    `total` = N m - S and `left` = N - t at the beginning: the mean is their quotient, within [-1, 1].
    """
    kinds, counts = (part.tolist() for part in np.unique(values, return_counts=True))
    order = np.empty(values.size)
    for place in range(values.size):
        mean = min(max(total / left, -1.0), 1.0)
        right = bisect.bisect_left(kinds, mean)
        if right == len(kinds) or (right and mean - kinds[right - 1] <= kinds[right] - mean):
            right -= 1
        value = order[place] = kinds[right]
        total, left = total - value, left - 1
        counts[right] -= 1
        if not counts[right]:
            del kinds[right], counts[right]
    return order


def _starts(ends: Indices) -> Indices:
    return np.concatenate([[0], ends[:-1]]).astype(np.intp)
