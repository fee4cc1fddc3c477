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
  Bets that are as large as may be are in proportion to 1/(1 + m_t) instead: there the smallest values come first, and
  for bets that become so within the look, from some place on. The least of these ten orders is taken. (By exact
  recursion over all stopping rules of a look, in 600 random pools of 10 to 60 items, most with a metric, the largest
  expectation of E is 1.00001; where chance orders the values of a look it is up to 1.5.)

A metric's help changes nothing in this: f is fixed at the start of a look, so that h - f takes the place of h, and
m - fbar that of m.

Source: Waudby-Smith & Ramdas (2020) for one value at a time; the least favourable order is our own.
"""

from __future__ import annotations

import bisect

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.bounded_mean import LARGEST_FRACTION, KappaPrior, bet_scales, log_factors, log_sum_exp, rules_out

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
        totals = np.add.reduceat(gains, starts_of(ends), axis=0) if values.size else gains
        return log_sum_exp(np.cumsum(totals, axis=0) + prior.log_weights)
    growth = pool_growth(values, ends, prior, null, pool_size, scales)
    found = log_sum_exp(np.cumsum(growth, axis=0) + prior.log_weights)
    impossible = np.logical_or.accumulate(rules_out(np.cumsum(values)[ends - 1], ends, null, pool_size))
    return np.where(impossible, np.inf, found)


def pool_growth(
    values: Floats,
    ends: Indices,
    prior: KappaPrior,
    null: float,
    pool_size: int,
    scales: Floats,
) -> Floats:
    """Logarithms (L, J) of what each look leaves of the wealth of each expert."""
    looks = ends.size
    starts, grown = starts_of(ends), np.empty((looks, prior.kappas.size))
    for look in range(looks):
        start, end = int(starts[look]), int(ends[look])
        h, left = values[start:end], pool_size - start
        null_total = pool_size * null - float(values[:start].sum())
        mean = min(max(null_total / left, -1.0), 1.0)
        orders = least_favourable(h - mean)
        if end - start > _LITTLE * left:
            orders = np.vstack([orders, nearest_first(h, null_total, left)])
        h, undrawn = h[orders], left - np.arange(end - start)
        null_means = np.clip((null_total - _before(h)) / undrawn, -1.0, 1.0)
        with np.errstate(divide="ignore"):
            largest = LARGEST_FRACTION / np.maximum(1.0 + null_means, 0.0)
        bets = np.minimum(np.multiply.outer(scales[start:end], prior.kappas), largest[..., None])
        gains = np.log1p(bets * (h - null_means)[..., None])
        grown[look] = gains.sum(axis=1).min(axis=0)
    return grown


def scales_of_looks(values: Floats, ends: Indices, pool_size: int | None = None) -> Floats:
    """`bet_scales` (n,) with the variance of earlier looks."""
    return bet_scales(values, pool_size, starts_of(ends)[looks_of(ends)])


def starts_of(ends: Indices) -> Indices:
    """Values before each look (L,)."""
    return np.concatenate([[0], ends])[: ends.size].astype(np.intp)


def looks_of(ends: Indices) -> Indices:
    """The look (n,) of each value, from 0."""
    return np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))


def least_favourable(x: Floats) -> Indices:
    """Five orders (5, n) of x = h - m (n,) of which one leaves about the least wealth."""
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
    return np.stack([by_size, losses_first, surplus_last, surplus_first, np.argsort(x, kind="stable")])


def nearest_first(values: Floats, total: float, left: int) -> Indices:
    """Five orders (5, n): each value is the nearest of those left to the undrawn null mean before it, throughout, and
    until a place from which on the smallest come first.

    `total` = N m - S and `left` = N - t at the beginning: the mean is their quotient.
    """
    by_value = np.argsort(values, kind="stable")
    places, sorted_values = by_value.tolist(), values[by_value].tolist()
    order = []
    for _ in range(values.size):
        mean = total / left
        right = bisect.bisect_left(sorted_values, mean)
        if right == len(sorted_values) or (right and mean - sorted_values[right - 1] <= sorted_values[right] - mean):
            right -= 1
        total, left = total - sorted_values.pop(right), left - 1
        order.append(places.pop(right))
    nearest = np.array(order, dtype=np.intp)
    found = [nearest]
    for share in (0.25, 0.5, 0.75, 1.0):
        place = min(round(share * values.size), values.size - 1)
        rest = nearest[place:]
        found.append(np.concatenate([nearest[:place], rest[np.argsort(values[rest], kind="stable")]]))
    return np.stack(found)


def _before(terms: Floats) -> Floats:
    return np.cumsum(terms, axis=1) - terms
