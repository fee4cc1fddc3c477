"""The e-process at the ends of looks: valid whenever anybody looks, and what it has in common with others."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tiebreak.kernels.bounded_mean import kappa_prior, log_e_path
from tiebreak.kernels.looks import log_e_at_looks

PRIOR = kappa_prior()


def ends(*counts: int) -> np.ndarray:
    return np.cumsum(counts).astype(np.intp)


def test_one_value_a_look_is_the_process_of_single_values() -> None:
    rng = np.random.default_rng(1)
    values = rng.choice([-1.0, 0.0, 0.5, 1.0], 60)
    for null, pool in itertools.product((-0.2, 0.0, 0.3), (None, 100)):
        found = log_e_at_looks(values, np.arange(1, 61), PRIOR, null, pool)
        assert_allclose(found, log_e_path(values, PRIOR, null, pool), rtol=1e-9, atol=1e-9)


def test_a_first_look_at_inputs_by_hand() -> None:
    """Variance 2.1/3 before any value: bets kappa/0.7, at most 0.9, on two wins, a tie and a loss."""
    values = np.array([1.0, 0.0, 1.0, -1.0])
    bets = np.minimum(PRIOR.kappas / 0.7, 0.9)
    expected = np.log(np.exp(PRIOR.log_weights) @ ((1 + bets) ** 2 * (1 - bets)))
    assert log_e_at_looks(values, ends(4), PRIOR)[-1] == pytest.approx(expected)


def smallest_of_all_orders(values: list[float], null: float, pool: int) -> float:
    """By trying them all, with the bets of a first look."""
    least = np.inf
    for order in set(itertools.permutations(values)):
        wealth, total = np.exp(PRIOR.log_weights), 0.0
        for drawn, value in enumerate(order):
            mean = min(max((pool * null - total) / (pool - drawn), -1.0), 1.0)
            largest = 0.9 / (1 + mean) if mean > -1 else np.inf
            wealth = wealth * (1 + np.minimum(PRIOR.kappas * pool / (pool - drawn) / 0.7, largest) * (value - mean))
            total += value
        least = min(least, float(wealth.sum()))
    return least


@pytest.mark.parametrize("null", [-0.2, 0.0, 0.3])
@pytest.mark.parametrize("pool", [9, 12, 40])
def test_hardly_any_order_would_leave_less(null: float, pool: int) -> None:
    rng = np.random.default_rng(pool)
    for _ in range(12):
        values = rng.choice([-1.0, 0.0, 1.0], 7).tolist()
        found = log_e_at_looks(np.array(values), ends(7), PRIOR, null, pool)[-1]
        if np.isfinite(found):
            assert np.exp(found) <= 1.03 * smallest_of_all_orders(values, null, pool)


def e_at_a_look(null: float) -> Callable[[int, int, int, int], float]:
    """E at a first look at so many wins, losses and ties of a pool."""

    def found(pool: int, won: int, lost: int, tied: int) -> float:
        values = np.array([1.0] * won + [-1.0] * lost + [0.0] * tied)
        return float(np.exp(log_e_at_looks(values, ends(values.size), PRIOR, null, pool)[-1])) if values.size else 1.0

    return found


def largest_expectation(
    pool: int, wins: int, losses: int, null: float, e: Callable[[int, int, int, int], float] | None = None
) -> float:
    """Of E at a first look, over all rules of when to look, by recursion over what was drawn so far."""
    here = cache(partial(e or e_at_a_look(null), pool))

    @cache
    def best(won: int, lost: int, tied: int) -> float:
        left = (wins - won, losses - lost, pool - wins - losses - tied)
        if sum(left) <= 1:
            return here(won, lost, tied)
        nexts = ((won + 1, lost, tied), (won, lost + 1, tied), (won, lost, tied + 1))
        going_on = sum(chance / sum(left) * best(*after) for chance, after in zip(left, nexts, strict=True) if chance)
        return max(here(won, lost, tied), going_on)

    return best(0, 0, 0)


@pytest.mark.parametrize(
    ("pool", "wins", "losses"),
    [(12, 6, 6), (20, 6, 6), (24, 12, 12), (20, 14, 6), (24, 16, 8), (20, 3, 9), (22, 20, 2), (53, 50, 3)],
)
def test_no_rule_of_when_to_look_makes_it_pay(pool: int, wins: int, losses: int) -> None:
    """The null is true, at its edge. With the values of a look in random order this is up to 1.5."""
    assert largest_expectation(pool, wins, losses, (wins - losses) / pool) <= 1.0001


def test_what_a_pool_rules_out_stays_ruled_out() -> None:
    found = log_e_at_looks(np.array([1.0] * 9 + [-1.0]), ends(8, 1, 1), PRIOR, 0.0, 10)
    assert np.isinf(found).tolist() == [True, True, True]
