"""The regression form: by hand, what it must not depend on, its bins, and one outcome at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import METRICS, bet_path, pool_of
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from tests.kernels.checks import refused
from tests.kernels.test_metric_forms import help_of

from tiebreak.kernels import running_regression
from tiebreak.kernels.control_variate import plan_companions
from tiebreak.kernels.outcome_regression import (
    BinRows,
    bin_means,
    bin_numbers,
    cut_points,
    input_rows,
    item_rows,
    regress_inputs,
    regress_items,
)

Floats = NDArray[np.float64]

# ---- by hand -------------------------------------------------------------------------------------------------------


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


# ---- what must not matter ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inputs", [False, True])
def test_scale_and_origin_of_the_metric_do_not_matter(inputs: bool) -> None:
    rng = np.random.default_rng(5)
    outcomes = rng.permutation(pool_of(200, 0.1, 0.3))
    metric = METRICS["rho .5"](rng, outcomes)
    expected, other = (
        bet_path(outcomes[:120], help_of("regression", inputs, outcomes[:120], of[:120], of[120:]), 1)
        for of in (metric, 1e6 * metric - 1e7)
    )
    assert_allclose(other, expected)


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


def test_without_a_reserve_or_companions_the_metric_is_not_used() -> None:
    outcomes = np.random.default_rng(12).choice([-1.0, 0.0, 1.0], 50)
    with_metric = regress_inputs(outcomes, outcomes, np.empty(0), np.zeros(50, dtype=np.intp), outcomes)
    assert_allclose(with_metric.centred, np.zeros(50), atol=1e-12)
    no_reserve = regress_inputs(outcomes, outcomes, outcomes, np.ones(50, dtype=np.intp), np.empty(0))
    assert_allclose(no_reserve.centred, np.zeros(50), atol=1e-12)


# ---- bins ----------------------------------------------------------------------------------------------------------


metrics = st.lists(st.integers(-4, 4).map(float) | st.floats(-1e6, 1e6), min_size=1, max_size=40).map(np.array)


def test_two_bins_by_hand() -> None:
    # Four values in two bins: the cut is halfway between the second and the third, and nothing lies on it.
    reference = np.array([4.0, 1.0, 2.0, 3.0])
    cuts = cut_points(reference, bins=2)
    assert cuts.tolist() == [2.5]
    assert bin_numbers(reference, cuts).tolist() == [2, 0, 0, 2]
    # Standard deviation sqrt(1.25): bin means (1.5 - 2.5)/1.118 and (3.5 - 2.5)/1.118; the empty slot lies between.
    assert_allclose(bin_means(reference, cuts), [-0.894427, 0.0, 0.894427], atol=1e-6)


def test_a_value_on_a_cut_point_has_its_own_slot() -> None:
    # Three values in two bins: the cut is the middle value itself.
    reference = np.array([1.0, 2.0, 3.0])
    assert bin_numbers(reference, cut_points(reference, bins=2)).tolist() == [0, 1, 2]


def test_few_values_are_not_cut_apart() -> None:
    reference = np.repeat([-1.0, 0.0, 1.0], [5, 40, 15])
    numbers = bin_numbers(reference, cut_points(reference))
    assert [np.unique(numbers[reference == value]).size for value in (-1.0, 0.0, 1.0)] == [1, 1, 1]
    assert np.unique(numbers).size == 3


def test_equal_shares_of_a_continuous_metric() -> None:
    metric = np.random.default_rng(1).standard_normal(1_000)
    counts = np.bincount(bin_numbers(metric, cut_points(metric)), minlength=19)
    assert counts[::2].tolist() == [100] * 10
    assert counts[1::2].sum() == 0


@given(metrics)
def test_negating_the_metric_mirrors_the_bins(metric: np.ndarray) -> None:
    numbers = bin_numbers(metric, cut_points(metric))
    assert_array_equal(bin_numbers(-metric, cut_points(-metric)), 18 - numbers)
    assert_allclose(bin_means(-metric, cut_points(-metric)), -bin_means(metric, cut_points(metric))[::-1], atol=1e-9)


@given(metrics)
def test_means_rise_with_the_bins_and_are_standardised(metric: np.ndarray) -> None:
    cuts = cut_points(metric)
    numbers, means = bin_numbers(metric, cuts), bin_means(metric, cuts)
    assert (np.diff(means) >= -1e-9).all()
    assert abs(means[numbers].mean()) < 1e-6
    assert means[numbers].var() <= 1 + 1e-6


@pytest.mark.parametrize("size", [1, 7])
def test_bins_of_a_constant_metric_say_nothing(size: int) -> None:
    metric = np.full(size, 0.1)
    assert_array_equal(bin_means(metric, cut_points(metric)), np.zeros(19))


def test_huge_values_do_not_overflow() -> None:
    assert np.isfinite(bin_means(np.array([-1e308, 1.0, 1e308]), np.array([0.0, 2.0]))).all()


def test_leading_axes_are_independent() -> None:
    metric = np.random.default_rng(2).standard_normal((2, 3, 25))
    cuts = cut_points(metric)
    for place in np.ndindex(2, 3):
        assert_array_equal(cuts[place], cut_points(metric[place]))
        assert_array_equal(bin_numbers(metric, cuts)[place], bin_numbers(metric[place], cuts[place]))
        assert_array_equal(bin_means(metric, cuts)[place], bin_means(metric[place], cuts[place]))


# ---- one outcome at a time -----------------------------------------------------------------------------------------


COUNT = 90


def outcomes_and_metric(seed: int, others: int) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    outcomes = rng.choice([-1.0, 0.0, 1.0], size=COUNT, p=[0.3, 0.3, 0.4])
    return outcomes, outcomes + rng.normal(size=COUNT), rng.normal(size=others)


def steps(outcomes: Floats, rows: BinRows) -> Floats:
    state, found = running_regression.start(rows), []
    for outcome in outcomes:
        step = running_regression.help_before(state, rows)
        found.append((step.centred, step.above, step.below, step.reach_above, step.reach_below, step.variance))
        state = running_regression.after(state, rows, int(outcome))
    return np.array(found).T


@pytest.mark.parametrize("inputs", [False, True])
def test_one_outcome_at_a_time_gives_what_the_whole_sequence_does(inputs: bool) -> None:
    outcomes, drawn, others = outcomes_and_metric(2, 600)
    plan = plan_companions(COUNT - np.arange(COUNT), 500)
    if inputs:
        batch = regress_inputs(outcomes, drawn, others[100:], plan, others[:100])
        rows = input_rows(drawn, others[100:], plan, others[:100])
    else:
        batch, rows = regress_items(outcomes, drawn, others[:60]), item_rows(drawn, others[:60])
    expected = (batch.centred, batch.above, batch.below, batch.reach_above, batch.reach_below, batch.variances)
    assert_allclose(steps(outcomes, rows), np.array(expected), atol=1e-12)


def test_no_row_for_the_label() -> None:
    outcomes, drawn, undrawn = outcomes_and_metric(3, 0)
    rows = item_rows(drawn[:1], undrawn)
    state = running_regression.after(running_regression.start(rows), rows, int(outcomes[0]))
    refused("label 2, but there are 1", running_regression.help_before, state, rows, error=IndexError)
