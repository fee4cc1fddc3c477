"""The regression form: by hand, exact enumeration, positivity, symmetries, and what it must not depend on."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import METRICS, bet_path, pool_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from tests.kernels.enumeration import best_stopping_value, largest_growth_over_orders

from tiebreak.kernels.control_variate import plan_companions
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items

Floats = NDArray[np.float64]

scores = st.floats(-1e9, 1e9) | st.integers(-2, 2).map(float)


@st.composite
def labelled_pools(draw: st.DrawFn) -> tuple[Floats, Floats, Floats, float]:
    """Outcomes (n,), their metric, the metric of the rest, and a null value."""
    labels, rest = draw(st.integers(1, 25)), draw(st.integers(0, 15))
    outcomes = draw(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=labels, max_size=labels))
    metric = draw(st.lists(scores, min_size=labels + rest, max_size=labels + rest))
    return np.array(outcomes), np.array(metric[:labels]), np.array(metric[labels:]), draw(st.floats(-1, 1))


def inputs_regression(outcomes: Floats, drawn: Floats, others: Floats) -> MetricHelp:
    """A third of the others is reserved, the rest are companions."""
    reserved, pool = others[: others.size // 3], others[others.size // 3 :]
    return regress_inputs(
        outcomes, drawn, pool, plan_companions(outcomes.size - np.arange(outcomes.size), pool.size), reserved
    )


# ---- by hand ---------------------------------------------------------------------------------------------------


def test_first_prediction_by_hand() -> None:
    # Two values, half of the pool each: standardised -1 and 1. Before any label the scores of a win are -.4 -+ .6, so
    # logistic(-1) = .268941 and logistic(.2) = .549834, mirrored for a loss; mixed with the uniform at weight 1/8:
    # f = +- .875 (.549834 - .268941) = +- .245781, fbar = 0. The variance starts at 1.8/3.
    regression = regress_items(np.array([1.0]), np.array([1.0]), np.array([0.0, 0.0, 1.0]))
    assert_allclose(regression.centred, [0.245781], atol=1e-6)
    assert_allclose(regression.above, [0.245781], atol=1e-6)
    assert_allclose(regression.below, [0.245781], atol=1e-6)
    assert_allclose(regression.variances, [0.6])


def test_one_newton_step_by_hand() -> None:
    # A constant metric leaves the constants: after a win from -.4, p = .401312, gradient 1 - p = .598688 and curvature
    # p(1 - p) + 1 = 1.240261 give -.4 + .482711 = .082711 for a win and -.4 - .323571 = -.723571 for a loss.
    # f is the same for all bins, so that nothing is subtracted.
    outcomes = np.array([1.0, -1.0, 1.0])
    regression = regress_items(outcomes, np.zeros(3), np.zeros(7))
    assert_allclose(regression.centred, np.zeros(3), atol=1e-12)
    win, loss = 1 / (1 + math.exp(-0.082711)), 1 / (1 + math.exp(0.723571))
    weight = 0.5 / 5
    win, loss = (1 - weight) * win + weight / 3, (1 - weight) * loss + weight / 3
    variance = (win + loss - (win - loss) ** 2 + 1.8) / 4
    assert_allclose(regression.variances[1], variance, rtol=1e-5)


def test_companions_by_hand() -> None:
    # Reserve of two values as above; the labelled item is high, its two companions are low:
    # mean f over the set = (.245781 - 2 * .245781)/3 = -.081927, so the labelled item stands .327708 above it.
    reserved = np.array([0.0, 0.0, 1.0, 1.0])
    regression = regress_inputs(np.array([1.0]), np.array([1.0]), np.array([0.0, 0.0]), np.array([2]), reserved)
    assert_allclose(regression.centred, [0.327708], atol=1e-6)
    assert_allclose(regression.below, [0.163854], atol=1e-6)
    assert_allclose(regression.reach_above, [0.245781], atol=1e-6)  # the reserve's, not the set's


# ---- validity, exactly -----------------------------------------------------------------------------------------

TINY_POOLS = [
    (np.array([1.0, -1.0, 0.0, 1.0, -1.0, 0.0]), np.array([0.9, -0.8, 0.1, 1.2, -1.0, 0.0])),
    (np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]), np.array([-9.0, 9.0, -8.0, 8.0, -7.0, 7.0])),
    (np.array([1.0, 1.0, -1.0, -1.0, 0.0, 0.0]), np.array([0.0, 1e12, 0.0, 1.0, -3.0, -3.0])),
]


@pytest.mark.parametrize(("outcomes", "metric"), TINY_POOLS)
@pytest.mark.parametrize("null", [0.0, 0.4])
def test_all_orders_of_a_tiny_pool(outcomes: Floats, metric: Floats, null: float) -> None:
    def path(order: NDArray[np.intp]) -> Floats:
        regression = regress_items(outcomes[order], metric[order], np.empty(0))
        return bet_path(outcomes[order], regression, 1, null)

    assert largest_growth_over_orders(path, 6) <= 1 + 1e-9


def test_the_best_stopping_time_wins_nothing() -> None:
    outcomes, metric = TINY_POOLS[0]

    def path(order: NDArray[np.intp]) -> Floats:
        regression = regress_items(outcomes[order], metric[order], np.empty(0))
        return bet_path(outcomes[order], regression, -1)

    assert best_stopping_value(path, 6) <= 1 + 1e-9


def last_step_of_inputs(history: int, kinds: list[tuple[float, float]], companions: int) -> tuple[Floats, Floats]:
    """log E before and after one more label, for all equally likely draws of it and its companions from a population.

    `kinds`: (outcome, metric). The history is fixed: a metric that has predicted well so far, and a mean of zero.
    """
    rng = np.random.default_rng(4)
    past = np.tile([1.0, -1.0], history // 2)
    past_metric = past + 0.1 * rng.standard_normal(history)
    reserved = np.tile([1.0, -1.0], 30) + 0.1 * rng.standard_normal(60)
    plan = np.full(history + 1, companions)
    old_companions = rng.choice([-1.0, 1.0], size=history * companions)
    before, after = [], []
    for draw in itertools.product(kinds, repeat=companions + 1):
        outcomes = np.append(past, draw[0][0])
        metric = np.append(past_metric, draw[0][1])
        pool = np.append(old_companions, [kind[1] for kind in draw[1:]])
        path = bet_path(outcomes, regress_inputs(outcomes, metric, pool, plan, reserved), 1)
        before.append(path[-2])
        after.append(path[-1])
    return np.array(before), np.array(after)


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
def test_all_draws_of_an_item_and_its_companions(kinds: list[tuple[float, float]], companions: int) -> None:
    before, after = last_step_of_inputs(30, kinds, companions)
    assert np.ptp(before) == 0  # a set to come changes nothing before it
    assert np.exp(after - before).mean() <= 1 + 1e-12
    assert np.ptp(after) > 0.05  # and it was a bet


# ---- positivity, monotonicity, symmetry ------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(labelled_pools(), st.sampled_from([1, -1]), st.booleans())
def test_every_factor_is_positive(pool: tuple[Floats, Floats, Floats, float], side: int, inputs: bool) -> None:
    outcomes, drawn, others, null = pool
    regression = inputs_regression(*pool[:3]) if inputs else regress_items(outcomes, drawn, others)
    path = bet_path(outcomes, regression, side, null)
    assert not np.isnan(path).any()
    assert (path > -np.inf).all()
    if inputs:
        assert np.isfinite(path).all()


@settings(deadline=None, max_examples=40)
@given(labelled_pools(), st.booleans())
def test_swapping_the_systems_swaps_the_sides(pool: tuple[Floats, Floats, Floats, float], inputs: bool) -> None:
    outcomes, drawn, others, null = pool
    regress = inputs_regression if inputs else regress_items
    for_a = bet_path(outcomes, regress(outcomes, drawn, others), 1, null)
    swapped = bet_path(-outcomes, regress(-outcomes, -drawn, -others), -1, null)
    assert_allclose(for_a, swapped, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("inputs", [False, True])
def test_scale_and_origin_of_the_metric_do_not_matter(inputs: bool) -> None:
    rng = np.random.default_rng(5)
    outcomes = rng.permutation(pool_of(200, 0.1, 0.3))
    metric = METRICS["rho .5"](rng, outcomes)
    regress = inputs_regression if inputs else regress_items
    expected = bet_path(outcomes[:120], regress(outcomes[:120], metric[:120], metric[120:]), 1)
    other = 1e6 * metric - 1e7
    assert_allclose(bet_path(outcomes[:120], regress(outcomes[:120], other[:120], other[120:]), 1), expected)


def test_a_constant_metric_says_nothing() -> None:
    outcomes = np.random.default_rng(6).permutation(pool_of(100, 0.2, 0.3))
    assert not regress_items(outcomes, np.full(100, 7.0), np.empty(0)).centred.any()


def test_later_labels_and_sets_change_nothing_before_them() -> None:
    rng = np.random.default_rng(7)
    outcomes = rng.choice([-1.0, 0.0, 1.0], 60)
    metric, pool, reserved = outcomes + rng.standard_normal(60), rng.standard_normal(120), rng.standard_normal(50)
    plan = np.full(60, 2)
    path = bet_path(outcomes, regress_inputs(outcomes, metric, pool, plan, reserved), 1)
    changed, changed_metric, changed_pool = outcomes.copy(), metric.copy(), pool.copy()
    changed[40:], changed_metric[40:], changed_pool[80:] = 1.0, -5.0, 9.0
    other = bet_path(changed, regress_inputs(changed, changed_metric, changed_pool, plan, reserved), 1)
    assert_array_equal(path[:40], other[:40])
    assert not np.allclose(path[40:], other[40:])


def test_bets_do_not_depend_on_the_set_of_the_label() -> None:
    """Variances and reach at t are the same whatever the t-th item and its companions are."""
    rng = np.random.default_rng(8)
    outcomes, reserved, plan = rng.choice([-1.0, 0.0, 1.0], 30), rng.standard_normal(50), np.full(30, 3)
    metric, pool = outcomes + rng.standard_normal(30), rng.standard_normal(90)
    one = regress_inputs(outcomes, metric, pool, plan, reserved)
    metric[29], pool[87:] = 4.0, -4.0
    other = regress_inputs(outcomes, metric, pool, plan, reserved)
    for name in ("variances", "reach_above", "reach_below"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.above[29] != other.above[29]


def test_runs_side_by_side_are_the_runs_alone() -> None:
    rng = np.random.default_rng(9)
    outcomes = rng.choice([-1.0, 0.0, 1.0], (3, 40))
    drawn, others, reserved = (rng.standard_normal((3, size)) for size in (40, 80, 30))
    plan = np.tile(np.full(40, 2), (3, 1))
    together = bet_path(outcomes, regress_inputs(outcomes, drawn, others, plan, reserved), 1)
    for run in range(3):
        alone = regress_inputs(outcomes[run], drawn[run], others[run], plan[run], reserved[run])
        assert_allclose(together[run], bet_path(outcomes[run], alone, 1), rtol=1e-10, atol=1e-12)
    items = bet_path(outcomes, regress_items(outcomes, drawn, others), -1, 0.1)
    alone = regress_items(outcomes[1], drawn[1], others[1])
    assert_allclose(items[1], bet_path(outcomes[1], alone, -1, 0.1), rtol=1e-10, atol=1e-12)


# ---- bad input -------------------------------------------------------------------------------------------------


def test_bad_input_is_refused() -> None:
    one, nothing = np.array([1.0]), np.empty(0)
    with pytest.raises(ValueError, match="outcomes -1, 0 or 1"):
        regress_items(np.array([0.5]), one, one)
    with pytest.raises(ValueError, match="must be finite, not nan"):
        regress_items(one, np.array([np.nan]), one)
    with pytest.raises(ValueError, match="metric values of labelled items"):
        regress_items(one, np.array([1.0, 2.0]), one)
    with pytest.raises(ValueError, match="must be finite, not inf"):
        regress_inputs(one, one, np.array([np.inf]), np.array([1]), one)
    with pytest.raises(ValueError, match="uses 2 companions, but there are 1"):
        regress_inputs(one, one, one, np.array([2]), one)
    assert bet_path(nothing, regress_items(nothing, nothing, nothing), 1).shape == (0,)
    assert bet_path(nothing, regress_items(nothing, nothing, one), 1).shape == (0,)


def test_without_a_reserve_or_companions_the_metric_is_not_used() -> None:
    outcomes = np.random.default_rng(12).choice([-1.0, 0.0, 1.0], 50)
    with_metric = regress_inputs(outcomes, outcomes, np.empty(0), np.zeros(50, dtype=np.intp), outcomes)
    assert_allclose(with_metric.centred, np.zeros(50), atol=1e-12)
    no_reserve = regress_inputs(outcomes, outcomes, outcomes, np.ones(50, dtype=np.intp), np.empty(0))
    assert_allclose(no_reserve.centred, np.zeros(50), atol=1e-12)
