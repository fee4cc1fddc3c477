"""Three correlations of a metric with human ratings, which say different things and must not be mixed up.

- *Over instances*: of all outputs of all systems. What papers usually call instance-level; part of it is that some
  systems are better.
- *Within systems*: of both less their system's mean, pooled. The one that data efficiency needs.
- *Between systems*: of the systems' means. High with few systems, also where the metric knows nothing of an output.

Pearson's, of the mean rating of each output: noise of people is in it, and lowers the first two. Intervals, 95 %, by
jackknife on Fisher's scale (`jackknife`): over items (all outputs of one item are left out together) for the first
two, over systems for the third. So the first is about these systems on more inputs like these, the third about more
systems like these. Measured (5 to 40 systems, 30 and 100 items that are harder or easier for all, 400 studies each):
.94-.97 each; the first would hold .65-.90 of the correlations over systems like these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.jackknife import correlation_interval
from tiebreak.kernels.rating_mean import unit_sums

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

_FEWEST = 3  # points of a correlation
_FEWEST_LEFT_OUT = 4  # units, for an interval
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class RatingCorrelations:
    """Each in [-1, 1]; no estimate with fewer than three points or where one side is constant."""

    instances: IntervalEstimate
    within: IntervalEstimate
    systems: IntervalEstimate


def rating_correlations(ratings: Floats, metric: Floats, systems: Integers, items: Integers) -> RatingCorrelations:
    """`ratings` (n,) and `metric` (n,) of outputs, whole numbers `systems` (n,) and `items` (n,) of what each is.

    Raises:
        UsageError: shapes that differ, or values that are not finite.
    """
    _check(ratings, metric, systems, items)
    if not ratings.size:
        return RatingCorrelations(IntervalEstimate(), IntervalEstimate(), IntervalEstimate())
    codes = np.unique(systems, return_inverse=True)[1]
    sizes = np.bincount(codes)
    means = [np.bincount(codes, weights=of) / sizes for of in (ratings, metric)]
    return RatingCorrelations(
        _correlation(ratings, metric, items),
        _correlation(ratings - means[0][codes], metric - means[1][codes], items),
        _correlation(means[0], means[1], np.arange(sizes.size)),
    )


def _correlation(first: Floats, second: Floats, units: Integers) -> IntervalEstimate:
    first, second = (of - of.mean() for of in (first, second))
    terms = np.column_stack([np.ones(first.size), first, second, first**2, second**2, first * second])
    sums = unit_sums(terms, units)
    whole = float(_pearson(sums.sum(axis=0)))
    if first.size < _FEWEST or np.isnan(whole):
        return IntervalEstimate()
    if sums.shape[0] < _FEWEST_LEFT_OUT:
        return IntervalEstimate(whole)
    return IntervalEstimate(whole, *(correlation_interval(whole, _pearson(sums.sum(axis=0) - sums)) or (None, None)))


def _pearson(sums: Floats) -> Floats:
    """From sums (..., 6); nan where one side is constant."""
    count, first, second, squares, squares_of_second, both = np.moveaxis(sums, -1, 0)
    count = np.maximum(count, 1.0)
    spread = (squares - first**2 / count) * (squares_of_second - second**2 / count)
    known = spread > (_ROUNDING * squares) * squares_of_second
    found = (both - first * second / count) / np.sqrt(np.where(known, spread, 1.0))
    return np.where(known, np.clip(found, -1.0, 1.0), np.nan)


def _check(ratings: Floats, metric: Floats, systems: Integers, items: Integers) -> None:
    shapes = {of.shape for of in (ratings, metric, systems, items)}
    if len(shapes) > 1 or ratings.ndim != 1:
        raise UsageError(f"ratings, metric, systems and items must be rows of one length, not {sorted(shapes)}")
    if not (np.isfinite(ratings).all() and np.isfinite(metric).all()):
        raise UsageError("ratings and metric must be finite; leave out outputs without one of them")
