"""A tournament: games are played until the order of the players has stood still for long enough.

The criterion is that of Zhou & Xu (2020): since the last change of order every player was drawn at least 50 times. It
is no evidence that the order is right: five equal players meet it too, after 1,000 to 3,000 games, in an order made by
chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tiebreak.errors import UsageError
from tiebreak.kernels.skill_rating import Players

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
