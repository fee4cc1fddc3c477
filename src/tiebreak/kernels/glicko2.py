"""Glicko-2: a rating, how uncertain it is, and how erratic its player, from one period of games to the next.

The standard system (Glickman 2012), step by step as its author's example counts them. Ratings start at 1500 with a
deviation of 350 and a volatility of .06; tau, .5, says how much volatilities may move. A draw is half a win. Who played
nothing in a period gets a larger deviation.

A rating says where a player stands after these games in this order: it is no estimate with a confidence, and five equal
players end up with five different ratings. `davidson` has intervals.

Source: Glickman (2012), "Example of the Glicko-2 system"; Glickman (2001), "Dynamic paired comparison models with
stochastic variances".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.errors import NotConvergedError, UsageError

SCALE: Final = 173.7178
"""Points of a rating per unit of strength."""
MIDDLE: Final = 1500.0
TAU: Final = 0.5

_TOLERANCE: Final = 1e-6
_STEPS: Final = 100


@dataclass(frozen=True, slots=True)
class Skill:
    """What is known of a player; the defaults are those of a new one."""

    rating: float = MIDDLE
    deviation: float = 350.0
    volatility: float = 0.06

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rating) and 0 < self.deviation < math.inf and 0 < self.volatility < math.inf):
            raise UsageError(f"a skill has a finite rating, and deviation and volatility above 0, but this is {self}")


def after_period(player: Skill, opponents: Sequence[Skill], scores: Sequence[float], tau: float = TAU) -> Skill:
    """The skill of a player after a period with one game against each of `opponents`; `scores`: 1, .5 or 0 of each.

    All skills are those before the period. Without a game only the deviation changes.

    Raises:
        UsageError: another number of scores than of opponents, a score outside [0, 1], tau not above 0.
        NotConvergedError: no volatility was found (ratings millions of points apart).
    """
    if len(opponents) != len(scores) or any(not 0 <= score <= 1 for score in scores):
        raise UsageError(
            f"a period has a score from 0 to 1 per opponent, not {list(scores)} for {len(opponents)} of them"
        )
    if not 0 < tau < math.inf:
        raise UsageError(f"tau must be a number above 0, but it is {tau}")
    mu, phi = (player.rating - MIDDLE) / SCALE, player.deviation / SCALE
    information = gained = 0.0
    for opponent, score in zip(opponents, scores, strict=True):
        weight = attenuation((opponent.deviation / SCALE) ** 2)
        expected = 1 / (1 + math.exp(-weight * (mu - (opponent.rating - MIDDLE) / SCALE)))
        information += weight**2 * expected * (1 - expected)
        gained += weight * (score - expected)
    if information == 0:  # no game, or games whose outcome was certain beforehand
        return Skill(player.rating, SCALE * math.hypot(phi, player.volatility), player.volatility)
    volatility = _new_volatility(phi, player.volatility, 1 / information, gained / information, tau)
    phi = 1 / math.sqrt(1 / (phi**2 + volatility**2) + information)
    return Skill(MIDDLE + SCALE * (mu + phi**2 * gained), SCALE * phi, volatility)


def attenuation(variance: float) -> float:
    """g(phi): how much less a game says against an opponent whose strength has this variance."""
    return 1 / math.sqrt(1 + 3 * variance / math.pi**2)


def _new_volatility(phi: float, sigma: float, v: float, delta: float, tau: float) -> float:
    """Step 5: the root of f by the Illinois algorithm; v: variance of the games, delta: the improvement they say."""
    start = math.log(sigma**2)

    def f(x: float) -> float:
        whole = phi**2 + v + math.exp(x)
        return math.exp(x) * (delta**2 - whole) / (2 * whole**2) - (x - start) / tau**2

    low = start
    if delta**2 > phi**2 + v:
        high = math.log(delta**2 - phi**2 - v)
    else:
        steps = 1
        while f(start - steps * tau) < 0:
            steps += 1
        high = start - steps * tau
    at_low, at_high = f(low), f(high)
    for _ in range(_STEPS):
        if abs(high - low) <= _TOLERANCE:
            return math.exp(low / 2)
        new = low + (low - high) * at_low / (at_high - at_low)
        at_new = f(new)
        if at_new * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = new, at_new
    raise NotConvergedError(f"no volatility was found in {_STEPS} steps for an improvement of {delta:.3g}")
