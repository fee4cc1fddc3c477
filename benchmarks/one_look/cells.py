"""Cells: one world, what is promised there, and what was counted.

A cell is either computed, by adding up the probabilities of all outcomes, or simulated, in pieces that are kept one by
one. Its `measure` counts events; a `Limit` says how often an event may happen. To certify the rule somewhere else, add
cells to a module of this package, or a module with a function `cells()` to the list in `grid.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rng = np.random.Generator

ALPHAS: Final = (0.05, 0.01)
ORDINARY: Final = 1.1
CORNER: Final = 1.6
"""Times alpha that an approximate test may err."""

Promise = Literal["exact", "ordinary", "corner"]

Counts = Mapping[str, float]
"""Event to its number in the runs; in a computed cell, to its probability."""

Measure = Callable[[Rng, int], Counts]


@dataclass(frozen=True)
class Cell:
    """One world.

    `section`: the table that it stands in; `world`: in words; `promise`: exact (at most alpha), ordinary (at most 1.1
    alpha) or corner (1.6 alpha), `because`: what makes it a corner. `runs` 0: `measure` computes probabilities, and
    its generator is not read. `control`: the wrong way to read the same labels that is counted beside. `limited`: the
    events that have a limit, "wrong" followed by the alpha; others are shown only. `corners`: those of them that are a
    corner in any world. An event that cannot happen in every run has the runs in which it could counted as "of" it.
    `settings`: all that defines the cell, for the key of its results; `source`: the file that it is written in, filled
    in by the grid.
    """

    section: str
    world: str
    promise: Promise
    measure: Measure
    runs: int
    settings: tuple[object, ...]
    control: str = ""
    because: str = ""
    limited: tuple[str, ...] = tuple(f"wrong {alpha}" for alpha in ALPHAS)
    corners: tuple[str, ...] = ()
    source: str = ""

    def times(self, event: str) -> float:
        """Times alpha that the cell may err."""
        return CORNER if event in self.corners else {"exact": 1.0, "ordinary": ORDINARY, "corner": CORNER}[self.promise]

    def limit(self, event: str) -> float:
        """How often an event may happen."""
        return self.times(event) * float(event.split()[-1])

    @property
    def key(self) -> str:
        """All that defines the cell."""
        return repr((self.section, self.world, *self.settings))


def add(first: Counts, second: Counts) -> dict[str, float]:
    """Counts of both."""
    return {event: first.get(event, 0.0) + second.get(event, 0.0) for event in {**first, **second}}
