"""Bets on a bounded mean against their definition, what no stopping rule and no owner can gain; what a metric says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import logsumexp
from tests.kernels.enumeration import best_stopping_value

from tiebreak.kernels import bounded_bets
from tiebreak.kernels.bounded_bets import KappaPrior, RunningWealth, kappa_prior, log_sum_exp
from tiebreak.kernels.pool_metric import pool_metric
from tiebreak.records import UnitValue

Floats = NDArray[np.float64]

NULLS = np.unique(np.append(bounded_bets.null_grid(steps=20), [-0.13, 0.13]))


def wealth_of(values: Floats, prior: KappaPrior, null: float, pool: int | None = None) -> list[float]:
    """E after each value, by the definition: one expert after the other."""
    wealth, found = np.ones(prior.kappas.size), []
    for t, value in enumerate(values):
        past = values[:t]
        residual = float(((past - past.mean()) ** 2).sum()) if t else 0.0
        shrinking = 1.0 if pool is None else pool / (pool - t)
        mean = null if pool is None else min(max((pool * null - past.sum()) / (pool - t), -1.0), 1.0)
        room = 0.9 / (1 + mean) if mean > -1 else math.inf
        bets = np.minimum(prior.kappas * shrinking / ((residual + 2.1) / (t + 3)), room)
        wealth = wealth * (1 + bets * (value - mean))
        impossible = pool is not None and values[: t + 1].sum() - (pool - t - 1) > pool * null + 1e-9
        found.append(math.inf if impossible or math.inf in found else float(np.exp(prior.log_weights) @ wealth))
    return found


def played(
    values: Floats, prior: KappaPrior, pool: int | None = None, nulls: Floats = NULLS
) -> tuple[Floats, RunningWealth]:
    """log E (n, 2, G) after each value."""
    wealth, seen = bounded_bets.start(nulls, prior.log_weights), []
    for value in values:
        wealth = bounded_bets.after_value(wealth, prior, nulls, UnitValue.labelled(float(value)), pool)
        seen.append(wealth.log_e)
    return np.array(seen), wealth


def test_hand_derived_inputs() -> None:
    # One expert, kappa .1, null 0, values 1, -.5, .5.
    # Before value 1: v = 2.1/3 = .7, bet .1/.7; factor 1 + 1/7 = 8/7.
    # Before value 2: t = 1, no residual, v = 2.1/4 = .525, bet .1/.525 = 4/21; factor 1 - 2/21 = 19/21.
    # Before value 3: sum .5, squares 1.25, residual 1.25 - .125 = 1.125, v = 3.225/5 = .645, bet .1/.645 = 20/129;
    # factor 1 + 10/129 = 139/129.
    expert = KappaPrior(np.array([0.1]), np.array([0.0]))
    path, _ = played(np.array([1.0, -0.5, 0.5]), expert, nulls=np.zeros(1))
    np.testing.assert_allclose(np.exp(path[:, 0, 0]), np.cumprod([8 / 7, 19 / 21, 139 / 129]))


def test_hand_derived_pool() -> None:
    # N = 4, null mean 0, values 1, 1. Before value 1: m = 0, N/(N-t) = 1, bet 1/7: factor 8/7.
    # Before value 2: m = (0 - 1)/3 = -1/3, scale (4/3)/.525, bet .4/1.575 = 16/63: factor 1 + 16/63 * 4/3 = 253/189.
    # Two losses could still follow: E is finite. A third win makes the null impossible: E = infinity.
    expert = KappaPrior(np.array([0.1]), np.array([0.0]))
    path, _ = played(np.ones(3), expert, 4, np.zeros(1))
    np.testing.assert_allclose(np.exp(path[:2, 0, 0]), [8 / 7, 8 / 7 * 253 / 189])
    assert path[2, 0, 0] == np.inf


@pytest.mark.parametrize("pool", [None, 200, 150])
def test_the_definition(pool: int | None) -> None:
    values = np.clip(np.random.default_rng(2).normal(0.1, 0.6, 150), -1, 1)
    path, wealth = played(values, kappa_prior(), pool)
    for place in (0, 5, 10, 15, NULLS.size - 1):
        for row, sign in enumerate((1, -1)):
            expected = np.log(wealth_of(sign * values, kappa_prior(), float(NULLS[place]), pool))
            np.testing.assert_allclose(path[:, row, place], expected, atol=1e-8)
    np.testing.assert_allclose(wealth.sup_log_e, np.maximum(path.max(axis=0), 0.0))
    assert (np.diff(np.where(np.isinf(path), 1e9, path), axis=2) <= 1e-9).all()  # never rises with the null


def test_weights_count_so_often() -> None:
    values, weights = np.array([1.0, -0.5, 0.3, 1.0]), [1.0, 0.25, 0.5, 0.5]
    wealth = bounded_bets.start(np.zeros(1), kappa_prior().log_weights)
    for value, weight in zip(values, weights, strict=True):
        one = UnitValue.labelled(float(value))
        wealth = bounded_bets.after_value(wealth, kappa_prior(), np.zeros(1), one, None, weight)
    expected = wealth_of(values * weights, kappa_prior(), 0.0)[-1]
    assert wealth.log_e[0, 0] == pytest.approx(math.log(expected))
    assert wealth.mean == pytest.approx(float(values @ weights) / sum(weights))


@pytest.mark.parametrize("values", [(1.0, 1.0, 0.0, -1.0, -1.0), (1.0, -1 / 3, 1 / 3, 0.5, -0.5), (0.2,) * 5])
def test_no_stopping_rule_gains_on_a_pool_at_its_own_mean(values: tuple[float, ...]) -> None:
    def best(null: float) -> float:
        return best_stopping_value(
            lambda order: played(np.array(values)[order], kappa_prior(), 5, np.array([null]))[0][:, 0, 0], 5
        )

    mean = float(np.mean(values))
    assert best(mean) == pytest.approx(1.0, abs=1e-12)
    assert best(mean + 0.1) == pytest.approx(1.0, abs=1e-12)
    assert best(mean - 0.01) > 1.0  # the null is false: a rule must gain


def test_the_expectation_for_inputs() -> None:
    # Fair three-valued outcomes with mean .1, all 3^5 sequences: E[E_n] = 1 exactly at the null .1.
    chances = {-1.0: 0.35, 0.0: 0.2, 1.0: 0.45}
    grid = np.array(np.meshgrid(*[list(chances)] * 5, indexing="ij")).reshape(5, -1).T
    total = sum(
        math.prod(chances[float(value)] for value in sequence)
        * math.exp(played(sequence, kappa_prior(), None, np.array([0.1]))[0][-1, 0, 0])
        for sequence in grid
    )
    assert total == pytest.approx(1.0, abs=1e-12)


def test_bets_that_are_lost_for_good_are_dropped() -> None:
    """1,500 losses and then as many wins: never more than by the definition."""
    values = np.repeat([-1.0, 1.0], 1_500)
    path, wealth = played(values, kappa_prior(), None, np.zeros(1))
    assert (wealth.shares == 0).any()
    with np.errstate(divide="ignore"):
        expected = np.log(wealth_of(values[:1_600], kappa_prior(), 0.0))
    known = expected > -600  # below that the definition itself is rounded to 0
    assert (path[:1_600, 0, 0][known] <= expected[known] + 1e-6).all()
    assert (path[:1_600, 0, 0][~known] < -500).all()


def test_an_abandoned_item_counts_against_both_sides() -> None:
    prior, zero = kappa_prior(), int(np.searchsorted(NULLS, 0.0))
    fair = bounded_bets.start(NULLS, prior.log_weights)
    lost = bounded_bets.after_value(fair, prior, NULLS, UnitValue(-1.0, 1.0, None), None)
    assert lost.log_e[0, zero] < 0
    assert lost.log_e[0, zero] == pytest.approx(lost.log_e[1, zero])


def test_more_values_than_the_pool_holds() -> None:
    _, wealth = played(np.ones(1), kappa_prior(), 1)
    assert np.isposinf(wealth.log_e[0, NULLS < 1]).all()  # the pool's mean is 1
    with pytest.raises(ValueError, match="2 values from a pool of 1"):
        bounded_bets.after_value(wealth, kappa_prior(), NULLS, UnitValue.labelled(1.0), 1)


def test_bets_are_made_for_the_half_width() -> None:
    """The usual one is a tenth of [-1, 1]; others bet in proportion, by the same weights."""
    usual, wide = kappa_prior(), kappa_prior(0.25)
    np.testing.assert_allclose((usual.kappas[0], usual.kappas[-1]), (0.015, 0.6))
    np.testing.assert_allclose(wide.kappas, 2.5 * usual.kappas)
    np.testing.assert_allclose(wide.log_weights, usual.log_weights)


# ---- sums of logarithms --------------------------------------------------------------------------------------------


def test_against_scipy_over_many_magnitudes() -> None:
    rng = np.random.default_rng(1)
    for scale in (1e-3, 1.0, 50.0, 1e4):
        terms = rng.normal(scale=scale, size=(4, 25, 7))
        np.testing.assert_allclose(log_sum_exp(terms), logsumexp(terms, axis=-1), rtol=1e-13, atol=1e-13)


def test_infinities() -> None:
    rows = np.array([[np.inf, 0.0, 800.0], [-np.inf, -np.inf, -np.inf], [-np.inf, 1.0, -np.inf]])
    assert log_sum_exp(rows).tolist() == [np.inf, -np.inf, 1.0]


# ---- metric of a pool ----------------------------------------------------------------------------------------------


def test_metric_hand_derived() -> None:
    # Scores 7, 3, 7, 3 have mean 5 and SD 2: x = 1, -1, 1, -1. After ratings 1 and 0 the mean of x drawn is 0, its sum
    # of squares 2, with the ridge 5, that of products 1: slope 1/5. Mean x of the two that are left is 0.
    metric = pool_metric(np.array([7.0, 3.0, 7.0, 3.0]))
    np.testing.assert_allclose(metric.x, [1, -1, 1, -1])
    np.testing.assert_allclose(metric.slopes(2, 1.0, 1.0, (0, 0.0)), 0.2)
    said = metric.ahead(2, (0.2, 0.2))
    np.testing.assert_allclose((said.low, said.high), 0.2)
    np.testing.assert_allclose((said.least_reach, said.most_reach), 0.2)
    # Were the second rating missing, it could be 1 (products 0, slope 0) or -1 (products 2, slope 2/5).
    least, most = metric.slopes(2, 1.0, 1.0, (1, 1.0))
    np.testing.assert_allclose((least, most), (0.0, 0.4), atol=1e-15)
    said = metric.ahead(2, (-0.1, 0.4))
    np.testing.assert_allclose((said.low, said.high), (-0.1, 0.4))
    np.testing.assert_allclose((said.least_reach, said.most_reach), ([0, 0], [0.4, 0.4]))


def test_values_far_off_are_cut_and_one_for_all_says_nothing() -> None:
    metric = pool_metric(np.array([*np.zeros(99), 1e6]))
    assert metric.x.max() == 2.5
    assert not pool_metric(np.full(9, 4.0)).x.any()
