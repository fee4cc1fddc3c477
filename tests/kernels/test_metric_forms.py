"""What both forms of a metric's help keep, linear and regression: exact enumeration, positivity, symmetries."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import bet_path, pool_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from tests.kernels.checks import refused
from tests.kernels.enumeration import Floats, best_stopping_value, largest_growth_over_orders

from tiebreak.kernels.control_variate import control_inputs, control_items, plan_companions
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items

ITEMS = {"linear": control_items, "regression": regress_items}
INPUTS = {"linear": control_inputs, "regression": regress_inputs}

each_form = pytest.mark.parametrize("form", ITEMS)


def help_of(form: str, inputs: bool, values: Floats, drawn: Floats, others: Floats) -> MetricHelp:
    """For inputs a third of the others is reserved, the rest are companions."""
    if not inputs:
        return ITEMS[form](values, drawn, others)
    reserved, pool = others[: len(others) // 3], others[len(others) // 3 :]
    plan = plan_companions(values.size - np.arange(values.size), len(pool))
    return INPUTS[form](values, drawn, pool, plan, reserved)


@st.composite
def labelled_pools(draw: st.DrawFn, form: str) -> tuple[Floats, Floats, Floats, float]:
    """Values (n,) in [-1, 1] and up to three metrics, or outcomes and one metric; those of the rest; a null value."""
    labels, rest = draw(st.integers(1, 25)), draw(st.integers(0, 15))
    columns = (draw(st.integers(1, 3)),) if form == "linear" else ()
    value = st.sampled_from([-1.0, 0.0, 1.0])
    if form == "linear":
        value |= st.floats(-1, 1)
    values = draw(st.lists(value, min_size=labels, max_size=labels))
    score = st.floats(-1e9, 1e9) | st.integers(-2, 2).map(float)
    size = (labels + rest) * math.prod(columns)
    table = np.array(draw(st.lists(score, min_size=size, max_size=size))).reshape(labels + rest, *columns)
    return np.array(values), table[:labels], table[labels:], draw(st.floats(-1, 1))


# ---- validity, exactly -------------------------------------------------------------------------------------------

METRICS = np.array([[0.9, 5.0], [-0.7, 0.0], [0.1, 1.0], [-9.0, 5.0], [0.8, 0.0], [-0.4, -3.0]])
TINY_POOLS = [
    ("linear", [1.0, -0.5, 0.25, -1.0, 0.75, -0.5], METRICS[:, :1]),
    ("linear", [1.0, -0.5, 0.25, -1.0, 0.75, -0.5], METRICS),
    ("regression", [1.0, -1.0, 0.0, 1.0, -1.0, 0.0], [0.9, -0.8, 0.1, 1.2, -1.0, 0.0]),
    ("regression", [1.0, -1.0, 1.0, -1.0, 1.0, -1.0], [-9.0, 9.0, -8.0, 8.0, -7.0, 7.0]),
    ("regression", [1.0, 1.0, -1.0, -1.0, 0.0, 0.0], [0.0, 1e12, 0.0, 1.0, -3.0, -3.0]),
]


@pytest.mark.parametrize(("form", "values", "metric"), TINY_POOLS)
@pytest.mark.parametrize("null", [0.0, 0.4])
def test_all_orders_of_a_tiny_pool(form: str, values: list[float], metric: list[float], null: float) -> None:
    outcomes, scores = np.array(values), np.array(metric)

    def path(order: NDArray[np.intp]) -> Floats:
        return bet_path(outcomes[order], ITEMS[form](outcomes[order], scores[order], scores[:0]), 1, null)

    assert largest_growth_over_orders(path, 6) <= 1 + 1e-9


def test_the_best_stopping_time_wins_nothing() -> None:
    outcomes, metric = map(np.array, TINY_POOLS[2][1:])

    def path(order: NDArray[np.intp]) -> Floats:
        return bet_path(outcomes[order], regress_items(outcomes[order], metric[order], np.empty(0)), -1)

    assert best_stopping_value(path, 6) <= 1 + 1e-9


@each_form
@pytest.mark.parametrize(
    "kinds",
    [
        [(1.0, 1.0), (-1.0, -1.0)],  # the metric is the outcome
        [(1.0, -1.0), (-1.0, 1.0)],  # the metric has turned round
        [(1.0, -1.2), (1.0, 0.5), (-1.0, 0.6), (-1.0, 3.0)],
        [(1.0, 1.1), (0.0, 0.9), (-1.0, -1.0), (0.0, 1.05)],
    ],
)
@pytest.mark.parametrize("companions", [1, 3])
def test_all_draws_of_an_item_and_its_companions(form: str, kinds: list[tuple[float, float]], companions: int) -> None:
    """One more label after a history in which the metric has predicted well, and the mean is zero.

    `kinds`: (outcome, metric), equally likely for the item and each of its companions.
    """
    rng = np.random.default_rng(4)
    past = np.tile([1.0, -1.0], 15)
    past_metric = past + 0.1 * rng.standard_normal(30)
    reserved = np.tile([1.0, -1.0], 30) + 0.1 * rng.standard_normal(60)
    plan = np.full(31, companions)
    old_companions = rng.choice([-1.0, 1.0], size=30 * companions)
    before, after = [], []
    for draw in itertools.product(kinds, repeat=companions + 1):
        outcomes = np.append(past, draw[0][0])
        metric = np.append(past_metric, draw[0][1])
        pool = np.append(old_companions, [kind[1] for kind in draw[1:]])
        path = bet_path(outcomes, INPUTS[form](outcomes, metric, pool, plan, reserved), 1)
        before.append(path[-2])
        after.append(path[-1])
    assert np.ptp(before) == 0  # a set to come changes nothing before it
    assert np.exp(np.subtract(after, before)).mean() <= 1 + 1e-12
    assert np.ptp(after) > 0.05  # and it was a bet


# ---- positivity, symmetry ----------------------------------------------------------------------------------------


@each_form
@settings(deadline=None, max_examples=40)
@given(st.data(), st.sampled_from([1, -1]), st.booleans())
def test_every_factor_is_positive(form: str, data: st.DataObject, side: int, inputs: bool) -> None:
    values, drawn, others, null = data.draw(labelled_pools(form))
    path = bet_path(values, help_of(form, inputs, values, drawn, others), side, null)
    assert not np.isnan(path).any()
    assert (path > -np.inf).all()
    if inputs:
        assert np.isfinite(path).all()


@each_form
@settings(deadline=None, max_examples=40)
@given(st.data(), st.booleans())
def test_swapping_the_systems_swaps_the_sides(form: str, data: st.DataObject, inputs: bool) -> None:
    values, drawn, others, null = data.draw(labelled_pools(form))
    one = bet_path(values, help_of(form, inputs, values, drawn, others), 1, null)
    other = bet_path(-values, help_of(form, inputs, -values, -drawn, -others), -1, null)
    near = {"linear": 1e-7, "regression": 1e-9}[form]
    assert_allclose(one, other, rtol=near, atol=near)


@each_form
@pytest.mark.parametrize("inputs", [False, True])
def test_a_constant_metric_says_nothing(form: str, inputs: bool) -> None:
    outcomes, metric = np.random.default_rng(6).permutation(pool_of(100, 0.2, 0.3)), np.full(100, 3.3)
    found = help_of(form, inputs, outcomes[:60], metric[:60], metric[60:])
    assert not found.centred.any()


@each_form
def test_bad_input_is_refused(form: str) -> None:
    one, nothing, two, infinite = np.array([1.0]), np.empty(0), np.array([1.0, 2.0]), np.array([math.inf])
    refused("must be finite, not nan", ITEMS[form], one, np.array([math.nan]), one, error=ValueError)
    refused("of (2 )?labelled items", ITEMS[form], one, two, one, error=ValueError)
    refused("must be finite, not inf", INPUTS[form], one, one, infinite, np.array([1]), one, error=ValueError)
    refused("uses 2 companions, but there are 1", INPUTS[form], one, one, one, np.array([2]), one, error=ValueError)
    for of in (ITEMS[form](nothing, nothing, nothing), ITEMS[form](nothing, nothing, one)):
        assert bet_path(nothing, of, 1).shape == (0,)
    assert INPUTS[form](nothing, nothing, one, np.empty(0, dtype=np.intp), nothing).centred.shape == (0,)


def test_values_that_are_no_outcomes_are_not_regressed() -> None:
    refused("outcomes -1, 0 or 1", regress_items, np.array([0.5]), np.ones(1), np.ones(1), error=ValueError)
