"""What one look at so many units would usually find, and how many would usually be enough; `doctor` says the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tiebreak.evidence.pair_evidence import PairSummary
from tiebreak.rules.finished_projection import least_units, units_usually_enough, usually_found_with
from tiebreak.rules.projection import drawn_tie_rate


def pooled_square(pairs: Sequence[PairSummary]) -> float:
    """The mean square of the units' values of all pairs, drawn a little towards a usual one: in (0, 1)."""
    return 1 - drawn_tie_rate(math.fsum(pair.tied_weight for pair in pairs), sum(pair.units for pair in pairs))


def own_square(pair: PairSummary, pooled: float) -> float:
    """That of a pair, drawn towards that of all."""
    return 1 - drawn_tie_rate(pair.tied_weight, pair.units, 1 - pooled)


def effective_units(pair: PairSummary) -> float:
    """Units of evidence: items, or where they are grouped clusters of equal size that would say as much."""
    return pair.effective_clusters or float(pair.units)


def items_usually_enough(pair: PairSummary, pooled: float, difference: float, level: float) -> int:
    """Items with which one look usually finds a difference, as many to a unit of evidence as the pair has now."""
    units = units_usually_enough(difference, own_square(pair, pooled), level)
    return math.ceil(units * pair.items / effective_units(pair))


def detectable_difference(pair: PairSummary, pooled: float, level: float) -> float | None:
    """The difference that one look at the pair's units would usually find at `level` a side.

    None where no outcomes of the units that are no ties could have reached the level, or none that large.
    """
    if pair.untied_units < least_units(level):
        return None
    found = usually_found_with(effective_units(pair), own_square(pair, pooled), level)
    return None if found > pair.untied_units / pair.units else found
