"""About how many labels a finished set would have needed, and what it could have found: one look, all else alike.

The normal score of a test grows with the square root of its units. Drawn without replacement from a pool of N, n units
inform as n / (1 - n/N) independent ones do.
"""

from __future__ import annotations

import math
from typing import Final

from scipy.special import ndtri

_FARTHEST: Final = 100  # times the units at hand: beyond this "no end in sight" is the honest answer
_USUALLY: Final = 0.8  # of all such studies


def least_units(level: float) -> int:
    """Units that a perfect streak needs to reach `level` in (0, 1): 2^-n <= level."""
    return max(1, math.ceil(-math.log2(level) - 1e-9))


def usually_found(half_width: float, level: float, tested_at: float) -> float:
    """The difference that 80% of all studies would have found whose interval at `level` a side has this half-width.

    `tested_at`: the level a side of the test that would have found it. The half-width is z(level) standard errors; to
    be found usually, a difference must measure z(tested_at) + 0.84 of them. Ties, clusters and the spread of labels are
    in the width as they are.
    """
    return half_width * _reach(tested_at) / -float(ndtri(level))


def usually_found_with(units: float, square: float, level: float) -> float:
    """The difference that 80% of all studies with so many units find at `level` a side, to a few percent.

    `square` in (0, 1]: the mean square of the units' values; for outcomes the share that are no ties. Without a
    difference it is their variance, with one their variance is `square` less the difference squared. More than the root
    of `square` where there are too few units for any.
    """
    wanted, beyond = -float(ndtri(level)), float(ndtri(_USUALLY))
    spread = math.sqrt(max(units + beyond**2 - wanted**2, 0.0))
    return math.sqrt(square) * (math.sqrt(units) * wanted + beyond * spread) / (units + beyond**2)


def units_usually_enough(difference: float, square: float, level: float) -> int:
    """Units with which 80% of all studies find `difference` in (0, 1] at `level` a side; inverts `usually_found_with`.

    `square` is raised to the difference, where no outcome would oppose it: with more ties it could not be so large.
    Never fewer than a perfect streak needs among units that are no ties.
    """
    square = max(square, difference)
    spread = math.sqrt(square - difference**2)
    root = (-float(ndtri(level)) * math.sqrt(square) + float(ndtri(_USUALLY)) * spread) / difference
    return max(math.ceil(root**2), math.ceil(least_units(level) / square))


def means_usually_enough(difference: float, square: float, level: float) -> int:
    """The same of units whose values are means, of labels or over a cluster: those may be small, and all alike.

    `square` is their variance without a difference; with one it is smaller by the share that is left to it at most.
    The t distribution takes the place of the normal one.
    """
    wanted, beyond = -float(ndtri(level)), float(ndtri(_USUALLY))
    spread = math.sqrt(square * (1 - difference**2))
    root = (wanted * math.sqrt(square) + beyond * spread) / difference
    return max(math.ceil(root**2 + wanted**2 / 2), least_units(level))


def _reach(level: float) -> float:
    """Standard errors that a difference must measure to be found at this level usually."""
    return float(ndtri(_USUALLY) - ndtri(level))


def units_to_direction(
    units: int, p_value: float, level: float, pool_size: int | None = None, smallest_p: float = 0.0
) -> int | None:
    """Further units until a one-sided p-value reaches `level`, at least 1; None where none would do.

    `p_value`: that of the direction which the `units` at hand favour, `smallest_p` the smallest that it could have
    been: where all have agreed, agreement goes on, with as many ties. Never less than a perfect streak needs, nor more
    than the pool holds.
    """
    if units == 0 or pool_size == units:
        return None
    untied = -math.log2(smallest_p) if smallest_p > 0 else 0.0  # units that are no ties, of which p is 2^-n at least
    if untied >= 1 and p_value <= smallest_p * (1 + 1e-9) and least_units(level) > untied:
        further = max(1, math.ceil((least_units(level) - untied) * units / untied - 1e-9))
        return further if pool_size is None else min(further, pool_size - units)
    if p_value >= 0.5:
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
    further = max(1, math.ceil(needed) - units, least - units)
    return further if pool_size is None else min(further, pool_size - units)
