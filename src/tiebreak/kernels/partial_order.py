"""From pairwise verdicts to a partial order: decided edges, tiers, cycles; an undecided pair stays open."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PartialOrder:
    """Systems are integers 0 .. n-1; every tuple is sorted, so equal verdicts give equal results.

    `edges`: the decided pairs (winner, loser), each once. `transitive_reduction`: those of them that a
    drawing needs, i.e. without the edges between two components that a longer path also implies; edges
    inside a component are all kept. `equivalences`: (i, j) with i < j; equivalence is not transitive, so
    they are never merged. `tiers`: best first, each a tuple of systems. `cycles`: for each component with
    contradictory verdicts one shortest cycle, (a, b, c) meaning a beats b beats c beats a, starting at its
    smallest system. `components`: in the same order, all systems that the contradiction ties together.
    """

    edges: tuple[Pair, ...]
    transitive_reduction: tuple[Pair, ...]
    equivalences: tuple[Pair, ...]
    tiers: tuple[tuple[int, ...], ...]
    cycles: tuple[tuple[int, ...], ...]
    components: tuple[tuple[int, ...], ...]


def partial_order(n_systems: int, better: Sequence[Pair], equivalent: Sequence[Pair]) -> PartialOrder:
    """Partial order of `n_systems` systems from decided pairs `better` (winner, loser) and `equivalent` ones.

    Tiers are the longest-path layering from the top: a system is one tier below the lowest of those that
    beat it, and systems on one cycle (a strongly connected component) share a tier. Being in one tier
    therefore means "no decided order", not "equally good"; a system without any decided pair is in the
    first tier. Equivalences do not move tiers. A pair may be both `better` and `equivalent` (better, but by
    less than the margin).

    Raises `UsageError` for a system outside 0 .. n-1 or a pair of a system with itself.
    """
    if n_systems < 0:
        raise UsageError(f"the number of systems must be >= 0, but it is {n_systems}")
    edges = _checked(n_systems, better)
    equivalences = tuple(sorted({(min(i, j), max(i, j)) for i, j in _checked(n_systems, equivalent)}))
    beats = np.zeros((n_systems, n_systems), dtype=np.bool_)
    if edges:
        winners, losers = zip(*edges, strict=True)
        beats[winners, losers] = True
    reaches = _closure(beats)
    component = _component_of(reaches)
    members = tuple(tuple(np.flatnonzero(component == c).tolist()) for c in np.unique(component).tolist())
    tangled = tuple(group for group in members if len(group) > 1)
    return PartialOrder(
        edges=edges,
        transitive_reduction=_reduction(edges, reaches, component),
        equivalences=equivalences,
        tiers=_tiers(members, beats, reaches),
        cycles=tuple(_shortest_cycle(group, beats) for group in tangled),
        components=tangled,
    )


def _checked(n_systems: int, pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    for i, j in pairs:
        if i == j:
            raise UsageError(f"system {i} is paired with itself")
        for system in (i, j):
            if not 0 <= system < n_systems:
                raise UsageError(f"system {system} does not exist: there are {n_systems}, numbered from 0")
    return tuple(sorted({(int(i), int(j)) for i, j in pairs}))


def _closure(beats: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Warshall: [i, j] is true where a path of one or more edges leads from i to j."""
    reaches = beats.copy()
    for k in range(len(reaches)):
        reaches[reaches[:, k]] |= reaches[k]
    return reaches


def _component_of(reaches: NDArray[np.bool_]) -> NDArray[np.intp]:
    """For each system, the smallest system of its strongly connected component (itself when on no cycle)."""
    mutual = (reaches & reaches.T) | np.eye(len(reaches), dtype=np.bool_)
    return mutual.argmax(axis=1) if len(mutual) else np.zeros(0, dtype=np.intp)


def _tiers(
    members: tuple[tuple[int, ...], ...], beats: NDArray[np.bool_], reaches: NDArray[np.bool_]
) -> tuple[tuple[int, ...], ...]:
    # The number of systems at or above grows strictly along an edge between components: a topological order.
    above = (reaches | np.eye(len(reaches), dtype=np.bool_)).sum(axis=0)
    tier = np.full(len(beats), -1, dtype=np.int64)
    for group in sorted(members, key=lambda g: (min(int(above[s]) for s in g), g)):
        winners = np.asarray(beats[:, list(group)].any(axis=1))
        winners[list(group)] = False
        tier[list(group)] = tier[winners].max(initial=-1) + 1
    depth = int(tier.max(initial=-1)) + 1
    return tuple(tuple(np.flatnonzero(tier == t).tolist()) for t in range(depth))


def _reduction(
    edges: tuple[Pair, ...],
    reaches: NDArray[np.bool_],
    component: NDArray[np.intp],
) -> tuple[Pair, ...]:
    # i -> j is implied when i leads to some third component that leads to j. float32 uses the fast matrix
    # product.
    apart = component[:, None] != component[None, :]
    through = (reaches & apart).astype(np.float32)
    implied = through @ through > 0.5
    return tuple((i, j) for i, j in edges if not (apart[i, j] and implied[i, j]))


def _shortest_cycle(group: tuple[int, ...], beats: NDArray[np.bool_]) -> tuple[int, ...]:
    """One shortest cycle inside a strongly connected component of two or more systems."""
    inside = set(group)
    losers = {s: [t for t in np.flatnonzero(beats[s]).tolist() if t in inside] for s in group}
    best: tuple[int, ...] = ()
    for start in group:
        cycle = _cycle_through(start, losers)
        if not best or len(cycle) < len(best):
            best = cycle
        if len(best) == 2:
            break
    first = best.index(min(best))
    return best[first:] + best[:first]


def _cycle_through(start: int, losers: dict[int, list[int]]) -> tuple[int, ...]:
    """Breadth-first search for the shortest way from `start` back to it."""
    came_from: dict[int, int] = {}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for there in losers[here]:
            if there == start:
                path = [here]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return tuple(reversed(path))
            if there not in came_from:
                came_from[there] = here
                queue.append(there)
    raise UsageError(f"system {start} is on no cycle")
