"""Scores of wins against losses among untied items, and what a fair coin makes of them.

The score of w wins and l losses, m = w + l, is z = (w - l) / sqrt(m) with the Cornish-Fisher term for a fair coin,
z + (z^3 - 3 z) / (12 m).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

ROUNDING: Final = 1e-12
"""Scores this close, relatively, are the same score: an outcome must reach its own."""

BLOCK_CELLS: Final = 10_000
"""Numbers of untied items times scores that are worked out at once."""


def score_of(wins: ArrayLike, losses: ArrayLike) -> Floats:
    """z + (z^3 - 3 z) / (12 m) with z = (w - l) / sqrt(m), m = w + l; 0 where m is. Grows with w at fixed m."""
    won, lost = np.asarray(wins, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    m = np.maximum(won + lost, 1.0)
    z = (won - lost) / np.sqrt(m)
    return np.asarray(z + (z**3 - 3.0 * z) / (12.0 * m))


def fair_tails(n: int, scores: Floats, log_factorial: Floats) -> Floats:
    """P(score of m untied items >= score) for a fair coin, shape (n + 1, scores), by m from 0 to n.

    From m to m + 1 the wins needed grow by none or one, so the tail changes by half of one binomial probability:
    P(X_{m+1} >= k) = P(X_m >= k) + P(X_m = k - 1)/2 and P(X_{m+1} >= k + 1) = P(X_m >= k) - P(X_m = k)/2.

    scores: shape (K,), K >= 1, positive; log_factorial: log k! for k from 0 to at least n.
    """
    tails = np.zeros((n + 1, len(scores)))
    log_halves = log_factorial[: n + 1] - np.arange(1.0, n + 2.0) * np.log(2.0)
    rows = max(64, BLOCK_CELLS // len(scores))
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        m = np.arange(start, stop + 1.0)[:, None]
        wins = fewest_wins(scores, m)
        np.minimum(wins, m + 1.0, out=wins)
        whole, m, before, after = np.arange(start, stop)[:, None], m[:-1], wins[:-1], wins[1:]
        edge = np.minimum(after - 1.0, m).astype(np.intp)
        log_p = np.take(log_factorial, edge)
        log_p += np.take(log_factorial, np.subtract(whole, edge, out=edge))
        change = np.subtract(log_halves[start:stop, None], log_p, out=log_p)
        np.exp(change, out=change)
        np.negative(change, where=after > before, out=change)
        change[after > m + 1.0] = 0.0
        np.cumsum(change, axis=0, out=tails[start + 1 : stop + 1])
        tails[start + 1 : stop + 1] += tails[start]
    return tails


def fewest_wins(scores: Floats, m: Floats) -> Floats:
    """The fewest wins among m untied items with at least this score; more than m where none suffice."""
    wins = z_at(scores, np.maximum(m, 1.0)) * (np.sqrt(m) * (1.0 - ROUNDING))
    np.ceil(wins, out=wins)
    wins += m
    wins *= 0.5
    np.ceil(wins, out=wins)
    np.copyto(wins, 1.0, where=m == 0.0)
    return wins


def z_at(score: Floats, m: Floats) -> Floats:
    """The z with this score on m >= 1 untied items; anything above sqrt(m) where that score is out of reach.

    Newton's method from the score itself: exact to rounding in 6 steps, in 2 where the term is small.
    """
    slope, level = 12.0 * m - 3.0, 12.0 * m * score
    z = np.broadcast_to(score, level.shape)
    for _ in range(2 if np.min(m, initial=np.inf) >= 12.0 * np.max(score, initial=0.0) ** 2 else 6):
        square = z * z
        top = 2.0 * z
        top *= square
        top += level
        square *= 3.0
        square += slope
        top /= square
        z = top
    return np.asarray(z)
