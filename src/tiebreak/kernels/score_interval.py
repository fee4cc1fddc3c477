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

A score test of a bounded mean: the mean against its error as it would be if the null were true.

Few strong units carry one side, many weak ones the other: 3 % of items are a's for everybody, the others now and then
b's. A sample with fewer strong units than there should be then has its mean on the other side *and* a small variance,
so that the t test and the sign flips of the same values both err in .07 to .09 at .05, in .03 to .045 at .01, and 15 to
30 times too often at .05/45. The null itself says what is missing.

Null: the mean of s_g = y_g - delta n_g is at most 0. A unit that nobody saw may have the sum -b L: b is the size of the
unit that an item has, L how far it may lean against the others, 1 for single items (below for clusters). The empirical
likelihood under the null (Owen 1988) puts on the units that were seen the probabilities

    p_g = 1 / (n (1 + lambda s_g)),   lambda >= 0 with sum p_g s_g = 0, but at most 1/(b (L + delta)),

and where lambda stands at its limit, what is left of 1 on -b (L + delta), which nobody saw: of all distributions that
the null allows the nearest to the sample (Honda & Takemura 2010). Its variance is V = mean(s)/lambda. With one label
per item V is (w + l)/n, and mean/sqrt(V/n) the score (w - l)/sqrt(w + l) of `paired_outcomes`. The test is

    t = mean(s) / sqrt((c + u V')/n),   V' = n/(n - 1) (V - k mean(s)^2)

beside the t distribution: k = mean(n_g^2)/mean(n_g)^2 takes out what the distance from the mean to the null adds to
any variance, so that with symmetric values this is the t test of the others, to second order. u is the share of the
variance that the draw makes (1 for inputs) and c what noise of the labels adds to it. p never falls as delta rises,
since lambda and mean(s) fall.

How far clusters lean. One item may be a win or a loss, but a document whose 20 sentences all are losses is another
matter where no document that was seen leans by more than a half: with L = 1 the test would ask of 20 such documents
what only one such stranger could answer, and find .10 where t and flips find .76. So L is 4/3 of the strongest residual
that was seen, per item: of a cluster smaller than b, whose items stray further by chance, as it would be at that size.

Measured beside t test and sign flips alone, both (10,000 runs; wrong directions at .05, .01 and .05/45; 1.25 to 3 %
strong items, 200 to 400 items, 5 to 20 people): .063-.087 / .025-.046 / .011-.034 fell to .016-.021 / .000-.001 / .000;
where items lean (30 % ties, 3 people, 30 to 300 items) power fell by at most .002 at all three levels, and intervals
grew by .2 %. Clusters: `unit_means`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

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


_STEPS = 100
_SETTLED = 1e-12  # of lambda


class Unseen(NamedTuple):
    """How far a unit that nobody saw may lean: `beyond` times as far as any that was seen, an item at least by `least`
    in (0, 1]; against 0, or against the mean of the others where `about_mean`.
    """

    beyond: float
    least: float
    about_mean: bool


ANYWHERE: Final = Unseen(4 / 3, 1.0, about_mean=False)
"""People's votes and ratings."""

DIFFERENCES: Final = Unseen(1.0, 0.75, about_mean=True)
"""Differences of mean ratings."""

CORRECTED: Final = Unseen(1.0, 0.5, about_mean=True)
"""What a metric left of values."""
_SEEN = 1 - 1e-9  # of the bound: where a unit stands there, lambda stays below its limit


@dataclass(frozen=True, slots=True)
class NullScore:
    """Different `sums` y (D,) and `sizes` (D,) > 0 of `count` units, with `counts` (D,) of each.

    `mean_sum`, `mean_size`, `spread_of_sizes` k: over the units; `unseen_size` b > 0 and `unseen_lean` L in (0, 1]:
    of a unit that nobody saw; `freedom` of the t distribution; `noise` c >= 0 and `drawn` u in [0, 1] as above.
    """

    sums: Floats
    sizes: Floats
    counts: Floats
    count: float
    mean_sum: float
    mean_size: float
    spread_of_sizes: float
    unseen_size: float
    unseen_lean: float
    freedom: float
    noise: float
    drawn: float

    @classmethod
    def of(
        cls,
        sums: Floats,
        sizes: Floats,
        freedom: float,
        noise: float = 0.0,
        drawn: float = 1.0,
        unseen: Unseen = ANYWHERE,
    ) -> NullScore:
        """From `sums` (n,) and `sizes` (n,) of n >= 1 units: the unseen one is of the size that an item's unit has."""
        keys, counts = np.unique(sums + 1j * sizes, return_counts=True)
        mean_size = math.fsum(sizes) / sizes.size
        unseen_size = math.fsum(sizes**2) / math.fsum(sizes)
        return cls(
            keys.real.copy(),
            keys.imag.copy(),
            counts.astype(np.float64),
            float(sums.size),
            math.fsum(sums) / sums.size,
            mean_size,
            unseen_size / mean_size,
            unseen_size,
            unseen_lean(sums, sizes, unseen_size, unseen),
            freedom,
            noise,
            drawn,
        )

    def mirrored(self) -> NullScore:
        """With every value negated, for "mean >= null" at -null."""
        return replace(self, sums=-self.sums, mean_sum=-self.mean_sum)

    def raised(self, null: float, p: float) -> float:
        """The larger of `p` and the p-value of "mean <= null"; `p` itself from 1/2 on.

        One pass over the units where `p` is the larger: then lambda is beyond a point that is known.
        """
        mean, bound = self.mean_sum - null * self.mean_size, self.unseen_size * (self.unseen_lean + null)
        scores = self.sums - null * self.sizes
        lowest = -float(scores.min())
        if p >= 0.5 or mean <= 0 or max(bound, lowest) <= 0:
            return p
        if not self.drawn:
            return max(p, self._p_of(mean, self.noise))
        limit = 1 / max(bound, lowest)
        spare, bias = self.spread_of_sizes * mean**2, self.count / (self.count - 1)
        quantile = float(stdtrit(self.freedom, p))
        allowed = (self.count * (mean / quantile) ** 2 - self.noise) / self.drawn / bias + spare
        start = mean / max(allowed, spare)
        if start < limit and allowed > spare and self._pull(scores, start) >= 0:
            return p
        left = lowest < bound * _SEEN and self._pull(scores, limit) >= 0
        variance = mean / (limit if left else self._tilt(scores, limit, start))
        return max(p, self._p_of(mean, self.noise + self.drawn * max(variance - spare, 0.0) * bias))

    def _p_of(self, mean: float, variance: float) -> float:
        """Of a mean whose n-fold squared error is `variance`; 0 without any."""
        return float(stdtr(self.freedom, -mean / math.sqrt(variance / self.count))) if variance else 0.0

    def _pull(self, scores: Floats, tilt: float) -> float:
        """Above 0 where lambda is more than `tilt`: the mean of the scores under these probabilities, times n."""
        return float(self.counts @ (scores / (1 + tilt * scores)))

    def _tilt(self, scores: Floats, limit: float, start: float) -> float:
        """lambda in (0, limit), by Newton's method kept within a bracket."""
        low, high, at = 0.0, limit, min(start, limit / 2)
        for _ in range(_STEPS):
            shares = scores / (1 + at * scores)
            pull = float(self.counts @ shares)
            low, high = (at, high) if pull > 0 else (low, at)
            step = at + pull / float(self.counts @ (shares * shares))
            if not low < step < high:
                step = (low + high) / 2
            moved, at = abs(step - at), step
            if moved <= _SETTLED * at:
                break
        return at


def unseen_lean(sums: Floats, sizes: Floats, unseen_size: float, unseen: Unseen) -> float:
    """How far a unit that nobody saw may lean against the others, per item, in (0, 1]: L above, of all units (n,).

    At least as one item that leans by `least` strays among so many, `least`/sqrt(`unseen_size`).
    """
    residuals = np.abs(sums - math.fsum(sums) / math.fsum(sizes) * sizes)
    strongest = float(np.max(residuals / np.sqrt(sizes * np.maximum(sizes, unseen_size))))
    return min(max(unseen.beyond * strongest, unseen.least / math.sqrt(unseen_size)), 1.0)
