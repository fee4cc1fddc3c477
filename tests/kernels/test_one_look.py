"""Ends of an interval that never contradict a verdict, the hull of t and Hall, score intervals and the score test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr, ndtri, stdtr, xlogy
from scipy.stats import skew, ttest_1samp
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint
from tests.kernels.checks import check_agreement, refused
from tests.kernels.outcome_worlds import all_outcomes

from tiebreak.kernels.one_look import highest_accepted, lowest_accepted, one_look, skewed_interval, with_known
from tiebreak.kernels.score_interval import ANYWHERE, CORRECTED, NullScore, score_interval, unseen_lean
from tiebreak.kernels.unit_means import ClusterPool, MeanP, cluster_means, panel_means

# ---- ends --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [1e-6, 0.025, 0.4])
@pytest.mark.parametrize("mean", [-0.9, -0.02, 0.0, 0.3, 0.95])
def test_normal_p_values_by_hand(mean: float, level: float) -> None:
    # p = Phi((m - mean)/.1): the end is mean + .1 z of the level, within [-1, 1].
    low = lowest_accepted(lambda null: float(ndtr((null - mean) / 0.1)), level)
    assert low == pytest.approx(max(mean + 0.1 * float(ndtri(level)), -1.0), abs=2e-7)
    high = highest_accepted(lambda null: float(ndtr((null + mean) / 0.1)), level)
    assert high == pytest.approx(min(mean - 0.1 * float(ndtri(level)), 1.0), abs=2e-7)


def test_steps_are_found_and_calls_are_few() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        jumps = np.sort(rng.uniform(-1, 1, 30))
        calls = []

        def p_value(null: float, jumps: np.ndarray = jumps, calls: list[float] = calls) -> float:
            calls.append(null)
            return float((jumps <= null).mean())

        low = lowest_accepted(p_value, 0.1)  # p > .1 from the fourth jump on
        assert jumps[3] <= low <= jumps[3] + 1e-7
        assert len(calls) < 32


def test_verdict_and_interval_never_contradict_each_other() -> None:
    """A crossing just above, at, or just below 0, closer than the search looks."""
    for crossing in (-1e-12, 0.0, 1e-12):
        test = one_look(
            0.3, 0.0, lambda null, at=crossing: 0.5 if null > at else 0.02, lambda null: 1.0 if null >= -0.3 else 0.0
        )
        low, high = test.interval(0.025)
        assert (low > 0) == (test.p_a <= 0.025)
        assert high == pytest.approx(0.3, abs=2e-7)


def test_levels_are_checked() -> None:
    refused("must lie strictly between 0 and 1", one_look(0.0, 0.0, lambda _: 1.0, lambda _: 1.0).interval, 0.5)


def test_what_is_known_for_certain_bounds_the_interval() -> None:
    # 12 of 20 items are known and sum up to 3: the mean over all is at least (3 - 8)/20 and at most (3 + 8)/20.
    look = cluster_means(np.array([3.0, -1.0, 1.0]), np.full(3, 4.0), 1)
    assert look.interval(0.025) == (-1.0, 1.0)
    low, high = with_known(look, 3.0, 12, 20).interval(0.025)
    assert (low, high) == pytest.approx((-5 / 20, 11 / 20), abs=1e-6)


def test_what_is_known_decides_where_it_must_be_so() -> None:
    look = cluster_means(np.array([4.0, 4.0, 3.0]), np.full(3, 4.0), 1)
    assert look.p_a > 0.025
    known = with_known(look, 11.0, 12, 20)  # at least (11 - 8)/20, whatever the others say
    assert (known.p_a, known.p_b, known.smallest_p) == (0.0, 1.0, 0.0)
    low, high = known.interval(0.025)
    assert 3 / 20 - 1e-6 <= low <= 3 / 20 + 1e-6
    assert high == pytest.approx(19 / 20, abs=1e-6)
    mirrored = with_known(cluster_means(-np.array([4.0, 4.0, 3.0]), np.full(3, 4.0), 1), -11.0, 12, 20)
    assert mirrored.interval(0.025) == pytest.approx((-high, -low), abs=1e-6)


@pytest.mark.parametrize("level", [0.025, 0.0005])
def test_with_what_is_known_verdict_and_interval_never_contradict_each_other(level: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        count = int(rng.integers(2, 9))
        sizes = rng.integers(1, 6, count).astype(float)
        sums = np.rint(sizes * rng.uniform(-1, 1, count) + rng.uniform(-1, 1)).clip(-sizes, sizes)
        known = int(sizes.sum())
        items = known + int(rng.integers(1, known + 2))
        pool = ClusterPool(count + 3, np.zeros(count))
        look = with_known(cluster_means(sums, sizes, 1, pool), float(sums.sum()), known, items)
        check_agreement(look, [level])
        low, high = look.interval(level)
        reach = (items - known) / items
        assert low >= sums.sum() / items - reach - 1e-6
        assert high <= sums.sum() / items + reach + 1e-6


# ---- skewed ------------------------------------------------------------------------------------------------------


def interval(values: np.ndarray) -> tuple[float, float]:
    return skewed_interval(values, float(values.std(ddof=1)) / math.sqrt(values.size), values.size - 1.0, 0.025)


def test_by_hand() -> None:
    """Nine zeros and a ten: mean 1, standard error 1, skewness 8/3; t reaches further down, Hall far up."""
    values = np.append(np.zeros(9), 10.0)
    assert skew(values) == pytest.approx(8 / 3)
    low, high = interval(values)
    assert low == pytest.approx(1 - student.ppf(0.975, 9))
    a, quantile = 8 / 3 / math.sqrt(10), -student.ppf(0.975, 9)
    reached = 1 - high  # T at which g(T) is the lower quantile
    assert reached + a * (reached**2 / 3 + 1 / 6) + a**2 * reached**3 / 27 == pytest.approx(quantile)
    assert high == pytest.approx(1 - 3 / a * (np.cbrt(1 + a * (quantile - a / 6)) - 1))


def test_mirrored_and_moved() -> None:
    values = np.random.default_rng(1).exponential(size=40)
    low, high = interval(values)
    assert interval(-values) == pytest.approx((-high, -low))
    assert interval(100 * values + 5) == pytest.approx((100 * low + 5, 100 * high + 5))


def test_symmetric_values_have_the_t_interval() -> None:
    values = np.linspace(-2, 2, 25)
    expected = ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert interval(values) == pytest.approx((expected.low, expected.high))


def missed(fives: float, count: int, runs: int) -> tuple[float, float]:
    """How many hulls and how many t intervals miss the mean of 1-5, of the samples whose values are not all equal."""
    rng, misses = np.random.default_rng(3), []
    share = np.append((1 - fives) * np.array([0.1, 0.15, 0.25, 0.5]), fives)
    truth = float(share @ np.arange(1, 6))
    while len(misses) < runs:
        values = rng.choice(np.arange(1.0, 6.0), p=share, size=count)
        if np.ptp(values):
            by_t = ttest_1samp(values, 0.0).confidence_interval(0.95)
            misses.append([not low <= truth <= high for low, high in (interval(values), by_t)])
    return tuple(np.mean(misses, axis=0).tolist())  # type: ignore[return-value]


@pytest.mark.parametrize(("fives", "count"), [(0.8, 20), (0.95, 100)])
def test_it_holds_where_t_does_not(fives: float, count: int) -> None:
    hull, by_t = missed(fives, count, 300)
    assert hull <= 0.05
    assert by_t > 0.07


@pytest.mark.full
@pytest.mark.parametrize("fives", [0.8, 0.95])
@pytest.mark.parametrize("count", [20, 50, 100, 400])
def test_in_many_runs(fives: float, count: int) -> None:
    """Twice the level would be missed in .10 +- .010."""
    assert missed(fives, count, 1_000)[0] <= 0.055 + 3 * math.sqrt(0.055 / 1_000)


# ---- limits ------------------------------------------------------------------------------------------------------


def test_ties_only_by_hand() -> None:
    # No loss is likelier than some at every d > 0, so q = 0 and n d = c sqrt(n d (1 - d)): d = c^2 / (n + c^2).
    low, high = score_interval(0, 10, 0, 2.0)
    assert float(high) == pytest.approx(4 / 14)
    assert float(low) == pytest.approx(-4 / 14)


def test_without_ties_the_near_limit_is_wilsons() -> None:
    # At differences between 0 and the estimate the skew is negative, and the correction is nothing.
    for wins, losses in ((30, 10), (9, 1), (70, 41), (12, 0)):
        low, _ = score_interval(wins, 0, losses, 1.959963984540054)
        share, _ = proportion_confint(wins, wins + losses, 0.05, method="wilson")
        assert float(low) == pytest.approx(2 * share - 1, abs=1e-12)


@pytest.mark.parametrize(("wins", "ties", "losses"), [(30, 12, 8), (5, 40, 5), (3, 1, 14), (0, 30, 4), (90, 7, 3)])
@pytest.mark.parametrize("critical", [1.3, 1.96, 4.2])
def test_limits_solve_their_equation(wins: int, ties: int, losses: int, critical: float) -> None:
    # The oracle finds the likeliest q by search and the moments of one outcome by their definitions.
    n = wins + ties + losses
    for (w, l), d in zip(((wins, losses), (losses, wins)), limits(wins, ties, losses, critical), strict=True):  # noqa: E741

        def minus_log_likelihood(q: float, w: int = w, l: int = l, d: float = d) -> float:  # noqa: E741
            return -float(xlogy(w, max(q + d, 0)) + xlogy(ties, max(1 - d - 2 * q, 0)) + xlogy(l, max(q, 0)))

        bounds = (max(0.0, -d) + 1e-13, (1 - d) / 2 - 1e-13)
        q = minimize_scalar(minus_log_likelihood, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        p = np.array([q + d, 1 - 2 * q - d, q])
        variance, third = (float(p @ (np.array([1.0, 0.0, -1.0]) - d) ** k) for k in (2, 3))
        skew = max(third, 0.0) / variance**1.5 / np.sqrt(n)
        statistic = (w - l - n * d) / np.sqrt(n * variance)
        assert statistic == pytest.approx(critical + skew * (critical**2 - 1) / 6, abs=1e-4)


def limits(wins: int, ties: int, losses: int, critical: float) -> tuple[float, float]:
    low, high = score_interval(wins, ties, losses, critical)
    return float(low), -float(high)


def test_excludes_zero_exactly_where_the_statistic_exceeds_the_critical_value() -> None:
    wins, ties, losses = all_outcomes(30)
    z = (wins - losses) / np.sqrt(np.maximum(wins + losses, 1.0))
    for critical in (0.0, 1.0, 2.0, 3.3, 5.0):
        low, high = score_interval(wins, ties, losses, critical)
        np.testing.assert_array_equal(low > 0, z > critical)
        np.testing.assert_array_equal(high < 0, -z > critical)


def test_order_swap_and_nesting() -> None:
    wins, ties, losses = all_outcomes(25)
    before = None
    for critical in (0.0, 0.7, 1.96, 2.5, 4.5):
        low, high = score_interval(wins, ties, losses, critical)
        mirrored = score_interval(losses, ties, wins, critical)
        np.testing.assert_array_equal(low, -mirrored[1])
        estimate = (wins - losses) / 25
        assert ((low >= -1) & (low <= estimate) & (estimate <= high) & (high <= 1)).all()
        if before is not None:
            assert ((low <= before[0] + 1e-12) & (high >= before[1] - 1e-12)).all()
        before = low, high


def test_extremes_and_shapes() -> None:
    low, high = score_interval([0, 8, 0], [0, 0, 0], [0, 0, 8], [[1.0], [3.0]])
    assert low.shape == high.shape == (2, 3)
    np.testing.assert_array_equal((low[:, 0], high[:, 0]), [[-1, -1], [1, 1]])
    np.testing.assert_allclose((high[:, 1], low[:, 2]), [[1, 1], [-1, -1]])


def test_bad_input_raises() -> None:
    refused("losses must be whole numbers >= 0, but one of them is -1", score_interval, 1, 0, -1, 2.0)
    refused("critical values must be finite numbers >= 0, but one of them is -2", score_interval, 1, 0, 1, -2.0)
    refused("one of them is inf", score_interval, 1, 0, 1, np.inf)


# ---- null score --------------------------------------------------------------------------------------------------

Floats = NDArray[np.float64]


def of_items(values: Floats) -> NullScore:
    return NullScore.of(values, np.ones(values.size), values.size - 1.0)


def p_of(variance: float, mean: float, count: int) -> float:
    """Beside the t distribution, the distance to the null taken out of the variance."""
    return float(stdtr(count - 1, -mean * math.sqrt((count - 1) / (variance - mean**2))))


@pytest.mark.parametrize(("wins", "ties", "losses"), [(30, 50, 12), (26, 0, 14), (21, 400, 5)])
def test_one_label_per_item_has_the_score_of_outcomes(wins: int, ties: int, losses: int) -> None:
    values = np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])
    z, n = (wins - losses) / math.sqrt(wins + losses), values.size
    assert of_items(values).raised(0.0, 0.0) == pytest.approx(stdtr(n - 1, -z * math.sqrt((n - 1) / (n - z * z))))


def test_what_nobody_saw_by_hand() -> None:
    # 60 of 200 items at -.1, no strong one. lambda stands at its limit 1: p = 1/(1.1 n) at each of the 60, and what is
    # left, 60 * .1/(1.1 * 200) = 3/110, on 1. The variance is 60 * .01/220 + 3/110 = .03, and the mean .03 over
    # sqrt(.03/200) is sqrt(6), as for a Poisson count of 6 without an event.
    values = np.repeat([-0.1, 0.0], [60, 140])
    assert of_items(-values).raised(0.0, 1e-9) == pytest.approx(p_of(0.03, 0.03, 200))
    assert of_items(values).mirrored().raised(0.0, 1e-9) == pytest.approx(p_of(0.03, 0.03, 200))


def test_how_far_a_cluster_that_nobody_saw_may_lean() -> None:
    # Sums 8, -4, 0, 4 of four clusters of 8: the mean is 2, and the largest residual 6 of 8.
    assert unseen_lean(np.array([8.0, -4, 0, 4]), np.full(4, 8.0), 8.0, ANYWHERE) == pytest.approx(
        min(4 / 3 * 6 / 8, 1)
    )
    # A cluster of 2 strays as far by chance as one of 8 does with half of that per item.
    sizes = np.array([8.0, 8, 2, 2])
    assert unseen_lean(np.array([4.0, -4, 1, -1]), sizes, 8.0, ANYWHERE) == pytest.approx(4 / 3 * 4 / 8)
    assert unseen_lean(np.array([0.0, 0, 2, -2]), sizes, 8.0, ANYWHERE) == pytest.approx(4 / 3 * 2 / 4)
    assert unseen_lean(np.zeros(5), np.full(5, 16.0), 16.0, ANYWHERE) == 1 / 4
    assert unseen_lean(np.array([1 / 3, 0.0]), np.ones(2), 1.0, ANYWHERE) == 1  # an item may be a win or a loss
    # What a metric left strays no further than the farthest that was seen, an item by a half.
    assert unseen_lean(np.array([8.0, -4, 0, 4]), np.full(4, 8.0), 8.0, CORRECTED) == pytest.approx(6 / 8)
    assert unseen_lean(np.array([0.1, -0.1]), np.ones(2), 1.0, CORRECTED) == 1 / 2
    assert unseen_lean(np.array([0.8, -0.8]), np.ones(2), 1.0, CORRECTED) == pytest.approx(0.8)


def test_tilted_to_the_null_beside_a_solver() -> None:
    values = np.random.default_rng(1).uniform(-1, 1, 50).round(2)
    null = values.mean() - 0.1
    scores = values - null
    tilt = float(brentq(lambda at: (scores / (1 + at * scores)).sum(), 1e-9, 0.99 / -scores.min(), xtol=1e-14))
    weights = 1 / (1 + tilt * scores) / 50
    assert_allclose([weights.sum(), weights @ scores], [1, 0], atol=1e-9)
    assert of_items(values).raised(null, 0.0) == pytest.approx(p_of(float(weights @ scores**2), 0.1, 50), rel=1e-6)


def test_the_larger_p_stands() -> None:
    score = of_items(np.repeat([1.0, 1 / 3, -1 / 3], [12, 40, 20]))
    own = score.raised(0.0, 0.0)
    assert 0 < own < 0.05
    assert score.raised(0.0, own / 2) == pytest.approx(own, rel=1e-9)
    assert (score.raised(0.0, own * 2), score.raised(0.0, 0.7)) == (own * 2, 0.7)


@pytest.mark.parametrize("seed", range(6))
def test_p_never_falls_as_the_null_rises(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = np.ceil(np.exp(rng.normal(1.5, 1, 40))) if seed % 2 else np.ones(40)
    strong = rng.random(40) < 0.1
    values = np.where(strong, 1.0, -rng.integers(0, 3, 40) / 10) * (-1) ** (seed // 2)
    score = NullScore.of(values * sizes, sizes, 39.0, noise=0.1 * (seed % 3), drawn=1 - 0.3 * (seed % 3))
    found = np.array([score.raised(null, 0.0) for null in np.linspace(-1, 1, 400)])
    below = found[: int((np.linspace(-1, 1, 400) < (values @ sizes) / sizes.sum()).sum())]
    assert (np.diff(below) >= -1e-9).all()
    assert below.max() <= 0.5


def test_verdict_and_interval_agree_where_few_are_strong() -> None:
    rng = np.random.default_rng(7)
    for _ in range(12):
        values = np.where(rng.random(120) < 0.04, 1.0, -rng.binomial(10, 0.08, 120) / 10)
        for test in (
            panel_means(values, np.full(120, 10)),
            cluster_means(np.rint(values * 10), np.full(120, 10.0), 1),
        ):
            check_agreement(test, (0.025, 0.0005, test.p_a, test.p_b))


@pytest.mark.parametrize(
    ("count", "people", "share", "whole"), [(200, 10, 0.03, False), (400, 20, 0.0125, False), (100, 10, 0.05, True)]
)
def test_few_strong_items_among_weak_ones(count: int, people: int, share: float, whole: bool) -> None:
    """Wrong directions at .05 and .01; the control, t test and flips without the score, errs more than twice .01."""
    rng, wrong, control = np.random.default_rng(17), np.zeros(2), np.zeros(2)
    levels, runs = np.array([0.025, 0.005]), 1_500
    for _ in range(runs):
        strong = rng.random(count) < share
        values = np.where(strong, 1.0, -rng.binomial(people, share / (1 - share), count) / people)
        by_t = stdtr(count - 1, -abs(values.mean()) / values.std(ddof=1) * math.sqrt(count))
        test = (
            cluster_means(np.rint(values * people), np.full(count, float(people)), 1)
            if whole
            else panel_means(values, np.full(count, people))
        )
        p_value = test.at_most if values.mean() > 0 else test.at_least_negated
        assert isinstance(p_value, MeanP)
        both = max(by_t, p_value.flips.at_most(0.0))
        wrong += min(test.p_a, test.p_b) <= levels
        control += both <= levels
    allowed = 2 * levels + 3 * np.sqrt(2 * levels / runs)
    assert (wrong / runs <= np.minimum(allowed, 4 * levels)).all()
    assert control[1] / runs > 0.02


def test_a_point_that_is_the_limit_is_no_point_to_pull_at() -> None:
    """Here lambda would have to be 1 to the last bit, where the unit with -1 has probability 1/0: with warnings as
    errors this stopped `cluster_means` on 38 items."""
    sums = np.repeat([1.0, 0.5, 0.0, -0.5, -1.0], [2, 11, 23, 1, 1])
    score, p = NullScore.of(sums, np.ones(38), 37.0), 0.006124894971854253
    assert_allclose([score.raised(0.0, p)] * 2, [score.raised(null, p) for null in (-1e-9, 1e-9)], rtol=1e-6)
