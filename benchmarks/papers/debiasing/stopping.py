"""What a metric saves of a campaign of ratings that ends at a half-width.

The bets are those of the rule `width`, on the mean rating of N outputs, all with metric values. With a metric they are
on the rating less its prediction, plus the mean prediction of the outputs not yet rated, which has the same mean. The
prediction is a regression on earlier ratings; a bet is small enough for the largest prediction that can come.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

import numpy as np
from benchmarks.papers.debiasing.experts import CRITERIA, EXPERTS, METRICS, SYSTEMS, Outputs
from benchmarks.results import Value
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.kernels.bounded_bets import LARGEST_FRACTION, kappa_prior

Floats = NDArray[np.float64]

RUNS: Final = 192
OUTPUTS: Final = (500, 5_000)
CORRELATIONS: Final = (0.2, 0.3, 0.4, 0.5, 0.7)
SHARES: Final = ((0.1, 0.2, 0.3, 0.25, 0.15), (0.02, 0.05, 0.13, 0.3, 0.5), (0.03, 0.03, 0.04, 0.1, 0.8))
"""Of ratings from 1 to 5."""

_ALPHA, _RIDGE = 0.05, 3.0  # the slope is shrunk as by so many ratings
_CUT = 2.5  # standard deviations: a metric value farther from the mean counts as that far
_PRIOR_SQUARES, _PRIOR_COUNT = 2.1, 3.0  # of the variance, as in `bounded_bets`


def stops(ratings: Floats, half_width: float, metric: Floats | None = None) -> tuple[Floats, NDArray[np.bool_]]:
    """Ratings until the stop (R,), and whether the interval misses the mean, of campaigns on ratings and metric values
    (R, N) in random order; ratings and half-width on [-1, 1].
    """
    runs, outputs = ratings.shape
    x = np.zeros_like(ratings) if metric is None else metric - metric.mean(axis=1, keepdims=True)
    x = np.clip(x / np.maximum(x.std(axis=1, keepdims=True), 1e-9), -_CUT, _CUT)
    past = np.arange(outputs)
    some, left = np.maximum(past, 1), outputs - past
    slope = _before(x * ratings) - _before(x) * _before(ratings) / some
    slope /= _before(x * x) - _before(x) ** 2 / some + _RIDGE
    mean_x = (x.sum(axis=1, keepdims=True) - _before(x)) / left
    rest = ratings - slope * (x - mean_x)
    ends = [slope * (end(axis=1, keepdims=True) - mean_x) for end in (x.max, x.min)]
    reach = np.stack([np.maximum(*ends), -np.minimum(*ends)], axis=-1)  # of any output's prediction, on either side
    spread = _before(rest**2) - _before(rest) ** 2 / some
    scale = outputs / left * (past + _PRIOR_COUNT) / (spread + _PRIOR_SQUARES)

    sides, prior, truth = np.array([1.0, -1.0]), kappa_prior(half_width), ratings.mean(axis=1)
    step = 2 / math.ceil(40 / half_width)  # of the rule's grid, of which only what is near the mean is kept
    nearest = np.floor((1 + truth[:, None] * sides) / step)[..., None]
    nulls = np.clip(step * (nearest + np.arange(-46, 13)) - 1, -1.0, 1.0)
    shares = np.broadcast_to(np.exp(prior.log_weights), (*nulls.shape, prior.kappas.size)).copy()
    log_e, largest, total = np.zeros_like(nulls), np.zeros_like(nulls), np.zeros((runs, 2, 1))
    going, found, missed = np.arange(runs), np.full(runs, float(outputs)), np.zeros(runs, dtype=np.bool_)
    for t in range(outputs - 1):
        means = np.clip((outputs * nulls - total) / left[t], -1.0, 1.0)
        most = LARGEST_FRACTION / np.maximum(1 + means + reach[going, t][..., None], 1e-12)
        bets = np.minimum((scale[going, t, None] * prior.kappas)[:, None, None], most[..., None])
        shares *= 1 + bets * (rest[going, t, None, None] * sides[:, None] - means)[..., None]
        growth = shares.sum(axis=-1)
        shares /= growth[..., None]
        total += ratings[going, t, None, None] * sides[:, None]
        log_e = np.where(total - left[t] + 1 > outputs * nulls + 1e-9, np.inf, log_e + np.log(growth))
        largest = np.maximum(largest, log_e)
        bound = np.where(largest >= math.log(2 / _ALPHA), nulls, -1.0).max(axis=-1)  # the lower end, minus the upper
        ended = -bound.sum(axis=-1) / 2 <= half_width + 1e-12
        found[going[ended]] = t + 1
        missed[going[ended]] = (bound[ended] > truth[going[ended], None] * sides + 1e-9).any(axis=-1)
        kept = (of[~ended] for of in (going, nulls, shares, log_e, largest, total))
        going, nulls, shares, log_e, largest, total = kept
    return found, missed


def _before(terms: Floats) -> Floats:
    return np.cumsum(terms, axis=1) - terms


def simulated(correlation: float, runs: int, outputs: int = OUTPUTS[-1]) -> Iterator[tuple[Floats, Floats]]:
    """Ratings in [-1, 1] and a metric (R, N) by SHARES, of a normal quality."""
    rng = np.random.default_rng(1)
    for shares in SHARES:
        quality, noise = rng.standard_normal((2, math.ceil(runs / len(SHARES)), outputs))
        ratings = np.searchsorted(ndtri(np.cumsum(shares)[:-1]), quality) / 2 - 1
        weight = min(correlation / np.corrcoef(ratings.ravel(), quality.ravel())[0, 1], 1.0)
        yield ratings, weight * quality + math.sqrt(1 - weight**2) * noise


def of_experts(experts: Mapping[str, Outputs], metric: str, runs: int) -> Iterator[tuple[Floats, Floats]]:
    """The same of every criterion and system: outputs with replacement, each with the rating of one expert."""
    rng = np.random.default_rng(2)
    for of in (experts[criterion] for criterion in CRITERIA):
        for system in range(SYSTEMS):
            shape = (math.ceil(runs / len(CRITERIA) / SYSTEMS), OUTPUTS[-1])
            rows = rng.choice(np.flatnonzero(of.systems == system), shape)
            yield (of.ratings[rows, rng.integers(0, EXPERTS, shape)] - 3) / 2, of.metrics[metric][rows]


def saved(runs: int, experts: Mapping[str, Outputs] | None) -> Iterator[tuple[Value, ...]]:
    """Half-widths are on the scale from 1 to 5. Correlations are with single ratings, medians over systems."""
    simulations = ((assumed, "simulated", simulated(assumed, runs)) for assumed in CORRELATIONS)
    real = ((None, name, of_experts(experts, name, runs)) for name in METRICS if experts)
    for assumed, name, world in (*simulations, *real):
        parts = list(world)
        correlation = float(np.median([_correlation(*part) for part in parts]))
        everything = [np.concatenate(of) for of in zip(*parts, strict=True)]
        for outputs, width in product(OUTPUTS, (0.1, 0.2, 0.3)):
            ratings, metric = (of[:, :outputs] for of in everything)
            plain, (helped, missed) = stops(ratings, width / 2)[0].mean(), stops(ratings, width / 2, metric)
            counts = map(float, (plain, helped.mean(), 1 - helped.mean() / plain, missed.mean()))
            yield name, assumed, correlation, outputs, f"{width:g} of {outputs:,}", *counts


def _correlation(ratings: Floats, metric: Floats) -> float:
    return 0.0 if not min(ratings.std(), metric.std()) else np.corrcoef(ratings.ravel(), metric.ravel())[0, 1].item()
