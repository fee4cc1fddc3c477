"""Spending: how much of an error level may be used by which share of a planned number of units.

A rule that knows at how many units looking ends can be looked at after every one of them and still has almost the power
of one look at the end: at share u of the plan at most level * s(u) of a level may have been spent, and s(1) = 1. The
part in u^2 keeps most of the level for the end, as O'Brien & Fleming's boundaries do; the logarithmic part spends
evenly in the logarithm of the number of units, which lets large differences stop early.

Source: alpha spending by Lan & DeMets (1983); the mixture of the two parts is our own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LATE: Final = 0.6
"""Share of a level that is spent in u^2; the rest is spent in log u."""
_FIRST_UNITS: Final = 8
_MOST_LEVELS: Final = 16


def spent_share(units: NDArray[np.floating] | NDArray[np.integer], planned: int) -> Floats:
    """s(t/H) in [0, 1], the shape of `units`: the share of a level that may be spent after t of H `planned` units.

    Zero at no units, one at the plan and beyond it; increasing.

    Raises:
        ValueError: a plan below one unit.
    """
    if planned < 1:
        raise ValueError(f"a plan must be at least one unit, not {planned}")
    share = np.clip(np.asarray(units, dtype=np.float64) / planned, 0.0, 1.0)
    first = min(0.5, _FIRST_UNITS / planned)
    with np.errstate(divide="ignore"):
        early = np.maximum(0.0, 1.0 - np.log(share) / np.log(first))
    return np.asarray(LATE * share**2 + (1 - LATE) * early)


@lru_cache(maxsize=64)
def shares_by_unit(planned: int) -> Floats:
    """s(t/H) (H + 1,) after each unit from none to H; kept for the next call."""
    found = spent_share(np.arange(planned + 1), planned)
    found.setflags(write=False)
    return found


def thinned(levels: Floats, most: int = _MOST_LEVELS) -> Floats:
    """At most `most` of the levels (L,), sorted from the highest to the lowest, both ends among them.

    What is left out costs a little power and nothing else: a p-value is the smallest level kept that was crossed.
    """
    ordered = np.asarray(np.unique(levels)[::-1])
    if ordered.size <= most:
        return ordered
    wanted = np.geomspace(ordered[0], ordered[-1], most)
    nearest = np.abs(np.log(ordered)[:, None] - np.log(wanted)).argmin(axis=0)
    return np.asarray(ordered[np.unique(nearest)])
