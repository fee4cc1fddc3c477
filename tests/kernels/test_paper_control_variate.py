"""Algorithm 1 as published: by hand, beside ppi-python, and the bias that cross-fitting removes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

from tiebreak.errors import UsageError
from tiebreak.kernels.control_variate import algorithm_1, standardised
from tiebreak.kernels.held_out_regression import held_out_regression

Floats = NDArray[np.float64]


def test_by_hand() -> None:
    """ybar = 3, alpha^ = ((-2)(-1) + 0 + 2 * 2)/3 = 2, mean of g 1/3: 3 - 2/3."""
    assert algorithm_1(np.array([1.0, 3.0, 5.0]), np.array([-1.0, 0.0, 2.0])) == pytest.approx(7 / 3)
    assert algorithm_1(np.array([4.0]), np.array([1.5])) == 4.0


def test_many_at_once() -> None:
    rng = np.random.default_rng(1)
    values, metric = rng.normal(size=(2, 3, 20)), rng.normal(size=(2, 3, 20))
    for of in np.ndindex(2, 3):
        ybar = values[of].mean()
        alpha = ((values[of] - ybar) * metric[of]).mean()
        assert algorithm_1(values, metric)[of] == pytest.approx((values[of] - alpha * metric[of]).mean())


def test_standardised_over_all_outputs() -> None:
    pool = np.array([1.0, 3.0, 5.0, 7.0])
    assert standardised(np.array([4.0, 9.0]), pool).tolist() == pytest.approx([0.0, math.sqrt(5)])
    assert standardised(np.array([0.1, 0.1]), np.full(3, 0.1)).tolist() == [0.0, 0.0]  # it says nothing
    with pytest.raises(UsageError, match="there is none"):
        standardised(pool, np.empty(0))
    with pytest.raises(UsageError, match="do not fit, or are empty"):
        algorithm_1(np.empty(0), np.empty(0))


@pytest.mark.parametrize("rho", [0.3, 0.8])
def test_equals_ppi_python_at_the_same_weight(rho: float) -> None:
    """They clip the weight to [0, 1] only where they choose it: here it is passed, also negative, for a turned metric.

    Their interval has ddof 0 and the normal quantile.
    """
    rng = np.random.default_rng(2)
    raw = rng.normal(10, 7, size=1_000)
    values = 3 + rho * (raw[:80] - 10) / 7 + math.sqrt(1 - rho**2) * rng.normal(size=80)
    for metric in (raw, -raw):
        g = standardised(metric, metric)
        alpha = float(((values - values.mean()) * g[:80]).mean())
        weight = alpha * (1 - 80 / 1_000)
        theirs = ppi_mean_pointestimate(values, g[:80], g[80:], lam=weight)
        assert float(theirs[0]) == pytest.approx(float(algorithm_1(values, g[:80])), abs=1e-8)
        low, high = ppi_mean_ci(values, g[:80], g[80:], alpha=0.05, lam=weight)
        error = math.sqrt((weight * g[80:]).var() / 920 + (values - weight * g[:80]).var() / 80)
        assert float((high - low)[0]) == pytest.approx(2 * 1.959963985 * error, rel=1e-8)


def biases(count: int, runs: int) -> Floats:
    """Mean errors of Algorithm 1 and of held-out regression, then of both their standard errors.

    Ratings that follow the square of a normal metric, which no slope explains: E((y - mu) g^2) = 2."""
    rng = np.random.default_rng(3)
    pool = rng.normal(size=4_000)
    g = standardised(pool, pool)
    meant = g**2 + g
    errors = []
    for _ in range(runs):
        drawn = rng.integers(4_000, size=count)
        values = meant[drawn] + 0.5 * rng.normal(size=count)
        found = held_out_regression(values, g[drawn, None], g[:, None], "items", always=True)
        errors.append([float(algorithm_1(values, g[drawn])), found.estimate])
    away = np.array(errors) - meant.mean()
    return np.concatenate([away.mean(axis=0), away.std(axis=0) / math.sqrt(runs)])


def test_cross_fitting_removes_the_bias() -> None:
    """-2/n: -.2 at 10 outputs; the held-out slope has none."""
    published, held_out, error, error_held_out = biases(10, 1_500)
    assert published == pytest.approx(-0.2, abs=3.5 * error + 0.04)
    assert published < -4 * error
    assert abs(held_out) < 3.5 * error_held_out


@pytest.mark.full
@pytest.mark.parametrize("count", [10, 20, 40])
def test_bias_of_the_order_of_one_over_n(count: int) -> None:
    published, held_out, error, error_held_out = biases(count, 30_000)
    assert published == pytest.approx(-2 / count, abs=4 * error + 4 / count**2)
    assert published < -8 * error
    assert abs(held_out) < 3.5 * error_held_out
