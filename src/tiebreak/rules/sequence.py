"""The values of one pair in their fixed order: all that a decision may see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ValueSequence:
    """One value in [-1, 1] per unit (item, or cluster of items), in the order fixed before any label was seen.

    `for_a` (n,) are the values that evidence for a may use and `for_b` (n,) those for b: they differ only where an
    item was abandoned, which counts against whichever side is argued. `outcomes_only`: every value is -1, 0 or 1
    and stands for one item. `pool_size`: number of units of the pool for a claim about these items, None for a
    claim about inputs like these. `scale` in [0, 1]: share of all items that the units stand for, the others being
    known ties: the difference over all items is `scale` times that over the units. 0 where all items are known ties.
    `weights` (n,) in (0, 1]: what share of the largest cluster each unit stands for, where units are clusters of
    unequal size; None where all count alike. `looks`: how many units there were at the end of each look, increasing to
    n, where evidence is read at these times only; None where it may be read after every unit.
    """

    for_a: Floats
    for_b: Floats
    outcomes_only: bool
    pool_size: int | None = None
    scale: float = 1.0
    weights: Floats | None = None
    looks: NDArray[np.intp] | None = None

    @classmethod
    def complete(cls, values: Floats, pool_size: int | None = None, scale: float = 1.0) -> ValueSequence:
        """A sequence in which every unit was labelled.

        Raises:
            ValueError: a value outside [-1, 1] or NaN, or more values than the pool holds.
        """
        if values.size and not (np.abs(values) <= 1).all():
            raise ValueError(f"values must be in [-1, 1], not {values[~(np.abs(values) <= 1)][0]}")
        if pool_size is not None and values.size > pool_size:
            raise ValueError(f"{values.size} values from a pool of {pool_size}")
        return cls(values, values, bool((values == np.rint(values)).all()), pool_size, scale)

    def __len__(self) -> int:
        return int(self.for_a.size)

    @property
    def mean(self) -> float:
        """Mean difference over all items, abandoned ones in the middle (0); NaN without units, 0 if all are ties."""
        if not len(self):
            return float("nan") if self.scale > 0 else 0.0
        return self.scale * float(np.average((self.for_a + self.for_b) / 2, weights=self.weights))
