"""Ends of an interval that never contradict a verdict, and the hull of t and Hall."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import skew, ttest_1samp
from scipy.stats import t as student

from tiebreak.errors import UsageError
from tiebreak.kernels.one_look import highest_accepted, lowest_accepted, one_look, skewed_interval, with_known
from tiebreak.kernels.unit_means import ClusterPool, cluster_means

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
    with pytest.raises(UsageError, match="must lie strictly between 0 and 1"):
        one_look(0.0, 0.0, lambda _: 1.0, lambda _: 1.0).interval(0.5)


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
        low, high = look.interval(level)
        assert (low > 0) == (look.p_a <= level)
        assert (high < 0) == (look.p_b <= level)
        assert low <= look.estimate <= high
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
    """Twice the level would be missed in .10 +- .005."""
    assert missed(fives, count, 4_000)[0] <= 0.055 + 3 * math.sqrt(0.055 / 4_000)
