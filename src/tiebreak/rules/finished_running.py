"""The labels of a pair as they come, for the one look that is taken at the end of all of them.

Evidence counts units, and has the size of what differs among them. An abandoned item favours b in the test of a, and a
in the test of b: whatever it would have got, neither errs more often for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.cluster_means import effective_clusters
from tiebreak.records import UnitValue
from tiebreak.rules.finished import FinishedSet, FinishedSets

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LookPlan:
    """What is known of a pair before any label.

    `units` that get labels, in their order. `sizes`, `asked` (U,): items of each unit, and those that are no known
    ties; None where each unit is one item. `pool_size`, `scale`: as in `FinishedSet`.
    """

    units: int
    sizes: Integers | None = None
    asked: Integers | None = None
    pool_size: int | None = None
    scale: float = 1.0


class Unit(NamedTuple):
    """A unit with labels: its `items`, those of them `asked` about, and their sums of outcomes `for_a` and `for_b`."""

    items: int
    asked: int
    for_a: int
    for_b: int


@dataclass(frozen=True, slots=True)
class LookEvidence:
    """`done` units so far, by what they are."""

    done: int = 0
    units: Mapping[Unit, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def lacks_answers(self) -> bool:
        """Whether any unit has items that nobody will label."""
        return any(unit.for_a != unit.for_b for unit in self.units)


def advance(plan: LookPlan, evidence: LookEvidence, value: UnitValue) -> LookEvidence:
    """With the mean outcome of the next unit."""
    items = 1 if plan.sizes is None else int(plan.sizes[evidence.done])
    asked = 1 if plan.asked is None else int(plan.asked[evidence.done])
    unit = Unit(items, asked, round(value.for_a * items), round(value.for_b * items))
    return LookEvidence(evidence.done + 1, {**evidence.units, unit: evidence.units.get(unit, 0) + 1})


class LookTests:
    """The tests of K pairs as `compare` takes them, `FinishedTests` with estimates.

    `estimates` (K,), nan without labels: an abandoned item counts as a tie there. `smallest_p` (K,): at most what would
    have been reached, had all labels that are no ties agreed. Of a cluster only the sum is known: as many of its items
    count as no ties as can be.
    """

    def __init__(self, plans: Sequence[LookPlan], evidence: Sequence[LookEvidence]) -> None:
        pairs = list(zip(plans, evidence, strict=True))
        # With nothing abandoned one test has both sides.
        self._second = np.array([k for k, of in enumerate(evidence) if of.lacks_answers], int)
        self._tests = FinishedSets(
            [
                *(_finished_set(plan, of, for_a=True) for plan, of in pairs),
                *(_finished_set(*pairs[k], for_a=False) for k in self._second),
            ]
        )
        self.p_a, self.p_b = self._sides(self._tests.p_a, self._tests.p_b)
        first, second = self._sides(self._tests.estimates, self._tests.estimates)
        self.estimates = (first + second) / 2
        self.smallest_p = self._tests.smallest_p[: len(pairs)].copy()
        for k, (plan, of) in enumerate(pairs):
            if plan.asked is not None and any(unit.asked for unit in of.units):
                self.smallest_p[k] = FinishedSets([_finished_set(plan, _agreeing(of), for_a=True)]).p_a[0]

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Low and high (K,) at `level` a side: low > 0 exactly where p_a <= level, high < 0 where p_b <= level."""
        return self._sides(*self._tests.intervals(level))

    def _sides(self, of_a: Floats, of_b: Floats) -> tuple[Floats, Floats]:
        """The one from the tests of a, the other from those of b."""
        pairs = of_a.size - self._second.size
        other = of_b[:pairs].copy()
        other[self._second] = of_b[pairs:]
        return of_a[:pairs], other


def effective_units(plan: LookPlan, evidence: LookEvidence) -> float | None:
    """As many clusters of equal size say as much; None where units are no clusters."""
    if plan.asked is None:
        return None
    sizes = [unit.asked for unit, count in evidence.units.items() for _ in range(count) if unit.asked]
    return effective_clusters(np.array(sizes, dtype=np.float64))


def _finished_set(plan: LookPlan, evidence: LookEvidence, *, for_a: bool) -> FinishedSet:
    """Each unit's items, as outcomes with its sum; in clusters known ties are left out: the rest stands for all."""
    units = [(u.items, u.asked, u.for_a if for_a else u.for_b, n) for u, n in evidence.units.items()]
    clustered = plan.asked is not None
    if clustered:
        units = [unit for unit in units if unit[1]]
    values = [np.tile(_outcomes(total, asked), count) for _, asked, total, count in units]
    flat = np.concatenate([np.empty(0), *values])
    if not clustered:
        return FinishedSet(flat, np.ones(flat.size, dtype=np.int64), pool_size=plan.pool_size, scale=plan.scale)
    if not flat.size:
        return FinishedSet(flat, np.empty(0, dtype=np.int64))
    sizes = np.concatenate([np.repeat(asked, count) for _, asked, _, count in units])
    items = sum(u.items * n for u, n in evidence.units.items())
    return FinishedSet(
        flat,
        np.ones(flat.size, dtype=np.int64),
        clusters=np.repeat(np.arange(sizes.size), sizes),
        scale=flat.size / items,
    )


def _agreeing(evidence: LookEvidence) -> LookEvidence:
    """The same units, had all their items agreed; of a unit of one item it is known if that is a tie."""
    units: dict[Unit, int] = {}
    for unit, count in evidence.units.items():
        alone = unit.asked == 1 and unit.for_a == unit.for_b == 0
        agreed = unit._replace(for_a=0 if alone else unit.asked, for_b=0 if alone else unit.asked)
        units[agreed] = units.get(agreed, 0) + count
    return LookEvidence(evidence.done, units)


def _outcomes(total: int, asked: int) -> Floats:
    """`asked` outcomes whose sum is `total`."""
    values = np.zeros(asked)
    values[: abs(total)] = np.sign(total)
    return values
