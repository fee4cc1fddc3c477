"""What games can tell of strengths at all: who was compared with whom, and who has no highest or lowest strength.

A likelihood of wins and ties has a maximum only where every system scored, by a win or a tie, against some other one
along a path that leads to every system (Ford 1957). Where a system was never beaten nor tied, no strength is too high
for it; where two groups were never compared, nothing is known between them. And where ties and wins are separated, so
that some strengths would let every tie be a tie and every win a win, all differences may grow without limit together
with the tie parameter: such are games without any win.

Source: Ford (1957), "Solution of a ranking problem from binary comparisons"; Albert & Anderson (1984), "On the
existence of maximum likelihood estimates in logistic regression models", for separation in general.

Whether games limit what being shown on the left is worth, in Davidson's model with sides.

They do not where strengths, the advantage of the left and the share of ties may change together, the advantage among
them, so that no game becomes less likely, however far they go: as where the left won every game, or where one of two
systems always was there. An estimate then is the prior's, and so is that of every difference which it may stand for.

A direction of (beta, gamma, log nu) is such a one where the winner's side of d rises at least as far as 2 log nu and
not below 0, for every win, and d moves no farther than 2 log nu, for every tie. These directions are a cone, so that
one with a part in gamma exists where the largest or smallest gamma of the cone, cut off at 1 and -1, is not 0.

Source: Albert & Anderson (1984), "On the existence of maximum likelihood estimates in logistic regression models".

Places that systems may have: from what is known of pairs to a range of ranks for each system.

A system has no better place than 1 + the number of systems known to be better, and no worse one than the number of
systems less those known to be worse. Where all that is known of pairs is true with chance 1 - alpha, so are all ranges
together.

Source: Mogstad, Romano, Shaikh & Wilhelm (2024), "Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries".

Points of single samples against common references: 3 for a win, 1 for a draw, 0 for a loss (Zhou & Xu 2020).

The paper takes 50 references, drawn from machine-generated samples of the same task, and the points as an absolute
score of a sample, beside its rating in a tournament in which every sample is a player.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from tiebreak.errors import NotConvergedError, UsageError
from tiebreak.kernels.games import Games

Flags = NDArray[np.bool_]
Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Separation:
    """`core` (K,): systems whose differences have limits: of those that all reach each other by wins and ties as many
    as there are such, and where no two do, the one with the most games. `unlimited`: ties and wins are separated, and
    no difference need have a limit; the core is one system.
    """

    core: Flags
    unlimited: bool


def connected_groups(systems: int, first: Integers, second: Integers) -> tuple[tuple[int, ...], ...]:
    """Systems that games (n,) connect, the largest group first; a system without games is one of its own."""
    met = np.eye(systems, dtype=np.bool_)
    met[first, second] = met[second, first] = True
    groups = {tuple(np.flatnonzero(row).tolist()) for row in paths(met)}
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))


def separation(wins: NDArray[np.float64], ties: NDArray[np.float64]) -> Separation:
    """Of systems that games connect. wins (K, K): of the row over the column; ties (K, K): symmetric; >= 0.

    Raises:
        UsageError: other shapes, ties that are not symmetric, or systems that no game connects.
    """
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or ties.shape != wins.shape or (ties != ties.T).any():
        raise UsageError("separation takes two square matrices of one size, that of ties symmetric")
    won, tied, own = wins > 0, ties > 0, np.eye(len(wins), dtype=np.bool_)
    groups = connected_groups(len(wins), *np.nonzero(won | tied))
    if len(groups) > 1:
        raise UsageError(f"the games fall into {len(groups)} groups that nothing connects; take each by itself")
    unlimited = _unlimited(won, tied)
    reaches = own if unlimited else paths(won | tied | own)
    mutual = reaches & reaches.T
    games = wins.sum(axis=0) + wins.sum(axis=1) + ties.sum(axis=1)
    best = max(range(len(wins)), key=lambda k: (mutual[k].sum(), games[k], -k))
    return Separation(mutual[best], unlimited)


def paths(edges: Flags) -> Flags:
    """Between which systems a path of edges leads, of any length (Warshall)."""
    found = edges.copy()
    for k in range(len(found)):
        found[found[:, k]] |= found[k]
    return found


def _unlimited(won: Flags, tied: Flags) -> bool:
    """Whether strengths exist that are at least 2 apart for every win, at most 2 for every tie, and some tie.

    Bellman and Ford: x_i >= x_j + 2 for a win and x_i >= x_j - 2 for a tie have a solution unless some circle of games
    has more wins than ties.
    """
    if not tied.any():
        return False
    step = np.where(won, 2.0, np.where(tied, -2.0, -np.inf))
    level = np.zeros(len(won))
    for _ in range(len(won) + 1):
        raised = np.maximum(level, (step + level[None, :]).max(axis=1))
        if (raised == level).all():
            return True
        level = raised
    return False


def side_is_limited(games: Games) -> bool:
    """Whether the games set limits to the advantage of the left, in either direction.

    Raises:
        UsageError: games without sides.
        NotConvergedError: the linear program was not solved.
    """
    if games.side is None:
        raise UsageError("these games have no sides")
    codes = [games.outcome.astype(np.intp), games.side.astype(np.intp)]
    first, second, outcome, side = np.unique(np.stack([games.first, games.second, *codes], axis=1), axis=0).T
    size, row = games.systems + 2, np.arange(first.size)
    ahead = np.zeros((first.size, size))  # of the first system, by (beta, gamma, log nu)
    ahead[row, first], ahead[row, second], ahead[row, -2] = 1, -1, side
    decided, ties = outcome != 0, 2 * np.eye(size)[-1]
    won, tied = ahead[decided] * outcome[decided, None], ahead[~decided]
    falls = np.concatenate([-won, ties - won, tied - ties, -tied - ties])
    bounds = [*[(None, None)] * games.systems, (-1, 1), (None, None)]
    for sign in (1, -1):
        found = linprog(sign * np.eye(size)[-2], A_ub=falls, b_ub=np.zeros(len(falls)), bounds=bounds)
        if not found.success:
            raise NotConvergedError(f"whether games limit the advantage of the left was not found: {found.message}")
        if found.fun < -0.5:
            return False
    return True


def rank_ranges(better: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Best and worst places (K,), the first is 1; better (K, K): whether the row is known to be better than the column.

    Raises:
        UsageError: no square matrix, or two systems of which each is better than the other.
    """
    if better.ndim != 2 or better.shape[0] != better.shape[1]:
        raise UsageError(f"what is known of pairs is a square matrix, not one of shape {better.shape}")
    if (better & better.T).any():
        raise UsageError("two systems cannot each be better than the other")
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


WIN: Final = 3
DRAW: Final = 1


def reference_points(outcomes: ArrayLike) -> NDArray[np.int64]:
    """Points (n,) of n samples; outcomes (n, R): 1 where the sample beat the reference, 0 a draw, -1 where it lost.

    Raises:
        UsageError: no reference, or an outcome other than these.
    """
    given = np.asarray(outcomes)
    if given.ndim != 2 or not given.shape[1]:
        raise UsageError(f"outcomes are a row per sample and a column per reference, not of shape {given.shape}")
    if not np.isin(given, (-1, 0, 1)).all():
        raise UsageError(f"an outcome is 1, 0 or -1, but one is {given[~np.isin(given, (-1, 0, 1))][0]}")
    return np.asarray(WIN * (given == 1).sum(axis=1) + DRAW * (given == 0).sum(axis=1), dtype=np.int64)
