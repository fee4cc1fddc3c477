"""The linear form by hand and with several metrics, its companions, and Algorithm 1 as published."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import bet_path, correlated, pool_of
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from tests.kernels.checks import refused

from tiebreak.kernels.control_variate import (
    algorithm_1,
    carried_metrics,
    control_inputs,
    control_items,
    counts_with_companions,
    means_with_companions,
    most_with_companions,
    plan_companions,
    reserve_size,
    standardised,
    winsorised,
)
from tiebreak.kernels.held_out_regression import held_out_regression

Floats = NDArray[np.float64]


# ---- by hand -------------------------------------------------------------------------------------------------------


def test_winsorised_by_hand() -> None:
    # Mean 0, standard deviation 1: what lies beyond 1.6 is cut.
    assert_allclose(winsorised(np.array([-3.0, 0.5, 3.0]), np.array([-1.0, 1.0])), [-1.6, 0.5, 1.6])
    assert winsorised(np.array([5.0]), np.array([2.0, 2.0])).tolist() == [0.0]
    assert winsorised(np.array([5.0]), np.empty(0)).tolist() == [0.0]


def test_slope_by_hand() -> None:
    # Metric -1 and 1, two of each; after values 1, -1 on metric 1, -1 the sum of products about the means is 2, so that
    # lambda = 2/(2 * 1 + 3) = .4 before the third draw. Left are one 1 and one -1: the mean is 0, f - fbar = .4.
    # Variance: the residual sum of squares of h on .4 g is 2 - 2 * .4 * 2 + .16 * 2 = .72; (.72 + 2.1)/5 = .564.
    of = control_items(np.array([1.0, -1.0, 0.0]), np.array([1.0, -1.0, 1.0]), np.array([-1.0]))
    assert_allclose(of.centred, [0.0, 0.0, 0.4])
    assert_allclose(of.above, [0.0, 0.0, 0.4])
    assert_allclose(of.below, [0.0, 0.0, 0.4])
    assert_allclose(of.variances, [0.7, (2.1 + 0.0) / 4, 0.564])
    assert of.pool_size == 4


def test_companions_by_hand() -> None:
    # The same history for inputs; the third label has metric 1 and companions -1, -1: the mean is -1/3, so that
    # f - fbar = .4 * 4/3; companions make the variance of the mean: + .16/3.
    plan = np.array([0, 0, 2])
    of = control_inputs(
        np.array([1.0, -1.0, 0.0]), np.array([1.0, -1.0, 1.0]), np.array([-1.0, -1.0]), plan, np.array([-1.0, 1.0])
    )
    assert_allclose(of.centred, [0.0, 0.0, 0.4 * 4 / 3])
    assert_allclose(of.below, [0.0, 0.0, 0.4 * 2 / 3])
    assert_allclose(of.variances[2], 0.564 + 0.16 / 3)
    assert_allclose(of.reach_above[2], 0.64)


def test_order_scale_and_origin_of_the_metrics_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    values = rng.uniform(-1, 1, 150)
    table = values[:, None] + rng.standard_normal((150, 3))
    expected = bet_path(values[:90], control_items(values[:90], table[:90], table[90:]), 1)
    other = (table * [1e6, 0.01, 3.0] + [7.0, 0.0, -1e3])[:, ::-1]
    path = bet_path(values[:90], control_items(values[:90], other[:90], other[90:]), 1)
    assert_allclose(path, expected, rtol=1e-9)


# ---- as many metrics as the labels can carry -----------------------------------------------------------------------


def test_one_metric_and_one_more_for_every_five_labels() -> None:
    rng = np.random.default_rng(21)
    values, metrics = rng.choice([-1.0, 1.0], size=40), rng.standard_normal((40, 12))
    # With one label none is ahead.
    for labels, most in ((0, 12), (1, 12), (2, 1), (4, 1), (5, 2), (9, 2), (10, 3), (40, 9)):
        found = carried_metrics(values[:labels], metrics[:labels], metrics)
        assert found.carried.sum() == most
        assert (found.shares[~found.carried] == 0).all()


def test_the_best_so_far_is_carried_whatever_its_place() -> None:
    rng = np.random.default_rng(22)
    values = rng.choice([-1.0, 1.0], size=30)
    metrics = rng.standard_normal((30, 6))
    metrics[:, 4] = -values + 0.3 * rng.standard_normal(30)  # inverted is as good as upright
    found = carried_metrics(values[:9], metrics[:9], metrics)
    assert found.carried[4]
    assert found.carried.sum() == 2
    all_of = carried_metrics(values, metrics, metrics)
    assert all_of.shares[4] > 0.8
    assert all_of.shares.sum() == pytest.approx(1.0)
    order = np.array([3, 4, 5, 0, 2, 1])
    assert_allclose(carried_metrics(values, metrics[:, order], metrics[:, order]).shares, all_of.shares[order])
    a, b = (control_items(values[:20], table[:20], table[20:]) for table in (metrics, metrics[:, order]))
    assert_allclose(a.centred, b.centred, atol=1e-12)


def test_shares_by_hand() -> None:
    # Two orthogonal metrics with unit variance, n = 8, M = 2: slopes are cross/(8 + 4.5), shares go with cross^2: with
    # h = g1 everywhere and g2 unrelated, cross is 8 and 0.
    g1, g2 = np.tile([1.0, -1.0], 4), np.repeat([1.0, -1.0], 4)
    table = np.column_stack([g1, g2])
    assert_allclose(carried_metrics(g1, table, table).shares, [1.0, 0.0])
    # h = (2 g1 + g2)/3: cross 16/3 and 8/3, shares 4 : 1.
    assert_allclose(carried_metrics((2 * g1 + g2) / 3, table, table).shares, [0.8, 0.2])
    assert carried_metrics(np.zeros(8), table, table).shares.tolist() == [0.0, 0.0]


@pytest.mark.full
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_many_metrics_keep_the_level(alpha: float) -> None:
    """A pool of difference 0 and twelve metrics, some useful: both sides, a look at every label."""
    rng, wrong, runs = np.random.default_rng(24), 0, 1_000
    outcomes = pool_of(300, 0.0, 0.3)
    for _ in range(runs):
        values = rng.permutation(outcomes)
        table = np.column_stack([correlated(0.6)(rng, values), rng.standard_normal((300, 11))])
        of = control_items(values[:120], table[:120], table[120:])
        wrong += any(bet_path(values[:120], of, side).max() >= math.log(2 / alpha) for side in (1, -1))
    assert wrong <= alpha * runs + 3 * math.sqrt(alpha * (1 - alpha) * runs)
    assert wrong > 0


# ---- algorithm 1 -------------------------------------------------------------------------------------------------


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
    refused("there is none", standardised, pool, np.empty(0))
    refused("do not fit, or are empty", algorithm_1, np.empty(0), np.empty(0))


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


in_full = [pytest.param(count, 30_000, 4, 8, marks=pytest.mark.full) for count in (10, 20, 40)]


@pytest.mark.parametrize(("count", "runs", "near", "sure"), [(10, 1_500, 3.5, 4), *in_full])
def test_cross_fitting_removes_the_bias(count: int, runs: int, near: float, sure: float) -> None:
    """-2/n: -.2 at 10 outputs; the held-out slope has none."""
    published, held_out, error, error_held_out = biases(count, runs)
    assert published == pytest.approx(-2 / count, abs=near * error + 4 / count**2)
    assert published < -sure * error
    assert abs(held_out) < 3.5 * error_held_out


# ---- companions ----------------------------------------------------------------------------------------------------


def test_plan_by_hand() -> None:
    # Ten unlabelled items for four labels: 2.5 -> 3, then 7/3 -> 2, then 5/2 -> 3, then the last 2.
    assert plan_companions(np.array([4, 3, 2, 1]), 10).tolist() == [3, 2, 3, 2]


def test_a_plan_for_a_budget_uses_up_the_pool() -> None:
    plan = plan_companions(100 - np.arange(100), 1_234)
    assert plan.sum() == 1_234
    assert plan.max() - plan.min() <= 1


def test_never_more_than_thirty() -> None:
    assert plan_companions(np.array([1.0, 1.0]), 1_000).tolist() == [30, 30]


@given(st.lists(st.floats(0.1, 1e6), max_size=30), st.integers(0, 500))
def test_a_plan_never_uses_an_item_twice(labels_left: list[float], unlabelled: int) -> None:
    plan = plan_companions(np.array(labels_left), unlabelled)
    assert (plan >= 0).all()
    assert plan.sum() <= unlabelled


def test_means_and_counts_by_hand() -> None:
    drawn, pool, plan = np.array([1.0, 2.0, 9.0]), np.array([3.0, 5.0, 4.0, 99.0]), np.array([2, 1, 0])
    assert means_with_companions(drawn, pool, plan).tolist() == [3.0, 3.0, 9.0]  # (1+3+5)/3, (2+4)/2, 9
    counts = counts_with_companions(np.array([0, 1, 2]), np.array([1, 1, 0, 2]), plan, 3)
    assert counts.tolist() == [[1.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize("several", [False, True])
def test_means_against_a_loop(several: bool) -> None:
    rng = np.random.default_rng(3)
    shape = (2,) if several else ()
    drawn, pool, plan = rng.random((8, *shape)), rng.random((30, *shape)), rng.integers(0, 4, 8)
    start, expected = 0, []
    for own, size in zip(drawn, plan, strict=True):
        expected.append(np.concatenate([own[None], pool[start : start + size]]).mean(axis=0))
        start += size
    assert_allclose(means_with_companions(drawn, pool, plan), expected)


def test_without_unlabelled_items_a_set_is_the_item_itself() -> None:
    drawn = np.array([0.5, -0.5])
    assert_array_equal(means_with_companions(drawn, np.empty(0), np.zeros(2, dtype=np.intp)), drawn)
    assert reserve_size(0) == 0
    assert reserve_size(10_000) == 100


def test_a_plan_beyond_the_pool_is_refused() -> None:
    with pytest.raises(ValueError, match="uses 3 companions, but there are 2"):
        means_with_companions(np.array([1.0]), np.array([1.0, 2.0]), np.array([3]))
    with pytest.raises(ValueError, match="uses 3 companions"):
        counts_with_companions(np.array([1]), np.array([1, 0]), np.array([3]), 2)


@pytest.mark.parametrize("units", [0, 1, 2, 3, 7, 60, 61, 399, 400, 401, 1000])
def test_most_with_companions_against_a_loop(units: int) -> None:
    found = [k for k in range(units + 1) if units - k - reserve_size(units - k) >= k]
    assert most_with_companions(units) == max(found)


def test_most_with_companions_by_hand() -> None:
    # Of 60, 26 leave 34: a quarter, 8, is set aside, and 26 are left. 27 leave 33 - 8 = 25.
    assert most_with_companions(60) == 26
    # Of 1,000, 450 leave 550 - 100.
    assert most_with_companions(1000) == 450
