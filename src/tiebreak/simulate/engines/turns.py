"""Which pair gets the next label where undecided pairs take turns, a batch each, and nobody works side by side.

The order is that of the pair policy `batches` with one task out at a time. It does not depend on what is decided: a
decided pair leaves its turns empty. So the place of an item in the campaign is known beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts = NDArray[np.int64]

_FIRST_ITEMS = 48  # of each pair, looked at together at first; then twice as many


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns 0, 1, ...; in each the pairs come in their order. `most`: items of a pair. `several`: labels per item.

    A turn ends when the last item of its batch is begun. With several labels an item the rest of that item's labels
    comes in the pair's next turn, before anything else.
    """

    batch: int
    most: int
    several: bool

    @property
    def count(self) -> int:
        """Turns until all items of all pairs are done."""
        return (self.most - (not self.several)) // self.batch + 1

    def done_after(self, turn: ArrayLike) -> Counts:
        """Items of a pair that are done when its turn is over; 0 after turn -1, before the first."""
        ends = (np.asarray(turn, dtype=np.int64) + 1) * self.batch - self.several
        return np.asarray(np.minimum(np.maximum(ends, 0), self.most))

    def begun_after(self, turn: ArrayLike) -> Counts:
        """Labels (0 or 1) on an item that is begun, not done, when its pair's turn is over."""
        begun = (np.asarray(turn, dtype=np.int64) + 1) * self.batch
        return np.asarray(self.several & (begun > 0) & (begun <= self.most)).astype(np.int64)

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Turns (first, one beyond the last) to be looked at together, each stretch about as long as all before."""
        first, items = 0, _FIRST_ITEMS
        while first < self.count:
            last = min(self.count, max(first + 1, -(-(items + self.several) // self.batch)))
            yield first, last
            first, items = last, 2 * items
