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

The supremum is searched by `worst_share`: p is never too small, and at most 2e-5 of itself too large.

Is a better than b on these items: a pool of which some were drawn and labelled, tests and intervals that agree.

The pool has N items, of which W would be wins of a, L losses and the rest ties; n of them were drawn without
replacement and gave w wins and l losses. Wanted: W - L, the sum over the pool. Only the labels of the items not drawn
are uncertain, and with n = N nothing is.

The null "W <= L" contains pools with any number M of untied items. If M is known, then among the m = w + l untied
items drawn the wins are hypergeometric, and likeliest to be many with W = L = M/2. M is not known, but m tells of it:
for each M, pi(M) is the two-sided p-value of m, itself hypergeometric. The p-value is

    p = max over M of  min(P(X >= w; m draws, M/2 wins, M/2 losses) / (1 - g), pi(M) / g),   g = .01.

It is exact, P(p <= q) <= q for every pool and every q: for the true M at most (1 - g) q comes from the first part and
g q from the second. This is the restriction of Berger & Boos (1994), "P values maximized over a confidence set for the
nuisance parameter", with a share of the level where they add a constant, which would be the smallest p-value possible.

The maximum is found by bisection. From M to M + 2 the probability of x wins changes by a factor proportional to
1 / ((M/2 + 1 - x)(M/2 + 1 - m + x)), the larger the farther x is from m/2: the tail above m/2 grows with M. pi grows
with M and then falls, and so does the smaller of both.

Where at most .05 of the pool and 300 items were drawn, the correction for the pool is worth less than what this loses
to discreteness (as the sign test does). There the p-value is that of `paired_outcomes`, with the number of untied items
drawn from the pool: the largest over M of sum_m P(m; M) P(score of Bin(m, 1/2) >= score), exact because the wins of a
draw without replacement from W <= L are never likelier to be that many than those of a fair coin.

The interval is the score interval with the variance and skew of a draw without replacement, half a step of w - l
wider, in whole items, and never beyond what the items not drawn could do. It excludes 0 exactly where the test
rejects; at other differences it is approximate. (The same test inverted over pools with W - L = N d is exact, and 1.2
to 2.1 times as wide as Wald's interval as soon as there are ties, because d then depends on M.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, ndtri

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks
from tiebreak.kernels.hypergeometric import Hypergeometric
from tiebreak.kernels.metric_means import fair_tails, score_of, z_at
from tiebreak.kernels.score_interval import score_interval
from tiebreak.kernels.worst_share import WorstShare

Floats = NDArray[np.float64]

_ENOUGH = 22_026.0  # items: beyond, critical scores are alike to 1e-8, since the worst share leaves few untied items

_NEAREST = 1e-9  # to 0: where the interval of an outcome ends that is decided by less than the search can tell


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
        sizes = _shared(n)
        low, high = self._interval(level, sizes)
        # For large samples the critical score is that of a neighbour. Where the outcome lies as close to it as that,
        # its own is needed; closer than the search for it, the p-value has the last word.
        unlike = ((low > 0.0) != (self.p_a <= level)) | ((high < 0.0) != (self.p_b <= level))
        if (unlike & (sizes != n)).any():
            low, high = self._interval(level, np.where(unlike, n, sizes))
        low = np.where(self.p_a <= level, np.maximum(low, _NEAREST), np.minimum(low, 0.0))
        high = np.where(self.p_b <= level, np.minimum(high, -_NEAREST), np.maximum(high, 0.0))
        return low, high

    def _interval(self, level: float, sizes: Floats) -> tuple[Floats, Floats]:
        """With the critical scores for these numbers of items, of the shape of `wins`."""
        critical = np.empty(sizes.shape)
        for size in np.unique(sizes):
            critical[sizes == size] = critical_score(int(size), level)
        bound = z_at(critical, np.maximum(self.wins + self.losses, 1.0))
        return score_interval(self.wins, self.ties, self.losses, bound)


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
        p[chosen] = WorstShare(int(size)).p_values(distinct)[back]
    return PairedOutcomes(
        wins=won,
        ties=tied,
        losses=lost,
        score=score,
        p_a=np.where(score > 0.0, p, 1.0),
        p_b=np.where(score < 0.0, p, 1.0),
    )


@lru_cache(maxsize=256)  # each look at a pair asks again for those of the same few sizes and levels
def critical_score(n: int, level: float) -> float:
    """The score that an outcome of `n` items must exceed for a p-value of at most `level`.

    The largest attainable score that is not rejected, or up to 1e-9 more. Where not even n wins are rejected, one
    with which the interval of n wins reaches to the difference that gives n wins with a probability of `level`.

    n: at least 0; level: in (0, 1/2). Raises `UsageError` otherwise.
    """
    if _checks.open_unit("level", level) >= 0.5:
        raise UsageError(f"the level of a side must be below 0.5, but it is {level}")
    if n < 0:
        raise UsageError(f"the number of items must be at least 0, but it is {n}")
    if n == 0:
        return 0.0
    shares = WorstShare(n)
    normal, top = -float(ndtri(level)), float(score_of(n, 0))
    if shares.p_values(np.array([top]))[0] > level:
        chance = level ** (1 / n)  # of a win, all else losses: below 1/2, or n wins would be rejected
        z = np.sqrt(n * (1 - chance) / chance)
        return float(z + (z**3 - 3 * z) / (12 * n))
    low, high = 0.0, top
    grid = normal + np.array([-1.0, -0.3, -0.1, 0.0, 0.2, 0.5, 1.0, 2.0, 4.0]) / np.sqrt(n)
    while high - low > 1e-9:
        grid = grid[(grid > low) & (grid < high)]
        rejected = shares.p_values(grid) <= level
        low, high = np.max(grid[~rejected], initial=low), np.min(grid[rejected], initial=high)
        grid = np.linspace(low, high, 14)[1:-1]
    return float(high)


def _shared(n: Floats) -> Floats:
    """The number of items whose critical score is used: n, or above 1,000 a near one, at most 2.5 % away.

    Neighbours of 1,000 and more differ by less than .03 in their critical scores, and pairs may all differ in n. More
    items than `_ENOUGH` do not differ, and the search for theirs would take seconds.
    """
    near = np.rint(np.exp(np.rint(np.log(np.maximum(n, 1.0)) / 0.05) * 0.05))
    return np.where(n > 1_000.0, np.minimum(near, _ENOUGH), n)


SHARE: Final = 0.01
"""Of the level, spent on the number of untied items in the pool; .002 to .04 differ by less than .01 in power."""

SMALL_SHARE: Final = 0.05
SMALL_SAMPLE: Final = 300
LARGEST_POOL: Final = 50_000
"""Samples of at most this share and size are tested by their score, in pools up to this size."""

BLOCK: Final = 16
"""Neighbouring numbers of untied items in the pool that are worked out together."""

ROUNDING: Final = 1e-6
"""Of an item: what a limit found by bisection may be off."""


@dataclass(frozen=True, slots=True)
class PairedPool:
    """Counts of many pairs, the size of their pools, and one-sided p-values, all arrays of one shape.

    `p_a`: small when a is better on the pool (null: W <= L); `p_b`: the opposite direction. With a pool that was
    labelled completely they are 0 or 1.
    """

    wins: Floats
    ties: Floats
    losses: Floats
    pool: Floats
    p_a: Floats
    p_b: Floats

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Low and high of (W - L) / N, an error of about `level` on each side.

        low > 0 exactly where p_a <= level, high < 0 exactly where p_b <= level. The point (w - l) / N where the pool
        was labelled completely; never beyond what the labels still missing could do; (-1, 1) without labels.

        level: in (0, 1/2). Raises `UsageError` otherwise.
        """
        if _checks.open_unit("level", level) >= 0.5:
            raise UsageError(f"the level of a side must be below 0.5, but it is {level}")
        drawn, lead = self.wins + self.ties + self.losses, self.wins - self.losses
        low, high = score_interval(self.wins, self.ties, self.losses, -ndtri(level), self.pool)
        estimate = lead * self.pool / np.maximum(drawn, 1.0)
        # The sums that are kept, as whole numbers; rounding may not put a limit on the other side of the estimate.
        low = np.minimum(np.ceil(low * self.pool - ROUNDING), np.floor(estimate))
        high = np.maximum(np.floor(high * self.pool + ROUNDING), np.ceil(estimate))
        low, high = np.maximum(low, lead - (self.pool - drawn)), np.minimum(high, lead + (self.pool - drawn))
        low = np.where(self.p_a <= level, np.maximum(low, 1.0), np.minimum(low, 0.0))
        high = np.where(self.p_b <= level, np.minimum(high, -1.0), np.maximum(high, 0.0))
        size = np.maximum(self.pool, 1.0)
        return np.where(self.pool > 0.0, low / size, -1.0), np.where(self.pool > 0.0, high / size, 1.0)


def paired_pool(wins: ArrayLike, ties: ArrayLike, losses: ArrayLike, pool: ArrayLike) -> PairedPool:
    """Tests of `wins` of a against `losses` of a among items drawn without replacement from a pool of `pool` items.

    One look at a random sample whose size was fixed beforehand. The p-values are exact, never too small.

    wins, ties, losses, pool: whole numbers >= 0, any shapes that broadcast. Without wins or losses both p-values are
    1. Raises `UsageError` for counts that are negative, fractional or not finite, and for more labels than items.
    """
    won, tied, lost, size = np.broadcast_arrays(
        _checks.counts("wins", wins),
        _checks.counts("ties", ties),
        _checks.counts("losses", losses),
        _checks.counts("pool", pool),
    )
    drawn = won + tied + lost
    if (drawn > size).any():
        at = int(np.flatnonzero((drawn > size).ravel())[0])
        raise UsageError(f"{drawn.flat[at]:.0f} items were labelled, but the pool holds only {size.flat[at]:.0f}")
    p_a, p_b = np.ones(size.shape), np.ones(size.shape)
    for p, ours, theirs in ((p_a, won, lost), (p_b, lost, won)):
        few = (drawn <= SMALL_SHARE * size) & (drawn <= SMALL_SAMPLE) & (size <= LARGEST_POOL)
        many = (ours > theirs) & ~few
        p[many] = _Sample(ours[many], theirs[many], drawn[many], size[many]).p_values()
        few &= ours > theirs
        for items, sample in set(zip(size[few].tolist(), drawn[few].tolist(), strict=True)):
            chosen = few & (size == items) & (drawn == sample)
            scores, back = np.unique(score_of(ours[chosen], theirs[chosen]), return_inverse=True)
            p[chosen] = _small_sample(int(items), int(sample), scores)[back]
    return PairedPool(won, tied, lost, size, p_a, p_b)


class _Sample:
    """The direction "a is better", for vectors of wins, losses, items drawn and pool sizes; a is ahead in all."""

    def __init__(self, won: Floats, lost: Floats, drawn: Floats, pool: Floats) -> None:
        self.won, self.drawn, self.pool = won, drawn, pool
        self.untied = won + lost
        self.hypergeometric = Hypergeometric(int(pool.max(initial=0.0)))

    def p_values(self) -> Floats:
        """The maximum over even numbers of untied items. With an odd one a is behind by one loss more, or one win
        fewer, than with a neighbour; and fewer than 2w of them would be no null, with w wins seen.
        """
        most = self.pool - self.drawn + self.untied
        first, last = 2.0 * self.won, 2.0 * np.floor(most / 2.0)
        possible = first <= last
        peak = _peak(self._height, np.minimum(first, last), last, self.untied * self.pool / self.drawn)
        return np.where(possible, np.minimum(self._height(peak), 1.0), 0.0)

    def _height(self, untied: Floats) -> Floats:
        tail = self.hypergeometric.upper_tail(self.won, self.untied, untied / 2.0, untied / 2.0)
        return np.minimum(tail / (1.0 - SHARE), self._plausibility(untied) / SHARE)

    def _plausibility(self, untied: Floats) -> Floats:
        """pi(M): twice the tail of m on its side of what M lets expect, at most 1."""
        many = untied * self.drawn >= self.untied * self.pool
        drawn, tied = self.drawn - self.untied, self.pool - untied
        side = self.hypergeometric.upper_tail(
            np.where(many, drawn, self.untied), self.drawn, np.where(many, tied, untied), np.where(many, untied, tied)
        )
        return np.minimum(2.0 * side, 1.0)


def _small_sample(pool: int, drawn: int, scores: Floats) -> Floats:
    """The largest probability, over the numbers of untied items in the pool, of a score at least each of `scores`."""
    log_factorial = gammaln(np.arange(pool + 2) + 1.0)
    tails, highest = fair_tails(drawn, scores, log_factorial), np.zeros(scores.shape)
    log_ways = log_factorial[pool] - log_factorial[drawn] - log_factorial[pool - drawn]
    for first in range(0, pool + 1, BLOCK):
        untied = np.arange(first, min(first + BLOCK, pool + 1))[:, None]
        share = untied / pool
        reach = 8.0 * np.sqrt(drawn * share * (1.0 - share)) + 30.0
        start = int(max(0.0, np.floor((drawn * share - reach).min())))
        m = np.arange(start, min(drawn, int(np.ceil((drawn * share + reach).max()))) + 1)
        possible = (m <= untied) & (drawn - m <= pool - untied)
        left, rest = np.where(possible, untied - m, 0), np.where(possible, pool - untied - drawn + m, 0)
        log_p = log_factorial[untied] - log_factorial[m] - log_factorial[left] - log_ways
        log_p += log_factorial[pool - untied] - log_factorial[drawn - m] - log_factorial[rest]
        weights = np.exp(np.where(possible, log_p, -np.inf))
        highest = np.maximum(highest, (weights @ tails[m]).max(axis=0))
    return np.minimum(highest, 1.0)


def _peak(height: Callable[[Floats], Floats], first: Floats, last: Floats, towards: Floats) -> Floats:
    """Where `height`, which rises and then falls, is highest, among first, first + 2, ..., last.

    Where it is 0 to rounding on both sides the search goes towards `towards`.
    """
    while (first < last).any():
        middle = first + 2.0 * np.floor((last - first) / 4.0)
        here, beyond = height(middle), height(np.minimum(middle + 2.0, last))
        rises = (first < last) & ((beyond > here) | ((beyond == 0.0) & (here == 0.0) & (middle < towards)))
        first, last = np.where(rises, middle + 2.0, first), np.where(rises, last, middle)
    return first
