"""Is a better than b on inputs like these: one outcome per item, one look, tests and intervals that agree.

n items were drawn from a population and each got one label: w wins of a, l losses, n - w - l ties. The null is that a
wins at most as often as b. Evidence is z = (w - l) / sqrt(w + l) on m = w + l untied items, with the Cornish-Fisher
term for a fair coin,

    score = z + (z^3 - 3 z) / (12 m),

and the p-value is the largest probability, over every share s of untied items, of a score at least as large:

    p = sup over s in (0, 1] of  sum_m Bin(m; n, s) P(score of Bin(m, 1/2) >= score).

It is an exact test for every n: P(p <= q) <= q whatever the share of ties, since more wins for a at the same share only
raise the score. Suissa & Shuster (1991), "The 2 x 2 matched-pairs trial: exact unconditional design and analysis", do
this with z itself. Without the term, z calls a streak on few untied items less than it is: at the levels of families,
below .001, its test has up to .14 less power than the exact sign test (100 items, 80 % ties). With the term the test
was never below the sign test, and is mostly above it, because it spends what the sign test loses to discreteness.

The interval is Tango's score interval (`score_interval`) with the z of the same m that lies on the critical score.
At a difference of 0 Tango's statistic is z, so the interval excludes 0 exactly where the test rejects. At other
differences it is approximate.

The supremum is searched on a grid of shares, equally spaced in arcsin sqrt(s) at a tenth of 1/sqrt(n), with a quartic
through each peak; p is raised by 1e-5 of itself, more than that search was ever short.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, ndtri

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks
from tiebreak.kernels.score_interval import score_interval

Floats = NDArray[np.float64]

STEPS: Final = 10
"""Steps of the grid of shares per 1/sqrt(n), in arcsin sqrt(share)."""

SHORTFALL: Final = 1e-5
"""Relative amount by which a peak between two shares is raised; the tests measure that it suffices."""

ROUNDING: Final = 1e-12
"""Scores this close, relatively, are the same score: an outcome must reach its own."""

CHUNK_CELLS: Final = 2_000_000
"""Numbers of untied items times scores that are held at once."""

BLOCK_CELLS: Final = 50_000
"""As many of them are worked out at once."""

FAR: Final = 8.0
"""Scores from which p is the smaller of exp(-score^2 / 2), which bounds it for any number of items, and p at `FAR`."""

SMALL: Final = 2_000
"""Numbers of items up to which p is worked out even there."""

BLOCK: Final = 16
"""Neighbouring shares that are worked out together."""


@dataclass(frozen=True, slots=True)
class PairedOutcomes:
    """Counts of many pairs and their one-sided p-values, all arrays of one shape.

    `score`: positive where a won more often, 0 without untied items. `p_a`: small when a is better (null: a wins at
    most as often as b); `p_b`: the opposite direction. At most one of the two is below 1/2; the other one is 1.
    """

    wins: Floats
    ties: Floats
    losses: Floats
    score: Floats
    p_a: Floats
    p_b: Floats

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Low and high of P(a preferred) - P(b preferred), an error of about `level` on each side.

        low > 0 exactly where p_a <= level, high < 0 exactly where p_b <= level. Within [-1, 1]; (-1, 1) without items.

        level: in (0, 1/2). Raises `UsageError` otherwise.
        """
        n = self.wins + self.ties + self.losses
        untied = self.wins + self.losses
        critical, sizes = np.empty(n.shape), _shared(n)
        for size in np.unique(sizes):
            critical[sizes == size] = critical_score(int(size), level)
        bound = _z_at(critical, np.maximum(untied, 1.0))
        low, high = score_interval(self.wins, self.ties, self.losses, bound)
        # The critical score is found by search, and for large samples that of a neighbour: where the outcome lies
        # as close to it as that, the p-value has the last word.
        tiny = np.finfo(np.float64).tiny
        low = np.where(self.p_a <= level, np.maximum(low, tiny), np.minimum(low, 0.0))
        high = np.where(self.p_b <= level, np.minimum(high, -tiny), np.maximum(high, 0.0))
        return low, high


def paired_outcomes(wins: ArrayLike, ties: ArrayLike, losses: ArrayLike) -> PairedOutcomes:
    """Tests of `wins` of a against `losses` of a among items of which `ties` are ties, for any number of pairs.

    One look at a sample whose size was fixed beforehand, of independent items. The p-values are exact (never too
    small) and at most 2e-5 of themselves too large; above 2,000 items one below 1e-13 is only a bound. Pairs with the
    same number of items share most of the work.

    wins, ties, losses: whole numbers >= 0, any shapes that broadcast. Without wins or losses both p-values are 1.
    Raises `UsageError` for counts that are negative, fractional or not finite.
    """
    won, tied, lost = np.broadcast_arrays(
        _checks.counts("wins", wins), _checks.counts("ties", ties), _checks.counts("losses", losses)
    )
    n, score = won + tied + lost, score_of(won, lost)
    p = np.ones(n.shape)
    for size in np.unique(n[score != 0.0]):
        chosen = (n == size) & (score != 0.0)
        distinct, back = np.unique(np.abs(score[chosen]), return_inverse=True)
        p[chosen] = _Shares(int(size)).p_values(distinct)[back]
    return PairedOutcomes(
        wins=won,
        ties=tied,
        losses=lost,
        score=score,
        p_a=np.where(score > 0.0, p, 1.0),
        p_b=np.where(score < 0.0, p, 1.0),
    )


def score_of(wins: ArrayLike, losses: ArrayLike) -> Floats:
    """z + (z^3 - 3 z) / (12 m) with z = (w - l) / sqrt(m), m = w + l; 0 where m is. Grows with w at fixed m."""
    won, lost = np.asarray(wins, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    m = np.maximum(won + lost, 1.0)
    z = (won - lost) / np.sqrt(m)
    return np.asarray(z + (z**3 - 3.0 * z) / (12.0 * m))


def critical_score(n: int, level: float) -> float:
    """The score that an outcome of `n` items must exceed for a p-value of at most `level`.

    The largest attainable score that is not rejected, or up to 1e-9 more; that of n wins where even those are not.

    n: at least 0; level: in (0, 1/2). Raises `UsageError` otherwise.
    """
    if _checks.open_unit("level", level) >= 0.5:
        raise UsageError(f"the level of a side must be below 0.5, but it is {level}")
    if n < 0:
        raise UsageError(f"the number of items must be at least 0, but it is {n}")
    if n == 0:
        return 0.0
    shares = _Shares(n)
    normal, top = -float(ndtri(level)), float(score_of(n, 0))
    if shares.p_values(np.array([top]))[0] > level:
        return top
    low, high = 0.0, top
    grid = normal + np.array([-1.0, -0.3, -0.1, 0.0, 0.2, 0.5, 1.0, 2.0, 4.0]) / np.sqrt(n)
    while high - low > 1e-9:
        grid = grid[(grid > low) & (grid < high)]
        rejected = shares.p_values(grid) <= level
        low, high = np.max(grid[~rejected], initial=low), np.min(grid[rejected], initial=high)
        grid = np.linspace(low, high, 14)[1:-1]
    return float(high)


def wins_needed(n: int, level: float) -> NDArray[np.int64]:
    """The fewest wins, by the number m of untied items from 0 to `n`, with a p-value of at most `level`: (n + 1,).

    More than m where none suffice. n: at least 0; level: in (0, 1/2). Raises `UsageError` otherwise.
    """
    beyond = np.array([critical_score(n, level) + 1e-9])  # what must be exceeded may be off by as much
    return _wins_needed(beyond, np.arange(n + 1.0)).astype(np.int64)


class _Shares:
    """The distribution of the number of untied items among n, for a grid of shares."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.log_factorial = gammaln(np.arange(n + 2) + 1.0)
        steps = int(np.ceil(np.pi / 2.0 * STEPS * np.sqrt(n))) + 4
        self.shares = np.sin(np.linspace(0.0, np.pi / 2.0, steps + 1)) ** 2
        self.windows = list(self._windows())

    def p_values(self, scores: Floats) -> Floats:
        """The supremum over the shares of P(score >= each of `scores`), all positive; shape of `scores`."""
        near = scores < (FAR if self.n > SMALL else np.inf)
        if near.all():
            return self._searched(scores)
        searched = self._searched(np.append(scores[near], FAR))
        p = np.minimum(np.exp(-(scores**2) / 2.0), searched[-1])
        p[near] = searched[:-1]
        return np.asarray(p)

    def _searched(self, scores: Floats) -> Floats:
        size = max(1, CHUNK_CELLS // (self.n + 1))
        parts = [self._p_values(scores[start : start + size]) for start in range(0, len(scores), size)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _p_values(self, scores: Floats) -> Floats:
        tails = fair_tails(self.n, scores, self.log_factorial)
        curve = np.empty((len(self.shares), len(scores)))
        for first, start, stop, weights in self.windows:
            curve[first : first + len(weights)] = weights @ tails[start:stop]
        return np.minimum(_highest(curve), 1.0)

    def _windows(self) -> Iterator[tuple[int, int, int, Floats]]:
        """Blocks of shares: the first, the range of untied items that matters, and their probabilities.

        What lies beyond 8 standard deviations and 30 items has a probability below 1e-14 for every share.
        """
        n, log_factorial = self.n, self.log_factorial
        every = np.arange(n + 1.0)
        log_choose = log_factorial[n] - log_factorial[: n + 1] - log_factorial[n::-1]
        for first in range(0, len(self.shares), BLOCK):
            share = self.shares[first : first + BLOCK]
            reach = 8.0 * np.sqrt(n * share * (1.0 - share)) + 30.0
            start = int(max(0.0, np.floor((n * share - reach).min())))
            stop = int(min(float(n), np.ceil((n * share + reach).max()))) + 1
            m = every[start:stop]
            within = np.clip(share, 1e-300, 1.0 - 1e-16)[:, None]
            log_p = m * np.log(within)
            log_p += log_choose[start:stop]
            log_p += (n - m) * np.log1p(-within)
            weights = np.exp(log_p, out=log_p)
            weights[share == 0.0] = m == 0.0
            weights[share == 1.0] = m == n
            yield first, start, stop, weights


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
        wins = _wins_needed(scores, m)
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


def _wins_needed(scores: Floats, m: Floats) -> Floats:
    """The fewest wins among m untied items with at least this score; more than m where none suffice."""
    wins = _z_at(scores, np.maximum(m, 1.0)) * (np.sqrt(m) * (1.0 - ROUNDING))
    np.ceil(wins, out=wins)
    wins += m
    wins *= 0.5
    np.ceil(wins, out=wins)
    np.copyto(wins, 1.0, where=m == 0.0)
    return wins


def _shared(n: Floats) -> Floats:
    """The number of items whose critical score is used: n, or above 1,000 a near one, at most 2.5 % away.

    Neighbours of 1,000 and more differ by less than .03 in their critical scores, and pairs may all differ in n.
    """
    near = np.rint(np.exp(np.rint(np.log(np.maximum(n, 1.0)) / 0.05) * 0.05))
    return np.where(n > 1_000.0, near, n)


def _z_at(score: Floats, m: Floats) -> Floats:
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


def _highest(curve: Floats) -> Floats:
    """The largest value of each column, peaks between equally spaced rows included; even about both ends."""
    padded = np.concatenate([curve[2:0:-1], curve, curve[-2:-4:-1]])
    a, b, c, d, e = (padded[i : len(padded) - 4 + i] for i in range(5))
    row, column = np.nonzero((c >= b) & (c >= d) & (c > 0.9 * c.max(axis=0)))
    a, b, c, d, e = (values[row, column] for values in (a, b, c, d, e))
    one, two = (a - 8 * b + 8 * d - e) / 12, (-a + 16 * b - 30 * c + 16 * d - e) / 24
    three, four = (e - 2 * d + 2 * b - a) / 12, (a - 4 * b + 6 * c - 4 * d + e) / 24
    x = np.zeros(c.shape)
    for _ in range(4):
        bend = 2 * two + x * (6 * three + x * 12 * four)
        slope = one + x * (2 * two + x * (3 * three + x * 4 * four))
        x = np.where(bend < 0.0, x - slope / np.where(bend < 0.0, bend, -1.0), x).clip(-0.6, 0.6)
    between = c + x * (one + x * (two + x * (three + x * four)))
    peak = np.where(np.abs(x) > 1e-9, np.maximum(between, c) * (1.0 + SHORTFALL), c)
    highest = curve.max(axis=0)
    np.maximum.at(highest, column, peak)
    return np.asarray(highest)
