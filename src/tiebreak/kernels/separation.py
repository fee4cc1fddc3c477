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
    """`groups`: systems that games connect, the largest group first. `core` (K,): systems of the first group whose
    differences have limits: of those that all reach each other by wins and ties as many as there are such, and where no
    two do, the one with the most games. `unlimited`: ties and wins are separated, and no difference of the first group
    need have a limit; the core is one system.
    """

    groups: tuple[tuple[int, ...], ...]
    core: Flags
    unlimited: bool


def separation(wins: NDArray[np.float64], ties: NDArray[np.float64]) -> Separation:
    """wins (K, K): of the row over the column; ties (K, K): symmetric; >= 0, in any unit.

    Raises:
        UsageError: other shapes, or ties that are not symmetric.
    """
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or ties.shape != wins.shape or (ties != ties.T).any():
        raise UsageError("separation takes two square matrices of one size, that of ties symmetric")
    count = len(wins)
    own = np.eye(count, dtype=np.bool_)
    won, tied = wins > 0, ties > 0
    scored = won | tied
    connected = paths(scored | scored.T | own)
    groups = sorted({tuple(np.flatnonzero(row).tolist()) for row in connected}, key=lambda group: (-len(group), group))
    reaches = paths(scored | own)
    mutual = reaches & reaches.T
    mutual[~connected[groups[0][0]]] = False
    games = wins.sum(axis=0) + wins.sum(axis=1) + ties.sum(axis=1)
    unlimited = _unlimited(won, tied, groups[0])
    if unlimited:
        mutual = own
    best = max(groups[0], key=lambda k: (mutual[k].sum(), games[k], -k))
    return Separation(tuple(groups), mutual[best], unlimited)


def paths(edges: Flags) -> Flags:
    """Between which systems a path of edges leads, of any length (Warshall)."""
    found = edges.copy()
    for k in range(len(found)):
        found[found[:, k]] |= found[k]
    return found


def _unlimited(won: Flags, tied: Flags, group: tuple[int, ...]) -> bool:
    """Whether strengths exist that are at least 2 apart for every win, at most 2 for every tie, and some tie.

    Bellman and Ford: x_i >= x_j + 2 for a win and x_i >= x_j - 2 for a tie have a solution unless some circle of games
    has more wins than ties.
    """
    inside = np.ix_(group, group)
    won, tied = won[inside], tied[inside]
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
