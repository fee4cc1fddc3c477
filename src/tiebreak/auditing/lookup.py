"""Values of numbered comparisons, found by their numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def places_of(cells: Places, known: Places) -> Places:
    """Where each cell (r,) stands among the `known` (n,) ones, each there once; -1 where it does not."""
    if not known.size:
        return np.full(cells.size, -1, dtype=np.intp)
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known[order], cells), known.size - 1)]
    return np.where(known[place] == cells, place, -1)


def looked_up(cells: Places, known: Places, values: Floats) -> Floats:
    """The values (n,) of the `known` cells at each cell (r,), NaN where it is not among them."""
    place = places_of(cells, known)
    return np.where(place >= 0, values[place], np.nan) if values.size else np.full(cells.size, np.nan)
