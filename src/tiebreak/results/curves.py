"""How the evidence of a pair grew with its labels, for drawing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

POINTS: Final = 200
"""Points of a curve at most."""


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceCurve:
    """Natural log E of one pair after some of its items, in the order in which they became evidence. (Where items were
    withdrawn, two points may have the same number of items.)

    `items`, `labels` (k,): items and human labels seen, both starting at 0. `log_e_a`, `log_e_b` (k,): evidence that
    a, that b is better. `log_e_equivalent` (k,): evidence that the difference is inside the margin, the smaller of
    the best that either side has reached so far; None without a margin. `log_threshold`, `log_threshold_equivalent`:
    what the evidence must reach (infinite: nothing in this family would do). `stopped_at`: items after which there
    was a verdict, None if there is none; it is among `items`.
    """

    criterion: str | None
    system_a: str
    system_b: str
    items: Integers
    labels: Integers
    log_e_a: Floats
    log_e_b: Floats
    log_e_equivalent: Floats | None
    log_threshold: float
    log_threshold_equivalent: float | None
    stopped_at: int | None

    def thinned(self, points: int) -> EvidenceCurve:
        """The same curve with at most `points` >= 3 points; the first, the last and the stop are kept.

        Raises:
            ValueError: fewer than 3 points.
        """
        if points < 3:
            raise ValueError(f"a curve needs at least 3 points, not {points}")
        stop = None if self.stopped_at is None else int(np.searchsorted(self.items, self.stopped_at))
        kept = looks(self.items.size - 1, stop, points)
        equivalent = self.log_e_equivalent
        return replace(
            self,
            items=self.items[kept],
            labels=self.labels[kept],
            log_e_a=self.log_e_a[kept],
            log_e_b=self.log_e_b[kept],
            log_e_equivalent=None if equivalent is None else equivalent[kept],
        )


def looks(units: int, stopped_at: int | None, points: int = POINTS) -> Integers:
    """At most `points` numbers of units from 0 to all of them, with the one where the pair stopped among them."""
    if units + 1 <= points:
        return np.arange(units + 1)
    found = np.linspace(0, units, points - 1).round().astype(np.int64)
    return found if stopped_at is None else np.union1d(found, [stopped_at])
