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
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks
from tiebreak.kernels.metric_means import fewest_wins, score_of, z_at
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


def wins_needed(n: int, level: float) -> NDArray[np.int64]:
    """The fewest wins, by the number m of untied items from 0 to `n`, with a p-value of at most `level`: (n + 1,).

    More than m where none suffice. n: at least 0; level: in (0, 1/2). Raises `UsageError` otherwise.
    """
    beyond = np.array([critical_score(n, level) + 1e-9])  # what must be exceeded may be off by as much
    return fewest_wins(beyond, np.arange(n + 1.0)).astype(np.int64)


def _shared(n: Floats) -> Floats:
    """The number of items whose critical score is used: n, or above 1,000 a near one, at most 2.5 % away.

    Neighbours of 1,000 and more differ by less than .03 in their critical scores, and pairs may all differ in n. More
    items than `_ENOUGH` do not differ, and the search for theirs would take seconds.
    """
    near = np.rint(np.exp(np.rint(np.log(np.maximum(n, 1.0)) / 0.05) * 0.05))
    return np.where(n > 1_000.0, np.minimum(near, _ENOUGH), n)
