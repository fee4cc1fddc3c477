from __future__ import annotations

import numpy as np
import pytest
from tests.kernels.test_glicko2 import OtherPlayer

from tiebreak.kernels.glicko2 import PaperPlayers, Skill, StandardPlayers

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
