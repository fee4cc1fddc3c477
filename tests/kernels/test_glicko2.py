"""Glicko-2 beside Glickman's example and other packages, the paper's rating of skills, and tournaments."""

from __future__ import annotations

import math

import glicko2 as other_package
import numpy as np
import pytest
from benchmarks.worlds.leaderboards import endless_games
from tests.kernels.checks import refused

from tiebreak.kernels.glicko2 import PaperPlayers, Skill, StandardPlayers, after_period, matched_games, tournament
from tiebreak.records import MATCHINGS, Matching

# ---- glicko ------------------------------------------------------------------------------------------------------


def test_the_example_of_glickman() -> None:
    # Glickman (2012), "Example of the Glicko-2 system": 1500/200/.06, tau .5, against 1400/30 (win), 1550/100 (loss)
    # and 1700/300 (loss) gives 1464.06, 151.52 and .05999.
    found = after_period(Skill(1500, 200), [Skill(1400, 30), Skill(1550, 100), Skill(1700, 300)], [1, 0, 0])
    assert found.rating == pytest.approx(1464.06, abs=0.015)  # the author rounds as he goes
    assert found.deviation == pytest.approx(151.52, abs=0.005)
    assert found.volatility == pytest.approx(0.05999, abs=0.00001)


class OtherPlayer(other_package.Player):  # type: ignore[misc]
    """The PyPI package glicko2 2.1.0 with its one mistake mended: f has mu^2 in the place of phi^2."""

    def _f(self, x: float, delta: float, v: float, a: float) -> float:
        phi2, grown = (self.rd / 173.7178) ** 2, math.exp(x)
        return grown * (delta**2 - phi2 - v - grown) / (2 * (phi2 + v + grown) ** 2) - (x - a) / self._tau**2


@pytest.mark.parametrize("seed", range(20))
def test_against_another_package(seed: int) -> None:
    rng = np.random.default_rng(seed)
    player = Skill(rng.normal(1500, 300), rng.uniform(20, 350), rng.uniform(0.03, 0.2))
    opponents = [Skill(rng.normal(1500, 300), rng.uniform(20, 350)) for _ in range(int(rng.integers(1, 9)))]
    scores = rng.choice([0, 0.5, 1], size=len(opponents)).tolist()
    expected = OtherPlayer(player.rating, player.deviation, player.volatility)
    expected.update_player([one.rating for one in opponents], [one.deviation for one in opponents], scores)
    found = after_period(player, opponents, scores)
    assert found.rating == pytest.approx(expected.rating, abs=1e-4)
    assert found.deviation == pytest.approx(expected.rd, abs=1e-4)
    assert found.volatility == pytest.approx(expected.vol, abs=1e-7)


def test_who_sat_out_becomes_less_certain() -> None:
    # phi' = sqrt(phi^2 + sigma^2) on the inner scale: sqrt(200^2 + (173.7178 * .06)^2) = 200.271
    found = after_period(Skill(1500, 200), [], [])
    assert (found.rating, found.volatility) == (1500, 0.06)
    assert found.deviation == pytest.approx(200.2714, abs=1e-4)


def test_a_certain_outcome_changes_no_rating() -> None:
    found = after_period(Skill(100_000, 30), [Skill(-100_000, 30)], [1])
    assert found.rating == 100_000
    assert found.deviation > 30


def test_bad_input_is_refused() -> None:
    refused("a period has a score from 0 to 1 per opponent", after_period, Skill(), [Skill()], [1, 0])
    refused("a period has a score from 0 to 1 per opponent", after_period, Skill(), [Skill()], [2])
    refused("tau must be a number above 0", after_period, Skill(), [Skill()], [1], tau=0)
    for wrong in ({"rating": math.nan}, {"deviation": 0}, {"volatility": math.inf}):
        refused("a skill has a finite rating", Skill, **wrong)


# ---- skill -------------------------------------------------------------------------------------------------------

STRONG, WEAK = Skill(1500, 200), Skill(1400, 30)


@pytest.mark.parametrize(("outcome", "strong", "weak"), [(-1, 1387.492, 1402.695), (0, 1488.749, 1400.269)])
def test_golden_games_without_growth(outcome: int, strong: float, weak: float) -> None:
    players = PaperPlayers(2, (STRONG, WEAK))
    players.play(0, 1, outcome)
    assert [one.rating for one in players.skills()] == pytest.approx([strong, weak], abs=5e-4)
    turned = PaperPlayers(2, (WEAK, STRONG))
    turned.play(0, 1, -outcome)
    assert turned.skills() == players.skills()[::-1]


def test_a_draw_is_a_tenth_of_a_defeat_and_of_a_victory() -> None:
    after = {}
    for outcome in (-1, 0, 1):
        players = PaperPlayers(2, (STRONG, WEAK))
        players.play(0, 1, outcome)
        after[outcome] = players.skills()
    assert after[0][0].rating - 1500 == pytest.approx(0.1 * (after[-1][0].rating - 1500))
    assert after[0][1].rating - 1400 == pytest.approx(0.1 * (after[-1][1].rating - 1400))
    # What a game teaches of the deviation does not hang on its outcome, and volatility is held.
    assert len({one[0].deviation for one in after.values()}) == 1
    assert {one[k].volatility for one in after.values() for k in (0, 1)} == {0.06}


def test_equal_ratings_stay_in_a_draw_and_move_in_a_game() -> None:
    players = PaperPlayers(2, (Skill(1500, 200), Skill(1500, 50)))
    players.play(0, 1, 0)
    assert [one.rating for one in players.skills()] == [1500, 1500]
    players.play(0, 1, 1)
    assert players.skills()[0].rating > 1500 > players.skills()[1].rating


def test_deviations_grow_for_nobody() -> None:
    rng = np.random.default_rng(1)
    players = PaperPlayers(6)
    before = [one.deviation for one in players.skills()]
    for _ in range(300):
        first, second = rng.choice(6, 2, replace=False).tolist()
        players.play(first, second, int(rng.integers(-1, 2)))
        now = [one.deviation for one in players.skills()]
        assert all((a < b) == (k in (first, second)) for k, (a, b) in enumerate(zip(now, before, strict=True)))
        before = now


def test_the_standard_system_against_another_package() -> None:
    # Every game is a period of its own: the two play, the others sit out.
    rng = np.random.default_rng(2)
    players, others = StandardPlayers(4), [OtherPlayer() for _ in range(4)]
    for _ in range(40):
        first, second = rng.choice(4, 2, replace=False).tolist()
        outcome = int(rng.integers(-1, 2))
        players.play(first, second, outcome)
        ratings = [(one.rating, one.rd) for one in others]
        for one, other, score in ((first, second, (1 + outcome) / 2), (second, first, (1 - outcome) / 2)):
            others[one].update_player([ratings[other][0]], [ratings[other][1]], [score])
        for one in {0, 1, 2, 3} - {first, second}:
            others[one].did_not_compete()
    for found, expected in zip(players.skills(), others, strict=True):
        assert found.rating == pytest.approx(expected.rating, abs=1e-3)
        assert found.deviation == pytest.approx(expected.rd, abs=1e-3)
        assert found.volatility == pytest.approx(expected.vol, abs=1e-6)


# ---- tournament --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_it_ends_when_the_order_has_stood_still_for_so_many_draws_of_everybody(seed: int) -> None:
    # The criterion game by game, from the ratings alone: since the order last changed, all were drawn 20 times.
    rng = np.random.default_rng(seed)
    games = [next(source) for source in [endless_games(rng.normal(size=5), rng)] for _ in range(3_000)]
    found = tournament(PaperPlayers(5), iter(games), 3_000, draws_each=20)
    players, order, draws, last = PaperPlayers(5), list(range(5)), np.zeros(5), 0
    for played, (first, second, outcome) in enumerate(games, 1):
        players.play(first, second, outcome)
        draws[[first, second]] += 1
        # Who has the same rating keeps the place: the sort is stable.
        new = sorted(order, key=lambda k: -players.strengths[k])
        if new != order:
            order, draws, last = new, np.zeros(5), played
        if draws.min() >= 20:
            break
    assert (found.converged, found.games, list(found.order)) == (True, played, order)
    assert found.last_change[2] == last


def test_five_equal_systems_converge_too() -> None:
    # "Converged" is no evidence of an order: METHODS gives 1,000 to 3,000 games.
    games = []
    for seed in range(12):
        found = tournament(PaperPlayers(5), endless_games(np.zeros(5), np.random.default_rng(seed)), 30_000)
        assert found.converged
        games.append(found.games)
    assert 1_000 < np.median(games) < 4_000


def test_with_growth_the_order_never_settles() -> None:
    rng = np.random.default_rng(3)
    strengths = rng.permutation(np.linspace(-1, 1, 10))
    assert not tournament(StandardPlayers(10), endless_games(strengths, rng), 4_000).converged
    players = PaperPlayers(10)
    assert tournament(players, endless_games(4 * strengths, rng), 60_000).converged
    order = sorted(range(10), key=lambda k: -players.strengths[k])
    assert order == np.argsort(-strengths).tolist()


def test_the_cap_names_who_changed_places_last() -> None:
    # 1 beats 0 and passes it; 0 wins the second game and, as the lower-rated one, more than it lost.
    found = tournament(PaperPlayers(2), iter([(0, 1, -1), (0, 1, 1), (0, 1, 1)]), 3)
    assert (found.converged, found.games, found.order, found.last_change) == (False, 3, (0, 1), (0, 1, 2))
    assert tournament(PaperPlayers(2), iter([(0, 1, 1)] * 9), 8).last_change is None


@pytest.mark.parametrize("matching", MATCHINGS)
def test_every_matching_plays_the_pairs_that_there_are(matching: Matching) -> None:
    rng = np.random.default_rng(4)
    pairs = np.array([(0, 1), (1, 2), (2, 3)])
    asked = []

    def play(rows: np.ndarray) -> np.ndarray:
        asked.extend(rows.tolist())
        return rng.integers(-1, 2, len(rows))

    games = matched_games(matching, 4, pairs, play, rng)
    played = [next(games) for _ in range(200)]
    assert {(first, second) for first, second, _ in played} == {(0, 1), (1, 2), (2, 3)}
    assert [tuple(pairs[row]) for row in asked[:200]] == [(first, second) for first, second, _ in played]


def test_the_others_play_what_is_open() -> None:
    # Two systems are close together on top, the others far below: the winner rule plays the two far more often.
    strengths = np.array([3.0, 2.8, 0.0, -3.0])
    share = {}
    for matching in MATCHINGS:
        games = endless_games(strengths, np.random.default_rng(5), matching)
        share[matching] = np.mean([next(games)[:2] == (0, 1) for _ in range(400)])
    assert share["random"] < 0.25 < share["most-informative"]
    assert share["winner"] > 0.5


def test_tournament_bad_input_is_refused() -> None:
    refused("a tournament needs 2 players", tournament, PaperPlayers(1), iter([]), 5)
    refused("1 game and 1 draw at least", tournament, PaperPlayers(2), iter([]), 0)
