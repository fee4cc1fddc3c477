"""What games can tell of strengths at all: who was compared with whom, and who has no highest or lowest strength.

A likelihood of wins and ties has a maximum only where every system scored, by a win or a tie, against some other one
along a path that leads to every system (Ford 1957). Where a system was never beaten nor tied, no strength is too high
for it; where two groups were never compared, nothing is known between them. And where ties and wins are separated, so
that some strengths would let every tie be a tie and every win a win, all differences may grow without limit together
with the tie parameter: such are games without any win.

Source: Ford (1957), "Solution of a ranking problem from binary comparisons"; Albert & Anderson (1984), "On the
existence of maximum likelihood estimates in logistic regression models", for separation in general.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError

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
