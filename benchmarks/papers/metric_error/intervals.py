"""95% intervals: of a mean over random orders of items, and of a metric alone over samples of items.

Both are tested for their coverage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.papers.metric_error.data import Domain, Floats, Signs, sign_verdicts, tallies
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from tiebreak.kernels.partial_order import ERROR_TYPES, error_types, kl_from_humans

COVERAGE = 0.95
RESAMPLES = 1_000
FIGURES = (*ERROR_TYPES, "kld")


@dataclass(frozen=True)
class Estimate:
    """A figure of a table; `half`: half the width of its interval, None where there is no luck to tell of; `same`: all
    orders gave this figure.
    """

    value: float
    half: float | None = None
    same: bool = False

    @property
    def cells(self) -> tuple[float, float | None]:
        """The value, and half the width of its interval where the orders differ."""
        return self.value, None if self.same else self.half


def mean_over_orders(values: Sequence[float], pairs: int | None = None) -> Estimate:
    """The mean of one value per random order, with Student's t interval of the mean; of one order, no interval.

    `pairs`: for a share of that many pairs of systems. Where no order, or hardly any, shows a verdict of some kind, the
    spread of the orders says nothing. Each pair has an order of its own, so that the number of such verdicts over all
    orders and pairs is a sum of independent ones (under Holm nearly so), and 0 no more likely than for a Poisson number
    of the same mean: 0 excludes means of 3.0 and more (at 95%), and the interval is never narrower than that.
    """
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    if found.size == 1:
        return Estimate(mean)
    half = float(stdtrit(found.size - 1, (1 + COVERAGE) / 2) * found.std(ddof=1) / math.sqrt(found.size))
    least = 0.0 if pairs is None else least_half(found.size, pairs)
    return Estimate(mean, max(half, least), same=bool((found == found[0]).all()))


def least_half(orders: int, pairs: int) -> float:
    """How far the mean of a share of pairs may be from the figure on which all orders agree."""
    return -math.log(1 - COVERAGE) / (pairs * orders)


# ---- metrics alone ---------------------------------------------------------------------------------------------


def naive_figures(human: Floats, metric: Floats, scale: float = 1.0) -> Floats:
    """(..., 5) shares of the error types, and the divergence, from counts (..., K, 3) of humans and metric."""
    counts = scale * metric
    types = error_types(sign_verdicts(counts), sign_verdicts(human))
    shares = (counts + 1) / (counts + 1).sum(axis=-1, keepdims=True)
    divergence = kl_from_humans(shares.reshape(-1, 3), human.reshape(-1, 3)).reshape(types.shape).mean(axis=-1)
    return np.stack([*((types == code).mean(axis=-1) for code in range(len(ERROR_TYPES))), divergence], axis=-1)


@dataclass(frozen=True)
class Resamples:
    """How often each item is drawn in each of B samples of as many items: labelled (B, n), others (B, N - n).

    Humans and metric are resampled together: each item with all that is known of it.
    """

    labelled: Floats
    others: Floats

    @classmethod
    def of(cls, of: Domain, scored: int, rng: np.random.Generator, resamples: int) -> Resamples:
        """`scored`: items with a metric, the labelled ones among them."""
        return cls(
            drawn(of.items, of.blocks, resamples, rng),
            drawn(scored - of.items, of.blocks, resamples, rng),
        )

    def figures(self, human: Signs, metric: Signs, scale: float = 1.0) -> Floats:
        """(B, 5) from signs (n, K) and (N, K), the labelled items first."""
        known = human.shape[0]
        return naive_figures(
            _weighted(self.labelled, human),
            _weighted(self.labelled, metric[:known]) + _weighted(self.others, metric[known:]),
            scale,
        )


def drawn(items: int, block: int, resamples: int, rng: np.random.Generator) -> Floats:
    """(B, items) how often each item is in a sample with replacement of as many items.

    `block`: as many neighbours are drawn together (circular block bootstrap, Politis & Romano 1992), the last block cut
    to the number of items.
    """
    if items == 0:
        return np.zeros((resamples, 0))
    starts = rng.integers(items, size=(resamples, -(-items // block)))
    places = (starts[:, :, None] + np.arange(block)).reshape(resamples, -1)[:, :items] % items
    rows = np.arange(resamples)[:, None] * items
    return np.bincount((rows + places).ravel(), minlength=resamples * items).reshape(resamples, items).astype(float)


def _weighted(weights: Floats, signs: Signs) -> Floats:
    """(B, K, 3) counts of a preferred, tie, b preferred."""
    table = tallies(signs).astype(np.float64)
    counts = weights @ table.reshape(table.shape[0], 3 * signs.shape[1])
    return np.rint(counts).reshape(len(weights), signs.shape[1], 3)


def with_bootstrap(figures: NDArray[np.float64], resampled: Floats) -> list[Estimate]:
    """Each figure with a normal interval of the bootstrap's standard deviation.

    Not percentiles: a resample is more dispersed than the sample, so that humans and metric find more differences in it
    and the shares of a resample lie to one side. The interval is for the mean of the figure over samples of items.
    """
    halves = ndtri((1 + COVERAGE) / 2) * resampled.std(axis=0, ddof=1)
    return [Estimate(float(value), float(half)) for value, half in zip(figures, halves, strict=True)]
