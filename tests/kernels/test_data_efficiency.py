"""Data efficiency and correlations with ratings: by hand, beside numpy, degenerate cases, coverage."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from tests.kernels.checks import refused

from tiebreak.kernels.data_efficiency import (
    RatingCorrelations,
    data_efficiency,
    perfect_metric,
    population_efficiency,
    rating_correlations,
)
from tiebreak.kernels.held_out_regression import held_out_regression, within_reach
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.rank_correlation import PaperCorrelations
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.kernels.rating_mean import rating_variance

Floats = NDArray[np.float64]

NOTHING = IntervalEstimate()
GOLDEN = [
    (0.35257005, 0.20301527, 0.48605024),
    (0.54625026, 0.3491607, 0.74333981),
    (1.14195094, 1.04298692, 1.30932011),
    (1.1269032, 1.02710387, 1.2920669),
]
"""rho_obs, rho, population and realised, each with low and high."""


def rated(table: Floats) -> RatedOutputs:
    return RatedOutputs.of(np.repeat(np.arange(table.shape[0]), table.shape[1]), table.ravel())


def study(
    rng: np.random.Generator, outputs: int, people: int, rho: float, gamma: float = 1.0, kind: str = "normal"
) -> tuple[Floats, Floats]:
    """Ratings (n, k) about qualities of variance 1, and a metric (n,) of correlation rho with the quality."""
    quality = rng.normal(size=outputs)
    metric = rho * quality + math.sqrt(1 - rho**2) * rng.normal(size=outputs)
    table = quality[:, None] + math.sqrt(gamma) * rng.normal(size=(outputs, people))
    if kind == "normal":
        return table, metric
    return np.clip(np.rint(1.2 * table + (5.3 if kind == "fives" else 3)), 1, 5), np.exp(metric)


def test_by_hand() -> None:
    """One rating each: rho_obs is Pearson's, DE = 1/(1 - r^2)."""
    table, metric = study(np.random.default_rng(1), 60, 1, 0.7)
    found = data_efficiency(rated(table), metric)
    correlation = np.corrcoef(table[:, 0], metric)[0, 1]
    assert found.rho_observed.estimate == pytest.approx(correlation)
    assert found.population.estimate == pytest.approx(1 / (1 - correlation**2))
    out_of_fold = held_out_regression(table[:, 0], metric[:, None], metric[:, None], "items", always=True)
    assert found.realised.estimate == pytest.approx(1 / out_of_fold.width_ratio**2)
    assert (found.rho, found.noiseless, found.noiseless_here, found.reason) == (NOTHING, None, None, None)


def test_both_forms_are_one_number() -> None:
    """(1 + gamma)/(1 - rho^2 + gamma) of the moments is 1/(1 - rho_obs^2), for any numbers of ratings."""
    rng = np.random.default_rng(2)
    output = np.repeat(np.arange(80), rng.integers(1, 5, 80))
    quality = rng.normal(size=80)
    of = RatedOutputs.of(output, quality[output] + rng.normal(size=output.size))
    found, variance = data_efficiency(of, quality + rng.normal(size=80)), rating_variance(of)
    by_gamma = population_efficiency(found.rho.estimate, variance.gamma.estimate)
    assert found.population.estimate == pytest.approx(float(by_gamma))
    assert found.noiseless == pytest.approx(1 / (1 - found.rho.estimate**2))
    assert found.population.estimate < found.noiseless_here < found.noiseless


def test_golden() -> None:
    table, metric = study(np.random.default_rng(3), 100, 3, 0.6, kind="likert")
    found = data_efficiency(rated(table), metric)
    values = [
        (of.estimate, of.low, of.high) for of in (found.rho_observed, found.rho, found.population, found.realised)
    ]
    assert_allclose(values, GOLDEN, rtol=1e-6)


def test_the_formula() -> None:
    """Half the labels need |rho| of sqrt(2)/2 at gamma 0; at rho 1 the cap is (1 + gamma)/gamma."""
    assert float(population_efficiency(math.sqrt(0.5), 0.0)) == pytest.approx(2.0)
    assert float(population_efficiency(0.0, 3.0)) == 1.0
    assert float(population_efficiency(1.0, 0.0)) == math.inf
    assert population_efficiency(np.array([0.0, -0.5]), np.array([[1.0], [2.0]])).shape == (2, 2)
    for rho, gamma in ((1.1, 1.0), (0.5, -0.1), (math.nan, 1.0)):
        refused("correlations in", population_efficiency, rho, gamma)


def test_caps_and_savings_of_the_paper() -> None:
    """Table 2's gammas and the caps they give; efficiencies of 1.08 and 1.15 are 7 and 13 % of labels."""
    gammas = np.array([1.23, 0.61, 1.00, 0.36, 0.95, 0.91])
    assert_allclose(population_efficiency(1.0, gammas).round(2), [1.81, 2.64, 2.00, 3.78, 2.05, 2.10])
    assert [round(100 * (1 - 1 / of)) for of in (1.08, 1.15)] == [7, 13]


@pytest.mark.parametrize(("people", "in_paper", "others"), [(3, 3.0, 1.5), (2, 4.0, 4 / 3)])
def test_the_papers_perfect_metric_is_inflated(people: int, in_paper: float, others: float) -> None:
    """gamma 1: the limit is 2.00. The mean of all k people holds the rating itself: 2 k/(k - 1).

    The mean of the others has rho^2 = 1/(1 + 1/(k - 1)), so that it saves 2/(2 - rho^2).
    """
    table, _ = study(np.random.default_rng(4), 200_000, people, 0.0)
    found = perfect_metric(rated(table))
    assert found.ceiling == pytest.approx(2.0, rel=0.02)
    assert found.as_in_paper == pytest.approx(in_paper, rel=0.02)
    assert found.as_in_paper == pytest.approx(found.ceiling * people / (people - 1))
    assert found.leave_one_out == pytest.approx(others, rel=0.02)
    # What the paper's bootstrap sees: one rating of each, and the mean of all of them as the metric.
    squared = np.corrcoef(table[:, 0], table.mean(axis=1))[0, 1] ** 2
    assert 1 / (1 - squared) == pytest.approx(found.as_in_paper, rel=0.02)
    squared = np.corrcoef(table[:, 0], table[:, 1:].mean(axis=1))[0, 1] ** 2
    assert 1 / (1 - squared) == pytest.approx(found.leave_one_out, rel=0.02)


def test_perfect_metrics_that_do_not_exist() -> None:
    one = perfect_metric(RatedOutputs.of(np.arange(5), np.arange(5.0)))
    assert (one.ceiling, one.leave_one_out, one.as_in_paper) == (None, None, None)
    agreed = perfect_metric(rated(np.repeat(np.arange(5.0)[:, None], 3, axis=1)))
    assert (agreed.ceiling, agreed.leave_one_out, agreed.as_in_paper) == (None, None, None)
    noise = perfect_metric(rated(np.tile([1.0, 3.0], (6, 1))))
    assert (noise.ceiling, noise.leave_one_out) == (1.0, 1.0)
    assert perfect_metric(rated(np.full((6, 2), 3.0))).ceiling is None


def test_what_must_not_matter() -> None:
    table, metric = study(np.random.default_rng(5), 40, 2, 0.6)
    one = data_efficiency(rated(table), metric)
    order = np.random.default_rng(6).permutation(40)
    moved = data_efficiency(rated(-100 * table[order, ::-1] + 7), 5 * metric[order] - 1000)
    for mine, other in ((one.population, moved.population), (one.realised, moved.realised)):
        assert_allclose([other.low, other.estimate, other.high], [mine.low, mine.estimate, mine.high], rtol=1e-7)
    assert moved.rho_observed.low == pytest.approx(-one.rho_observed.high)
    singles = data_efficiency(rated(table), metric, np.arange(40))
    assert singles.realised.low == pytest.approx(one.realised.low)
    pairs = data_efficiency(rated(table), metric, np.arange(40) // 2)
    assert pairs.population.estimate == pytest.approx(one.population.estimate)
    assert pairs.population.low != one.population.low


def test_what_has_no_value() -> None:
    table, metric = study(np.random.default_rng(7), 30, 2, 0.6)
    assert data_efficiency(rated(table[:7]), metric[:7]).reason == "few-outputs"
    assert data_efficiency(rated(table), metric, np.arange(30) // 5).reason == "few-outputs"
    assert data_efficiency(rated(np.full((30, 2), 4.2)), metric).reason == "constant-ratings"
    assert data_efficiency(rated(table), np.full(30, 0.1)).reason == "constant-metric"
    assert data_efficiency(RatedOutputs.of([], []), np.empty(0)).reason == "few-outputs"
    straight = data_efficiency(rated(table[:, :1]), 3 - 2 * table[:, 0])
    assert (straight.reason, straight.population, straight.realised) == ("no-residual", NOTHING, NOTHING)
    assert straight.rho_observed.estimate == pytest.approx(-1.0)
    # Outputs that differ no more than noise: no rho, but what the metric does is still known.
    noise = np.random.default_rng(8).permuted(np.tile([1.0, 3.0], (30, 1)), axis=1)
    noise[0, 0] += 0.01
    found = data_efficiency(rated(noise), metric)
    assert (found.rho, found.noiseless) == (NOTHING, None)
    assert found.realised.estimate is not None
    refused("30 rated outputs, but metric values of shape", data_efficiency, rated(table), metric[:29])
    refused("must be finite, but one is nan", data_efficiency, rated(table), np.append(metric[:29], math.nan))


def test_always_a_number_or_nothing() -> None:
    rng = np.random.default_rng(9)
    for _ in range(400):
        table = rng.integers(1, 4, size=(9, rng.integers(1, 3))).astype(np.float64)
        found = data_efficiency(rated(table), rng.integers(0, 3, size=9))
        for of in (found.rho_observed, found.rho, found.population, found.realised):
            given = [value for value in (of.low, of.estimate, of.high) if value is not None]
            assert all(math.isfinite(value) for value in given)
            assert given == sorted(given)
        assert (found.population.estimate is None) == (found.reason is not None)


# ---- coverage ------------------------------------------------------------------------------------------------------


def missed(outputs: int, people: int, rho: float, kind: str, runs: int) -> Floats:
    """Shares of intervals that miss: rho_obs, population, realised."""
    table, metric = study(np.random.default_rng(10), 300_000, 1, rho, kind=kind)
    counted = within_reach(metric[:, None], metric[:, None])[1][:, 0]
    correlation = np.corrcoef(table[:, 0], counted)[0, 1]
    rng, found = np.random.default_rng(11), []
    for _ in range(runs):
        table, metric = study(rng, outputs, people, rho, kind=kind)
        of = data_efficiency(rated(table), metric)
        if of.realised.low is not None:
            found.append(of)
    realised = 1 / np.mean([1 / of.realised.estimate for of in found])
    truths = (correlation, 1 / (1 - correlation**2), realised)
    misses = np.zeros(3)
    for one in found:
        for place, of in enumerate((one.rho_observed, one.population, one.realised)):
            misses[place] += not of.low <= truths[place] <= of.high
    return misses / len(found)


@pytest.mark.parametrize(
    ("outputs", "people", "rho", "kind"),
    [(10, 1, 0.0, "normal"), (30, 1, 0.3, "fives"), (50, 3, 0.6, "likert"), (100, 1, 0.95, "normal")],
)
def test_coverage(outputs: int, people: int, rho: float, kind: str) -> None:
    """Twice .06 would be missed in .12 +- .023."""
    assert missed(outputs, people, rho, kind, 200).max() <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / 200)


@pytest.mark.full
@pytest.mark.parametrize("outputs", [10, 20, 50, 100, 400])
@pytest.mark.parametrize("people", [1, 3])
@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("kind", ["normal", "likert", "fives"])
def test_coverage_in_many_runs(outputs: int, people: int, rho: float, kind: str) -> None:
    """Twice .07 would be missed in .14 +- .017; 10 outputs with most ratings at the end miss rho_obs in .12."""
    misses = missed(outputs, people, rho, kind, 400)
    assert misses[2] <= 0.07 + 3 * math.sqrt(0.07 * 0.93 / 400)
    expected = 0.12 if kind == "fives" and outputs <= 20 else 0.07
    assert misses[:2].max() <= expected + 3 * math.sqrt(expected / 400)


def test_from_how_many_outputs_a_metric_pays() -> None:
    of = IntervalEstimate
    table, metric = study(np.random.default_rng(1), 60, 1, 0.7)
    found = replace(data_efficiency(rated(table), metric), population=of(1.2, 1.0, 1.5))
    assert found.pays_from == of(11, 8, None)  # 1.2 > 1 + 1.5/8, and not 1 + 1.5/7; 8 are the fewest; never, perhaps
    assert replace(found, population=of(1.0, 1.0, 1.0301)).pays_from == of(None, 53, None)
    assert replace(found, population=of()).pays_from == of()


# ---- correlations --------------------------------------------------------------------------------------------------


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
    nothing = NOTHING
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
    refused("rows of one length", rating_correlations, np.zeros(3), np.zeros(2), np.arange(3), np.arange(3))
    refused("must be finite", rating_correlations, np.array([1.0, math.nan]), np.zeros(2), np.arange(2), np.arange(2))


def correlations_missed(systems: int, items: int, runs: int) -> Floats:
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
        within = both / math.sqrt(of_ratings * of_metric)
        intervals = (found.instances, found.within, found.systems)
        for place, (of, truth) in enumerate(zip(intervals, (instances, within, means), strict=True)):
            misses[place] += not of.low <= truth <= of.high
    return misses / runs


in_full = [pytest.param(*of, 600, marks=pytest.mark.full) for of in ((5, 30), (16, 100), (40, 30))]


@pytest.mark.parametrize(("systems", "items", "runs"), [(12, 40, 200), *in_full])
def test_correlations_coverage(systems: int, items: int, runs: int) -> None:
    """Twice .06 would be correlations_missed in .12 +- .023 of 200 runs."""
    assert correlations_missed(systems, items, runs).max() <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / runs)
