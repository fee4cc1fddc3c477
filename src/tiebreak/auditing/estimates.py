"""Figures with intervals: means over comparisons whose items, or clusters of items, are independent units.

For inputs like these the units are items, or clusters of them. For these items the claim is about the comparisons that
a source made: people labelled a random part of them, item by item, or whole clusters where those were drawn. The
figures of an audit then take the labels as they are, so that nothing is left to chance where all are there: the part
that was not drawn is all that is (`Units.seen`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.evidence.ordering import drawn_clusters
from tiebreak.kernels.clusters import cluster_share
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.one_look import OneLook
from tiebreak.kernels.rating_mean import MeanRatings, rating_mean
from tiebreak.kernels.unit_means import ClusterPool, cluster_means
from tiebreak.records import Target
from tiebreak.results.audits import Estimate

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Units:
    """Of comparisons (n,): `of` (n,), the number of each one's unit; `seen`: the share of the claim that they are, 0
    for inputs like these, 1 where it is about no others.
    """

    of: Places
    seen: float = 0.0

    def among(self, which: NDArray[np.bool_]) -> Units:
        """Those of a part, which is drawn like the whole."""
        return Units(self.of[which], self.seen)

    def pool(self, units: int) -> ClusterPool | None:
        """The pool that so many units were drawn from."""
        return ClusterPool(max(math.ceil(units / self.seen - 1e-9), units), np.zeros(units)) if self.seen else None

    @property
    def shrink(self) -> float:
        """What is left of a standard error."""
        return math.sqrt(1 - self.seen)


@dataclass(frozen=True, slots=True)
class Claim:
    """`about` inputs like these or these items; `unit_of` (n_items,): the unit of every item. `pool`: comparisons that
    a claim about these items is about; None where clusters were drawn but labelled in part, so that it cannot help.
    """

    about: Target
    unit_of: Places
    pool: int | None = None

    @classmethod
    def about_items(cls, labelled: Places, judged: Places, comparisons: int, clusters: Places) -> Claim:
        """From the items that people labelled among those that the source judged, and its comparisons of them;
        `clusters` (n_items,).
        """
        drawn = drawn_clusters(labelled, judged, clusters)
        if drawn is None:
            return cls("items", np.arange(clusters.size), comparisons)
        return cls("items", clusters, None if drawn.in_pool is None else comparisons)

    def units(self, items: Places, pool: int | None = None) -> Units:
        """Of comparisons on these items (n,), drawn from a `pool` of their own where one is given, else the claim's."""
        whole = self.pool if pool is None else pool
        drawn = self.about == "items" and whole
        return Units(self.unit_of[items], min(items.size / whole, 1.0) if drawn and whole else 0.0)


Floats = NDArray[np.float64]

FEWEST_FOR_PROJECTIONS: Final = 10
"""Below so many items or comparisons nothing is projected from what they vary by."""
_ROUNDING = 1e-6  # of an interval that was searched for, about a mean that is exact


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of values in [-1, 1] before a level is chosen: its test, its standard error, and what it rests on."""

    look: OneLook
    error: float
    comparisons: int
    units: int

    @classmethod
    def of(cls, values: Floats, units: Units) -> Mean:
        """That of `values` (n,) with their units."""
        sums, sizes = by_unit(values, units)
        look = cluster_means(sums, sizes, None, units.pool(sizes.size))
        return cls(look, standard_error_of(sums, sizes) * units.shrink, values.size, sizes.size)

    def estimate(self, alpha: float) -> Estimate:
        """With its interval at level 1 - `alpha`."""
        return estimate_of(self.look, alpha, self.comparisons, self.units)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A share here minus a share elsewhere before a level is chosen: hits of comparisons, by units of either.

    Its interval goes as far as both intervals together would (Newcombe 1998, method 10): one that is all hits among few
    still has a width. Units that have comparisons on both sides make it wider than it need be.
    """

    here: tuple[Floats, Floats]
    elsewhere: tuple[Floats, Floats]
    seen: float = 0.0

    @classmethod
    def of(cls, hits: Floats, inside: NDArray[np.bool_], units: Units) -> Contrast:
        """Of `hits` (n,) in [0, 1], of which those `inside` are here."""
        here, elsewhere = (by_unit(hits[which], units.among(which)) for which in (inside, ~inside))
        return cls(here, elsewhere, units.seen)

    @property
    def shares(self) -> tuple[float, float]:
        """Here, and elsewhere."""
        here, elsewhere = (float(sums.sum() / sizes.sum()) for sums, sizes in (self.here, self.elsewhere))
        return here, elsewhere

    @property
    def error(self) -> float:
        """Its standard error."""
        whole = math.hypot(*(standard_error_of(sums, sizes) for sums, sizes in (self.here, self.elsewhere)))
        return whole * math.sqrt(1 - self.seen)

    def estimate(self, alpha: float) -> Estimate:
        """With its interval at level 1 - `alpha`."""
        (one, other), value = self.shares, self.shares[0] - self.shares[1]
        ends_of = (cluster_share(*of, alpha, self.seen) for of in (self.here, self.elsewhere))
        (low, high), (other_low, other_high) = ends_of
        sizes = np.concatenate([self.here[1], self.elsewhere[1]])
        ends = (
            max(value - math.hypot(one - low, other_high - other), -1.0),
            min(value + math.hypot(high - one, other - other_low), 1.0),
        )
        return Estimate(value, *ends, int(sizes.sum()), sizes.size)


def estimate_of(look: OneLook, alpha: float, comparisons: int, units: int) -> Estimate:
    """What a test says, with its interval at level 1 - `alpha`."""
    if not comparisons:
        return Estimate()
    low, high = look.interval(alpha / 2)
    if low <= -1 and high >= 1:
        return Estimate(look.estimate, None, None, comparisons, units)
    if high - low <= _ROUNDING:
        low = high = look.estimate
    return Estimate(look.estimate, low, high, comparisons, units)


def mean_estimate(values: Floats, units: Units, alpha: float) -> Estimate:
    """The mean of values (n,) in [-1, 1]."""
    return Mean.of(values, units).estimate(alpha)


def score_estimate(values: Floats, units: Units, alpha: float) -> Estimate:
    """The mean of values (n,) on no scale, such as losses: t interval and Hall's together (`skewed_interval`)."""
    numbers = np.unique(units.of, return_inverse=True)[1]
    count = int(numbers.max(initial=-1)) + 1
    alone, pool = count == values.size, units.pool(count)
    of = MeanRatings(
        values=values,
        counts=np.ones(values.size, dtype=np.intp),
        variances=np.zeros(values.size),
        clusters=None if alone else numbers,
        pool_size=None if pool is None else max(math.ceil(values.size / units.seen), values.size),
        pool_clusters=None if pool is None or alone else pool.clusters,
    )
    found: IntervalEstimate = rating_mean(of, alpha / 2)
    return Estimate(found.estimate, found.low, found.high, values.size, count)


def share_estimate(hits: NDArray[np.bool_] | Floats, units: Units, alpha: float) -> Estimate:
    """The mean of shares (n,) in [0, 1], such as 1 where two agree and 0 where they do not."""
    if not hits.size:
        return Estimate()
    sums, sizes = by_unit(hits.astype(np.float64), units)
    share = float(sums.sum() / hits.size)
    if sizes.size < 2 and units.seen < 1:
        return Estimate(share, None, None, hits.size, sizes.size)
    return Estimate(share, *cluster_share(sums, sizes, alpha, units.seen), hits.size, sizes.size)


def as_share(of: Estimate) -> Estimate:
    """A mean in [-1, 1] as a share in [0, 1]: a difference as a win rate, in which ties count half."""
    value, low, high = (None if end is None else (1 + end) / 2 for end in (of.value, of.low, of.high))
    return Estimate(value, low, high, of.comparisons, of.units)


def standard_error(values: Floats, units: Units) -> float:
    """That of the mean of values (n,), of inputs like these; nan where one unit is all."""
    return standard_error_of(*by_unit(values, units))


def standard_error_of(sums: Floats, sizes: Floats) -> float:
    """That of the mean per comparison, of units with `sums` (G,) over `sizes` (G,) of them."""
    if sums.size < 2:
        return math.nan
    residuals = sums - sums.sum() / sizes.sum() * sizes
    return math.sqrt(float(residuals @ residuals) * sums.size / (sums.size - 1)) / float(sizes.sum())


def by_unit(values: Floats, units: Units) -> tuple[Floats, Floats]:
    """Sums (G,) of values (n,) and numbers of them, by unit."""
    _, numbers = np.unique(units.of, return_inverse=True)
    sums, sizes = (np.bincount(numbers, weights=of).astype(np.float64) for of in (values, None))
    return sums, sizes
