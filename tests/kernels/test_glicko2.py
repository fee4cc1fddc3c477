from __future__ import annotations

import math

import glicko2 as other_package
import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.kernels.glicko2 import Skill, after_period


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
    with pytest.raises(UsageError, match="a period has a score from 0 to 1 per opponent"):
        after_period(Skill(), [Skill()], [1, 0])
    with pytest.raises(UsageError, match="a period has a score from 0 to 1 per opponent"):
        after_period(Skill(), [Skill()], [2])
    with pytest.raises(UsageError, match="tau must be a number above 0"):
        after_period(Skill(), [Skill()], [1], tau=0)
    for wrong in ({"rating": math.nan}, {"deviation": 0}, {"volatility": math.inf}):
        with pytest.raises(UsageError, match="a skill has a finite rating"):
            Skill(**wrong)
