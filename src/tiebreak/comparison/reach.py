"""What one look at so many units finds in 80% of studies.

By the test that such labels get. A normal formula says so to a few percent where there
are many outcomes, means or clusters. With few of them the test is played or computed (`usual_difference`).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from tiebreak.comparison.finished import finished_set
from tiebreak.evidence.pair_evidence import PairEvidence, PairSummary
from tiebreak.kernels.paired_outcomes import wins_needed
from tiebreak.kernels.usual_difference import (
    usual_difference_of_clusters,
    usual_difference_of_items,
    usual_difference_of_outcomes,
    usual_difference_without_losses,
)
from tiebreak.rules.finished import FinishedSet
from tiebreak.rules.power import (
    difference_found,
    difference_found_without_losses,
    drawn_tie_rate,
    least_units,
)

Floats = NDArray[np.float64]

_FEW_OUTCOMES: Final = 50
_FEW_MEANS: Final = 300
_FEW_CLUSTERS: Final = 100
_TELLING_CLUSTERS: Final = 20  # from which on one figure is about right
_MOST_PLAYED: Final = 12  # pairs of one design


def pooled_square(pairs: Sequence[PairSummary]) -> float:
    """The mean square of the units' values of all pairs, in (0, 1]; of outcomes drawn a little towards a usual one.

    How far means and clusters stray differs too much from study to study for that; one unit that is no tie keeps it
    above 0.
    """
    tied, units = math.fsum(pair.tied_weight for pair in pairs), sum(pair.units for pair in pairs)
    if all(pair.outcomes_only for pair in pairs):
        return 1 - drawn_tie_rate(tied, units)
    return max(1 - tied / units, 1 / units) if units else 1.0


def own_square(pair: PairSummary, pooled: float) -> float:
    """That of a pair, drawn towards that of all."""
    return 1 - drawn_tie_rate(pair.tied_weight, pair.units, 1 - pooled)


def effective_units(pair: PairSummary) -> float:
    """Units of evidence: items, or where they are grouped clusters of equal size that would say as much."""
    return pair.effective_clusters or float(pair.units)


def detectable_difference(
    k: int, summaries: Sequence[PairSummary], evidence: Callable[[int], PairEvidence], pooled: float, level: float
) -> float | None:
    """That of pair `k` of these; for a claim about these items that of inputs like these: a little more than is needed.

    None where no outcomes of so many units could have reached the level.
    """
    by_formula = _by_formula(summaries[k], pooled, level)
    if by_formula is None or not _to_be_played(summaries[k], level):
        return by_formula
    design = _design(k, summaries[k])
    alike = [j for j, pair in enumerate(summaries) if pair.units and _design(j, pair) == design]
    return _played([finished_set(evidence(j)) for j in _some(alike)], level)


def usual_range(k: int, summaries: Sequence[PairSummary], difference: float) -> tuple[float, float] | None:
    """Between which two differences that of pair `k` of these lies in 80% of studies; None where it is known better.

    Few clusters do not tell how far others stray. Counted in studies of 7 to 20 clusters, what they say spreads as if
    their variance had twice as many degrees of freedom as effective clusters but one, for each further system.
    """
    effective = summaries[k].effective_clusters
    if effective is None or effective >= _TELLING_CLUSTERS:
        return None
    design = _design(k, summaries[k])
    alike = [of for j, of in enumerate(summaries) if _design(j, of) == design]
    systems = {name for of in alike for name in (of.system_a, of.system_b)}
    freedom = 2 * max(effective - 1, 1.0) * (len(systems) - 1)
    low, high = (math.sqrt(freedom / float(chdtri(freedom, share))) * difference for share in (0.1, 0.9))
    return low, min(high, 1.0)


def _design(k: int, pair: PairSummary) -> tuple[object, ...]:
    """Equal for pairs whose clusters have the same sizes, as far as can be told; every other pair is its own."""
    if not pair.clustered:
        return (k,)
    effective = round(pair.effective_clusters or 0.0, 6)
    return (pair.items - pair.identical, pair.units, effective, pair.drawn, pair.of_means)


def _some(alike: Sequence[int]) -> list[int]:
    return [alike[at] for at in _spread_out(len(alike))]


def _spread_out(count: int) -> list[int]:
    """At most so many of these places as are played."""
    return sorted({int(at) for at in np.linspace(0, count - 1, min(count, _MOST_PLAYED))})


def _to_be_played(pair: PairSummary, level: float) -> bool:
    if pair.untied_units < least_units(level):
        return False  # next to nothing but ties does not tell what others look like
    if pair.clustered:
        return effective_units(pair) <= _FEW_CLUSTERS
    return pair.of_means and pair.units <= _FEW_MEANS


def _by_formula(pair: PairSummary, pooled: float, level: float) -> float | None:
    """With as many ties as there are, or as few as a difference needs that is larger than they leave."""
    if (pair.drawn or pair.units) < least_units(level):
        return None
    square = own_square(pair, pooled)
    if not pair.of_means and not pair.clustered and pair.units <= _FEW_OUTCOMES:
        needed = _wins_needed(pair.units, level)
        exact = usual_difference_of_outcomes(needed, square)
        return usual_difference_without_losses(needed) if exact is None else exact
    found = difference_found(effective_units(pair), square, level)
    if found <= square or _to_be_played(pair, level):
        return found
    found = difference_found_without_losses(effective_units(pair), level)
    return None if found > 1 else found


@lru_cache(maxsize=256)
def _wins_needed(items: int, level: float) -> NDArray[np.int64]:
    return wins_needed(items, level)


def _played(alike: Sequence[FinishedSet], level: float) -> float | None:
    """Of pairs of one design. The values themselves seed what is drawn, in whatever order they come: names and sides
    change nothing.
    """
    each = [_units(of) for of in alike]
    if not any(sums.any() for sums, _ in each):
        return None
    each = sorted(each, key=lambda of: np.round(np.stack([np.abs(of[0]), of[1]]), 9).tobytes())
    sums, sizes = (np.concatenate(parts) for parts in zip(*each, strict=True))
    digest = hashlib.blake2b(np.round(np.stack([np.abs(sums), sizes]), 9).tobytes(), digest_size=16).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    if alike[0].clusters is None:
        found = usual_difference_of_items(np.abs(sums), level, rng)
    else:
        square = float(np.mean([(of.values**2).mean() for of in alike]))
        found = usual_difference_of_clusters(sums, sizes, square, level, rng, len(each))
    return None if found is None else alike[0].scale * found


def _units(of: FinishedSet) -> tuple[Floats, Floats]:
    """Sums and sizes of the units, by their sizes and what they lean."""
    sums, sizes = of.values, np.ones(of.values.size)
    if of.clusters is not None:
        _, member = np.unique(of.clusters, return_inverse=True)
        sizes = np.bincount(member).astype(np.float64)
        sums = np.bincount(member, weights=of.values).astype(np.float64)
    order = np.lexsort((sizes, np.round(np.abs(sums), 9)))
    return sums[order], sizes[order]
