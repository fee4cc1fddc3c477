"""How many values a confidence sequence of a mean needs until it is as narrow as is wanted.

The bets are those of `bounded_bets`. Against the null mean - h they gain log(1 + bet (x - mean + h)) from a value x;
for values that lie one standard deviation to either side of their mean, half of them each, the gain per value is known,
and after n values log E is that of the mixture over bets. The upper end is the lower one of the negated values. So n
solves an equation. What values bring by chance ends a sequence a little earlier, since no value that was rejected once
comes back: the median of simulated sequences is .8 to 1.2 of n (tests/kernels/test_confidence_sequence.py).

Of a sequence that has begun the bets made so far, on what was known then, are in its wealth. `values_to_go` lets that
wealth grow by such values, on the grid of the sequence; with a variance somewhat larger than what was seen, so that
about four of five sequences end by then.

The width of an interval with metrics over that without, and how sure that is.

Measured with `held_out_regression`, of the samples that show a saving (500 each): the interval holds the ratio of the
mean variances in .935-.955 (30 to 100 labels, one metric of rho .4 to .9, or one of .6 beside 15 useless ones), in
.95 and more where the metrics are useless, in .85 where one of rho .5 is found among 16 with 30 labels (two of three
such samples show a saving: those in which it looks large). For inputs like these, with 60 of 100, 150 of 400 and 300
of 3,000 items labelled and a metric of .5 or .8 of the lead behind the labels, in .915-.963 (1,000 samples each).

How wide the interval of a mean rating is with n ratings: the bootstrap of Chaganty, Mussmann & Liang (2018).

For each n, `resamples` times: n outputs of one system with replacement, and one of the ratings of each. The width is
that of the middle 80 % of the estimates, q90 - q10, by the mean of the ratings and by Algorithm 1 with a metric that is
standardised over all outputs (`algorithm_1`). The efficiency of a curve is the mean over n of the squared
ratio of widths, always to the mean of single ratings. Algorithm 1 learns its slope from the n ratings, so that with few
of them a metric costs more than it gives.

What ifs, as in the paper: `noiseless`, the mean of all people's ratings of an output for that of one person;
`perfect_in_paper`, the same mean as the metric. That one contains the rating itself, and saves k/(k - 1) times what is
possible (`data_efficiency`). `perfect` is the mean of the *other* people's ratings of that output.

Bootstrap of these outputs, one system: what it shows is the curve, not how sure it is. With 1,000 resamples a width has
a standard error of about 3 %, an efficiency over four n of about 4 %.

The difference after stopping early, with the outward bias of the raw mean shrunk away.

A campaign that stops when the evidence suffices stops on a lucky streak: at a true difference of 0.10 the raw mean at
the stop averages about 0.14. The posterior mean under a prior symmetric in sign and log-uniform in size shrinks
uncertain estimates much and certain ones little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.bounded_bets import (
    LARGEST_FRACTION,
    PRIOR_COUNT,
    PRIOR_SQUARES,
    KappaPrior,
    RunningWealth,
    kappa_prior,
    log_sum_exp,
    rejected_below,
)
from tiebreak.kernels.control_variate import algorithm_1, standardised
from tiebreak.kernels.jackknife import jackknife_reach
from tiebreak.kernels.pool_metric import PoolMetric
from tiebreak.kernels.rated_outputs import RatedOutputs

Floats = NDArray[np.float64]

_CHANCE_80: Final = 0.84
"""Standard errors by which a variance is larger than was seen in one of five cases; 1/sqrt(n) of it is one, where the
kurtosis is 2, as ratings on a scale have it about."""
_STRETCHES: Final = 24
MOST = 2**40
"""Values, beyond which nobody asks."""


def values_to_width(
    mean: float,
    variance: float,
    half_width: float,
    log_threshold: float,
    pool_size: int | None = None,
) -> int | None:
    """Values until (U - L)/2 is at most `half_width`, all in [-1, 1], by the bets that are made for it; at most
    `pool_size`. None beyond `MOST`.

    `log_threshold`: log(2/alpha), or log(2 M/alpha) for M means at once.

    Raises:
        ValueError: `half_width` is not above 0.
    """
    if not half_width > 0:
        raise ValueError("a half-width is above 0")
    prior = kappa_prior(half_width)
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
    learnt = (variance * seen + PRIOR_SQUARES) / (seen + PRIOR_COUNT)  # as `bounded_bets` estimates it
    bets = np.minimum(
        prior.kappas[:, None] / learnt, LARGEST_FRACTION / np.maximum(1.0 + nulls, 1e-12)
    )  # (T, J, stretches)
    gains = sum(share * np.log1p(bets * (value - nulls)) for value, share in zip(values, shares, strict=True))
    return np.asarray(log_sum_exp(gains @ times + prior.log_weights))


def values_to_go(
    wealth: RunningWealth,
    prior: KappaPrior,
    nulls: Floats,
    half_width: float,
    log_threshold: float,
    pool_size: int | None = None,
    metric: PoolMetric | None = None,
) -> int | None:
    """Further values, at least 1, until (U - L)/2 is at most `half_width` with a chance of about 80%; the arguments are
    those of `bounded_bets.after_value`. At most all that are left of a pool; None beyond `MOST`.

    Raises:
        ValueError: no value was seen yet.
    """
    if not wealth.count:
        raise ValueError("nothing was seen that could be projected")
    mean, variance = (wealth.mean, wealth.variance) if metric is None else wealth.with_metric(metric)
    variance *= 1 + _CHANCE_80 / math.sqrt(wealth.count)
    ends = rejected_below(wealth, nulls, log_threshold)
    sides = [
        _Side.of(wealth, row, nulls, (mean, variance), (sign * ends[row], 4 * half_width), pool_size, metric)
        for row, sign in enumerate((1, -1))
    ]

    def is_narrow(further: int) -> bool:
        low, high = (side.end(further, prior, log_threshold) for side in sides)
        return -high - low <= 2 * half_width

    most = MOST if pool_size is None else pool_size - wealth.count
    low, high = 0, 1
    while high < most and not is_narrow(high):
        low, high = high, min(2 * high, most)
    if pool_size is None and high == most:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_narrow(middle) else (middle, high)
    return max(high, 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One direction of a sequence: the null values (T,) between its end now and the `mean` of all values, and of each
    the logarithm of the wealth of its bets (T, J).

    Of the values to come: their `spread` about the mean, their `weight`. Of those seen: `count`, `squares` about their
    mean. `reach`: the largest prediction of a metric.
    """

    end_now: float
    nulls: Floats
    log_wealth: Floats
    mean: float
    spread: float
    weight: float
    count: int
    squares: float
    pool_size: int | None
    reach: float

    @classmethod
    def of(
        cls,
        wealth: RunningWealth,
        row: int,
        nulls: Floats,
        expected: tuple[float, float],
        now: tuple[float, float],
        pool_size: int | None,
        metric: PoolMetric | None,
    ) -> _Side:
        """Row 1 is that of the negated values. `expected`: mean and variance; `now`: the end, and how far below the
        mean one is of interest.
        """
        mean = expected[0] if row == 0 else -expected[0]
        near = (nulls > max(now[0], mean - now[1])) & (nulls < mean)
        reach = 0.0
        if metric is not None and wealth.count < metric.x.size:
            said = metric.ahead(wealth.count, wealth.taught.slopes(metric, wealth.count))
            reach = float(np.broadcast_to(said.most_reach, 2)[row])
        with np.errstate(divide="ignore"):
            log_wealth = np.log(wealth.shares[row, near]) + wealth.log_e[row, near, None]
        return cls(
            end_now=now[0],
            nulls=nulls[near],
            log_wealth=log_wealth,
            mean=mean,
            spread=math.sqrt(expected[1]),
            weight=wealth.weight / wealth.count,
            count=wealth.count,
            squares=max(wealth.taught.squares - wealth.taught.rest**2 / wealth.count, 0.0),
            pool_size=pool_size,
            reach=reach,
        )

    def end(self, further: int, prior: KappaPrior, log_threshold: float) -> float:
        """The largest null value that is rejected after so many further values."""
        edges = np.linspace(0.0, further, min(further, _STRETCHES) + 1)
        seen, times = (edges[1:] + edges[:-1] - 1) / 2, np.diff(edges)
        drawn = self.count + seen
        shrinking = 1.0 if self.pool_size is None else self.pool_size / (self.pool_size - drawn)
        learnt = (self.squares + (self.weight * self.spread) ** 2 * seen + PRIOR_SQUARES) / (drawn + PRIOR_COUNT)
        ahead = (self.mean - self.nulls)[:, None] * shrinking  # (T, S): of what is not drawn, over its null mean
        largest = LARGEST_FRACTION / np.maximum(1.0 + self.mean - ahead + self.reach, 1e-12)
        bets = np.minimum(prior.kappas[:, None] * shrinking / learnt, largest[:, None])  # (T, J, S)
        gains = [bets * self.weight * (ahead[:, None] + sign * self.spread) for sign in (-1, 1)]
        grown = sum(np.log1p(np.maximum(gain, -LARGEST_FRACTION)) for gain in gains) / 2
        rejected = log_sum_exp(grown @ times + self.log_wealth) >= log_threshold
        return float(self.nulls[rejected].max(initial=self.end_now))


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


Integers = NDArray[np.intp]


def width_ratio(residuals: Floats, plain: Floats, units: Integers) -> tuple[float, float, float]:
    """Width with metrics over width without, and an interval for it, about 95 %; 0 to 1 where one unit is all.

    `residuals`, `plain` (n,): values with mean zero, with metrics and without, of items in `units` (n,) numbered from
    0; at least two units, and `plain` not all zero. The interval is a jackknife over units on the log scale
    (`jackknife`).
    """
    unit_count = int(units.max()) + 1
    with_, without = (np.bincount(units, weights=of, minlength=unit_count) ** 2 for of in (residuals, plain))
    all_with, all_without = float(with_.sum()), float(without.sum())
    if not all_with or (with_ == all_with).any() or (without == all_without).any():
        return math.sqrt(all_with / all_without), 0.0, max(1.0, math.sqrt(all_with / all_without))
    left_out = np.log((all_with - with_) / (all_without - without)) / 2
    ratio, reach = math.sqrt(all_with / all_without), jackknife_reach(left_out)
    return ratio, ratio * math.exp(-reach), ratio * math.exp(reach)


CHUNK_CELLS: Final = 500_000
"""Ratings drawn at once: about 40 MB in all."""
_MIDDLE = (0.1, 0.9)


@dataclass(frozen=True, slots=True)
class WidthCurves:
    """Widths (L,) at each number of ratings `sizes` (L,), in units of the ratings.

    `mean`: of single ratings. `metric`: Algorithm 1. None where there is no metric (`metric`, `noiseless`), or where an
    output has one rating only (`perfect`; all three what ifs where each has).
    """

    sizes: tuple[int, ...]
    mean: Floats
    metric: Floats | None
    noiseless: Floats | None
    perfect: Floats | None
    perfect_in_paper: Floats | None

    def efficiency(self, widths: Floats) -> float | None:
        """The mean over sizes of (width of the mean / width)^2; None where a width is 0."""
        return float(((self.mean / widths) ** 2).mean()) if (widths > 0).all() else None


@dataclass(frozen=True, slots=True)
class _Ratings:
    """What is drawn from, by rating (K,): its value, and as metrics the automatic one, the mean of all, of the others.

    `means` (K,): of its output.
    """

    values: Floats
    means: Floats
    metric: Floats | None
    all_people: Floats | None
    others: Floats | None


def width_curves(
    rated: RatedOutputs,
    sizes: tuple[int, ...],
    rng: np.random.Generator,
    metric: ArrayLike | None = None,
    pool_metric: ArrayLike | None = None,
    resamples: int = 1000,
) -> WidthCurves:
    """The curves of one system; `metric` (n,) in the order of `rated`, `pool_metric` (N,) of all outputs (by default
    these). Four sizes up to 100 with 1,000 resamples: about 30 ms. The same generator, the same curves.

    Raises:
        UsageError: no rated output, sizes below 1, fewer than 2 resamples, or metrics that do not fit or are not
        finite.
    """
    if not rated.counts.size or not sizes or min(sizes) < 1 or resamples < 2:
        raise UsageError(
            f"curves need rated outputs, sizes from 1 on and 2 resamples, not {rated.counts.size} outputs, "
            f"sizes {sizes} and {resamples} resamples"
        )
    of = _ratings(rated, metric, pool_metric)
    drawn = [_estimates(rated, of, size, rng, resamples) for size in sizes]
    widths = {
        name: np.array([_width(found[name]) for found in drawn]) if name in drawn[0] else None
        for name in ("metric", "noiseless", "perfect", "perfect_in_paper")
    }
    return WidthCurves(tuple(sizes), np.array([_width(found["mean"]) for found in drawn]), **widths)


def _ratings(rated: RatedOutputs, metric: ArrayLike | None, pool_metric: ArrayLike | None) -> _Ratings:
    counts, means = rated.counts, rated.means
    per_rating = np.repeat(means, counts)
    automatic = None
    if metric is not None:
        values = np.asarray(metric, dtype=np.float64)
        pool = values if pool_metric is None else np.asarray(pool_metric, dtype=np.float64)
        if values.shape != means.shape or not np.isfinite(values).all() or not np.isfinite(pool).all():
            raise UsageError(f"{means.size} rated outputs need as many finite metric values, not {values.shape}")
        automatic = np.repeat(standardised(values, pool), counts)
    if not (counts > 1).any():
        return _Ratings(rated.ratings, per_rating, automatic, None, None)
    everyone = np.repeat(standardised(means, means), counts)
    if (counts == 1).any():
        return _Ratings(rated.ratings, per_rating, automatic, everyone, None)
    number = np.repeat(counts, counts)
    others = (per_rating * number - rated.ratings) / (number - 1)
    weights = 1 / number / counts.size  # each output counts once
    centred = others - float(weights @ others)
    spread = float(weights @ centred**2)
    return _Ratings(
        rated.ratings, per_rating, automatic, everyone, centred / np.sqrt(spread) if spread > 0 else 0 * centred
    )


def _estimates(
    rated: RatedOutputs, of: _Ratings, size: int, rng: np.random.Generator, resamples: int
) -> dict[str, Floats]:
    """Estimates (resamples,) by name, in chunks so that memory is bounded."""
    rows = max(1, CHUNK_CELLS // size)
    parts: dict[str, list[Floats]] = {}
    for start in range(0, resamples, rows):
        outputs = rng.integers(rated.counts.size, size=(min(rows, resamples - start), size))
        which = (rng.random(outputs.shape) * rated.counts[outputs]).astype(np.intp)
        for name, found in _of_draw(of, rated.starts[outputs] + which).items():
            parts.setdefault(name, []).append(found)
    return {name: np.concatenate(found) for name, found in parts.items()}


def _of_draw(of: _Ratings, at: NDArray[np.intp]) -> dict[str, Floats]:
    values = of.values[at]
    found = {"mean": values.mean(axis=1)}
    if of.metric is not None:
        metric = of.metric[at]
        found["metric"] = algorithm_1(values, metric)
        if of.all_people is not None:
            found["noiseless"] = algorithm_1(of.means[at], metric)
    if of.all_people is not None:
        found["perfect_in_paper"] = algorithm_1(values, of.all_people[at])
    if of.others is not None:
        found["perfect"] = algorithm_1(values, of.others[at])
    return found


def _width(estimates: Floats) -> float:
    low, high = np.quantile(estimates, _MIDDLE)
    return float(high - low)


_SMALLEST, _POINTS = 0.01, 400


def estimate_at_stop(mean: float, variance: float, labelled: int, pool_size: int | None = None) -> float:
    """Posterior mean of the difference given `mean` of `labelled` values with variance `variance`.

    Likelihood N(mean, variance (1/n - 1/N)), N infinite for `pool_size=None`; prior density on [-1, 1] proportional to
    1/max(|difference|, 0.01), by the trapezoid rule on a grid that is fine where the likelihood is. No uncertainty left
    (variance 0, or the whole pool labelled): the mean itself.

    Raises:
        ValueError: `labelled` < 1.
    """
    if labelled < 1:
        raise ValueError(f"needs at least one labelled item, not {labelled}")
    spread = variance * (1 / labelled - (0.0 if pool_size is None else 1 / pool_size))
    if spread <= 1e-12:
        return mean
    reach = 8 * np.sqrt(spread)
    near = np.linspace(max(-1.0, mean - reach), min(1.0, mean + reach), _POINTS)
    candidates = np.unique(np.concatenate([np.linspace(-1, 1, _POINTS), near, [-_SMALLEST, 0.0, _SMALLEST]]))
    density = np.exp(-((mean - candidates) ** 2) / (2 * spread)) / np.maximum(np.abs(candidates), _SMALLEST)
    return float(np.trapezoid(candidates * density, candidates) / np.trapezoid(density, candidates))
