"""Interval for P(a preferred) - P(b preferred) by inverting the score test, with a critical value per pair.

Tango (1998), "Equivalence test and confidence interval for the difference in proportions for the paired-sample
design". Of n items w are wins and l losses. A difference d is below the interval where

    w - l - n d > c sd + max(skew, 0) (c^2 - 1) sd / 6,   sd^2 = n (2 q + d - d^2),

with q the likeliest probability of a loss among those with the difference d, 4 n q = sqrt(B^2 + 8 n l d (1 - d)) - B,
B = (2 n - w + l) d - w - l, and skew that of w - l there. Above it by the mirror image.

Tango has no term with the skew. It is the first of the Cornish-Fisher expansion of the quantile, as in Laud (2017),
"Equal-tailed confidence intervals for comparison of rates", and only widens. At d = 0 nothing is skewed and the
statistic is (w - l) / sqrt(w + l), that of the sign test: the interval excludes 0 exactly where that exceeds c. Far
from 0, at the levels of families, the term matters. The largest error of one side over its level, by enumeration, for
any difference and share of ties with at least 5 expected wins and 5 expected losses, with the critical values of
`paired_outcomes`:

    level of a side        .025    .005   .0005  .00005
    n = 50, Tango           1.3     2.6     3.9     6.4
    here                    1.3     1.4     1.4     1.4
    here, 5 % ties or more  1.0     1.1     1.1     1.1
    n = 100, Tango          1.6     2.0     4.0     6.2
    here                    1.1     1.2     1.3     1.5
    here, 5 % ties or more  1.0     1.0     1.0     1.3
    n = 300, Tango          1.2     1.9     2.5     5.6
    here                    1.2     1.2     1.3     1.1
    here, 5 % ties or more  1.0     1.0     1.1     1.0

With fewer expected wins or losses it reaches 1.5 at .025, and 8 at .00005.

For a pool of N items, n of them drawn without replacement, sd^2 is multiplied by (N - n)/(N - 1) and the skew as the
third moment of such a sum demands (skew sd times (N - 2n)/(N - 2)); w - l is moved by half its smallest step towards
n d, that is by 1/2, or by 1 if there was no tie.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks

Floats = NDArray[np.float64]

HALVINGS: Final = 60
"""Of the range in which a limit is looked for."""

AT_ONCE: Final = 4
"""Halvings whose tries are all made together where the limits are `FEW`: less work than to make them one by one."""

FEW: Final = 64


def score_interval(
    wins: ArrayLike, ties: ArrayLike, losses: ArrayLike, critical: ArrayLike, pool: ArrayLike = np.inf
) -> tuple[Floats, Floats]:
    """Low and high of P(a preferred) - P(b preferred), each of the broadcast shape of the arguments.

    One look at independent items. The coverage is approximate: each side errs about as often as a standard normal
    exceeds `critical`. Within [-1, 1], around (w - l) / n; (-1, 1) without items. Without a `pool` strictly: low > 0
    exactly where (w - l) / sqrt(w + l) > critical; n ties give c^2 / (n + c^2) and its negative; n wins end at 1.

    wins, ties, losses: whole numbers >= 0; critical: finite numbers >= 0; pool: the items among which these were drawn,
    at least as many, or infinity for a population. Raises `UsageError` for anything else.
    """
    bound = np.asarray(critical, dtype=np.float64)
    bad = ~(np.isfinite(bound) & (bound >= 0.0))
    if bad.any():
        raise UsageError(f"critical values must be finite numbers >= 0, but one of them is {bound[bad].flat[0]}")
    won, tied, lost, bound, size = np.broadcast_arrays(
        _checks.counts("wins", wins),
        _checks.counts("ties", ties),
        _checks.counts("losses", losses),
        bound,
        np.asarray(pool, dtype=np.float64),
    )
    n = won + tied + lost
    if not (size >= n).all():
        raise UsageError(f"a pool must hold at least the items that were drawn, but one of them holds {size.min():.0f}")
    ours, theirs = np.stack([won, lost]), np.stack([lost, won])
    low, high = _Side(ours, np.stack([tied] * 2), theirs, np.stack([bound] * 2), np.stack([size] * 2)).low()
    return np.where(n == 0.0, -1.0, low), np.where(n == 0.0, 1.0, -high)


class _Side:
    """The lower limit."""

    def __init__(self, won: Floats, tied: Floats, lost: Floats, bound: Floats, size: Floats) -> None:
        self.lead, self.lost, self.untied = won - lost, lost, won + lost
        self.n, self.bound = won + tied + lost, bound
        one = 1.0 / np.maximum(size, 1.0)
        self.spread = (1.0 - self.n * one) / np.maximum(1.0 - one, 1.0 / 2.0)
        self.turn = (1.0 - 2.0 * self.n * one) / np.maximum(1.0 - 2.0 * one, 1.0 / 3.0)
        self.half_step = np.where(np.isinf(size), 0.0, np.where(tied > 0.0, 0.5, 1.0))

    def low(self) -> Floats:
        """The limit of each pair, in [-1, 1]."""
        # By bisection. 0 is tried first, so that rounding never puts the limit on its other side.
        estimate = self.lead / np.maximum(self.n, 1.0)
        positive = self._is_below(np.zeros(estimate.shape))
        low = np.where(positive, 0.0, -1.0)
        high = np.where(positive, estimate, np.minimum(estimate, 0.0))
        halvings = AT_ONCE if estimate.size <= FEW else 1
        parts = 2**halvings
        inner = np.arange(1.0, parts).reshape(-1, *[1] * estimate.ndim) / parts
        for _ in range(HALVINGS // halvings):
            edges = np.concatenate([low[None], low + (high - low) * inner, high[None]])
            part = _halved(self._is_below(edges[1:-1]))[None]
            low, high = (np.take_along_axis(edges, part + end, axis=0)[0] for end in (0, 1))
        return high

    def _is_below(self, d: Floats) -> NDArray[np.bool_]:
        """Whether the difference `d` is below the interval, for a `d` that is at most the estimate."""
        n, bound = self.n, self.bound
        b = (2.0 * n - self.lead) * d - self.untied
        root = np.sqrt(np.maximum(b**2 + 8.0 * n * self.lost * d * (1.0 - d), 0.0))
        untied = (root - b) / 2.0 + n * d
        variance = np.maximum(untied - n * d**2, 0.0)
        third = (n * d - 3.0 * d * untied + 2.0 * n * d**3) * self.turn
        skewed = np.maximum(third, 0.0) / np.where(variance > 0.0, variance, 1.0)
        least = bound * np.sqrt(variance * self.spread) + skewed * (bound**2 - 1.0) / 6.0
        return np.asarray(self.lead - n * d - self.half_step > least)


def _halved(below: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many parts of each range lie below its limit, as halving finds it: 0 to `tries`, of tries between the parts.

    below: shape (tries, ...), whether each try is below, with 1, 3, 7, ... tries.
    """
    tries, columns = below.shape[0], np.arange(below[0].size)
    flat, found = below.reshape(tries, -1), np.zeros(columns.size, dtype=np.intp)
    part = (tries + 1) // 2
    while part:
        found += part * flat[found + part - 1, columns]
        part //= 2
    return found.reshape(below.shape[1:])
