"""What one look at so many units would usually find, and how many would usually be enough; `doctor` says the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tiebreak.evidence.study_evidence import PairEvidence
from tiebreak.rules.finished_projection import least_units, units_usually_enough, usually_found_with
from tiebreak.rules.projection import drawn_tie_rate


def pooled_square(pairs: Sequence[PairEvidence]) -> float:
    """The mean square of the units' values of all pairs, drawn a little towards a usual one: in (0, 1)."""
    values = np.concatenate([pair.sequence.for_a for pair in pairs]) if pairs else np.empty(0)
    return 1 - drawn_tie_rate(float((1 - values**2).sum()), values.size)


def own_square(pair: PairEvidence, pooled: float) -> float:
    """That of a pair, drawn towards that of all."""
    values = pair.sequence.for_a
    return 1 - drawn_tie_rate(float((1 - values**2).sum()), values.size, 1 - pooled)


def effective_units(pair: PairEvidence) -> float:
    """Units of evidence: items, or where they are grouped clusters of equal size that would say as much."""
    return pair.effective_clusters or float(len(pair.sequence))


def items_usually_enough(pair: PairEvidence, pooled: float, difference: float, level: float) -> int:
    """Items with which one look usually finds a difference, as many to a unit of evidence as the pair has now."""
    units = units_usually_enough(difference, own_square(pair, pooled), level)
    return math.ceil(units * pair.values.size / effective_units(pair))


def detectable_difference(pair: PairEvidence, pooled: float, level: float) -> float | None:
    """The difference that one look at the pair's units would usually find at `level` a side.

    None where no outcomes of the units that are no ties could have reached the level, or none that large.
    """
    untied = int(np.count_nonzero(pair.sequence.for_a))
    if untied < least_units(level):
        return None
    found = usually_found_with(effective_units(pair), own_square(pair, pooled), level)
    return None if found > untied / len(pair.sequence) else found
