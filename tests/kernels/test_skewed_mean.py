"""The hull of t and Hall: by hand, its inverse, symmetry, and coverage where either alone errs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import skew, ttest_1samp
from scipy.stats import t as student

from tiebreak.kernels.one_look import skewed_interval


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
