from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from benchmarks.alternatives.known_budget import (
    budget_prior,
    budget_rule,
    crossing_probability,
    log_e_path,
    needed_wins,
)

from tiebreak.kernels.bet_mixture import BetPrior, log_uniform_prior, truncated_beta_prior


def test_hand_derived_crossing_probability() -> None:
    # Decide at 2 wins of 2, or 3 of 3 (covered) or at 4 wins of 5. Paths of five fair steps that cross:
    # WW: 1/4. Else four wins in five without WW at the start: LWWWW and WLWWW, 2/32. Together 10/32.
    boundary = np.array([1, 2, 2, 3, 5, 4])
    assert crossing_probability(boundary) == pytest.approx(10 / 32)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_crossing_probability_by_brute_force(alpha: float) -> None:
    budget = 12
    rule = budget_rule(budget, alpha)
    log_e = [log_e_path(np.array(walk, dtype=np.int8), rule.prior).max() for walk in product([-1, 1], repeat=budget)]
    crossed = float(np.mean(np.array(log_e) >= rule.log_threshold))
    assert rule.crossing_probability == pytest.approx(crossed, abs=1e-12)
    assert 0 < crossed <= alpha
    # The threshold is the smallest: a little lower, one more walk crosses and the probability passes alpha.
    assert crossing_probability(needed_wins(budget, rule.prior, rule.log_threshold - 1e-3)) > alpha


@pytest.mark.parametrize(
    ("alpha", "threshold"),
    [
        (0.05, 14.9),
        pytest.param(0.01, 72.7, marks=pytest.mark.full),
        pytest.param(0.001, 697.0, marks=pytest.mark.full),
    ],
)
def test_thresholds_of_a_budget_of_1000(alpha: float, threshold: float) -> None:
    rule = budget_rule(1_000, alpha)
    assert np.exp(rule.log_threshold) == pytest.approx(threshold, rel=0.01)
    assert alpha * 0.98 < rule.crossing_probability <= alpha


def test_crossing_probability_by_simulation() -> None:
    rule = budget_rule(200, 0.05)
    rng = np.random.default_rng(12)
    steps = rng.integers(0, 2, size=(20_000, 200))
    wins = np.cumsum(steps, axis=1)
    crossed = float((wins >= rule.needed_wins[1:]).any(axis=1).mean())
    assert crossed == pytest.approx(rule.crossing_probability, abs=3 * np.sqrt(0.05 * 0.95 / 20_000))


@pytest.mark.parametrize("prior", [log_uniform_prior(), truncated_beta_prior(10.0)])
def test_the_boundary_is_the_first_count_of_wins_that_reaches_the_threshold(prior: BetPrior) -> None:
    boundary = needed_wins(60, prior, np.log(20))
    assert boundary.shape == (61,)
    assert (np.diff(boundary) >= 0).all()
    assert (np.diff(boundary) <= 1).all()
    for count in range(1, 61):
        for wins in range(count + 1):
            walk = np.array([1] * wins + [-1] * (count - wins), dtype=np.int8)
            reached = log_e_path(walk, prior)[-1] >= np.log(20)
            assert reached == (wins >= boundary[count]), (wins, count)


def test_any_prior_can_be_calibrated_and_ville_is_never_beaten() -> None:
    rule = budget_rule(150, 0.05, truncated_beta_prior(10.0))
    assert rule.crossing_probability <= 0.05
    assert 0 < rule.log_threshold < np.log(20)


def test_ties_bet_nothing() -> None:
    prior = budget_prior(100, 0.05)
    outcomes = np.array([1, 0, 0, -1, 1, 0, 1], dtype=np.int8)
    assert log_e_path(outcomes, prior)[-1] == pytest.approx(log_e_path(outcomes[outcomes != 0], prior)[-1])


def test_a_budget_too_small_to_decide_decides_nothing() -> None:
    # Four fair steps all win with probability 1/16 > .05: no rule at level .05 can ever decide.
    rule = budget_rule(4, 0.05)
    assert rule.crossing_probability == 0
    assert (rule.needed_wins > np.arange(5)).all()
    # Five wins of five: 1/32 <= .05.
    assert budget_rule(5, 0.05).crossing_probability == pytest.approx(1 / 32)


def test_prior_range() -> None:
    # Smallest bet .6 sqrt(2 log(20)/1000) = .0464.
    assert budget_prior(1_000, 0.05).bets[[0, -1]] == pytest.approx([0.0464, 0.9], abs=1e-4)
    assert budget_prior(1, 0.001).bets[0] == pytest.approx(0.5)


@pytest.mark.parametrize(("budget", "alpha"), [(0, 0.05), (10, 0.0), (10, 1.0)])
def test_bad_input(budget: int, alpha: float) -> None:
    with pytest.raises(ValueError, match="needs budget >= 1"):
        budget_rule(budget, alpha)
