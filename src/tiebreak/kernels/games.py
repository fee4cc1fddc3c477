"""Games between many systems as arrays: who met whom, what came out, and which games are not independent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Games:
    """`first`, `second` (n,): two of `systems` systems numbered from 0; `outcome` (n,): 1 the first won, 0 a tie, -1.

    `weight` (n,): what one row counts for, such as a third for each of three labels on one item and pair. `side` (n,):
    1 where the first was shown on the left, -1 where the second was, 0 where nobody knows; None: not asked for.
    `cluster` (n,): rows with the same number may depend on each other. `times` (n,): how many clusters consist of just
    such a row: a million independent games of a hundred systems are a few thousand rows. `clusters`: how many there are
    in all, each of them counted.
    """

    systems: int
    first: Integers
    second: Integers
    outcome: NDArray[np.int8]
    weight: Floats
    side: NDArray[np.int8] | None
    cluster: Integers
    times: Integers
    clusters: int

    @classmethod
    def of(
        cls,
        systems: int,
        first: ArrayLike,
        second: ArrayLike,
        outcome: ArrayLike,
        *,
        cluster: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        side: ArrayLike | None = None,
    ) -> Games:
        """Checked games; without `cluster` every game is independent of the others, without `weight` each counts 1.

        Raises:
            UsageError: arrays of other lengths, systems outside of 0 to systems - 1 or met by themselves, outcomes and
                sides other than 1, 0 and -1, weights that are not positive, or no game.
        """
        one, other, result = np.asarray(first), np.asarray(second), np.asarray(outcome)
        size = one.size
        groups = np.arange(size) if cluster is None else np.asarray(cluster)
        weights = np.ones(size) if weight is None else np.asarray(weight, dtype=np.float64)
        sides = None if side is None else np.asarray(side)
        _check(systems, one, other, result, groups, weights, sides)
        groups = np.unique(groups, return_inverse=True)[1]
        sizes = np.bincount(groups)
        alone = sizes[groups] == 1
        kept, times = _distinct(systems, one, other, result, weights, sides, alone)
        cluster_of = np.unique(np.where(alone, sizes.size + np.arange(size), groups)[kept], return_inverse=True)[1]
        return cls(
            systems=systems,
            first=one[kept].astype(np.intp),
            second=other[kept].astype(np.intp),
            outcome=result[kept].astype(np.int8),
            weight=weights[kept],
            side=None if sides is None else sides[kept].astype(np.int8),
            cluster=cluster_of.astype(np.intp),
            times=times,
            clusters=int(sizes.size),
        )

    @property
    def total(self) -> Floats:
        """What all copies of each row count for together (n,)."""
        return self.weight * self.times

    def counts(self) -> tuple[Integers, Floats, NDArray[np.int8] | None]:
        """Pairs (P, 2), first < second, their wins, ties and losses (P, 3), and with sides the side of each (P,).

        A pair has a row for each side that it was shown on.
        """
        turned = self.first > self.second
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        result = np.where(turned, -self.outcome, self.outcome)
        shown = 0 if self.side is None else np.where(turned, -self.side, self.side)
        code, row = np.unique((low * self.systems + high) * 3 + shown + 1, return_inverse=True)
        counts = np.bincount(row * 3 + (1 - result), self.total, code.size * 3).reshape(-1, 3)
        pairs = np.stack(np.divmod(code // 3, self.systems), axis=1).astype(np.intp)
        sides = None if self.side is None else (code % 3 - 1).astype(np.int8)
        return pairs, np.asarray(counts, dtype=np.float64), sides


def _distinct(
    systems: int,
    first: Integers,
    second: Integers,
    outcome: Integers,
    weight: Floats,
    side: Integers | None,
    alone: NDArray[np.bool_],
) -> tuple[Integers, Integers]:
    """Rows to keep, and how often each stands for itself: of rows that are `alone` one of each kind."""
    rows = np.flatnonzero(alone)
    code = ((first[rows] * systems + second[rows]) * 3 + outcome[rows] + 1) * 3
    code += 1 if side is None else side[rows] + 1
    values, of_value = np.unique(weight[rows], return_inverse=True)
    _, kept, times = np.unique(code * max(values.size, 1) + of_value, return_index=True, return_counts=True)
    others = np.flatnonzero(~alone)
    every = np.concatenate([rows[kept], others]).astype(np.intp)
    return every, np.concatenate([times, np.ones(others.size, dtype=np.intp)]).astype(np.intp)


def _check(
    systems: int,
    first: Integers,
    second: Integers,
    outcome: Integers,
    cluster: Integers,
    weight: Floats,
    side: Integers | None,
) -> None:
    columns = [first, second, outcome, cluster, weight, *([] if side is None else [side])]
    if any(column.shape != (first.size,) for column in columns) or not first.size:
        raise UsageError(f"games need arrays of one length, 1 at least, not {[column.shape for column in columns]}")
    whole = [column for column in columns if column is not weight]
    if not all(np.issubdtype(column.dtype, np.integer) for column in whole):
        raise UsageError("systems, outcomes, sides and clusters of games are whole numbers")
    for players in (first, second):
        if players.min() < 0 or players.max() >= systems:
            raise UsageError(f"systems are numbered 0 to {systems - 1}, but a game names {players.max()}")
    if (first == second).any():
        raise UsageError(f"game {int(np.argmax(first == second))} is one of a system with itself")
    for name, column in (("an outcome", outcome), ("a side", side)):
        if column is not None and not np.isin(column, (-1, 0, 1)).all():
            raise UsageError(f"{name} must be 1, 0 or -1, but one is {column[~np.isin(column, (-1, 0, 1))][0]}")
    wrong = ~(np.isfinite(weight) & (weight > 0))
    if wrong.any():
        raise UsageError(f"weights of games must be finite and above 0, but one is {weight[wrong][0]}")
