"""The mixture over bets, and that for few values: by hand, in closed form and by enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.special import betainc, betaln

from tiebreak.kernels.bet_mixture import (
    BetPrior,
    default_prior,
    log_e_from_counts,
    log_e_path,
    log_uniform_prior,
    log_wealth_per_outcome,
    mixture_p,
    outcome_counts,
    truncated_beta_prior,
)

# ---- bets --------------------------------------------------------------------------------------------------------

PRIORS: dict[str, Callable[[], BetPrior]] = {
    "default": default_prior,
    "beta10": lambda: truncated_beta_prior(10.0),
    "log-uniform": log_uniform_prior,
}
each_prior = pytest.mark.parametrize("name", PRIORS)


def log_e(losses: float, ties: float, wins: float, prior: BetPrior, null: float = 0.0) -> float:
    return float(log_e_from_counts(np.array(losses), np.array(ties), np.array(wins), prior, null))


def closed_form(wins: int, losses: int, concentration: float) -> float:
    """log of 2^(w+l+1) B(w+A, l+A)/B(A, A) P(Beta(w+A, l+A) > 1/2)."""
    return float(
        (wins + losses + 1) * np.log(2)
        + betaln(wins + concentration, losses + concentration)
        - betaln(concentration, concentration)
        + np.log(betainc(losses + concentration, wins + concentration, 0.5))
    )


def test_hand_derived_single_bets() -> None:
    # Two bets, .2 and .6, half the money each, against mean <= 0. After win, tie, win, loss:
    # (1.2^2 * .8 + 1.6^2 * .4)/2 = (1.152 + 1.024)/2 = 1.088.
    prior = BetPrior(np.array([0.2, 0.6]), np.log([0.5, 0.5]))
    path = np.exp(log_e_path(np.array([1, 0, 1, -1], dtype=np.int8), prior))
    np.testing.assert_allclose(path, [1.4, 1.4, (1.44 + 2.56) / 2, 1.088])


def test_hand_derived_other_null() -> None:
    # One bet of .5 against mean <= .2: a win pays 1 + .5 * .8 = 1.4, a tie 1 - .5 * .2 = .9, a loss 1 - .6 = .4.
    prior = BetPrior(np.array([0.5]), np.array([0.0]))
    np.testing.assert_allclose(np.exp(log_wealth_per_outcome(prior, 0.2))[:, 0], [0.4, 0.9, 1.4])
    # A bet of .95 against mean <= .25 is cut to .98/1.25 = .784: a loss leaves 1 - .784 * 1.25 = .02.
    prior = BetPrior(np.array([0.95]), np.array([0.0]))
    np.testing.assert_allclose(np.exp(log_wealth_per_outcome(prior, 0.25))[:, 0], [0.02, 0.804, 1.588])


@pytest.mark.parametrize("concentration", [1.0, 2.0, 10.0, 20.0])
def test_truncated_beta_has_the_closed_form(concentration: float) -> None:
    prior = truncated_beta_prior(concentration)
    # The average of a polynomial of degree w + l + 2(A - 1) by 32 Gauss points is exact up to degree 63. Only bets
    # above .98 are cut, which small A puts some weight on.
    tolerance = 1e-10 if concentration >= 10 else 2e-3
    for wins, losses in ((1, 0), (0, 1), (3, 2), (10, 10), (20, 5), (2, 20)):
        expected = closed_form(wins, losses, concentration)
        assert log_e(losses, 0, wins, prior) == pytest.approx(expected, abs=tolerance), (wins, losses)
    # Beyond that it is another mixture, equally valid, and close where verdicts are reached.
    for wins, losses in ((180, 120), (550, 450), (1_590, 1_410)):
        expected = closed_form(wins, losses, concentration)
        assert log_e(losses, 0, wins, prior) == pytest.approx(expected, abs=2e-3), (wins, losses)
    for wins, losses in ((5_175, 4_825), (15_300, 14_700)):
        expected = closed_form(wins, losses, concentration)
        assert log_e(losses, 0, wins, prior) == pytest.approx(expected, abs=0.05), (wins, losses)


@each_prior
@pytest.mark.parametrize("null", [0.0, 0.2, -0.3])
@pytest.mark.parametrize("tie_share", [0.0, 0.3, 0.6])
def test_brute_force_no_stopping_rule_gains_on_the_boundary_of_the_null(
    name: str, null: float, tie_share: float
) -> None:
    prior = PRIORS[name]()
    p_win, p_loss = (1 - tie_share + null) / 2, (1 - tie_share - null) / 2
    assert min(p_win, p_loss) >= 0
    last = 7

    # All 3^7 sequences, written out: at a fixed time the expectation is exactly one (a martingale).
    codes = np.array(np.meshgrid(*[[-1, 0, 1]] * last, indexing="ij"), dtype=np.int8).reshape(last, -1).T
    chance = np.where(codes == 1, p_win, np.where(codes == -1, p_loss, tie_share)).prod(axis=1)
    ends = np.array([log_e_path(sequence, prior, null)[-1] for sequence in codes])
    assert float(chance @ np.exp(ends)) == pytest.approx(1.0, abs=1e-12)

    # The best stopping rule, by dynamic programming over the counts: it cannot do better than not to play.
    @cache
    def value(losses: int, ties: int, wins: int) -> float:
        now = float(np.exp(log_e(losses, ties, wins, prior, null)))
        if losses + ties + wins == last:
            return now
        later = (
            p_loss * value(losses + 1, ties, wins)
            + tie_share * value(losses, ties + 1, wins)
            + p_win * value(losses, ties, wins + 1)
        )
        return max(now, later)

    assert value(0, 0, 0) == pytest.approx(1.0, abs=1e-12)


def test_counts_of_several_runs_at_once_agree_with_single_paths() -> None:
    rng = np.random.default_rng(6)
    runs = rng.choice([-1, 0, 1], size=(5, 40)).astype(np.int8)
    prior = default_prior()
    losses, ties, wins = (np.cumsum(runs == code, axis=1, dtype=float) for code in (-1, 0, 1))
    together = log_e_from_counts(losses, ties, wins, prior, 0.05)
    for run, row in zip(runs, together, strict=True):
        np.testing.assert_allclose(log_e_path(run, prior, 0.05), row)
    np.testing.assert_array_equal(outcome_counts(runs[0]), [losses[0], ties[0], wins[0]])


def test_degenerate_inputs() -> None:
    for make in PRIORS.values():
        assert log_e(0, 0, 0, make()) == pytest.approx(0.0, abs=1e-12)
        assert log_e_path(np.empty(0, dtype=np.int8), make()).shape == (0,)
        # Mean <= -1 says that every item is a loss: losses are what it expects, one win pays.
        assert log_e(5, 0, 0, make(), -1.0) == pytest.approx(0.0, abs=1e-12)
        assert log_e(5, 0, 1, make(), -1.0) > 0.1


# ---- few values --------------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    # Eight wins: E = integral of (1 + k)^8 = (2^9 - 1)/9 = 56.8; one win and one loss: integral of 1 - k^2 = 2/3.
    assert mixture_p(np.ones(8), 0.0) == pytest.approx(9 / 511)
    assert mixture_p(np.array([1.0, -1.0]), 0.0) == 1.0
    # Against 1/2, four wins: factors 1 + k/3: integral = 3/5 ((4/3)^5 - 1) = 1.9284.
    assert mixture_p(np.ones(4), 0.5) == pytest.approx(1 / (0.6 * ((4 / 3) ** 5 - 1)))
    assert mixture_p(np.empty(0), 0.0) == 1.0
    assert mixture_p(np.array([0.2]), -1.0) == 0.0
    assert mixture_p(-np.ones(3), -1.0) == 1.0


@pytest.mark.parametrize("null", [-0.4, 0.0, 0.3])
def test_mean_of_e_is_at_most_one(null: float) -> None:
    """All draws of five values, independent or without replacement, from a pool whose mean is the null."""
    pool = np.array([1.0, 0.6, -0.9, -0.3, 0.1, -0.5]) * 0.5
    pool += null - pool.mean()
    for draws in (itertools.product(pool, repeat=4), itertools.permutations(pool, 4)):
        ps = np.array([mixture_p(np.array(draw), null) for draw in draws])
        for level in (0.5, 0.9):
            assert (ps <= level).mean() <= level
        assert (1 / ps).mean() <= 1.3  # p is cut at 1, so that 1/p is E or more
    assert ps.min() < 0.9
