from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.tournaments import all_pairs
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from tests.kernels.pair_choice import CHOICES, agreement, success, winner_found

from tiebreak.errors import UsageError
from tiebreak.kernels.davidson import DavidsonFit, davidson, information
from tiebreak.kernels.strengths import most_informative, winner_only

Floats = NDArray[np.float64]


def fit_of(beta: list[float], covariance: Floats) -> DavidsonFit:
    """A fit with these strengths, log nu = 0 known exactly enough not to matter."""
    whole = np.zeros((len(beta) + 1, len(beta) + 1))
    whole[:-1, :-1] = covariance
    whole[-1, -1] = 0.01
    return DavidsonFit(np.array(beta), 0.0, whole, 0, 0.0)


def test_the_most_informative_pair_by_hand() -> None:
    # Variances of the differences: 0-1 2, 0-2 2, 1-2 2. exp(-d^2/4) sqrt(2) with d = .1, 3, 2.9: 1.41, .149, .173.
    # The noise spans a factor of 3: pair (0, 1) always comes first, the other two in either order.
    fit = fit_of([3.0, 2.9, 0.0], np.eye(3))
    orders = {
        tuple(most_informative(fit, all_pairs(3), 3, np.random.default_rng(seed), room=[1, 1, 1]).tolist())
        for seed in range(60)
    }
    assert orders == {(0, 1, 2), (0, 2, 1)}


def test_a_batch_counts_the_games_it_has_asked() -> None:
    # The covariance after each game is the inverse of the information: H + w c c' inverted by brute force.
    rng = np.random.default_rng(2)
    pairs = all_pairs(5)
    fit = davidson(5, pairs, rng.integers(0, 6, (len(pairs), 3)))
    asked = most_informative(fit, pairs, 40, np.random.default_rng(3))
    precision = np.linalg.inv(fit.covariance)
    noise = np.random.default_rng(3)
    for row in asked:
        covariance = np.linalg.inv(precision)
        first, second = pairs.T
        variance = np.diagonal(covariance)[first] + np.diagonal(covariance)[second] - 2 * covariance[first, second]
        difference = fit.beta[first] - fit.beta[second]
        value = np.exp(-(difference**2) / (2 * variance)) * np.sqrt(variance) * noise.uniform(0.5, 1.5, len(pairs))
        assert row == np.argmax(value)
        contrast = np.zeros(6)
        contrast[pairs[row]] = 1, -1
        precision = precision + float(information(difference[row], fit.log_nu)) * np.outer(contrast, contrast)


@pytest.mark.parametrize("name", ["most informative", "winner only"])
def test_room_and_pairs_are_kept(name: str) -> None:
    choose = {"most informative": most_informative, "winner only": winner_only}[name]
    rng = np.random.default_rng(4)
    fit = davidson(6, all_pairs(6), rng.integers(0, 6, (15, 3)))
    allowed = np.array([(5, 0), (1, 2), (3, 1), (4, 5)])
    room = [3, 0, 20, 1]
    asked = choose(fit, allowed, 12, rng, room=room)
    assert len(asked) == 12
    assert (np.bincount(asked, minlength=4) <= room).all()
    assert np.bincount(choose(fit, allowed, 1_000, rng, room=room), minlength=4).tolist() == room
    assert sorted(choose(fit, allowed, 4, rng, room=[1] * 4).tolist()) == [0, 1, 2, 3]
    assert len(choose(fit, allowed, 9, rng)) == 9
    assert len(choose(fit, allowed, 0, rng)) == 0
    assert len(choose(fit, [], 5, rng)) == 0
    assert room == [3, 0, 20, 1]


def test_top_two_draws_by_hand() -> None:
    # Independent strengths with means 0, 0 and -1.2 and variances 1/2, so that every difference has variance 1.
    # P(system leads) by simulation of the definition: leader and then the first other system to lead.
    fit = fit_of([0.0, 0.0, -1.2], np.eye(3) / 2)
    pairs = all_pairs(3)
    games = 3_000
    asked = np.bincount(winner_only(fit, pairs, games, np.random.default_rng(5)), minlength=3) / games
    leads = np.bincount(
        (fit.beta + np.random.default_rng(6).standard_normal((200_000, 3)) / math.sqrt(2)).argmax(axis=1), minlength=3
    )
    p = leads / leads.sum()
    expected = [p[i] * p[j] / (1 - p[i]) + p[j] * p[i] / (1 - p[j]) for i, j in pairs]
    assert_allclose(asked, expected, atol=4 * math.sqrt(0.25 / games))


def test_where_no_other_leads_the_most_competitive_is_asked() -> None:
    # System 0 leads in every draw. Of the others 2 is the weaker but less known one: (-20)/sqrt(.5) = -28 for system 1,
    # (-24)/sqrt(2.25) = -16 for system 2.
    fit = fit_of([24.0, 4.0, 0.0], np.diag([0.25, 0.25, 2.0]))
    assert winner_only(fit, all_pairs(3), 5, np.random.default_rng(7)).tolist() == [1] * 5
    # Where that pair is closed, the next; where the leader has none, the others play on.
    assert winner_only(fit, all_pairs(3), 3, np.random.default_rng(7), room=[1, 1, 1]).tolist() == [1, 0, 2]
    assert winner_only(fit, [(1, 2)], 2, np.random.default_rng(7)).tolist() == [0, 0]


@pytest.mark.parametrize("choose", [most_informative, winner_only])
def test_bad_input_is_refused(choose: type) -> None:
    fit, rng = fit_of([0.0] * 3, np.eye(3)), np.random.default_rng(9)
    for pairs, words in (
        ([(0, 3)], r"different systems of 0 to 2, but one is \(0, 3\)"),
        ([(0, 1), (1, 1)], r"but one is \(1, 1\)"),
        ([(0, 1), (1, 0)], "listed twice"),
        ([(0.5, 1.0)], "whole numbers of shape"),
    ):
        with pytest.raises(UsageError, match=words):
            choose(fit, pairs, 1, rng)
    with pytest.raises(UsageError, match="games must be >= 0, but it is -1"):
        choose(fit, [(0, 1)], -1, rng)
    for room in ([-1], [1, 1], [0.5]):
        with pytest.raises(UsageError, match="room must be a whole number >= 0 for each of 1 pairs"):
            choose(fit, [(0, 1)], 1, rng, room=room)


def test_redraws_must_be_some() -> None:
    with pytest.raises(UsageError, match="at least 1, but it is 0"):
        winner_only(fit_of([0.0, 0.0], np.eye(2)), [(0, 1)], 1, np.random.default_rng(10), redraws=0)


# ---- fewer games than random matching --------------------------------------------------------------------------


def test_the_order_takes_fewer_games() -> None:
    # Each way's share of pairs in the right order after 150, 300 and 450 games among 16 systems. To a
    # given share random matching takes 1.4 to 1.7 times as many games in this design (60 tournaments).
    checkpoints = np.array([150, 300, 450])
    chosen, random = (
        success(CHOICES[name], agreement, 16, 1.0, checkpoints, 40, 21, batch=15).mean(axis=1)
        for name in ("most informative", "random")
    )
    error = math.sqrt((chosen.var() + random.var()) / 40)
    assert chosen.mean() - random.mean() > 2 * error


def test_the_winner_takes_fewer_games() -> None:
    # The best of 16 found after 75 and 150 games, and by random matching after twice as many.
    chosen = success(CHOICES["winner only"], winner_found, 16, 1.0, np.array([75, 150]), 40, 22, batch=15).mean(axis=1)
    random = success(CHOICES["random"], winner_found, 16, 1.0, np.array([150, 300]), 40, 22, batch=15).mean(axis=1)
    assert chosen.mean() > random.mean()
