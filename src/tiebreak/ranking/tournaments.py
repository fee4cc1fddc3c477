"""A Glicko-2 tournament on labels that exist: who plays is drawn, and the outcome is one of the pair's labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.evidence.games import GameRows
from tiebreak.kernels.glicko2 import PaperPlayers, Players, StandardPlayers, matched_games, tournament
from tiebreak.results.ranking.records import GlickoBoard, GlickoStanding
from tiebreak.results.ranking.settings import GlickoVariant, RankSettings

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


def glicko_board(systems: Sequence[str], rows: GameRows, settings: RankSettings, variant: GlickoVariant) -> GlickoBoard:
    """The tournament of systems by the numbers of the rows, each of which has games.

    Labels are drawn again and again: a tournament knows no more than the labels do, however many games it plays.
    """
    rng = np.random.default_rng(settings.seed)
    labels = _Labels.of(rows, len(systems), rng)
    players = players_of(variant, len(systems))
    games = matched_games(settings.matching, len(systems), labels.pairs, labels.drawn, rng)
    ended = tournament(players, games, settings.max_games)
    change = ended.last_change
    skills = players.skills()
    return GlickoBoard(
        converged=ended.converged,
        games=ended.games,
        variant=variant,
        matching=settings.matching,
        last_change=None if change is None else (systems[change[0]], systems[change[1]], change[2]),
        systems=tuple(
            GlickoStanding(systems[k], skills[k].rating, skills[k].deviation, skills[k].volatility, ended.played[k])
            for k in ended.order
        ),
    )


def players_of(variant: GlickoVariant, count: int) -> Players:
    """New players of this form of Glicko-2."""
    return PaperPlayers(count) if variant == "paper" else StandardPlayers(count)


@dataclass(frozen=True, slots=True)
class _Labels:
    """Labels by pair, from which to draw: `pairs` (P, 2), the labels of each between `start` and `end` (P,), and the
    running sum of their weights, with which they are drawn."""

    pairs: Integers
    end: Integers
    outcome: NDArray[np.int8]
    summed: Floats
    rng: np.random.Generator

    @classmethod
    def of(cls, rows: GameRows, systems: int, rng: np.random.Generator) -> _Labels:
        code, pair = np.unique(rows.first * systems + rows.second, return_inverse=True)
        order = np.argsort(pair, kind="stable")
        end = np.cumsum(np.bincount(pair))
        pairs = np.stack(np.divmod(code, systems), axis=1).astype(np.intp)
        return cls(pairs, end.astype(np.intp), rows.outcome[order], np.cumsum(rows.weight[order]), rng)

    def drawn(self, pairs: Integers) -> NDArray[np.int8]:
        """An outcome for each of these rows of `pairs`, by the weights of its labels."""
        whole = np.concatenate([[0.0], self.summed[self.end - 1]])
        low, high = whole[pairs], whole[pairs + 1]
        at = np.searchsorted(self.summed, low + (high - low) * self.rng.random(pairs.size), side="right")
        return np.asarray(self.outcome[np.minimum(at, self.end[pairs] - 1)])
