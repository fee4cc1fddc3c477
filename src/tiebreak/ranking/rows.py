"""What stands beside a rating: places, tiers, and the games, opponents and people that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.evidence.games import GameRows
from tiebreak.kernels.davidson_limits import rank_ranges
from tiebreak.ranking.board import Board
from tiebreak.ranking.sources import Source
from tiebreak.results.order import Order
from tiebreak.results.ranking.records import PairGames, RankedSystem

Floats = NDArray[np.float64]


def ranked_systems(board: Board, rows: GameRows, sources: Sequence[Source], order: Order) -> tuple[RankedSystem, ...]:
    """The leaderboard, group by group, the best first in each; `rows`: all games, by the board's numbers."""
    place = {name: k for k, name in enumerate(board.names)}
    group = {name: of.number for of in board.groups for name in of.names}
    tier = {name: number for number, names in enumerate(order.tiers, 1) for name in names}
    best, worst = rank_ranges(board.better())
    games, opponents = _met(rows, len(place))
    people = _people(sources)
    wins, ties, losses = (_weights(rows, outcome, len(place)) for outcome in (1, 0, -1))
    found = []
    for strength in board.strengths():
        k = place[strength.system]
        found.append(
            RankedSystem(
                strength=strength,
                rank_low=int(best[k]),
                rank_high=int(worst[k]),
                games=int(games[k]),
                wins=float(wins[k]),
                ties=float(ties[k]),
                losses=float(losses[k]),
                opponents=int(opponents[k]),
                annotators=people.get(strength.system, 0),
                group=group[strength.system],
                tier=tier.get(strength.system),
            )
        )
    return tuple(found)


def pair_games(systems: Sequence[str], rows: GameRows) -> tuple[PairGames, ...]:
    """The games of every two systems that met, for a matrix of win rates."""
    code, pair = np.unique(rows.first * len(systems) + rows.second, return_inverse=True)
    first, second = np.divmod(code, len(systems))
    games = np.bincount(
        np.searchsorted(code, rows.comparisons[:, 0] * len(systems) + rows.comparisons[:, 1]), minlength=code.size
    )
    wins, ties, losses = (
        np.bincount(pair, rows.weight * (rows.outcome == outcome), code.size) for outcome in (1, 0, -1)
    )
    return tuple(
        PairGames(systems[i], systems[j], int(games[k]), float(wins[k]), float(ties[k]), float(losses[k]))
        for k, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    )


def _weights(rows: GameRows, outcome: int, count: int) -> Floats:
    """(K,): weight of each system's wins (1), ties (0) or losses (-1)."""
    as_first = np.bincount(rows.first, rows.weight * (rows.outcome == outcome), count)
    return np.asarray(as_first + np.bincount(rows.second, rows.weight * (rows.outcome == -outcome), count))


def _met(rows: GameRows, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(K,) each: comparisons of a system, and how many others it met."""
    comparisons = rows.comparisons
    games = np.bincount(comparisons[:, :2].ravel(), minlength=count)
    pairs = np.unique(comparisons[:, :2], axis=0)
    return games, np.bincount(pairs.ravel(), minlength=count)


def _people(sources: Sequence[Source]) -> dict[str, int]:
    """How many people labelled outputs of each system."""
    every = pl.concat([source.people for source in sources]).unique()
    return dict(every.group_by("system").len().rows())
