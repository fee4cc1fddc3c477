"""What one look at so many units would usually find, and how many would usually be enough; `doctor` says the same.

"Usually": in 80% of studies, by the test that such labels get. A normal formula says so to a few percent where there
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

from tiebreak.comparison.finished import finished_set
from tiebreak.evidence.pair_evidence import PairEvidence, PairSummary
from tiebreak.kernels.paired_outcomes import wins_needed
from tiebreak.kernels.panel_means import LEAST_NON_ZERO
from tiebreak.kernels.usual_difference import (
    usual_difference_of_clusters,
    usual_difference_of_items,
    usual_difference_of_outcomes,
)
from tiebreak.rules.finished import FinishedSet
from tiebreak.rules.finished_projection import (
    least_units,
    means_usually_enough,
    units_usually_enough,
    usually_found_with,
)
from tiebreak.rules.projection import drawn_tie_rate

_FEW_OUTCOMES: Final = 50
_FEW_MEANS: Final = 300
_FEW_CLUSTERS: Final = 100
_MOST_PLAYED: Final = 12  # pairs of a criterion: the others find as much as the one with the next number of units


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


def items_usually_enough(pair: PairSummary, pooled: float, difference: float, level: float) -> int:
    """Items with which one look usually finds a difference, as many to a unit of evidence as the pair has now."""
    enough = means_usually_enough if pair.of_means or pair.clustered else units_usually_enough
    units = float(enough(difference, own_square(pair, pooled), level))
    if pair.of_means and not pair.clustered:
        untied = max(pair.untied_units, 1) / max(pair.units, 1)
        units = max(units, (LEAST_NON_ZERO + 2 * math.sqrt(LEAST_NON_ZERO * (1 - untied))) / untied)
    return math.ceil(units * pair.items / effective_units(pair))


def detectable_differences(
    summaries: Sequence[PairSummary], evidence: Callable[[int], PairEvidence], pooled: float, level: float
) -> tuple[float | None, ...]:
    """The difference of each pair that one look at its units would usually find at `level` a side; None: none.

    `evidence` of a pair, by its number. Of more than a few pairs whose test would have to be played, some stand for
    the others, by their numbers of units.
    """
    found = [_by_formula(pair, pooled, level) for pair in summaries]
    played = [k for k, pair in enumerate(summaries) if found[k] is not None and _to_be_played(pair)]
    played.sort(key=lambda k: (effective_units(summaries[k]), own_square(summaries[k], pooled), k))
    shown = played
    if len(played) > _MOST_PLAYED:
        shown = [played[int(at)] for at in np.linspace(0, len(played) - 1, _MOST_PLAYED)]
    factors: dict[int, float | None] = {}
    for k in shown:
        by_formula, by_test = found[k], detectable_difference(summaries[k], evidence(k), pooled, level)
        factors[k] = None if by_formula is None or by_test is None else by_test / by_formula
    factor = None
    for k in played:  # by their units: each that is shown stands for those that follow
        factor, by_formula = factors.get(k, factor), found[k]
        found[k] = None if factor is None or by_formula is None else min(factor * by_formula, 1.0)
    return tuple(found)


def detectable_difference(pair: PairSummary, evidence: PairEvidence, pooled: float, level: float) -> float | None:
    """The difference that one look at the pair's units would usually find at `level` a side.

    None where no outcomes of the units that are no ties could have reached the level, or none that large. For a claim
    about these items that of inputs like these: a little more than is needed.
    """
    by_formula = _by_formula(pair, pooled, level)
    if by_formula is None or not _to_be_played(pair):
        return by_formula
    return _played(finished_set(evidence), level)


def few_means(pair: PairSummary) -> bool:
    """Whether so few means are no ties that the width of their interval says little about other studies."""
    return pair.of_means and not pair.clustered and pair.untied_units < 2 * LEAST_NON_ZERO


def _to_be_played(pair: PairSummary) -> bool:
    if pair.clustered:
        return effective_units(pair) <= _FEW_CLUSTERS
    return pair.of_means and pair.units <= _FEW_MEANS


def _by_formula(pair: PairSummary, pooled: float, level: float) -> float | None:
    if not pair.units or (pair.untied_units < least_units(level) and not pair.outcomes_only):
        return None
    square = own_square(pair, pooled)
    if not pair.of_means and not pair.clustered and pair.units <= _FEW_OUTCOMES:
        exact = usual_difference_of_outcomes(_wins_needed(pair.units, level), square)
        return None if exact is None else _possible(pair, exact)
    found = usually_found_with(effective_units(pair), square, level)
    return found if _to_be_played(pair) else _possible(pair, found)


def _possible(pair: PairSummary, found: float) -> float | None:
    """None beyond the share of units that are no ties."""
    return None if found > pair.untied_units / pair.units else found


@lru_cache(maxsize=256)
def _wins_needed(items: int, level: float) -> NDArray[np.int64]:
    return wins_needed(items, level)


def _played(of: FinishedSet, level: float) -> float | None:
    """The values themselves seed what is drawn, in whatever order they come: names and sides change nothing."""
    sums, sizes = of.values, np.ones(of.values.size)
    if of.clusters is not None:
        _, member = np.unique(of.clusters, return_inverse=True)
        sizes = np.bincount(member).astype(np.float64)
        sums = np.bincount(member, weights=of.values).astype(np.float64)
    if not sums.any():
        return None
    order = np.lexsort((sizes, np.round(np.abs(sums), 9)))
    sums, sizes = np.abs(sums[order]), sizes[order]
    digest = hashlib.blake2b(np.round(np.stack([sums, sizes]), 9).tobytes(), digest_size=16).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    if of.clusters is None:
        found = usual_difference_of_items(sums, level, rng)
    else:
        found = usual_difference_of_clusters(sums, sizes, float((of.values**2).mean()), level, rng)
    return None if found is None else of.scale * found
