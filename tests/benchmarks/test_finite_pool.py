from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from benchmarks.alternatives.finite_pool import log_e_path, log_largest_null_probability
from scipy.special import comb

from tiebreak.kernels.bet_mixture import BetPrior, default_prior, log_uniform_prior, truncated_beta_prior

PRIORS: dict[str, Callable[[], BetPrior]] = {
    "default": default_prior,
    "beta10": lambda: truncated_beta_prior(10.0),
    "log-uniform": log_uniform_prior,
}


def probability(wins: int, losses: int, pool_wins: int, pool_losses: int) -> float:
    """P(one given order of the first non-ties) = C(M - n, W - w)/C(M, W), exactly."""
    rest, total = pool_wins + pool_losses - wins - losses, pool_wins + pool_losses
    chosen = pool_wins - wins
    if not 0 <= chosen <= rest:
        return 0.0
    return float(comb(rest, chosen, exact=True) / comb(total, pool_wins, exact=True))


def largest_by_brute_force(wins: int, losses: int, pool_size: int) -> float:
    return max(
        (
            probability(wins, losses, pool_wins, pool_losses)
            for pool_wins in range(wins, pool_size // 2 + 1)
            for pool_losses in range(max(pool_wins, losses), pool_size - pool_wins + 1)
        ),
        default=0.0,
    )


def log_e(wins: int, losses: int, prior: BetPrior, pool_size: int) -> float:
    outcomes = np.array([-1] * losses + [1] * wins, dtype=np.int8)
    return float(log_e_path(outcomes, prior, pool_size)[-1]) if outcomes.size else 0.0


def test_hand_derived() -> None:
    # Pool of 4, one bet of .5, outcomes win, win: the alternative gives .75^2 = 9/16. Nulls with two wins: only
    # W = L = 2, where two wins come first with probability 2/4 * 1/3 = 1/6. E = 9/16 * 6 = 27/8.
    # After one win: nulls W = L = 1 and 2 both give 1/2: E = .75/.5 = 1.5.
    prior = BetPrior(np.array([0.5]), np.array([0.0]))
    path = np.exp(log_e_path(np.array([1, 1], dtype=np.int8), prior, 4))
    np.testing.assert_allclose(path, [1.5, 27 / 8])
    # A third win of four cannot be under the null.
    assert log_e_path(np.array([1, 1, 1], dtype=np.int8), prior, 4)[-1] == np.inf
    # More losses than wins: a pool that holds just these makes them as likely as can be, 1/C(3, 1).
    assert np.exp(log_e(1, 2, prior, 9)) == pytest.approx(0.75 * 0.25**2 * 3)


@pytest.mark.parametrize("pool_size", [*range(1, 13), 30, 31, 60, 61])
def test_largest_null_probability_by_brute_force(pool_size: int) -> None:
    for wins in range(pool_size + 1):
        for losses in range(pool_size - wins + 1):
            expected = largest_by_brute_force(wins, losses, pool_size)
            found = np.exp(
                float(log_largest_null_probability(np.array(float(wins)), np.array(float(losses)), pool_size))
            )
            assert found == pytest.approx(expected, rel=1e-9, abs=0), (wins, losses)


def best_stopping_value(prior: BetPrior, pool_size: int, pool_wins: int, pool_losses: int) -> float:
    """Largest E[E_tau] over all stopping rules (Snell envelope); ties change nothing and are left out."""

    @cache
    def value(wins: int, losses: int) -> float:
        now = float(np.exp(log_e(wins, losses, prior, pool_size)))
        rest = pool_wins + pool_losses - wins - losses
        if rest == 0:
            return now
        chance = (pool_wins - wins) / rest
        later = chance * value(wins + 1, losses) if chance > 0 else 0.0
        later += (1 - chance) * value(wins, losses + 1) if chance < 1 else 0.0
        return max(now, later)

    return value(0, 0)


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("pool_size", [1, 2, 3, 4, 5, 6, 7, 8])
def test_brute_force_no_stopping_rule_gains_on_any_null_pool(name: str, pool_size: int) -> None:
    prior = PRIORS[name]()
    for pool_wins in range(pool_size // 2 + 1):
        for pool_losses in range(pool_wins, pool_size - pool_wins + 1):
            best = best_stopping_value(prior, pool_size, pool_wins, pool_losses)
            assert best == pytest.approx(1.0, abs=1e-9), (pool_wins, pool_losses)


def test_no_stopping_rule_gains_on_balanced_pools_of_30() -> None:
    for half in range(1, 16):
        assert best_stopping_value(default_prior(), 30, half, half) == pytest.approx(1.0, abs=1e-9), half


def test_a_stopping_rule_gains_where_the_null_is_false() -> None:
    assert best_stopping_value(default_prior(), 8, 5, 3) > 1


def test_all_orders_of_a_pool_with_ties() -> None:
    # Two wins, two losses, two ties: 720 orders, every look and two stopping rules.
    prior = log_uniform_prior()
    orders = np.array(list(permutations([1, 1, -1, -1, 0, 0])), dtype=np.int8)
    paths = np.exp([log_e_path(order, prior, 6) for order in orders])
    assert (paths.mean(axis=0) <= 1 + 1e-12).all()
    for threshold in (1.1, 1.3):
        reached = paths >= threshold
        stop = np.where(reached.any(axis=1), reached.argmax(axis=1), 5)
        assert paths[np.arange(720), stop].mean() <= 1 + 1e-12
        assert reached.any()


def test_ties_change_nothing_and_order_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    outcomes = rng.choice([-1, 0, 1], p=[0.2, 0.3, 0.5], size=80).astype(np.int8)
    prior = default_prior()
    last = log_e_path(outcomes, prior, 120)[-1]
    assert log_e_path(outcomes[outcomes != 0], prior, 120)[-1] == pytest.approx(last)
    assert log_e_path(rng.permutation(outcomes), prior, 120)[-1] == pytest.approx(last)


def test_more_wins_speak_louder_and_swapping_turns_the_evidence() -> None:
    prior = default_prior()
    for count in (10, 25, 40):
        path = np.array([log_e(wins, count - wins, prior, 60) for wins in range(count + 1)])
        finite = np.where(np.isinf(path), 1e9, path)
        assert (np.diff(finite[count // 2 :]) >= 0).all()
        assert path[count // 4] < 0
    outcomes = np.array([1] * 20 + [-1] * 5, dtype=np.int8)
    assert log_e_path(outcomes, prior, 60)[-1] > 2 > 0 > log_e_path(-outcomes, prior, 60)[-1]


def test_a_small_pool_gives_more_evidence_than_unlimited_inputs() -> None:
    from tiebreak.kernels.bet_mixture import log_e_path as log_e_path_inputs

    outcomes = np.array([1] * 40 + [-1] * 20, dtype=np.int8)
    inputs = log_e_path_inputs(outcomes, default_prior())[-1]
    sizes = [float(log_e_path(outcomes, default_prior(), size)[-1]) for size in (70, 100, 1_000, 10**6)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1] + 1
    assert sizes[-1] == pytest.approx(inputs, abs=1e-3)


def test_bad_and_empty_input() -> None:
    with pytest.raises(ValueError, match="5 outcomes from a pool of 4"):
        log_e_path(np.zeros(5, dtype=np.int8), default_prior(), 4)
    assert log_e_path(np.empty(0, dtype=np.int8), default_prior(), 4).shape == (0,)
    assert log_e_path(np.zeros(4, dtype=np.int8), default_prior(), 4) == pytest.approx(np.zeros(4))
