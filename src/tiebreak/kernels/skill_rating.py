"""Players rated game by game, one game to a period: as Zhou & Xu (2020) do, or by standard Glicko-2.

The paper's variant of Glicko-2. Its players are frozen systems, so deviations grow for nobody, and volatilities are
held: phi' = (1/phi^2 + g^2 E(1 - E))^(-1/2), mu' = mu + phi'^2 g (score - E). (With growth switched off for absent
players only, deviations stay at 60 to 65, and ratings never settle.) On a draw the higher-rated player loses a tenth of
what a loss would cost, the lower-rated one gains a tenth of what a win would bring, and equal ratings stay; the
deviations shrink as after any game.

Source: Zhou & Xu (2020), "Learning to Compare for Better Training and Evaluation of Open Domain Natural Language
Generation Models", section 3.2.
"""

from __future__ import annotations

import math
from typing import Final, Protocol

from tiebreak.kernels.glicko2 import MIDDLE, SCALE, TAU, Skill, after_period

DRAW_SHARE: Final = 0.1

_THREE_OVER_PI2: Final = 3 / math.pi**2


class Players(Protocol):
    """Players numbered from 0, whose skills change game by game.

    `strengths`: their ratings on the inner scale, for whoever asks for their order after every game.
    """

    strengths: list[float]

    def play(self, first: int, second: int, outcome: int) -> None:
        """One game: `outcome` 1 if the first player won, -1 if the second did, 0 for a draw."""
        ...

    def skills(self) -> tuple[Skill, ...]:
        """What is known of each player now."""
        ...


class PaperPlayers:
    """Players by the paper's variant, all beginning with the same skill, or each with its own of `start`."""

    def __init__(self, count: int, start: tuple[Skill, ...] | None = None) -> None:
        begun = (Skill(),) * count if start is None else start
        self.strengths = [(one.rating - MIDDLE) / SCALE for one in begun]
        self._variances = [(one.deviation / SCALE) ** 2 for one in begun]
        self._volatilities = [one.volatility for one in begun]

    def play(self, first: int, second: int, outcome: int) -> None:
        """One game; a million of them take seconds, so what both updates share is computed once."""
        strengths, variances = self.strengths, self._variances
        difference = strengths[first] - strengths[second]
        of_first, of_second = variances[first], variances[second]
        g1 = 1 / math.sqrt(1 + _THREE_OVER_PI2 * of_second)
        g2 = 1 / math.sqrt(1 + _THREE_OVER_PI2 * of_first)
        e1 = 1 / (1 + math.exp(-g1 * difference))
        e2 = 1 / (1 + math.exp(g2 * difference))
        variances[first] = of_first = 1 / (1 / of_first + g1 * g1 * e1 * (1 - e1))
        variances[second] = of_second = 1 / (1 / of_second + g2 * g2 * e2 * (1 - e2))
        if outcome > 0:
            strengths[first] += of_first * g1 * (1 - e1)
            strengths[second] -= of_second * g2 * e2
        elif outcome < 0:
            strengths[first] -= of_first * g1 * e1
            strengths[second] += of_second * g2 * (1 - e2)
        elif difference > 0:
            strengths[first] -= DRAW_SHARE * of_first * g1 * e1
            strengths[second] += DRAW_SHARE * of_second * g2 * (1 - e2)
        elif difference < 0:
            strengths[first] += DRAW_SHARE * of_first * g1 * (1 - e1)
            strengths[second] -= DRAW_SHARE * of_second * g2 * e2

    def skills(self) -> tuple[Skill, ...]:
        """What is known of each player now."""
        return tuple(
            Skill(MIDDLE + SCALE * mu, SCALE * math.sqrt(variance), sigma)
            for mu, variance, sigma in zip(self.strengths, self._variances, self._volatilities, strict=True)
        )


class StandardPlayers:
    """Players by standard Glicko-2 with one game to a period: whoever sits out a game becomes less certain."""

    def __init__(self, count: int, tau: float = TAU) -> None:
        self._skills = [Skill()] * count
        self._played = [0] * count
        self._games = 0
        self._tau = tau
        self.strengths = [0.0] * count

    def play(self, first: int, second: int, outcome: int) -> None:
        """One game."""
        before = self._at(first), self._at(second)
        self._games += 1
        score = (1 + outcome) / 2
        for player, own, other, points in ((first, *before, score), (second, *before[::-1], 1 - score)):
            self._skills[player] = after_period(own, [other], [points], self._tau)
            self._played[player] = self._games
            self.strengths[player] = (self._skills[player].rating - MIDDLE) / SCALE

    def skills(self) -> tuple[Skill, ...]:
        """What is known of each player now."""
        return tuple(self._at(player) for player in range(len(self._skills)))

    def _at(self, player: int) -> Skill:
        """A player's skill with the growth of the periods sat out since the last game."""
        skill, absent = self._skills[player], self._games - self._played[player]
        if not absent:
            return skill
        deviation = math.hypot(skill.deviation, SCALE * skill.volatility * math.sqrt(absent))
        return Skill(skill.rating, deviation, skill.volatility)
