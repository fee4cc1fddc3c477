"""Glicko-2: a rating, how uncertain it is, and how erratic its player, from one period of games to the next.

The standard system (Glickman 2012), step by step as its author's example counts them. Ratings start at 1500 with a
deviation of 350 and a volatility of .06; tau, .5, says how much volatilities may move. A draw is half a win. Who played
nothing in a period gets a larger deviation.

A rating says where a player stands after these games in this order: it is no estimate with a confidence, and five equal
players end up with five different ratings. `davidson` has intervals.

Source: Glickman (2012), "Example of the Glicko-2 system"; Glickman (2001), "Dynamic paired comparison models with
stochastic variances".

Players rated game by game, one game to a period: as Zhou & Xu (2020) do, or by standard Glicko-2.

The paper's variant of Glicko-2. Its players are frozen systems, so deviations grow for nobody, and volatilities are
held: phi' = (1/phi^2 + g^2 E(1 - E))^(-1/2), mu' = mu + phi'^2 g (score - E). (With growth switched off for absent
players only, deviations stay at 60 to 65, and ratings never settle.) On a draw the higher-rated player loses a tenth of
what a loss would cost, the lower-rated one gains a tenth of what a win would bring, and equal ratings stay; the
deviations shrink as after any game.

Source: Zhou & Xu (2020), "Learning to Compare for Better Training and Evaluation of Open Domain Natural Language
Generation Models", section 3.2.

Who plays next in a tournament: pairs at random, as Zhou & Xu (2020) have it, or by what the games so far leave open.

Every matching is an endless iterator of games, which asks for the outcomes of a few pairs at a time: whoever plays them
may be labels that exist, a judge, or people.

A tournament: games are played until the order of the players has stood still for long enough.

The criterion is that of Zhou & Xu (2020): since the last change of order every player was drawn at least 50 times. It
is no evidence that the order is right: five equal players meet it too, after 1,000 to 3,000 games, in an order made by
chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import NotConvergedError, UsageError
from tiebreak.kernels.davidson import DavidsonFit, davidson
from tiebreak.kernels.strengths import most_informative, winner_only
from tiebreak.records import Matching

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


DRAWS_EACH: Final = 50

Game = tuple[int, int, int]
"""Two players, and the outcome: 1 if the first won, -1 if the second did, 0 for a draw."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """How a tournament ended. `order`: the players, best first; `played`: the games of each, by number.

    `last_change`: the two that changed places last, the better one first, and after how many games; None where nobody
    ever did.
    """

    converged: bool
    games: int
    order: tuple[int, ...]
    played: tuple[int, ...]
    last_change: tuple[int, int, int] | None


def tournament(players: Players, games: Iterator[Game], most_games: int, draws_each: int = DRAWS_EACH) -> Tournament:
    """Play `games`, at most so many, until the order settles. Players of equal rating keep their places.

    games: as many as are asked for, each of which may depend on those before.

    Raises:
        UsageError: fewer than two players, or limits below 1.
    """
    count = len(players.strengths)
    if count < 2 or most_games < 1 or draws_each < 1:
        raise UsageError(
            f"a tournament needs 2 players, 1 game and 1 draw at least, not {count}, {most_games} and {draws_each}"
        )
    strengths = players.strengths
    order, place = list(range(count)), list(range(count))
    draws, waiting, total = [0] * count, count, [0] * count
    played, last_change = 0, None
    while waiting and played < most_games:
        first, second, outcome = next(games)
        players.play(first, second, outcome)
        played += 1
        for player in (first, second):
            total[player] += 1
            draws[player] += 1
            waiting -= draws[player] == draws_each
        # One of them rose and the other fell, so that each finds its place whichever goes first.
        changes = [_settle(player, strengths, order, place) for player in (first, second)]
        if changed := changes[1] or changes[0]:
            last_change = (*changed, played)
            draws, waiting = [0] * count, count
    return Tournament(not waiting, played, tuple(order), tuple(total), last_change)


def _settle(player: int, strengths: list[float], order: list[int], place: list[int]) -> tuple[int, int] | None:
    """Move a player to its place among the others; the last pair that changed, the better one first, or None."""
    at, own, changed = place[player], strengths[player], None
    while at > 0 and strengths[order[at - 1]] < own:
        changed = player, order[at - 1]
        order[at], place[order[at - 1]] = order[at - 1], at
        at -= 1
    while at < len(order) - 1 and strengths[order[at + 1]] > own:
        changed = order[at + 1], player
        order[at], place[order[at + 1]] = order[at + 1], at
        at += 1
    order[at], place[player] = player, at
    return changed


Integers = NDArray[np.intp]
Play = Callable[[Integers], NDArray[np.int8]]
"""From rows of pairs (n,), which may repeat, to the outcomes (n,) of as many games: 1, 0 or -1 for the first."""

_AT_ONCE: Final = 256


def matched_games(
    matching: Matching, systems: int, pairs: Integers, play: Play, rng: np.random.Generator
) -> Iterator[Game]:
    """Games without end between the `pairs` (P, 2) of systems that may be matched, each pair listed once.

    `random`: every pair with the same chance. The others fit Davidson's model to the games so far, after every few of
    them, and ask for the pairs that say most of the order, or of the winner.
    """
    if matching == "random":
        return _random(pairs, play, rng)
    return _chosen(_CHOICES[matching], systems, pairs, play, rng)


def _random(pairs: Integers, play: Play, rng: np.random.Generator) -> Iterator[Game]:
    while True:
        rows = rng.integers(len(pairs), size=_AT_ONCE)
        yield from zip(*pairs[rows].T.tolist(), play(rows).tolist(), strict=True)


def _chosen(
    choose: Callable[..., Integers], systems: int, pairs: Integers, play: Play, rng: np.random.Generator
) -> Iterator[Game]:
    counts = np.zeros((len(pairs), 3))
    fit: DavidsonFit | None = None
    while True:
        fit = davidson(systems, pairs, counts, start=fit)
        rows = choose(fit, pairs, max(systems // 2, 1), rng)
        outcomes = play(rows)
        np.add.at(counts, (rows, 1 - outcomes), 1)
        yield from zip(*pairs[rows].T.tolist(), outcomes.tolist(), strict=True)


_CHOICES: Final = MappingProxyType({"most-informative": most_informative, "winner": winner_only})
