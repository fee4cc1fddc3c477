"""How large a difference one look finds in 80% of studies, by the test itself: played, or for few outcomes computed.

Outcomes: their power is a sum over the number of items that are no ties. Means and clusters: studies of as many units
as there are get drawn from what the units at hand look like, at a given difference, and the two tests of
`unit_means` look at each of them. The smallest difference that 80% of them find is looked for by bisection.

What units look like at a difference d. Without one, each value is as likely as its mirror image. Then

- tilted: values y get the weight exp(theta y), with theta such that their mean per item is d. For means of labels that
  agree by chance alone this is what other labels would give, exactly; it keeps the values on their lattice, and ties
  grow rarer only as they would. Used for items, and for clusters of which many have the sum 0.
- moved: clusters of n items get y' = m n + c z sqrt(n (1 + (n - 1) r)) within [-n, n], z normal and r the correlation
  of items within a cluster; m and c are such that the mean per item is d and the variance that of y times 1 - d^2/q
  (and 1 + 4/G for not being known), q the mean square of an item's value. Few clusters do not tell how large or how
  small their sums can be, so that a tilt would find too little noise among them.

All studies are drawn and tested at once, as counts of the different units: the sign flips by the Fourier transform of
`sign_flips`, the score test by its one pass at a known level (`NullScore`). About 50 ms, 250 ms for 100 clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln, ndtri, stdtrit, xlog1py, xlogy

from tiebreak.kernels.score_interval import ANYWHERE

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

USUALLY: Final = 0.8  # of all such studies
_STUDIES = 300
_HALVINGS = 4
_STEP = 1.5  # between differences that are tried first
_MANY_EMPTY = 0.4  # of all clusters: with sums of 0
_WINDOW = 7.5  # standard deviations of a sum of random signs
_FINEST = 25.0  # lattice steps to a standard deviation of that sum: finer than any level needs
_TILTS = 60  # halvings of the search for a tilt
_LARGEST_TILT = 200.0
_CLOSE = 1e-3  # of a difference that is computed
_UNKNOWN = 4.0  # over the number of clusters: what is added to their variance for not being known
_LEAST_LEFT = 0.1  # of the variance of an item's value, beside its mean
_LEAST_NOISE = 0.5
_QUANTILES = 8  # of the noise of a cluster
_MOVES = 20  # steps towards a mean and a variance


@dataclass(frozen=True, slots=True)
class UsualUnits:
    """Different units: `sums` (D,) of values, `sizes` (D,) > 0 in items, and the `shares` (D,) of units like these."""

    sums: Floats
    sizes: Floats
    shares: Floats

    @property
    def mean(self) -> float:
        """Per item."""
        return float(self.shares @ self.sums / (self.shares @ self.sizes))


def usual_difference_of_outcomes(needed: Integers, untied: float) -> float | None:
    """The difference that `paired_outcomes` finds among n items in 80% of studies, a share `untied` > 0 being no ties.

    `needed` (n + 1,): the wins that decide, by the number of items that are no ties (`wins_needed`). None where not
    even `untied` is found so often.
    """
    places = np.arange(needed.size)
    chances = np.exp(_log_binomial(places, needed.size - 1, untied))

    def power(difference: float) -> float:
        win = (1 + difference / untied) / 2
        found = np.where(needed <= places, bdtrc(needed - 1.0, places, win), 0.0)
        return float(chances @ found)

    if power(untied) < USUALLY:
        return None
    low, high = 0.0, untied
    while high - low > _CLOSE:
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) < USUALLY else (low, middle)
    return high


def usual_difference_without_losses(needed: Integers) -> float | None:
    """The same where all items that are no ties are wins: their share is the difference, and all others tie.

    What is found where it is more than the share of untied items at hand. None where not even n wins are enough.
    """
    places = np.arange(needed.size)

    def power(difference: float) -> float:
        return float(np.exp(_log_binomial(places, needed.size - 1, difference))[needed <= places].sum())

    if power(1.0) < USUALLY:
        return None
    low, high = 0.0, 1.0
    while high - low > _CLOSE:
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) < USUALLY else (low, middle)
    return high


def _log_binomial(places: Integers, count: int, share: float) -> Floats:
    choose = gammaln(count + 1.0) - gammaln(places + 1.0) - gammaln(count - places + 1.0)
    return np.asarray(choose + xlogy(places, share) + xlog1py(count - places, -share))


def usual_difference_of_items(values: Floats, level: float, rng: np.random.Generator) -> float | None:
    """The mean of `values` (n,) in [-1, 1] that `panel_means` finds at `level` a side in 80% of studies like this.

    None where not even the largest values do. `level` in (0, 1/2).
    """
    kinds, shares = np.unique(np.concatenate([values, -values]), return_counts=True)
    base = UsualUnits(kinds, np.ones(kinds.size), shares / shares.sum())
    return _smallest(lambda d: _tilted(base, d), float(kinds.max(initial=0.0)), values.size, level, rng)


def usual_difference_of_clusters(
    sums: Floats, sizes: Floats, square: float, level: float, rng: np.random.Generator, pairs: int = 1
) -> float | None:
    """The mean per item of clusters with `sums` (G,) and `sizes` (G,) that `cluster_means` finds at `level` a side.

    `square` in (0, 1]: the mean square of an item's value. None where no difference would be found in 80% of studies.
    `pairs` P of systems with clusters of the same sizes: `sums` and `sizes` (P G,), those of one pair after the other,
    for one answer about all of them. A difference that there is counts as no noise.
    """
    count = sums.size // pairs
    if np.count_nonzero(sums) < (1 - _MANY_EMPTY) * sums.size:
        share = np.full(2 * sums.size, 0.5 / sums.size)
        sums = np.abs(sums)
        base = UsualUnits(np.concatenate([sums, -sums]), np.concatenate([sizes, sizes]), share)
        largest = float(np.max(sums / sizes))
        return _smallest(lambda d: _tilted(base, d), largest, count, level, rng)
    each = zip(np.split(sums, pairs), np.split(sizes, pairs), strict=True)
    squares = math.fsum(_without_difference(*of, square) for of in each) / pairs
    sizes = sizes[:count]
    alike = (squares / square - float(sizes.sum())) / max(float((sizes**2).sum() - sizes.sum()), 1.0)
    spread = np.sqrt(sizes * (1 + (sizes - 1) * min(max(alike, 0.0), 1.0)))
    spread *= math.sqrt((1 + _UNKNOWN / count) * squares / float(spread @ spread))
    normal = ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    noise = np.outer(spread, normal / math.sqrt(float((normal**2).mean()))).ravel()
    of = UsualUnits(noise, np.repeat(sizes, _QUANTILES), np.full(noise.size, 1 / noise.size))
    return _smallest(lambda d: _moved(of, square, d), math.sqrt(square), count, level, rng)


def _without_difference(sums: Floats, sizes: Floats, square: float) -> float:
    """The squares of the sums as they would be on average without a difference, of which there is some now.

    At least half of those of items that do not depend on each other: few clusters may agree by chance.
    """
    mean = math.fsum(sums) / math.fsum(sizes)
    residuals = math.fsum((sums - mean * sizes) ** 2) * sums.size / max(sums.size - 1, 1)
    left = max(1 - mean**2 / square, _LEAST_LEFT)
    return max(residuals / left, _LEAST_NOISE * square * math.fsum(sizes))


def _smallest(
    units_at: Callable[[float], UsualUnits],
    largest: float,
    count: int,
    level: float,
    rng: np.random.Generator,
) -> float | None:
    """The mean of the units at the smallest difference in (0, largest] that is usually found."""
    seed = int(rng.integers(2**63))

    def usual(units: UsualUnits) -> bool:
        counts = np.random.default_rng(seed).multinomial(count, units.shares, size=_STUDIES)
        return float(rejected(units.sums, units.sizes, counts, level).mean()) >= USUALLY

    if largest <= 0 or count < 2:
        return None
    base = units_at(0.0)
    noise = math.sqrt(float(base.shares @ base.sums**2) / count) / float(base.shares @ base.sizes)
    high = min((float(ndtri(USUALLY)) - float(stdtrit(count - 1.0, level))) * noise, largest)
    while not usual(units_at(high)):
        if high >= largest:
            return None
        high = min(_STEP * high, largest)
    low = high / _STEP
    while usual(units_at(low)):
        low, high = low / _STEP, low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if usual(units_at(middle)) else (middle, high)
    return units_at(high).mean


def _tilted(base: UsualUnits, difference: float) -> UsualUnits:
    """With the weights exp(theta y) that bring the mean per item to `difference` >= 0."""
    per_item = base.sums / base.sizes
    low, high = 0.0, _LARGEST_TILT

    def at(tilt: float) -> UsualUnits:
        weights = base.shares * np.exp(tilt * (per_item - per_item.max()))
        return UsualUnits(base.sums, base.sizes, weights / weights.sum())

    for _ in range(_TILTS):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle).mean < difference else (low, middle)
    return at(high)


def _moved(base: UsualUnits, square: float, difference: float) -> UsualUnits:
    """With the mean per item `difference` >= 0, and the noise that is left with it."""
    most, shares = base.sizes, base.shares
    items = float(shares @ most)
    wanted = float(shares @ base.sums**2) * max(1 - difference**2 / square, 0.0)
    at, scale, sums = difference, math.sqrt(max(1 - difference**2 / square, 0.0)), base.sums
    for _ in range(_MOVES):
        sums = np.clip(at * most + scale * base.sums, -most, most)
        mean = float(shares @ sums) / items
        noise = float(shares @ (sums - mean * most) ** 2)
        at += difference - mean
        scale *= math.sqrt(wanted / noise) if noise else 1.0
    return UsualUnits(sums, most, shares)


def rejected(sums: Floats, sizes: Floats, counts: Integers, level: float) -> Flags:
    """Whether "mean <= 0" is rejected at `level` in each of R studies (R,).

    `counts` (R, D): how many units of the D kinds with `sums` and `sizes` (D,) each of them has.
    """
    found = counts @ sums > 0
    found[found] = _by_score(sums, sizes, counts[found], level)
    found[found] = _by_flips(sums, counts[found], level)
    return found


def _by_score(sums: Floats, sizes: Floats, counts: Integers, level: float) -> Flags:
    """lambda beyond the point at which the variance that the null implies gives p = `level`."""
    if not counts.size:
        return np.zeros(counts.shape[0], dtype=np.bool_)
    units = counts.sum(axis=1)
    mean, mean_size = counts @ sums / units, counts @ sizes / units
    unseen = counts @ sizes**2 / (counts @ sizes)
    spare = unseen / mean_size * mean**2
    residuals = np.abs(sums - (mean / mean_size)[:, None] * sizes)
    leans = np.where(counts > 0, residuals / np.sqrt(sizes * np.maximum(sizes, unseen[:, None])), 0.0)
    lean = np.clip(ANYWHERE.beyond * leans.max(axis=1), 1 / np.sqrt(unseen), 1.0)
    lowest = -np.where(counts > 0, sums, np.inf).min(axis=1)
    limit = 1 / np.maximum(unseen * lean, lowest)
    allowed = units * (mean / stdtrit(units - 1.0, level)) ** 2 * (units - 1) / units + spare
    start = mean / allowed
    scores = sums / (1 + np.minimum(start, limit * (1 - 1e-12))[:, None] * sums)
    scores = np.where(counts > 0, scores, 0.0)
    return np.asarray((start <= limit) & ((counts * scores).sum(axis=1) >= 0))


def _by_flips(sums: Floats, counts: Integers, level: float) -> Flags:
    """P(sum over a random half <= 0), on the lattice of the sums or on a finer one than matters."""
    if not counts.size:
        return np.zeros(counts.shape[0], dtype=np.bool_)
    steps = np.rint(sums * _fineness(sums, counts))
    size, extent = np.abs(steps), counts @ np.abs(steps)
    spread = math.sqrt(float((counts @ steps**2).max())) / 2
    length = 2 * (math.ceil(_WINDOW * spread) + 2)
    angles = np.pi * np.arange(length // 2 + 1) / length
    cosines = np.cos(np.outer(size, angles))
    weighed = counts.astype(np.float64)
    transform = np.exp(weighed @ np.log(np.maximum(np.abs(cosines), 1e-300)))
    transform *= 1 - 2 * ((weighed @ (cosines < 0)) % 2)
    first = np.ceil(extent / 2) - length // 2  # the lowest sum in the window
    mass = np.fft.irfft(transform * np.exp(-2j * np.outer(extent / 2 - first, angles)), n=length, axis=1)
    against = counts @ np.where(steps < 0, size, 0.0)  # of the sum of sizes, what a random half must not exceed
    below = np.cumsum(mass, axis=1)
    column = np.clip(against - first, -1, length - 1).astype(np.intp)
    p = np.where(column < 0, 0.0, below[np.arange(column.size), np.maximum(column, 0)])
    p = np.maximum(p, np.power(0.5, weighed @ (sums != 0)))
    return np.asarray(p <= level * (1 + 1e-9))


def _fineness(sums: Floats, counts: Integers) -> float:
    """Steps per unit of the sums: the coarsest lattice that holds them all, or one fine enough."""
    finest = 2 * _FINEST / math.sqrt(float((counts @ sums**2).max()))
    for denominator in range(1, int(finest) + 1):
        if np.allclose(sums * denominator, np.rint(sums * denominator), atol=1e-6):
            return float(denominator)
    return finest
