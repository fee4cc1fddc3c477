"""Three correlations: by hand, beside numpy, degenerate cases, coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.data_efficiency import RatingCorrelations, rating_correlations
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.rank_correlation import PaperCorrelations

Floats = NDArray[np.float64]


def of_tables(ratings: Floats, metric: Floats) -> RatingCorrelations:
    """Of tables (systems, items)."""
    systems, items = np.indices(ratings.shape)
    return rating_correlations(ratings.ravel(), metric.ravel(), systems.ravel(), items.ravel())


def test_they_can_disagree() -> None:
    """Within each system the metric is turned round; the systems' means go up together."""
    ratings = np.array([[1.0, 2.0, 3.0], [11.0, 12.0, 13.0], [21.0, 22.0, 23.0]])
    metric = np.array([[3.0, 2.0, 1.0], [13.0, 12.0, 11.0], [23.0, 22.0, 21.0]])
    found = of_tables(ratings, metric)
    assert (found.within.estimate, found.systems.estimate) == (-1.0, 1.0)
    # Squares between 3 * 200 = 600 and within 6: (600 - 6)/606.
    assert found.instances.estimate == pytest.approx(594 / 606)
    assert found.systems.low is None  # of three systems


def test_beside_numpy() -> None:
    rng = np.random.default_rng(1)
    ratings, metric = rng.normal(size=(2, 6, 20)) + rng.normal(size=(6, 1))
    found = of_tables(ratings, metric)
    assert found.instances.estimate == pytest.approx(np.corrcoef(ratings.ravel(), metric.ravel())[0, 1])
    assert found.systems.estimate == pytest.approx(np.corrcoef(ratings.mean(axis=1), metric.mean(axis=1))[0, 1])
    centred = [(of - of.mean(axis=1, keepdims=True)).ravel() for of in (ratings, metric)]
    assert found.within.estimate == pytest.approx(np.corrcoef(*centred)[0, 1])
    moved = of_tables(ratings[::-1, ::-1] * -3 + 1, metric[::-1, ::-1] + 100)
    assert_allclose([moved.within.low, moved.within.high], [-found.within.high, -found.within.low], atol=1e-9)


def test_nothing_to_correlate() -> None:
    nothing = IntervalEstimate()
    none = np.empty(0, dtype=np.intp)
    assert rating_correlations(np.empty(0), np.empty(0), none, none) == RatingCorrelations(
        nothing, nothing, nothing, PaperCorrelations(0), PaperCorrelations(0)
    )
    rng = np.random.default_rng(2)
    one = of_tables(rng.normal(size=(1, 20)), rng.normal(size=(1, 20)))
    assert one.systems == nothing
    assert one.within.low == pytest.approx(one.instances.low)
    constant = of_tables(rng.normal(size=(4, 9)), np.full((4, 9), 0.1))
    assert (constant.instances, constant.within, constant.systems) == (nothing, nothing, nothing)
    with pytest.raises(UsageError, match="rows of one length"):
        rating_correlations(np.zeros(3), np.zeros(2), np.arange(3), np.arange(3))
    with pytest.raises(UsageError, match="must be finite"):
        rating_correlations(np.array([1.0, math.nan]), np.zeros(2), np.arange(2), np.arange(2))


def missed(systems: int, items: int, runs: int) -> Floats:
    """Shares of intervals that miss, where items are harder or easier for all systems."""
    rng, misses = np.random.default_rng(3), np.zeros(3)
    for _ in range(runs):
        better = 0.5 * rng.normal(size=(systems, 1))
        liked = 0.7 * better + math.sqrt(0.51) * 0.5 * rng.normal(size=(systems, 1))
        harder, quality = 0.6 * rng.normal(size=(1, items)), rng.normal(size=(systems, items))
        found = of_tables(
            better + harder + quality + 0.5 * rng.normal(size=quality.shape),
            liked + 0.5 * (harder + quality) + rng.normal(size=quality.shape),
        )
        both, of_ratings, of_metric = 0.68, 1.61, 1.34
        between = np.cov(better[:, 0], liked[:, 0], ddof=0)
        instances = (both + between[0, 1]) / math.sqrt((of_ratings + between[0, 0]) * (of_metric + between[1, 1]))
        means = (0.175 + 0.5 / items) / (0.25 + 1.25 / items)
        for place, (of, truth) in enumerate(
            (
                (found.instances, instances),
                (found.within, both / math.sqrt(of_ratings * of_metric)),
                (found.systems, means),
            )
        ):
            misses[place] += not of.low <= truth <= of.high
    return misses / runs


def test_coverage() -> None:
    """Twice .06 would be missed in .12 +- .023."""
    assert missed(12, 40, 200).max() <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / 200)


@pytest.mark.full
@pytest.mark.parametrize(("systems", "items"), [(5, 30), (16, 100), (40, 30)])
def test_coverage_in_many_runs(systems: int, items: int) -> None:
    assert missed(systems, items, 2_000).max() <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / 2_000)
