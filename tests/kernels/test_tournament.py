from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.tournaments import endless_games

from tiebreak.errors import UsageError
from tiebreak.kernels.glicko2 import PaperPlayers, StandardPlayers, matched_games, tournament
from tiebreak.records import MATCHINGS, Matching


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
    assert found.last_change is not None
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


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="a tournament needs 2 players"):
        tournament(PaperPlayers(1), iter([]), 5)
    with pytest.raises(UsageError, match="1 game and 1 draw at least"):
        tournament(PaperPlayers(2), iter([]), 0)
