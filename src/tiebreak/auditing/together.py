"""Whether two sources err on the same comparisons: a panel of judges that do says little more than one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.auditing.claims import Claim, Units
from tiebreak.auditing.comparisons import Comparisons
from tiebreak.auditing.estimates import Estimate
from tiebreak.auditing.pair_items import places_of
from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.clusters import cluster_correlation

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Together:
    """Two sources on the comparisons that people and both of them made.

    `correlation` of their errors, source minus people; `both_wrong`: the share of comparisons of which neither names
    people's outcome, `by_chance` what it would be if one's mistakes had nothing to do with the other's.
    """

    criterion: str | None
    names: tuple[str, str]
    correlation: Estimate
    both_wrong: float
    by_chance: float


def together(
    criterion: str | None, names: tuple[str, str], one: Comparisons, other: Comparisons, alpha: float
) -> Together | None:
    """None where they have no comparison in common."""
    place = {pair: k for k, pair in enumerate(one.pairs)}
    number = np.array([place.get(pair, -1) for pair in other.pairs], dtype=np.intp)
    count = int(max(one.item.max(initial=0), other.item.max(initial=0))) + 1
    at = places_of(number[other.pair] * count + other.item, one.pair * count + one.item)
    of_other = np.flatnonzero(at >= 0)
    of_one = at[of_other]
    if not of_one.size:
        return None
    errors = one.error[of_one], other.error[of_other]
    units = _units_of_both(one.claim, other.claim, one.item[of_one])
    wrong = (one.said != one.people)[of_one], (other.said != other.people)[of_other]
    return Together(
        criterion,
        names,
        _correlation(*errors, units, alpha),
        float((wrong[0] & wrong[1]).mean()),
        float(wrong[0].mean() * wrong[1].mean()),
    )


def _units_of_both(one: Claim, other: Claim, items: Places) -> Units:
    """The coarser units of both, on `items` (n,); what both judged is no more than the smaller of their pools."""
    coarser = min(one, other, key=lambda claim: np.unique(claim.unit_of[items]).size)
    if one.pool is None or other.pool is None:
        return Units(coarser.unit_of[items])
    return coarser.units(items, min(one.pool, other.pool))


def _correlation(one: Floats, other: Floats, units: Units, alpha: float) -> Estimate:
    count = np.unique(units.of).size
    try:
        found = cluster_correlation(one, other, units.of, alpha, units.seen)
    except UnidentifiedError:
        return Estimate(None, None, None, one.size, count)
    return Estimate(found.estimate, found.low, found.high, one.size, count)
