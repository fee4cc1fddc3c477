"""The linear form: by hand, exact enumeration, several metrics, symmetries; and Algorithm 1 as published."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import bet_path, correlated, pool_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from tests.kernels.enumeration import largest_growth_over_orders

from tiebreak.errors import UsageError
from tiebreak.kernels.control_variate import (
    algorithm_1,
    carried_metrics,
    control_inputs,
    control_items,
    plan_companions,
    standardised,
    winsorised,
)
from tiebreak.kernels.held_out_regression import held_out_regression
from tiebreak.kernels.metric_help import MetricHelp

# ---- linear form -------------------------------------------------------------------------------------------------

Floats = NDArray[np.float64]


@st.composite
def labelled_pools(draw: st.DrawFn) -> tuple[Floats, Floats, Floats, float]:
    """Values (n,) in [-1, 1], metrics (n, M) and those of the rest (r, M), and a null value."""
    labels, rest, metrics = draw(st.integers(1, 20)), draw(st.integers(0, 12)), draw(st.integers(1, 3))
    values = draw(st.lists(st.floats(-1, 1) | st.sampled_from([-1.0, 1.0]), min_size=labels, max_size=labels))
    score = st.floats(-1e9, 1e9) | st.integers(-2, 2).map(float)
    size = (labels + rest) * metrics
    table = np.array(draw(st.lists(score, min_size=size, max_size=size))).reshape(labels + rest, metrics)
    return np.array(values), table[:labels], table[labels:], draw(st.floats(-1, 1))


def inputs_help(values: Floats, drawn: Floats, others: Floats) -> MetricHelp:
    reserved, pool = others[: len(others) // 3], others[len(others) // 3 :]
    plan = plan_companions(values.size - np.arange(values.size), len(pool))
    return control_inputs(values, drawn, pool, plan, reserved)


# ---- by hand ---------------------------------------------------------------------------------------------------


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


# ---- validity, exactly -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("null", [0.0, 0.3])
@pytest.mark.parametrize("metrics", [1, 2])
def test_all_orders_of_a_tiny_pool(null: float, metrics: int) -> None:
    values = np.array([1.0, -0.5, 0.25, -1.0, 0.75, -0.5])
    table = np.array([[0.9, 5.0], [-0.7, 0.0], [0.1, 1.0], [-9.0, 5.0], [0.8, 0.0], [-0.4, -3.0]])[:, :metrics]

    def path(order: NDArray[np.intp]) -> Floats:
        return bet_path(values[order], control_items(values[order], table[order], table[:0]), 1, null)

    assert largest_growth_over_orders(path, 6) <= 1 + 1e-9


@pytest.mark.parametrize("companions", [1, 3])
def test_all_draws_of_an_item_and_its_companions(companions: int) -> None:
    """One more label after a history on which the metric was right; outcomes and metric from four equal kinds."""
    rng = np.random.default_rng(2)
    past = np.tile([1.0, -1.0], 15)
    past_metric, reserved = past + 0.1 * rng.standard_normal(30), rng.standard_normal(40)
    old = rng.standard_normal(30 * companions)
    kinds = [(1.0, -1.2), (1.0, 0.5), (-1.0, 0.6), (-1.0, 3.0)]
    plan = np.full(31, companions)
    growth = []
    for draw in itertools.product(kinds, repeat=companions + 1):
        values, metric = np.append(past, draw[0][0]), np.append(past_metric, draw[0][1])
        pool = np.append(old, [kind[1] for kind in draw[1:]])
        path = bet_path(values, control_inputs(values, metric, pool, plan, reserved), 1)
        growth.append(np.exp(path[-1] - path[-2]))
    assert np.mean(growth) <= 1 + 1e-12
    assert np.ptp(growth) > 0.1


# ---- positivity, monotonicity, symmetry ------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(labelled_pools(), st.sampled_from([1, -1]), st.booleans())
def test_every_factor_is_positive(pool: tuple[Floats, Floats, Floats, float], side: int, inputs: bool) -> None:
    values, drawn, others, null = pool
    of = (inputs_help if inputs else control_items)(values, drawn, others)
    path = bet_path(values, of, side, null)
    assert not np.isnan(path).any()
    assert (path > -np.inf).all()


@settings(deadline=None, max_examples=40)
@given(labelled_pools(), st.booleans())
def test_swapping_the_systems_swaps_the_sides(pool: tuple[Floats, Floats, Floats, float], inputs: bool) -> None:
    values, drawn, others, null = pool
    of = inputs_help if inputs else control_items
    one = bet_path(values, of(values, drawn, others), 1, null)
    other = bet_path(-values, of(-values, -drawn, -others), -1, null)
    assert_allclose(one, other, rtol=1e-7, atol=1e-7)


def test_order_scale_and_origin_of_the_metrics_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    values = rng.uniform(-1, 1, 150)
    table = values[:, None] + rng.standard_normal((150, 3))
    expected = bet_path(values[:90], control_items(values[:90], table[:90], table[90:]), 1)
    other = (table * [1e6, 0.01, 3.0] + [7.0, 0.0, -1e3])[:, ::-1]
    path = bet_path(values[:90], control_items(values[:90], other[:90], other[90:]), 1)
    assert_allclose(path, expected, rtol=1e-9)


def test_constant_metrics_say_nothing() -> None:
    values = np.random.default_rng(4).uniform(-0.5, 1, 80)
    table = np.full((120, 2), 3.3)
    assert not control_items(values, table[:80], table[80:]).centred.any()
    fresh = control_inputs(values, table[:80], np.full((80, 2), 3.3), np.full(80, 1), table[80:])
    assert not fresh.centred.any()


def test_bad_input_is_refused() -> None:
    one = np.array([1.0])
    with pytest.raises(ValueError, match="must be finite, not nan"):
        control_items(one, np.array([math.nan]), one)
    with pytest.raises(ValueError, match="1 values, but the metric of 2 labelled items"):
        control_items(one, np.array([1.0, 2.0]), one)
    with pytest.raises(ValueError, match="uses 2 companions, but there are 1"):
        control_inputs(one, one, one, np.array([2]), one)
    nothing = np.empty(0)
    assert control_items(nothing, nothing, nothing).centred.shape == (0,)
    assert control_inputs(nothing, nothing, one, np.empty(0, dtype=np.intp), nothing).centred.shape == (0,)


# ---- as many metrics as the labels can carry -------------------------------------------------------------------


def test_one_metric_and_one_more_for_every_five_labels() -> None:
    rng = np.random.default_rng(21)
    values, metrics = rng.choice([-1.0, 1.0], size=40), rng.standard_normal((40, 12))
    for labels, most in (
        (0, 12),
        (1, 12),
        (2, 1),
        (4, 1),
        (5, 2),
        (9, 2),
        (10, 3),
        (40, 9),
    ):  # one label: none is ahead
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


@pytest.mark.parametrize(("runs", "alpha"), [pytest.param(4_000, of, marks=pytest.mark.full) for of in (0.05, 0.2)])
def test_many_metrics_keep_the_level(runs: int, alpha: float) -> None:
    """A pool of difference 0 and twelve metrics, some useful: both sides, a look at every label."""
    rng, wrong = np.random.default_rng(24), 0
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
