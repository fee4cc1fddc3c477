"""From pairwise verdicts to a partial order: decided edges, tiers, cycles; an undecided pair stays open.

How far an evaluation is from a full human one: error types of its verdicts, divergence of its shares.

metric-error-correction: the four outcomes of its introduction (List 1) and the Kullback-Leibler divergence of its
section 6, per pair of systems.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UnidentifiedError, UsageError
from tiebreak.kernels import _checks
from tiebreak.records import Verdict

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PartialOrder:
    """Systems are integers 0 .. n-1; every tuple is sorted, so equal verdicts give equal results.

    `edges`: the decided pairs (winner, loser), each once. `equivalences`: (i, j) with i < j; equivalence is not
    transitive, so they are never merged. `tiers`: best first, each a tuple of systems. `cycles`: for each component
    with contradictory verdicts one shortest cycle, (a, b, c) meaning a beats b beats c beats a, starting at its
    smallest system. `components`: in the same order, all systems that the contradiction ties together.
    """

    edges: tuple[Pair, ...]
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
        equivalences=equivalences,
        tiers=_tiers(members, beats, reaches),
        cycles=tuple(_shortest_cycle(group, beats) for group in tangled),
        components=tangled,
    )


def letter_groups(n_systems: int, apart: Sequence[Pair]) -> tuple[tuple[int, ...], ...]:
    """Groups for a compact letter display: two systems share a group exactly where no pair of `apart` has them.

    Each is as large as it can be, and none lies in another: insert and absorb (Piepho 2004). In the order of their
    smallest systems. Systems whose pairs are all apart are alone in a group.

    Raises `UsageError` for a system outside 0 .. n-1 or a pair of a system with itself.
    """
    groups = [frozenset(range(n_systems))] if n_systems else []
    for i, j in _checked(n_systems, apart):
        split = [group - {system} for group in groups if {i, j} <= group for system in (i, j)]
        kept = [group for group in groups if not {i, j} <= group]
        for group in sorted(set(split), key=len, reverse=True):
            if not any(group <= other for other in kept):
                kept.append(group)
        groups = kept
    return tuple(sorted(tuple(sorted(group)) for group in groups))


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


ErrorType = Literal["correct", "inversion", "omission", "insertion"]

ERROR_TYPES: Final[tuple[ErrorType, ...]] = ("correct", "inversion", "omission", "insertion")
"""In the order of the codes that `error_types` returns: 0, 1, 2, 3."""

CORRECT: Final = 0
INVERSION: Final = 1
OMISSION: Final = 2
INSERTION: Final = 3

VERDICT_CODES: Final[dict[Verdict, int]] = {"a": 1, "equivalent": 0, "undecided": 0, "b": -1}
"""An error type asks only whether a better system was named, and which: all else is "="."""

_SUM_TOLERANCE: Final = 1e-6


def error_types(verdicts: ArrayLike, reference: ArrayLike) -> NDArray[np.int64]:
    """Places in `ERROR_TYPES`, one per pair (the shape of the arguments).

    `verdicts`, `reference`: codes 1 (a is better), 0 (neither is called better), -1 (b is better), of equal shape.
    Equal codes are correct; opposite directions an inversion; a direction that only the reference has an omission; one
    that only the verdict has an insertion. Without pairs the result is empty. Raises `UsageError` for other codes or
    unequal shapes.
    """
    ours, theirs = _codes("verdicts", verdicts), _codes("reference", reference)
    if ours.shape != theirs.shape:
        raise UsageError(f"verdicts and reference differ in shape: {ours.shape} and {theirs.shape}")
    types = np.where(ours == 0, OMISSION, np.where(theirs == 0, INSERTION, INVERSION))
    return np.where(ours == theirs, CORRECT, types).astype(np.int64)


def error_counts(types: ArrayLike) -> NDArray[np.int64]:
    """How often each error type occurs: shape (4,), in the order of `ERROR_TYPES`.

    `types`: what `error_types` returns. Raises `UsageError` for a code that is not one of 0 to 3.
    """
    codes = np.asarray(types)
    if codes.size and not np.isin(codes, range(len(ERROR_TYPES))).all():
        raise UsageError(f"error types must be codes 0 to 3, but they are {np.unique(codes).tolist()}")
    return np.bincount(codes.astype(np.int64).ravel(), minlength=len(ERROR_TYPES)).astype(np.int64)


def kl_from_humans(protocol: ArrayLike, human_counts: ArrayLike) -> NDArray[np.float64]:
    """KL(p_protocol || p_human) in nats, >= 0, one per pair: shape (N,).

    `protocol` (N, 3): estimated shares of (a preferred, tie, b preferred), each row summing to 1. `human_counts`
    (N, 3): counts of the same outcomes among all human labels.

    p_human is the mode of the posterior under the uniform prior, which is the observed shares n_c / n. Where the
    humans never gave an outcome that the protocol expects, the divergence from the mode would be infinite; there
    p_human is the mean of that posterior, (n_c + 1) / (n + 3). An outcome that neither side has adds nothing
    (0 log 0 = 0) and keeps the mode: forced choices have no ties, and such an evaluation is at distance 0 from itself.
    The authors' p_protocol is a posterior mean and never zero; for such input the two readings of a zero are one.

    Raises:
        UsageError: shapes that differ or are not (N, 3), counts that are no counts, rows that are no shares.
        UnidentifiedError: a pair without any human label.
    """
    shares, counts = _shares(protocol), _checks.counts("human_counts", human_counts)
    if counts.shape != shares.shape:
        raise UsageError(f"protocol and human_counts differ in shape: {shares.shape} and {counts.shape}")
    totals = counts.sum(axis=1, keepdims=True)
    if (totals == 0).any():
        raise UnidentifiedError(f"pair {int(np.argmin(totals))} has no human label to compare with")
    unexpected = ((counts == 0) & (shares > 0)).any(axis=1, keepdims=True)
    human = np.where(unexpected, (counts + 1) / (totals + shares.shape[1]), counts / totals)
    present = shares > 0  # where a share is present p_human is positive, by the choice above
    ratio = np.divide(shares, human, out=np.ones_like(shares), where=present)
    divergence: NDArray[np.float64] = (shares * np.log(ratio)).sum(axis=1)
    return np.maximum(divergence, 0.0)  # rounding may leave -1e-17


def _codes(name: str, values: ArrayLike) -> NDArray[np.int64]:
    codes = np.asarray(values)
    if codes.size and not np.isin(codes, (-1, 0, 1)).all():
        raise UsageError(f"{name} must be codes 1, 0 or -1, but they are {np.unique(codes).tolist()}")
    return codes.astype(np.int64)


def _shares(protocol: ArrayLike) -> NDArray[np.float64]:
    shares = np.asarray(protocol, dtype=np.float64)
    if shares.ndim != 2 or shares.shape[1] != 3:
        raise UsageError(f"protocol must have shape (pairs, 3), but it has {shares.shape}")
    good = (shares >= 0).all(axis=1) & (np.abs(shares.sum(axis=1) - 1.0) <= _SUM_TOLERANCE)
    if not good.all():
        place = int(np.argmin(good))
        raise UsageError(f"protocol must hold shares that sum to 1, but row {place} is {shares[place].tolist()}")
    return shares
