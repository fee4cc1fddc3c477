"""How many values a confidence sequence of a mean needs until it is as narrow as is wanted.

The bets are those of `bounded_mean`. Against the null mean - h they gain log(1 + bet (x - mean + h)) from a value x;
for values that lie one standard deviation to either side of their mean, half of them each, the gain per value is known,
and after n values log E is that of the mixture over bets. The upper end is the lower one of the negated values. So n
solves an equation. What values bring by chance ends a sequence a little earlier, since no value that was rejected once
comes back: the median of simulated sequences is .8 to 1.2 of n (tests/kernels/test_width_projection.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.bounded_mean import LARGEST_FRACTION, KappaPrior
from tiebreak.kernels.log_space import log_sum_exp

Floats = NDArray[np.float64]

MOST = 2**40
"""Values, beyond which nobody asks."""


def values_to_width(
    mean: float,
    variance: float,
    half_width: float,
    log_threshold: float,
    prior: KappaPrior,
    pool_size: int | None = None,
) -> int | None:
    """Values until (U - L)/2 is at most `half_width`, all in [-1, 1]; at most `pool_size`. None beyond `MOST`.

    `log_threshold`: log(2/alpha), or log(2 M/alpha) for M means at once.

    Raises:
        ValueError: `half_width` is not above 0.
    """
    if not half_width > 0:
        raise ValueError("a half-width is above 0")
    low, high = 0, 1
    while not _is_narrow(high, mean, variance, half_width, log_threshold, prior):
        low, high = high, 2 * high
        if high > MOST:
            return pool_size
    while high - low > 1:
        middle = (low + high) // 2
        narrow = _is_narrow(middle, mean, variance, half_width, log_threshold, prior)
        low, high = (low, middle) if narrow else (middle, high)
    # What is drawn of a pool leaves less of it open: the variance of a mean is (1 - n/N) of that without a pool.
    return high if pool_size is None else int(np.ceil(high / (1 + high / pool_size)))


def _is_narrow(
    count: int, mean: float, variance: float, half_width: float, log_threshold: float, prior: KappaPrior
) -> bool:
    """Whether the interval is narrow enough after so many values: its ends need not lie equally far from the mean."""
    below = _reach(count, mean, variance, log_threshold, prior, 4 * half_width)
    above = _reach(count, -mean, variance, log_threshold, prior, 4 * half_width)
    return below + above <= 2 * half_width


def _reach(count: int, mean: float, variance: float, log_threshold: float, prior: KappaPrior, most: float) -> float:
    """How far below the mean the lower end lies, which is at most all that there is; more than `most` is no matter."""
    room = min(mean + 1.0, most)
    tried = np.linspace(0.0, room, 201)[1:]
    rejected = _log_e(count, mean, variance, tried, prior) >= log_threshold
    return float(tried[rejected.argmax()]) if rejected.any() else room


def _log_e(count: int, mean: float, variance: float, below: Floats, prior: KappaPrior) -> Floats:
    """log E against the nulls so far `below` the mean (T,)."""
    values, shares = _two_values(mean, variance)
    nulls = (mean - below)[:, None, None]
    seen, times = _stretches(count)
    learnt = (variance * seen + 2.1) / (seen + 3.0)  # as `bounded_mean` estimates it
    bets = np.minimum(
        prior.kappas[:, None] / learnt, LARGEST_FRACTION / np.maximum(1.0 + nulls, 1e-12)
    )  # (T, J, stretches)
    gains = sum(share * np.log1p(bets * (value - nulls)) for value, share in zip(values, shares, strict=True))
    return np.asarray(log_sum_exp(gains @ times + prior.log_weights))


def _two_values(mean: float, variance: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Two values in [-1, 1] with this mean and variance, and their shares: as far from the mean if there is room."""
    spread = float(np.sqrt(variance))
    if abs(mean) + spread <= 1:
        return (mean - spread, mean + spread), (0.5, 0.5)
    room = 1 - abs(mean)  # one value is the end of the scale that is near
    share = variance / (variance + room**2) if variance > 0 else 0.0
    other = 1 - room / (1 - share)
    side = 1.0 if mean > 0 else -1.0
    return (side * other, side), (1 - share, share)


def _stretches(count: int) -> tuple[Floats, Floats]:
    """(S,) values seen before each stretch of values, and how many it has: short at first, where bets learn fast."""
    ends = np.unique(np.round(np.geomspace(1, count, 24)))
    starts = np.concatenate([[0.0], ends[:-1]])
    return (starts + ends - 1) / 2, ends - starts
