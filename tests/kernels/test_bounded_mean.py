from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tiebreak.kernels.bounded_mean import (
    KappaPrior,
    bet_scales,
    first_crossing,
    kappa_prior,
    log_e_path,
    undrawn_null_mean,
)

ONE_EXPERT = KappaPrior(np.array([0.1]), np.array([0.0]))


def test_hand_derived_inputs() -> None:
    # One expert, kappa .1, null 0, values 1, -.5, .5.
    # Before value 1: v = 2.1/3 = .7, bet .1/.7; factor 1 + 1/7 = 8/7.
    # Before value 2: t = 1, no residual, v = 2.1/4 = .525, bet .1/.525 = 4/21; factor 1 - 2/21 = 19/21.
    # Before value 3: sum .5, squares 1.25, residual 1.25 - .125 = 1.125, v = 3.225/5 = .645, bet .1/.645 = 20/129;
    # factor 1 + 10/129 = 139/129.
    values = np.array([1.0, -0.5, 0.5])
    np.testing.assert_allclose(bet_scales(values), [1 / 0.7, 1 / 0.525, 1 / 0.645])
    expected = np.cumprod([8 / 7, 19 / 21, 139 / 129])
    np.testing.assert_allclose(np.exp(log_e_path(values, ONE_EXPERT)), expected)


def test_hand_derived_pool() -> None:
    # N = 4, null mean 0, values 1, 1. Before value 1: m = 0, N/(N-t) = 1, bet 1/7: factor 8/7.
    # Before value 2: m = (0 - 1)/3 = -1/3, scale (4/3)/.525, bet .4/1.575 = 16/63: factor 1 + 16/63 * 4/3 = 253/189.
    # Two losses could still follow: E is finite. A third win makes the null impossible: E = infinity.
    values = np.array([1.0, 1.0, 1.0])
    path = np.exp(log_e_path(values, ONE_EXPERT, 0.0, 4))
    np.testing.assert_allclose(path[:2], [8 / 7, 8 / 7 * 253 / 189])
    assert path[2] == np.inf
    np.testing.assert_allclose(undrawn_null_mean(values, 0.0, 4), [0.0, -1 / 3, -1.0])


def test_bets_are_capped_short_of_bankruptcy() -> None:
    # kappa .6 against mean <= .5 with v = .7 would bet .857; the cap is .9/1.5 = .6: a loss leaves 1 - .9 = .1.
    expert = KappaPrior(np.array([0.6]), np.array([0.0]))
    assert np.exp(log_e_path(np.array([-1.0]), expert, 0.5))[0] == pytest.approx(0.1)


def best_stopping_value(values: tuple[float, ...], null: float, prior: KappaPrior) -> float:
    """Largest E[E_tau] over all stopping rules when the pool is drawn in uniformly random order (all orders)."""
    size = len(values)
    wealth: dict[tuple[int, ...], float] = {(): 1.0}
    for order in permutations(range(size)):
        path = np.exp(log_e_path(np.array([values[i] for i in order]), prior, null, size))
        wealth.update({order[: t + 1]: float(path[t]) for t in range(size)})

    def value(drawn: tuple[int, ...]) -> float:
        if len(drawn) == size:
            return wealth[drawn]
        rest = [i for i in range(size) if i not in drawn]
        return max(wealth[drawn], sum(value((*drawn, i)) for i in rest) / len(rest))

    return value(())


@pytest.mark.parametrize(
    "values",
    [
        (1.0, 1.0, 0.0, 0.0, -1.0, -1.0),
        (1.0, -1 / 3, -2 / 3, 1 / 3, 0.5, -0.5),
        (0.5, 0.5, 0.5, -0.5, 1.0, -1.0),
        (-1.0, -1.0, -1.0, 1.0, 0.0, 0.25),
        (1.0, 1.0, 1.0, 1.0, 1.0, -1.0),
        (0.2, 0.2, 0.2, 0.2, 0.2),
    ],
)
def test_brute_force_no_stopping_rule_gains_on_a_pool_at_its_own_mean(values: tuple[float, ...]) -> None:
    mean = float(np.mean(values))
    for prior in (kappa_prior(), kappa_prior(spread=0.5, low=0.3, high=3.0)):
        assert best_stopping_value(values, mean, prior) == pytest.approx(1.0, abs=1e-12)
        # Inside the null as well, and below the mean the null is false, so that a rule must gain.
        assert best_stopping_value(values, mean + 0.1, prior) == pytest.approx(1.0, abs=1e-12)
        assert best_stopping_value(values, mean - 0.01, prior) > 1.0


def test_brute_force_expectation_for_inputs() -> None:
    # Fair three-valued outcomes with mean .1, all 3^6 sequences: E[E_n] = 1 exactly at the null .1.
    chances = {-1.0: 0.35, 0.0: 0.2, 1.0: 0.45}
    total = 0.0
    grid = np.array(np.meshgrid(*[list(chances)] * 6, indexing="ij")).reshape(6, -1).T
    for sequence in grid:
        weight = np.prod([chances[float(value)] for value in sequence])
        total += weight * np.exp(log_e_path(sequence, kappa_prior(), 0.1)[-1])
    assert total == pytest.approx(1.0, abs=1e-12)


def test_infinite_exactly_where_the_null_is_impossible() -> None:
    for values in ((1.0, 1.0, 0.0, -1.0, -1.0), (1.0, 0.5, 0.5, 1 / 3, -1.0), (1.0,) * 5, (-1.0,) * 5):
        for order in set(permutations(values)):
            for null in (-1.0, -0.6, -0.2, 0.0, 0.1, 0.6, 1.0):
                path = log_e_path(np.array(order), kappa_prior(), null, 5)
                least = np.cumsum(order) - (5 - np.arange(1, 6))  # all undrawn items lost
                np.testing.assert_array_equal(np.isinf(path), least > 5 * null + 1e-9, str((order, null)))


@pytest.mark.parametrize("pool_size", [None, 60, 200])
def test_nonincreasing_in_the_null(pool_size: int | None) -> None:
    rng = np.random.default_rng(7)
    values = rng.choice([-1.0, -1 / 3, 0.0, 1 / 3, 1.0], size=60)
    paths = np.array([log_e_path(values, kappa_prior(), m, pool_size) for m in np.linspace(-1, 1, 80)])
    finite = np.where(np.isinf(paths), 1e9, paths)
    assert (np.diff(finite, axis=0) <= 1e-9).all()


@pytest.mark.parametrize("pool_size", [None, 100])
def test_swapping_a_and_b(pool_size: int | None) -> None:
    rng = np.random.default_rng(8)
    values = rng.choice([-1.0, 0.0, 1.0], p=[0.2, 0.2, 0.6], size=80)
    plus = log_e_path(values, kappa_prior(), 0.0, pool_size)
    minus = log_e_path(-values, kappa_prior(), 0.0, pool_size)
    assert plus[-1] > 3 > 0 > minus[-1]
    np.testing.assert_allclose(bet_scales(values, pool_size), bet_scales(-values, pool_size))


def test_bets_are_fixed_before_the_value_is_seen() -> None:
    values = np.random.default_rng(11).uniform(-1, 1, size=30)
    changed = values.copy()
    changed[20] = -changed[20]
    np.testing.assert_array_equal(bet_scales(values, 40)[:21], bet_scales(changed, 40)[:21])
    np.testing.assert_array_equal(undrawn_null_mean(values, 0.1, 40)[:21], undrawn_null_mean(changed, 0.1, 40)[:21])


def test_bad_and_empty_input() -> None:
    with pytest.raises(ValueError, match="5 values from a pool of 4"):
        log_e_path(np.zeros(5), kappa_prior(), 0.0, 4)
    assert log_e_path(np.empty(0), kappa_prior(), 0.0, 4).shape == (0,)
    assert log_e_path(np.empty(0), kappa_prior()).shape == (0,)
    assert log_e_path(np.zeros(4), kappa_prior(), 0.0, 4) == pytest.approx(np.zeros(4))


@pytest.mark.parametrize(("pool", "null"), [(None, 0.0), (700, 0.0), (700, -0.2), (1000, 0.1), (40, 0.0)])
def test_the_first_crossing_is_that_of_the_path(pool: int | None, null: float) -> None:
    rng = np.random.default_rng(4)
    prior, found = kappa_prior(), []
    for threshold in (0.5, 3.0, 3.0, 8.0, 1e9):
        values = rng.choice([-1.0, 0.0, 1.0], min(pool or 700, 700), p=[0.25, 0.35, 0.4])
        scales = bet_scales(values, pool)
        reached = log_e_path(values, prior, null, pool, scales) >= threshold
        found.append(int(reached.argmax()) + 1 if reached.any() else values.size + 1)
        assert first_crossing(values, prior, null, pool, scales, threshold) == found[-1]
    assert len(set(found)) > 2
