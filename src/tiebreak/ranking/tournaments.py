"""A Glicko-2 tournament on labels that exist: who plays is drawn, and the outcome is one of the pair's labels.

Scores of single samples, each a player of its own: points against common references, or a rating (Zhou & Xu 2020).

Whoever compares two samples, a judge or the comparative evaluator, is a function from their numbers to outcomes; both
must be outputs for the same context, or, as in the paper, of the same task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError
from tiebreak.evidence.games import GameRows
from tiebreak.kernels.davidson import reference_points
from tiebreak.kernels.glicko2 import PaperPlayers, Players, Skill, StandardPlayers, matched_games, tournament
from tiebreak.results.ranks import GlickoBoard, GlickoStanding
from tiebreak.results.settings import GlickoVariant, RankSettings

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


Compare = Callable[[Integers, Integers], ArrayLike]
"""From numbers of samples (n,) and of what each is compared with (n,) to outcomes (n,): 1, 0 or -1 for the first."""


def sample_points(compare: Compare, samples: int, references: int) -> NDArray[np.int64]:
    """Points (samples,) against so many references, which `compare` knows by number: 3 a win, 1 a draw, 0 a loss.

    The paper takes 50 references.

    Raises:
        UsageError: no sample or no reference, or other outcomes than one for each comparison.
    """
    if samples < 1 or references < 1:
        raise UsageError(f"points take a sample and a reference at least, not {samples} and {references}")
    first, second = np.divmod(np.arange(samples * references), references)
    return reference_points(_outcomes(compare, first, second).reshape(samples, references))


def sample_skills(compare: Compare, samples: int, games: int, *, rng: np.random.Generator) -> tuple[Skill, ...]:
    """Glicko-2 skills, in the paper's form, after so many games of samples drawn at random.

    The paper takes 10,000 games.

    Raises:
        UsageError: fewer than two samples or one game, or other outcomes than one for each game.
    """
    if samples < 2 or games < 1:
        raise UsageError(f"a tournament takes 2 samples and 1 game at least, not {samples} and {games}")
    first = rng.integers(samples, size=games)
    second = (first + rng.integers(1, samples, size=games)) % samples
    players = PaperPlayers(samples)
    outcomes = _outcomes(compare, first, second)
    for one, other, outcome in zip(first.tolist(), second.tolist(), outcomes.tolist(), strict=True):
        players.play(one, other, outcome)
    return players.skills()


def _outcomes(compare: Compare, first: Integers, second: Integers) -> NDArray[np.int64]:
    found = np.asarray(compare(first, second))
    if found.shape != first.shape or not np.isin(found, (-1, 0, 1)).all():
        raise UsageError(f"{first.size:,} comparisons need as many outcomes of 1, 0 or -1, not {found.shape} values")
    return found.astype(np.int64)
