"""Games in rows, and how far each cluster of them moves a fit."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.leaderboards import all_pairs
from numpy.testing import assert_allclose
from tests.kernels.checks import refused

from tiebreak.kernels.davidson import DavidsonFit, davidson, outcome_probabilities
from tiebreak.kernels.games import Games
from tiebreak.kernels.influence import Influences, influences


def test_independent_games_of_one_kind_are_one_row() -> None:
    found = Games.of(3, [0, 0, 0, 1, 1], [1, 1, 1, 2, 2], [1, 1, 0, -1, -1])
    assert found.first.size == 3
    assert sorted(found.times.tolist()) == [1, 2, 2]
    assert found.clusters == 5
    assert np.unique(found.cluster).size == 3


def test_games_of_one_cluster_stay_apart() -> None:
    found = Games.of(3, [0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], cluster=[7, 7, 8, 9])
    assert (found.clusters, found.first.size) == (3, 3)  # two rows of item 7; items 8 and 9 say the same
    assert sorted(found.times.tolist()) == [1, 1, 2]
    assert found.total.sum() == 4


def test_counts_whatever_the_sides_and_the_way_round() -> None:
    found = Games.of(3, [0, 1, 2], [1, 0, 0], [1, 1, 0], weight=[1, 0.5, 2], side=[1, 1, -1])
    pairs, counts, sides = found.counts()
    assert pairs.tolist() == [[0, 1], [0, 1], [0, 2]]
    assert_allclose(counts, [[0, 0, 0.5], [1, 0, 0], [0, 2, 0]])
    assert sides.tolist() == [-1, 1, 1]
    pairs, counts, sides = Games.of(3, [0, 1, 2], [1, 0, 0], [1, 1, 0]).counts()
    assert (pairs.tolist(), counts.tolist(), sides) == ([[0, 1], [0, 2]], [[1, 0, 1], [0, 1, 0]], None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0], [1, 2], [1]), "arrays of one length"),
        (([], [], []), "arrays of one length, 1 at least"),
        (([0], [3], [1]), "numbered 0 to 2, but a game names 3"),
        (([0, 1], [1, 1], [1, 1]), "game 1 is one of a system with itself"),
        (([0], [1], [2]), "an outcome must be 1, 0 or -1, but one is 2"),
        (([0.0], [1.0], [1]), "whole numbers"),
    ],
)
def test_bad_games_are_refused(arguments: tuple[object, ...], words: str) -> None:
    refused(words, Games.of, 3, *arguments)  # type: ignore[arg-type]


def test_bad_weights_and_sides_are_refused() -> None:
    for weight in (0.0, -1.0, np.nan):
        refused("weights of games must be finite and above 0", Games.of, 2, [0], [1], [1], weight=[weight])
    refused("a side must be 1, 0 or -1, but one is 5", Games.of, 2, [0], [1], [1], side=[5])


# ---- influence -----------------------------------------------------------------------------------------------------


def fitted(games: Games) -> tuple[DavidsonFit, Influences]:
    pairs, counts, sides = games.counts()
    fit = davidson(games.systems, pairs, counts, sides=sides, strength_spread=10.0)
    return fit, influences(games, fit)


def world(rng: np.random.Generator, systems: int, items: int, each: int, spread: float) -> Games:
    """Games on items, `each` of random pairs; on every item the systems have strengths of their own."""
    pairs = all_pairs(systems)
    rows = rng.integers(len(pairs), size=(items, each))
    strengths = spread * rng.standard_normal((items, systems))
    item = np.repeat(np.arange(items), each)
    first, second = pairs[rows.ravel()].T
    shares = outcome_probabilities(strengths[item, first] - strengths[item, second], -0.5)
    outcome = 1 - (rng.random(item.size)[:, None] > shares.cumsum(axis=1)[:, :2]).sum(axis=1)
    return Games.of(systems, first, second, outcome, cluster=item)


def test_two_systems_by_hand() -> None:
    # Independent games, without priors to speak of: Var(d) = 1/wins + 1/losses by the model, and by the data too.
    games = Games.of(2, [0] * 70, [1] * 70, [1] * 40 + [0] * 20 + [-1] * 10)
    fit, found = fitted(games)
    contrast = np.array([1.0, -1.0, 0.0])
    assert contrast @ found.model @ contrast == pytest.approx(1 / 40 + 1 / 10, rel=0.02)
    assert contrast @ found.clustered @ contrast == pytest.approx(1 / 40 + 1 / 10, rel=0.1)
    assert fit.beta[0] - fit.beta[1] == pytest.approx(np.log(4), rel=0.01)
    assert np.isinf(found.freedom).all()


def test_each_cluster_moves_the_fit_as_far_as_a_fit_without_it_says() -> None:
    # The jackknife by refitting: without cluster g the estimate moves by minus its influence, to first order.
    games = world(np.random.default_rng(1), 4, 40, 6, 1.0)
    fit, found = fitted(games)
    for cluster in range(0, 40, 7):
        left = games.cluster != cluster
        rest = Games.of(4, games.first[left], games.second[left], games.outcome[left], cluster=games.cluster[left])
        moved = fit.beta - fitted(rest)[0].beta
        assert_allclose(found.of_clusters[cluster, :4] - found.of_clusters[cluster, :4].mean(), moved, atol=0.02)


def test_independent_games_of_one_kind_count_as_often_as_they_are() -> None:
    rng = np.random.default_rng(2)
    games = world(rng, 3, 200, 1, 0.5)
    assert games.first.size < 10
    arrays = [np.repeat(of, games.times) for of in (games.first, games.second, games.outcome)]
    apart = Games(3, *arrays, np.ones(200), None, np.arange(200), np.ones(200, dtype=np.intp), 200)
    one, other = fitted(games)[1], fitted(apart)[1]
    for name in ("model", "clustered", "freedom", "freedom_of_all"):
        assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6)


def test_labels_of_one_item_that_always_agree_are_one_label() -> None:
    rng = np.random.default_rng(3)
    once = world(rng, 3, 60, 1, 0.5)
    arrays = [np.repeat(of, once.times) for of in (once.first, once.second, once.outcome)]
    item = np.repeat(np.arange(60), 5)
    five = Games.of(3, *(np.repeat(of, 5) for of in arrays), cluster=item, weight=np.full(300, 0.2))
    assert_allclose(fitted(five)[1].clustered, fitted(once)[1].clustered, rtol=1e-6)
    assert_allclose(fitted(five)[1].model, fitted(once)[1].model / 5, rtol=1e-6)  # it takes labels for independent


def test_degrees_of_freedom_by_hand() -> None:
    # Ten items with all three pairs of equal systems: a system's two rows per item have equal information a, so that
    # (20 a)^2 / (10 ((2a)^2 - 2 a^2)) - 1 = 400/20 - 1 = 19. With one pair per item nothing is learned of dependence.
    pairs = np.tile(all_pairs(3), (10, 1))
    outcome = np.tile([1, 0, -1, -1, 0, 1], 5)
    together = Games.of(3, *pairs.T, outcome, cluster=np.repeat(np.arange(10), 3))
    flat = DavidsonFit(np.zeros(3), 0.0, np.eye(4), 0, 0.0)
    assert_allclose(influences(together, flat).freedom, 19)
    assert np.isinf(influences(Games.of(3, *pairs.T, outcome), flat).freedom).all()
    # A single item leaves one degree, however many games it has.
    assert influences(Games.of(3, *pairs.T, outcome, cluster=np.zeros(30, dtype=int)), flat).freedom.min() == 1


def test_the_clusters_see_dependence_that_the_model_does_not() -> None:
    rng = np.random.default_rng(4)
    estimates, model, clustered = [], [], []
    for _ in range(150):
        fit, found = fitted(world(rng, 3, 60, 6, 1.5))
        estimates.append(fit.beta[0] - fit.beta[1])
        for kept, covariance in ((model, found.model), (clustered, found.clustered)):
            kept.append(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    true = np.var(estimates)
    assert np.mean(model) < 0.75 * true
    assert np.mean(clustered) == pytest.approx(true, rel=0.25)
