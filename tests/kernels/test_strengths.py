"""Intervals of Davidson strengths, and which pair to ask next."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.leaderboards import World, all_pairs, by_item, independent, one_sided_items, outcomes
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from tests.kernels.checks import refused
from tests.kernels.pair_choice import CHOICES, agreement, success, winner_found
from tests.kernels.test_games import world

from tiebreak.errors import UsageError
from tiebreak.kernels.davidson import DavidsonFit, davidson, information
from tiebreak.kernels.games import Games
from tiebreak.kernels.strengths import Strengths, most_informative, strengths, winner_only

# ---- strengths ---------------------------------------------------------------------------------------------------

LEVEL = 0.025


def played(results: dict[tuple[int, int], str], systems: int | None = None) -> Games:
    """Independent games: "wtl" of a pair are a win, a tie and a loss of its first system."""
    rows = [(pair, {"w": 1, "t": 0, "l": -1}[code]) for pair, codes in results.items() for code in codes]
    first, second = zip(*(pair for pair, _ in rows), strict=True)
    return Games.of(systems or max(*first, *second) + 1, first, second, [outcome for _, outcome in rows])


def test_two_systems_by_hand() -> None:
    # 40 wins, 20 ties, 10 losses: d = log 4, half of it either side of the mean; Var(d) = 1/40 + 1/10 = .125, so the
    # half-width of each is 1.96 sqrt(.125)/2 = .3465.
    found = strengths(played({(0, 1): "w" * 40 + "t" * 20 + "l" * 10}))
    low, high = found.ends(LEVEL)
    assert_allclose(found.estimates, [math.log(4) / 2, -math.log(4) / 2], rtol=0.01)
    assert_allclose([low, high], [[0.347, -1.040], [1.040, -0.347]], atol=0.03)
    assert found.better(LEVEL).tolist() == [[False, True], [False, False]]
    anchored = found.ends(LEVEL, anchor=1)
    assert_allclose(anchored, [[2 * low[0], 0], [2 * high[0], 0]], atol=1e-9)


def test_ten_wins_of_ten_by_hand() -> None:
    # Nothing bounds the winner above. Ten decided games won have the chance (1 + exp(-d))^-10 = .025 at d = .8065.
    found = strengths(played({(0, 1): "w" * 10}))
    assert found.core.tolist() == [True, False]
    low, high = found.ends(LEVEL)
    expected = -math.log(0.025**-0.1 - 1)
    assert_allclose([low, high], [[0, -np.inf], [0, -expected]], atol=1e-9)
    assert_allclose(found.ends(LEVEL, anchor=1), [[expected, 0], [np.inf, 0]], atol=1e-9)
    # Ties say nothing of who is better: with four of them the end stays where it is.
    tied = strengths(played({(0, 1): "w" * 10 + "t" * 4}))
    assert tied.unlimited
    assert_allclose(tied.ends(LEVEL, anchor=1)[0], [expected, 0], atol=1e-9)


def test_wins_on_one_item_are_one_win() -> None:
    pairs = [(0, 1), (1, 2), (2, 1), (1, 2), (2, 1)] + [(0, 2)] * 8
    outcome = [1] * len(pairs)
    apart = Games.of(3, *np.transpose(pairs), outcome, cluster=np.arange(13))
    together = Games.of(3, *np.transpose(pairs), outcome, cluster=[0, 1, 2, 3, 4] + [5] * 8)
    ends = [strengths(games).ends(LEVEL)[0][0] for games in (apart, together)]
    assert ends[1] < ends[0] - 1


def test_ties_alone_tell_nothing() -> None:
    found = strengths(played({(0, 1): "t" * 50, (1, 2): "t" * 50, (0, 2): "t" * 50}))
    low, high = found.ends(LEVEL)
    assert np.isinf(low).sum() == np.isinf(high).sum() == 2
    assert not found.better(0.4).any()
    assert_allclose(found.estimates, 0, atol=1e-9)


def test_ends_follow_from_those_of_the_beaten() -> None:
    # 1 and 2 are the core; 0 beat 1 ten times; 3 only beat 0, ten times: its lowest end builds on that of 0.
    found = strengths(played({(1, 2): "wl" * 30, (0, 1): "w" * 10, (3, 0): "w" * 10, (2, 4): "w" * 10}))
    low, high = found.ends(LEVEL)
    assert np.isfinite(low[[0, 3]]).all()
    assert low[3] > low[0]
    assert np.isinf(high[[0, 3]]).all()
    assert np.isinf(low[4])
    assert np.isfinite(high[4])
    better = found.better(LEVEL)
    assert better[0, 1]
    assert better[3, 4]
    assert (found.estimates[[3, 0]] > found.estimates[[1, 2]].max()).all()


def test_who_won_all_games_with_another_is_better() -> None:
    """Though its rating, which is told by games of others too, has one end only: .5^20 is below any level here."""
    results = {(0, 1): "w" * 20, (1, 2): "wl" * 10}
    better = strengths(played(results)).better(0.05 / 6)
    assert better.tolist() == [[False, True, False], [False, False, False], [False, False, False]]
    few = strengths(played({**results, (0, 1): "w" * 8})).better(0.05 / 6)
    assert not few.any(), ".5^8 is above a third of the level"
    nine = strengths(played({**results, (0, 1): "w" * 9})).better(0.05 / 6)
    assert nine[0, 1]
    pairs = [(0, 1)] * 9 + [(1, 2), (2, 1)] * 5
    in_clusters = Games.of(3, *np.transpose(pairs), [1] * len(pairs), cluster=[0] * 5 + list(range(1, 15)))
    assert not strengths(in_clusters).better(0.05 / 6)[0, 1], "games on one item are one game"


def test_that_all_games_were_won_errs_no_more_than_its_level() -> None:
    """Two equal systems, one of which also meets a third; few games, so that many are without an end.

    800 tournaments at 5% in each direction: a rule that erred twice as often would fail with a chance above .999.
    """
    generator = np.random.default_rng(21)
    wrong = 0
    for _ in range(800):
        results = {
            (0, 1): "".join(generator.choice(["w", "l"], 6)), (1, 2): "".join(generator.choice(["w", "l"], 10))
        }  # fmt: skip
        better = strengths(played(results)).better(0.05)
        wrong += int(better[0, 1]) + int(better[1, 0])
    assert wrong <= 104, "expected at most 80, standard deviation 8.7"


def test_one_item_tells_nothing_of_others() -> None:
    pairs = np.tile(all_pairs(3), (6, 1))
    outcome = np.random.default_rng(1).integers(-1, 2, len(pairs))
    found = strengths(Games.of(3, *pairs.T, outcome, cluster=np.zeros(18, dtype=int)))
    assert np.isinf(found.ends(LEVEL)).all()
    assert not found.better(0.4).any()


def test_names_sides_and_order_change_nothing() -> None:
    rng = np.random.default_rng(2)
    games = world(rng, 5, 30, 8, 0.8)
    found = strengths(games)
    names, order = rng.permutation(5), rng.permutation(games.first.size)
    turned = rng.random(games.first.size) < 0.5
    first, second = np.where(turned, names[[games.second, games.first]], names[[games.first, games.second]])
    outcome = np.where(turned, -games.outcome, games.outcome)
    again = strengths(Games.of(5, first[order], second[order], outcome[order], cluster=games.cluster[order]))
    assert_allclose(again.estimates[names], found.estimates, atol=1e-9)
    assert_allclose(np.array(again.ends(LEVEL))[:, names], found.ends(LEVEL), rtol=1e-6)
    assert (again.better(0.01)[np.ix_(names, names)] == found.better(0.01)).all()


def test_the_advantage_of_the_left_is_taken_out_of_the_strengths() -> None:
    # Two equal systems; the left wins three of four. One of them was on the left nine times of ten.
    rng = np.random.default_rng(3)
    side = np.where(rng.random(600) < 0.9, 1, -1)
    outcome = np.where(rng.random(600) < 0.75, side, -side)
    first, second = np.zeros(600, dtype=int), np.ones(600, dtype=int)
    blind = strengths(Games.of(2, first, second, outcome))
    assert blind.ends(LEVEL)[0][0] > 0  # wrongly
    assert blind.left(LEVEL) is None
    sided = strengths(Games.of(2, first, second, outcome, side=side))
    low, high = sided.ends(LEVEL)
    assert low[0] < 0 < high[0]
    left = sided.left(LEVEL)
    assert left[1] < math.log(3) < left[2]
    assert left[1] > 0


def test_level_of_each() -> None:
    def of(systems: int) -> Strengths:
        return strengths(played(dict.fromkeys([(k, k + 1) for k in range(systems - 1)], "wl")))

    assert of(2).level_of_each(0.05) == of(2).level_of_each(0.05, anchor=0) == 0.025
    assert of(5).level_of_each(0.05) == 0.005
    assert of(5).level_of_each(0.05, anchor=3) == 0.00625


def test_groups_are_refused() -> None:
    refused("2 groups that nothing connects", strengths, played({(0, 1): "wl", (2, 3): "wl"}))
    refused("level must lie strictly between 0 and 1", strengths(played({(0, 1): "wl"})).ends, 0)


# ---- intervals hold ------------------------------------------------------------------------------------------------

WORLDS = (
    independent(2, 20, 1.0, 1 / 3),
    independent(5, 40, 1.0, 0.6),
    independent(10, 80, 1.0, 0.0),
    independent(30, 200, 1.0, 0.2),
    by_item(6, 8, None, 0.0, 1 / 3),
    by_item(10, 30, None, 0.0, 1 / 3),
    by_item(8, 40, 5, 1.0, 1 / 3),
    one_sided_items(3, 60, 5, 0.1),
)
RUNS = 150


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_intervals_and_what_is_better_hold(world: World) -> None:
    """All intervals together, single ones, and all that is said of who is better, each with 95%.

    Of 150 studies at most 14 may have a wrong interval or a wrong "better": at 5% more are found in 1.2%, at 10% in
    59%. The full certification (benchmarks/rank.py) plays 2,000 of each.
    """
    rng, truth = np.random.default_rng(5), world.truth
    together, wrong, single = 0, 0, []
    for _ in range(RUNS):
        found = strengths(world.make(rng))
        beside = truth - truth[found.core].mean()
        low, high = found.ends(found.level_of_each(0.05))
        together += bool(((beside < low) | (beside > high)).any())
        low, high = found.ends(LEVEL)
        single.append(((beside < low) | (beside > high)).mean())
        better = found.better(0.05 / (truth.size * (truth.size - 1)))
        wrong += bool((better & (np.subtract.outer(truth, truth) <= 0)).any())
    assert together <= 14
    assert wrong <= 14
    assert np.mean(single) <= 0.08


@pytest.mark.parametrize("own", [0.0, 1.5])
def test_the_interval_of_the_left_holds(own: float) -> None:
    """Four equal systems on 30 items, all pairs of each, where the left is worth N(0, own^2) of its own on each item.

    Of 600 studies at most 43 may have a wrong interval: at 5% more are found in 0.7%, at 10% in 99%.
    """
    rng, pairs = np.random.default_rng(9), all_pairs(4)
    first, second = np.tile(pairs, (30, 1)).T
    item = np.repeat(np.arange(30), len(pairs))
    wrong = 0
    for _ in range(600):
        side = rng.choice([1, -1], size=item.size)
        result = outcomes(rng, own * rng.standard_normal(30)[item] * side, 0.0)
        found = strengths(Games.of(4, first, second, result, cluster=item, side=side)).left(LEVEL)
        wrong += not found[1] <= 0 <= found[2]
    assert wrong <= 43


# ---- next pair ---------------------------------------------------------------------------------------------------

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
        refused(words, choose, fit, pairs, 1, rng)
    refused("games must be >= 0, but it is -1", choose, fit, [(0, 1)], -1, rng)
    for room in ([-1], [1, 1], [0.5]):
        refused("room must be a whole number >= 0 for each of 1 pairs", choose, fit, [(0, 1)], 1, rng, room=room)


def test_redraws_must_be_some() -> None:
    with pytest.raises(UsageError, match="at least 1, but it is 0"):
        winner_only(fit_of([0.0, 0.0], np.eye(2)), [(0, 1)], 1, np.random.default_rng(10), redraws=0)


# ---- fewer games than random matching ------------------------------------------------------------------------------


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
