"""Sign flips of a sum: how often a random half of the units would bring the sum of what was seen down to the null.

Units (items, clusters) g have a sum of values y_g and a size n_g > 0. Null: the mean per item is delta, and each score
s_g = y_g - delta n_g is as likely to be s_g as -s_g, given its size. Of the 2^G ways to flip signs, those whose sum is
at least the one seen are those where the flipped set S has sum over S of s_g <= 0, so that the one-sided p-value is

    p(delta) = P(sum_S y_g <= delta sum_S n_g),   S a random subset: each unit with probability 1/2.

It never falls as delta rises, whatever the data (Hartigan 1969, "typical values": the shares are means of random
subsets), so that the test inverts into an interval. At delta = 0, units whose y is 0 drop out, and with y of +-1 p is
that of the exact sign test. The smallest p is 2^-(units whose y is not 0).

Three ways to compute it, by what the values allow:

- `LatticeFlips`: y on a lattice of shares and n whole numbers. Exact for every delta, from the joint distribution of
  the two sums (a product of cosines, inverted by Fourier transform within +-7.5 standard deviations of each). What
  lies outside is at most 3e-12 (sub-Gaussian bound) and is added, so that p never is too small by it.
- `EnumeratedFlips`: any values, few units: all 2^G subsets. Exact.
- `SaddlepointFlips`: any values, many units: Lugannani & Rice (1980). At delta = 0 exact where y lies on a lattice.
  Elsewhere relative errors in p of 5 % at 25 units and 1 % at 100 where scores are spread evenly; where a few units
  are far larger than the others it runs through the middle of the steps that these make (p up to
  twice or half as large). Near
  delta = 0 a lattice is smoothed over: an end of an interval moves by at most half a step of the sum, 1/(2 sd of the
  sum) standard errors.

Exact for symmetric scores. For skewed ones the flips err less than a t test and on the other side, so that both
together are used (`unit_means`). Source for clusters: Canay, Romano & Shaikh (2017).

Sign test with ties dropped: the naive baseline for comparing two systems on a fixed set of items.

Coakley & Heise (1996), "Versions of the sign test in the presence of ties": of the variants they compare,
the one that drops the ties, which they recommend.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, ndtr

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks

Floats = NDArray[np.float64]

_WINDOW = 7.5  # standard deviations: a sum of random signs lies further out with probability 2 exp(-7.5^2 / 2) at most
_OUTSIDE = 3e-12
_ROUNDING = 1e-9  # in lattice steps, or in units of values: sums that are equal must not differ by their rounding
_MOST_ENUMERATED = 16
_MOST_WORK = 250_000  # lattice cells times different scores: about 5 ms
_MOST_STEPS = 2**20  # of a lattice of sums
_NEWTON_STEPS = 60
_SETTLED = 1e-6


class SignFlips(Protocol):
    """Sums Y of y and N of n over a random subset of the units."""

    def at_most(self, null: float, slack: float = 0.0) -> float:
        """P(Y <= null N + slack): the p-value of "mean <= null" where slack is 0. Never falls in null or slack."""
        ...

    def mirrored(self) -> SignFlips:
        """The distribution with every value negated, for "mean >= null" at -null."""
        ...


def sign_flips(sums: Floats, sizes: Floats, denominator: int | None) -> SignFlips:
    """The distribution for units with `sums` (G,) of values and `sizes` (G,) > 0; exact where that is affordable.

    `denominator` d: all sums are whole multiples of 1/d (labels of three people: 3); None: they lie on no lattice.
    No units: every p is 1.

    Raises:
        UsageError: sums that are not finite, sizes that are not above 0, shapes that differ, sums off their lattice.
    """
    _check(sums, sizes)
    units = sums.size
    if denominator is None:
        return EnumeratedFlips.of(sums, sizes) if units <= _MOST_ENUMERATED else SaddlepointFlips.of(sums, sizes, None)
    (kinds, kind_sizes), counts = _grouped(sums, sizes)
    steps = np.rint(kinds * denominator)
    off = np.abs(kinds * denominator - steps) > 1e-6
    if off.any():
        raise UsageError(f"the sum {kinds[off][0]} is no multiple of 1/{denominator}")
    work = float(_extent(steps, counts)) * _extent(kind_sizes, counts) * kinds.size
    if (sizes == np.rint(sizes)).all() and work <= _MOST_WORK:
        return LatticeFlips.of(steps, kind_sizes, denominator, counts)
    if units <= _MOST_ENUMERATED:
        return EnumeratedFlips.of(sums, sizes)
    zero = None
    if _extent(steps, counts) <= _MOST_STEPS:
        zero = LatticeFlips.of(steps, np.zeros(kinds.size), denominator, counts)
    return SaddlepointFlips(kinds, kind_sizes, counts.astype(np.float64), zero)


def _check(sums: Floats, sizes: Floats) -> None:
    if sums.shape != sizes.shape or sums.ndim != 1:
        raise UsageError(f"sums and sizes must be two rows of equal length, not {sums.shape} and {sizes.shape}")
    if not np.isfinite(sums).all():
        raise UsageError(f"sums must be finite, but one of them is {sums[~np.isfinite(sums)][0]}")
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        raise UsageError(f"sizes must be above 0, but one of them is {sizes[~(sizes > 0)][0]}")


@dataclass(frozen=True, slots=True)
class LatticeFlips:
    """`below` (a * b): P(N = size, Y < (first_sum + column)/denominator), one row for each of `sizes`.

    Row r begins at `starts` (a,) and `sizes` (a,) are times the denominator. What was cut off is not in it.
    """

    below: Floats
    starts: NDArray[np.intp]
    sizes: Floats
    first_sum: int
    denominator: int

    @classmethod
    def of(cls, steps: Floats, sizes: Floats, denominator: int, counts: NDArray[np.intp] | None = None) -> LatticeFlips:
        """`steps` (G,) and `sizes` (G,) are whole numbers; sizes may all be 0 where only the null 0 is asked for.

        `counts` (G,): how many units there are of each, one by default.
        """
        if counts is None:
            (steps, sizes), counts = _grouped(steps, sizes)
        rows, columns = _fast_length(_extent(sizes, counts)), max(2, _fast_length(_extent(steps, counts)))
        half_size, half_sum = float(counts @ sizes) / 2, float(counts @ steps) / 2
        first_size, first_sum = math.floor(half_size) - (rows - 1) // 2, math.floor(half_sum) - (columns - 1) // 2
        along_rows = 1j * np.pi * np.fft.fftfreq(rows)
        along_columns = 1j * np.pi * np.arange(columns // 2 + 1) / columns
        transform = np.ones((rows, columns // 2 + 1))
        for step, size, count in zip(steps, sizes, counts, strict=True):
            of_rows, of_columns = np.exp(size * along_rows), np.exp(step * along_columns)
            cosines = np.outer(of_rows.real, of_columns.real)
            cosines -= np.outer(of_rows.imag, of_columns.imag)
            transform *= _power(cosines, int(count))
        of_rows = np.exp(-2 * (half_size - first_size) * along_rows)
        of_columns = np.exp(-2 * (half_sum - first_sum) * along_columns)
        mass = np.fft.irfft2(transform * of_rows[:, None] * of_columns, s=(rows, columns), axes=(0, 1))
        below = np.zeros((rows, columns + 1))
        np.cumsum(mass, axis=1, out=below[:, 1:])
        starts = np.arange(rows) * (columns + 1)
        totals = np.arange(first_size, first_size + rows, dtype=np.float64) * denominator
        return cls(below.ravel(), starts, totals, first_sum, denominator)

    def at_most(self, null: float, slack: float = 0.0) -> float:
        columns = self.below.size // self.starts.size
        last = np.floor(null * self.sizes + (self.denominator * slack + _ROUNDING - self.first_sum + 1))
        column = np.minimum(np.maximum(last, 0), columns - 1).astype(np.intp)
        return min(1.0, max(float(self.below.take(self.starts + column).sum()), 0.0) + _OUTSIDE)

    def mirrored(self) -> LatticeFlips:
        below = self.below.reshape(self.starts.size, -1)
        reached = below.shape[1] - 1
        mirror = (below[:, -1:] - below)[:, ::-1]
        return replace(self, below=mirror.ravel(), first_sum=-(self.first_sum + reached - 1))


@dataclass(frozen=True, slots=True)
class EnumeratedFlips:
    """`sums` and `sizes` (2^G,) of all subsets."""

    sums: Floats
    sizes: Floats

    @classmethod
    def of(cls, sums: Floats, sizes: Floats) -> EnumeratedFlips:
        of_sums, of_sizes = np.zeros(1), np.zeros(1)
        for value, size in zip(sums, sizes, strict=True):
            of_sums = np.concatenate([of_sums, of_sums + value])
            of_sizes = np.concatenate([of_sizes, of_sizes + size])
        return cls(of_sums, of_sizes)

    def at_most(self, null: float, slack: float = 0.0) -> float:
        return float(np.count_nonzero(self.sums <= null * self.sizes + slack + _ROUNDING) / self.sums.size)

    def mirrored(self) -> EnumeratedFlips:
        return replace(self, sums=-self.sums)


@dataclass(frozen=True, slots=True)
class SaddlepointFlips:
    """Different `sums` and `sizes` (D,) with their `counts` (D,); `zero` answers for the null 0 on a lattice."""

    sums: Floats
    sizes: Floats
    counts: Floats
    zero: LatticeFlips | None

    @classmethod
    def of(cls, sums: Floats, sizes: Floats, zero: LatticeFlips | None) -> SaddlepointFlips:
        (values, of_sizes), counts = _grouped(sums, sizes)
        return cls(values, of_sizes, counts.astype(np.float64), zero)

    def at_most(self, null: float, slack: float = 0.0) -> float:
        if self.zero is not None and null == 0.0 and slack == 0.0:
            return self.zero.at_most(0.0)
        scores = self.sums - null * self.sizes
        counted = np.abs(scores) > _ROUNDING
        return min(1.0, lugannani_rice(scores[counted], self.counts[counted], slack) + _OUTSIDE)

    def mirrored(self) -> SaddlepointFlips:
        return replace(self, sums=-self.sums, zero=None if self.zero is None else self.zero.mirrored())


def lugannani_rice(scores: Floats, counts: Floats, slack: float) -> float:
    """P(sum over a random subset <= slack) of units with `scores` (D,), none of them 0, `counts` (D,) of each.

    slack >= 0. At least 2^-G for G units, the probability of the empty subset. Source:
    Lugannani & Rice (1980), "Saddle point approximation for the distribution of the sum of independent random
    variables".
    """
    units = float(counts.sum())
    least = math.pow(0.5, units)
    total = counts * scores
    lowest, mean = float(total[total < 0].sum()) - slack, float(total.sum()) / 2 - slack
    if float(total[total > 0].sum()) <= slack:
        return 1.0
    if lowest >= 0:
        return least
    half = scores / 2
    spread = math.sqrt(float(counts @ (half * half)))
    if abs(mean) < 1e-4 * spread:  # the formula is 0/0 at the mean, and without skewness the normal is right there
        return float(ndtr(-mean / spread))
    at, curvature = _saddlepoint(half, counts, slack, -mean / spread**2)
    bent = at * half
    size = np.abs(bent)
    cumulant = float(counts @ (bent + size + np.log1p(np.exp(-2 * size)))) - units * math.log(2.0) - at * slack
    root = math.copysign(math.sqrt(max(-2 * cumulant, 0.0)), at)
    scale = at * math.sqrt(curvature)
    if not root or not scale:
        return least
    density = math.exp(-root * root / 2) / math.sqrt(2 * math.pi)
    return min(1.0, max(float(ndtr(root)) + density * (1 / root - 1 / scale), least))


def _saddlepoint(half: Floats, counts: Floats, slack: float, start: float) -> tuple[float, float]:
    """Where the derivative of the cumulant function is 0, by Newton's method kept within a bracket; its curvature."""
    low, high, at = -math.inf, math.inf, start
    curvature = 0.0
    weighted = counts * half
    total = float(weighted.sum()) - slack
    for _ in range(_NEWTON_STEPS):
        tangent = np.tanh(at * half)
        slope = total + float(weighted @ tangent)
        curvature = float((weighted * half) @ (1 - tangent * tangent))
        low, high = (at, high) if slope < 0 else (low, at)
        step = at - slope / curvature if curvature > 0 else math.nan
        if not low < step < high:
            step = 2 * at if math.isinf(low) or math.isinf(high) else (low + high) / 2
        moved, at = abs(step - at), step
        if moved <= _SETTLED * abs(step):  # the next step would be of the order of its square
            break
    return at, curvature


def _power(base: Floats, exponent: int) -> Floats:
    """`base` to a whole `exponent` >= 1 by squaring: several times faster than `**`."""
    result: Floats | None = None
    while True:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        if not exponent:
            return base if result is None else result
        base = base * base


def _fast_length(least: int) -> int:
    """The smallest even number from `least` on, or 1, that has no prime factor above 5: Fourier transforms like it."""
    if least <= 1:
        return 1
    best = 1 << math.ceil(math.log2(least))
    for fives in range(math.ceil(math.log(least, 5)) + 1):
        for threes in range(math.ceil(math.log(least, 3)) + 1):
            odd = int(5**fives * 3**threes)
            best = min(best, odd << max(1, math.ceil(math.log2(least / odd))))
    return best


def _grouped(steps: Floats, sizes: Floats) -> tuple[tuple[Floats, Floats], NDArray[np.intp]]:
    """Different (step, size), and how many units have each."""
    if steps.size and sizes.min() == sizes.max():  # usual, and sorted faster
        keys, counts = np.unique(steps, return_counts=True)
        return (keys, np.full(keys.size, sizes[0])), counts
    keys, counts = np.unique(steps + 1j * sizes, return_counts=True)
    return (np.ascontiguousarray(keys.real), np.ascontiguousarray(keys.imag)), counts


def _extent(values: Floats, counts: NDArray[np.intp]) -> int:
    """How many whole numbers the sum over a random subset can reach, or those within the window."""
    spread = math.sqrt(float(counts @ (values * values))) / 2
    return int(min(float(counts @ np.abs(values)) + 1, 2 * math.ceil(_WINDOW * spread) + 3))


@dataclass(frozen=True, slots=True)
class SignTest:
    """p-values and statistic, each of the broadcast shape of the counts (0-d arrays for plain numbers).

    `p_a`: one-sided, small when a is better (null: P(a wins) <= P(b wins)); `p_b`: the opposite direction;
    `p_two_sided`: null of no difference; `z`: (w - l) / sqrt(w + l), positive where a won more often.
    """

    p_two_sided: NDArray[np.float64]
    p_a: NDArray[np.float64]
    p_b: NDArray[np.float64]
    z: NDArray[np.float64]


def sign_test(wins: ArrayLike, losses: ArrayLike) -> SignTest:
    """Sign test of `wins` of a against `losses` of a; ties are dropped before the call.

    Exact binomial p-values for any number of items: the normal approximation is wrong in up to 5.4% where 5% are
    asked for, also with thousands of them. One look at a sample whose size was fixed beforehand: the p-values are not
    valid when the test is repeated while labels arrive.

    wins, losses: whole numbers >= 0, any shapes that broadcast. Without any win or loss every p-value is 1
    and z is 0. Raises `UsageError` for counts that are negative, fractional or not finite.
    """
    won, lost = np.broadcast_arrays(_checks.counts("wins", wins), _checks.counts("losses", losses))
    z = np.asarray((won - lost) / np.sqrt(np.maximum(won + lost, 1.0)))
    p_a, p_b = _upper_tail(won, lost), _upper_tail(lost, won)
    p_two_sided = np.minimum(1.0, 2.0 * np.minimum(p_a, p_b))
    return SignTest(p_two_sided=np.asarray(p_two_sided), p_a=p_a, p_b=p_b, z=z)


def _upper_tail(successes: NDArray[np.float64], failures: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(X >= successes), X binomial with successes + failures trials of probability 1/2."""
    tail = betainc(np.maximum(successes, 1.0), failures + 1.0, 0.5)
    return np.where(successes == 0.0, 1.0, tail)
