"""The largest probability of a score over every share of untied items, of n items that are drawn independently.

    p = sup over s in (0, 1] of  B(s),   B(s) = sum_m Bin(m; n, s) T(m),   T(m) = P(score of Bin(m, 1/2) >= score).

It is searched on a grid of shares, equally spaced in arcsin sqrt(s) at a tenth of 1/sqrt(n), with a quartic through
each peak; p is raised by 1e-5 of itself, more than that search was ever short.

Most shares need not be worked out, because they cannot hold the peak. The probabilities w(m) = Bin(m; n, s) rise to
their mode and fall: {m: w(m) > h} is an interval for every h, and w is the mixture of these intervals. So for any
number A and any share whose m lie in a window,

    B(s) = sum_m w(m) T(m) = A + integral over h of sum over {w > h} of (T(m) - A)
        <= A + max w . (max C - min C),   C the running sum of T - A over the window,

and max w <= 1 / sqrt(2 e n s (1 - s)) (Herzog 1947). With A the mean of T over the window this is sharp: T is a
sawtooth about a nearly constant value, and C its ripples. What lies outside the window, beyond 8 standard deviations
and 30 items, has a probability below 1e-14 for every share.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln

from tiebreak.kernels.metric_means import fair_tails, fewest_wins

Floats = NDArray[np.float64]

STEPS: Final = 10
"""Steps of the grid of shares per 1/sqrt(n), in arcsin sqrt(share)."""

SHORTFALL: Final = 1e-5
"""Relative amount by which a peak between two shares is raised; the tests measure that it suffices."""

NEARLY: Final = 1e-4
"""Relative distance to the highest share worked out, within which others are: more than a peak rises between shares."""

CHUNK_CELLS: Final = 2_000_000
"""Numbers of untied items times scores that are held at once."""

FAR: Final = 8.0
"""Scores from which p is the smaller of exp(-score^2 / 2), which bounds it for any number of items, and p at `FAR`."""

SMALL: Final = 2_000
"""Numbers of items up to which p is worked out even there, and at all shares: it costs less than to look for bounds."""

BLOCK: Final = 32
"""Neighbouring shares that are worked out together."""

BESIDE: Final = 2
"""Shares on either side of a peak that the quartic through it takes."""


class WorstShare:
    """The distribution of the number of untied items among n >= 1, for a grid of shares."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._log_factorial = _log_factorials(n)
        steps = int(np.ceil(np.pi / 2.0 * STEPS * np.sqrt(n))) + 4
        self._shares = np.sin(np.linspace(0.0, np.pi / 2.0, steps + 1)) ** 2
        self._blocks = _blocks(n, self._shares)
        self._weights: dict[int, Floats] = {}

    def p_values(self, scores: Floats) -> Floats:
        """The supremum over the shares of P(score >= each of `scores`), all positive; shape of `scores`."""
        if self.n <= SMALL:
            return self._searched(scores)
        p = np.exp(-(scores**2) / 2.0)
        near = scores < FAR
        sought = scores[near]
        if (p[~near] > self._alone(FAR)).any():  # p at `FAR` is at least what it is if no item is tied
            sought = np.append(sought, FAR)
        searched = self._searched(sought)
        p[near] = searched[: near.sum()]
        p[~near] = np.minimum(p[~near], searched[near.sum() :].max(initial=0.0) or np.inf)
        return np.asarray(p)

    def _alone(self, score: float) -> float:
        """P(score >= `score`) without ties."""
        return float(bdtrc(fewest_wins(np.array([score]), np.array([float(self.n)]))[0] - 1.0, self.n, 0.5))

    def _searched(self, scores: Floats) -> Floats:
        size = max(1, CHUNK_CELLS // (self.n + 1))
        parts = [self._highest(scores[start : start + size]) for start in range(0, len(scores), size)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _highest(self, scores: Floats) -> Floats:
        tails = fair_tails(self.n, scores, self._log_factorial)
        bounds = self._bounds(tails) if self.n > SMALL else np.ones((len(self._blocks), len(scores)))
        curve = np.full((len(self._shares), len(scores)), np.nan)
        highest = np.zeros(len(scores))
        while True:
            over = (bounds - highest * (1.0 - NEARLY)).max(axis=1)
            place = int(over.argmax())
            if over[place] < 0.0:
                return np.minimum(_highest(curve), 1.0)
            np.maximum(highest, self._worked_out(place, tails, curve).max(axis=0), out=highest)
            bounds[place] = -np.inf

    def _bounds(self, tails: Floats) -> Floats:
        """What B cannot exceed at any share of each block or up to `BESIDE` next to it: (blocks, scores)."""
        sums = np.zeros((self.n + 2, tails.shape[1]))
        np.cumsum(tails, axis=0, out=sums[1:])
        places = np.arange(self.n + 2.0)[:, None]
        bounds = np.empty((len(self._blocks), tails.shape[1]))
        for place, block in enumerate(self._blocks):
            running = sums[block.start : block.stop + 1]
            mean = (running[-1] - running[0]) / (block.stop - block.start)
            ripples = running - mean * places[block.start : block.stop + 1]
            bounds[place] = mean + block.most * (ripples.max(axis=0) - ripples.min(axis=0))
        return bounds

    def _worked_out(self, place: int, tails: Floats, curve: Floats) -> Floats:
        """B at the shares of a block, also written into `curve`."""
        block = self._blocks[place]
        if place not in self._weights:
            self._weights[place] = block.weights(self.n, self._shares, self._log_factorial)
        weights = self._weights[place]
        found = weights @ tails[block.start : block.stop]
        curve[block.first : block.first + len(weights)] = found
        return np.asarray(found)


class _Block(NamedTuple):
    """Neighbouring shares from number `first` on: the range of untied items that matters there, from `start` to before
    `stop`, and `most`, which the probability of none of them exceeds.
    """

    first: int
    start: int
    stop: int
    most: float

    def weights(self, n: int, shares: Floats, log_factorial: Floats) -> Floats:
        """Probabilities of the numbers of untied items (shares, stop - start)."""
        share = shares[self.first : self.first + BLOCK]
        m = np.arange(self.start, float(self.stop))
        log_choose = log_factorial[n] - log_factorial[self.start : self.stop]
        log_choose -= log_factorial[n - self.stop + 1 : n - self.start + 1][::-1]
        within = np.clip(share, 1e-300, 1.0 - 1e-16)[:, None]
        log_p = m * np.log(within)
        log_p += log_choose
        log_p += (n - m) * np.log1p(-within)
        weights: Floats = np.exp(log_p, out=log_p)
        weights[share == 0.0] = m == 0.0
        weights[share == 1.0] = m == n
        return weights


def _blocks(n: int, shares: Floats) -> list[_Block]:
    """All blocks of a grid of shares (k,). Both ends of what matters rise with the share, where it is below 0 too."""
    reach = 8.0 * np.sqrt(n * shares * (1.0 - shares)) + 30.0
    start = np.maximum(np.floor(n * shares - reach), 0.0).astype(np.intp)
    stop = np.minimum(np.ceil(n * shares + reach), n).astype(np.intp) + 1
    most = 1.0 / np.sqrt(np.maximum(2.0 * math.e * n * shares * (1.0 - shares), 1.0))
    first = np.arange(0, len(shares), BLOCK)
    begin, end = np.maximum(first - BESIDE, 0), np.minimum(first + BLOCK + BESIDE, len(shares)) - 1
    columns = (first, start[begin], stop[end], np.maximum(most[begin], most[end]))
    return [_Block(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _log_factorials(n: int) -> Floats:
    """log k! for k from 0 to at least n + 1."""
    return _log_factorials_below(1 << (n + 1).bit_length())


@lru_cache(maxsize=8)
def _log_factorials_below(size: int) -> Floats:
    found: Floats = np.asarray(gammaln(np.arange(1.0, size + 1.0)))
    found.flags.writeable = False
    return found


def _highest(curve: Floats) -> Floats:
    """The largest value of each column, peaks between equally spaced rows included; even about both ends.

    NaN in rows that were not worked out: those within `BESIDE` of the highest ones are.
    """
    padded = np.concatenate([curve[2:0:-1], curve, curve[-2:-4:-1]])
    a, b, c, d, e = (padded[i : len(padded) - 4 + i] for i in range(5))
    highest = np.nanmax(curve, axis=0)
    row, column = np.nonzero((c >= b) & (c >= d) & (c > 0.9 * highest) & ~np.isnan(a + e))
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
    np.maximum.at(highest, column, peak)
    return np.asarray(highest)
