"""About how many more labels a finished set would have needed: one look, all else alike.

The normal score of a test grows with the square root of its units. Drawn without replacement from a pool of N, n units
inform as n / (1 - n/N) independent ones do.
"""

from __future__ import annotations

import math
from typing import Final

from scipy.special import ndtri

_FARTHEST: Final = 100  # times the units at hand: beyond this "no end in sight" is the honest answer


def least_units(level: float) -> int:
    """Units that a perfect streak needs to reach `level` in (0, 1): 2^-n <= level."""
    return max(1, math.ceil(-math.log2(level) - 1e-9))


def units_to_direction(units: int, p_value: float, level: float, pool_size: int | None = None) -> int | None:
    """Further units until a one-sided p-value reaches `level`, at least 1; None where none would do.

    `p_value`: that of the direction which the `units` at hand favour. Never less than a perfect streak needs.
    """
    if units == 0 or p_value >= 0.5 or pool_size == units:
        return None
    wanted, score = -float(ndtri(level)), -float(ndtri(max(p_value, 1e-300)))
    return _further(units, (wanted / score) ** 2, pool_size, least_units(level))


def units_to_equivalence(units: int, half_width: float, room: float, pool_size: int | None = None) -> int | None:
    """Further units until an interval of this half-width fits the `room` between the estimate and the margin."""
    if units == 0 or room <= 0 or half_width <= 0 or pool_size == units:
        return None
    return _further(units, (half_width / room) ** 2, pool_size, 1)


def _further(units: int, factor: float, pool_size: int | None, least: int) -> int | None:
    """Units beyond these until there is `factor` > 0 times their information, and `least` in all."""
    informative = float(units) if pool_size is None else units / (1 - units / pool_size)
    needed = informative * factor
    if pool_size is not None:
        needed = needed / (1 + needed / pool_size)
    if not needed <= _FARTHEST * units:
        return None
    return max(1, math.ceil(needed) - units, least - units)
