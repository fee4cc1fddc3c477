"""The hedge: its table against random walks, exact enumeration of the wealth, and what the budget means."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import WIDE, correlated, pool_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from tests.kernels.enumeration import largest_growth_over_orders

from tiebreak.kernels import hedge, metric_help
from tiebreak.kernels.control_variate import control_items
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items

Floats = NDArray[np.float64]

TABLE = hedge.hedge_table(0.05)


# ---- the table -------------------------------------------------------------------------------------------------


def test_a_table_takes_less_than_a_second() -> None:
    started = time.process_time()
    hedge.hedge_table(0.0123)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_value_at_the_start_is_alpha(alpha: float) -> None:
    table = hedge.hedge_table(alpha)
    at_zero = np.interp(table.boundary[0], table.distances, table.log_values[0])
    assert_allclose(math.exp(at_zero), alpha, rtol=0.01)
    # Looks that end are worth something: the threshold is below 1/alpha, but not by much.
    assert 0.6 / alpha < table.threshold < 1 / alpha


def test_boundary_by_its_definition() -> None:
    drifts = np.geomspace(0.6, 6.0, 60) * math.sqrt(2 * math.log(20))
    for u, y in zip(TABLE.shares[::40], TABLE.boundary[::40], strict=True):
        assert_allclose(np.exp(drifts * y - drifts**2 * u / 2).mean(), TABLE.threshold, rtol=1e-6)


def test_values_against_random_walks() -> None:
    """V(u, y): the share of Brownian paths from (u, y) that cross; fine steps, and the usual correction for them."""
    rng = np.random.default_rng(1)
    for row, below in ((60, 0.5), (120, 0.3), (180, 0.2)):
        u, steps = float(TABLE.shares[row]), 800
        times = u + (1 - u) * np.arange(1, steps + 1) / steps
        step = (1 - u) / steps
        edge = np.interp(times, TABLE.shares, TABLE.boundary) - 0.5826 * math.sqrt(step)  # Siegmund's correction
        start = TABLE.boundary[row] - below
        crossed = 0
        for _ in range(4):
            paths = start + np.cumsum(math.sqrt(step) * rng.standard_normal((2_000, steps)), axis=1)
            crossed += int((paths >= edge).any(axis=1).sum())
        value = math.exp(float(np.interp(below, TABLE.distances, TABLE.log_values[row])))
        assert abs(crossed / 8_000 - value) < 4 * math.sqrt(value * (1 - value) / 8_000) + 0.005


def test_table_is_monotone_and_its_slope_is_that_of_the_logarithm() -> None:
    assert (np.diff(TABLE.log_values, axis=1) < 0).all()
    assert (TABLE.slopes >= 0).all()
    row, middle = 120, slice(20, 90)
    numerical = -np.gradient(TABLE.log_values[row], TABLE.distances)
    assert_allclose(TABLE.slopes[row][middle], numerical[middle], rtol=0.02)


def test_rows_of_the_table_are_met() -> None:
    rows = hedge.rows_at(TABLE, TABLE.shares[[0, 50, 200]])
    assert_allclose(rows.boundary, TABLE.boundary[[0, 50, 200]], rtol=1e-9)
    assert_allclose(rows.slopes, TABLE.slopes[[0, 50, 200]], rtol=1e-6, atol=1e-9)
    # Where score and wealth agree the bet is the table's at that score.
    below = 0.7
    log_value = float(np.interp(below, TABLE.distances, TABLE.log_values[50]))
    slope = rows.slope(1, np.array([TABLE.boundary[50] - below]), np.array([log_value]))
    assert_allclose(slope, [np.interp(below, TABLE.distances, TABLE.slopes[50])], rtol=1e-6)
    assert rows.slope(1, np.array([0.0]), np.array([0.0])).tolist() == [0.0]  # nothing is left to win


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.2])
def test_impossible_levels_are_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha must be in"):
        hedge.hedge_table(alpha)


def test_information_by_hand() -> None:
    # A pool of 10 and a budget of 5: the total is 10 * 5/5 = 10 labels, the first half label 10 * .5/9.5.
    used, total = hedge.information(3, 5, 10)
    assert total == 10.0
    assert_allclose(used[0], 10 * 0.5 / 9.5 / 10)
    # At most 80 % of the pool: 10 * 8/2.
    assert hedge.information(1, 10, 10)[1] == 40.0
    used, total = hedge.information(2, 4, None)
    assert_array_equal(used, [0.125, 0.375])


# ---- the wealth ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("null", [0.0, 0.4])
@pytest.mark.parametrize("reserve", [None, hedge.Reserve(0.2, WIDE)])
@pytest.mark.parametrize("most_labels", [3, 6])
def test_all_orders_of_a_tiny_pool(null: float, reserve: hedge.Reserve | None, most_labels: int) -> None:
    outcomes = np.array([1.0, -1.0, 0.0, 1.0, -1.0, 0.0])
    metric = np.array([0.9, -8.0, 0.1, 1.2, -1.0, 0.0])

    def path(order: NDArray[np.intp]) -> Floats:
        regression = regress_items(outcomes[order], metric[order], np.empty(0))
        return hedge.log_e_path(outcomes[order], regression, TABLE, most_labels, 1, null, reserve)

    assert largest_growth_over_orders(path, 6) <= 1 + 1e-9


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=30),
    st.integers(0, 2**32 - 1),
    st.integers(1, 60),
    st.floats(-1, 1),
    st.booleans(),
)
def test_every_factor_is_positive(outcomes: list[float], seed: int, most: int, null: float, inputs: bool) -> None:
    rng = np.random.default_rng(seed)
    labels = np.array(outcomes)
    drawn, others, reserved = (rng.standard_cauchy(size) for size in (labels.size, 2 * labels.size, 20))
    plan = np.full(labels.size, 2)
    of = regress_inputs(labels, drawn, others, plan, reserved) if inputs else regress_items(labels, drawn, others)
    for side in (1, -1):
        path = hedge.log_e_path(labels, of, TABLE, most, side, null)
        assert not np.isnan(path).any()
        assert (path > -np.inf).all()
        swapped = regress_inputs(-labels, -drawn, -others, plan, -reserved) if inputs else None
        swapped = swapped or regress_items(-labels, -drawn, -others)
        assert_allclose(path, hedge.log_e_path(-labels, swapped, TABLE, most, -side, null), rtol=1e-7, atol=1e-7)


def campaign(difference: float, labels: int, seed: int = 2) -> tuple[Floats, metric_help.MetricHelp]:
    rng = np.random.default_rng(seed)
    outcomes = rng.permutation(pool_of(1_000, difference, 0.3))
    metric = correlated(0.7)(rng, outcomes)
    return outcomes[:labels], regress_items(outcomes[:labels], metric[:labels], metric[labels:])


def test_bets_stop_at_the_budget_and_when_the_goal_is_reached() -> None:
    labels, of = campaign(0.0, 300)
    path = hedge.log_e_path(labels, of, TABLE, 120, 1)
    assert np.ptp(path[:120]) > 0.3
    assert np.ptp(path[121:]) == 0
    labels, of = campaign(0.5, 300)
    path = hedge.log_e_path(labels, of, TABLE, 200, 1)
    reached = int((path >= math.log(20)).argmax())
    assert 0 < reached < 100
    assert np.ptp(path[reached:]) == 0


def test_a_reserve_goes_on_after_the_budget() -> None:
    labels, of = campaign(0.2, 400)
    path = hedge.log_e_path(labels, of, TABLE, 60, 1, 0.0, hedge.Reserve(0.2, WIDE))
    alone = hedge.log_e_path(labels, of, TABLE, 60, 1)
    mixture = metric_help.log_e_path(labels, of, WIDE, 1)
    assert_allclose(path, np.logaddexp(np.log(0.8) + alone, np.log(0.2) + mixture))
    assert path[-1] > path[60] + 1


def test_null_values_side_by_side_are_those_alone() -> None:
    labels, of = campaign(0.1, 150)
    nulls = np.array([-0.3, 0.0, 0.25, 0.99])
    together = hedge.log_e_path(labels, of, TABLE, 200, -1, nulls)
    assert together.shape == (4, 150)
    for null, path in zip(nulls, together, strict=True):
        assert_allclose(path, hedge.log_e_path(labels, of, TABLE, 200, -1, float(null)), rtol=1e-9, atol=1e-12)


def test_interval_on_a_grid_holds_the_truth() -> None:
    labels, of = campaign(0.1, 250)
    table = hedge.hedge_table(0.025)

    def sup(side: int, nulls: Floats) -> Floats:
        return np.asarray(hedge.log_e_path(labels, of, table, 300, side, nulls).max(axis=-1))

    low = hedge.lower_limit(lambda nulls: sup(1, nulls), math.log(40))
    high = hedge.upper_limit(lambda nulls: sup(-1, nulls), math.log(40))
    assert -0.1 < low < 0.1 < high < 0.3


def test_the_hedge_serves_the_linear_form_as_well() -> None:
    rng = np.random.default_rng(3)
    values = np.clip(0.3 + 0.5 * rng.standard_normal(400), -1, 1)
    metric = values + 0.2 * rng.standard_normal(400)
    path = hedge.log_e_path(values[:100], control_items(values[:100], metric[:100], metric[100:]), TABLE, 100, 1)
    assert path.max() >= math.log(20)


def test_bad_input_is_refused() -> None:
    labels, of = campaign(0.1, 5)
    with pytest.raises(ValueError, match="at least one label"):
        hedge.log_e_path(labels, of, TABLE, 0, 1)
    with pytest.raises(ValueError, match="a share between 0 and 1"):
        hedge.log_e_path(labels, of, TABLE, 5, 1, 0.0, hedge.Reserve(1.0, WIDE))
