"""Stopping rules on the item values of many runs at once: when each run stops, and with which verdict.

The rules are those of the kernels that decide real studies; where a rule sees counts only it is turned into a boundary
on the lead first (`kernels/lead_boundary.py`).

The rule `fixed` in many campaigns at once: each has one look, at the end of all its items.

Campaigns are decided by the very function that decides one. Only their tests are worked out together: pairs with the
same counts share them, and an interval is asked for at the same few levels again and again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.kernels import lead_boundary
from tiebreak.kernels.lead_boundary import LeadBoundary
from tiebreak.kernels.metric_error import FEW_LABELS
from tiebreak.kernels.paired_outcomes import PairedOutcomes, PairedPool, paired_outcomes, paired_pool
from tiebreak.rules.finished_family import finished_verdicts
from tiebreak.rules.planned import Family
from tiebreak.rules.registry import Multiplicity
from tiebreak.simulate.engines.planned_runs import planned_runs

Floats = NDArray[np.float64]

VERDICT_CODES: Final = {"a": 1, "b": -1, "equivalent": 2, "undecided": 0}


def finished_runs(
    wins: Counts,
    losses: Counts,
    items: int,
    pool: int | None,
    alpha: float,
    multiplicity: Multiplicity,
    margin: float | None,
) -> Codes:
    """Verdicts (runs, pairs), 1 a, -1 b, 2 equivalent, 0 undecided, from `wins` and `losses` (runs, pairs) of `items`.

    `pool`: items of a claim about them, None for inputs like these.
    """
    tests = _Tests(wins, losses, items, pool)
    verdict = np.zeros(tests.campaigns.shape, dtype=np.int8)
    for run in range(len(verdict)):
        found = finished_verdicts(_Run(tests, run), alpha, multiplicity, margin)
        verdict[run] = [VERDICT_CODES[name] for name in found.verdicts]
    return verdict[tests.run]


class _Tests:
    """The tests of campaigns that differ in their counts, and intervals at the levels that were asked for.

    `campaigns` (C, pairs): numbers of the tests; `run` (runs,): which of these each run is.
    """

    def __init__(self, wins: Counts, losses: Counts, items: int, pool: int | None) -> None:
        counts, back = np.unique(wins * (items + 1) + losses, return_inverse=True)
        won, lost = np.divmod(counts, items + 1)
        tied = items - won - lost
        self._tests: PairedOutcomes | PairedPool = (
            paired_outcomes(won, tied, lost) if pool is None else paired_pool(won, tied, lost, pool)
        )
        self.campaigns, run = np.unique(back.reshape(wins.shape), axis=0, return_inverse=True)
        self.run = run.reshape(-1)
        self.p_a, self.p_b = self._tests.p_a[self.campaigns], self._tests.p_b[self.campaigns]
        self._known: dict[float, tuple[Floats, Floats]] = {}

    def intervals(self, campaign: int, level: float) -> tuple[Floats, Floats]:
        """Low and high (pairs,)."""
        if level not in self._known:
            self._known[level] = self._tests.interval(level)
        low, high = self._known[level]
        return low[self.campaigns[campaign]], high[self.campaigns[campaign]]


@dataclass(frozen=True, slots=True)
class _Run:
    """The tests of one campaign."""

    tests: _Tests
    run: int

    @property
    def p_a(self) -> Floats:
        return np.asarray(self.tests.p_a[self.run])

    @property
    def p_b(self) -> Floats:
        return np.asarray(self.tests.p_b[self.run])

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        return self.tests.intervals(self.run, level)


Codes = NDArray[np.int8]
Bools = NDArray[np.bool_]
Counts = NDArray[np.int64]
RuleName = Literal["anytime", "posterior", "hoeffding", "hoeffding-retrospective", "fixed"]
RULE_NAMES: Final[tuple[RuleName, ...]] = get_args(RuleName)

EQUIVALENT: Final = 2
UNDECIDED: Final = 0
_BLOCK = 128  # items looked at together where the evidence is computed label by label


@dataclass(frozen=True, slots=True)
class SimulatedRule:
    """When to stop. `alpha`: the error rate (anytime, fixed), d of the Hoeffding rules, gamma of the posterior.

    `margin`: differences below it are equivalent, `family`: pairs tested together, by Bonferroni, `pool`: the number of
    items that the claim is about, None for inputs like these (all three: anytime and fixed). `batch`: items between two
    looks of the posterior, which also looks at the last item, but not before the tenth. `items`: the fixed number, or
    the planned one of `anytime` (None: all that there are).
    `hoeffding` stops at the first crossing; `hoeffding-retrospective`, the authors' code, takes the last
    one and is no stopping rule, because it needs the labels that come after.

    Raises `UsageError` for values that cannot be, or that the rule has no use for.
    """

    name: RuleName = "anytime"
    alpha: float = 0.05
    margin: float | None = None
    family: int = 1
    batch: int = 10
    items: int | None = None
    pool: int | None = None

    def __post_init__(self) -> None:
        if self.name not in RULE_NAMES:
            raise UsageError(f"no stopping rule {self.name!r}{did_you_mean(self.name, RULE_NAMES)}")
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha must lie strictly between 0 and 1, but it is {self.alpha}")
        if self.margin is not None and not 0 < self.margin < 1:
            raise UsageError(f"the margin must lie strictly between 0 and 1, but it is {self.margin}")
        counts = {"family": self.family, "batch": self.batch, "items": self.items, "pool": self.pool}
        for name, count in counts.items():
            if count is not None and count < 1:
                raise UsageError(f"{name} must be at least 1, but it is {count}")
        if self.name == "fixed" and self.items is None:
            raise UsageError("a rule for a fixed number of items needs that number")
        for name, value in (("margin", self.margin), ("pool", self.pool)):
            if value is not None and self.name not in ("anytime", "fixed"):
                raise UsageError(f"the rule {self.name} knows no {name}; use anytime or fixed")
        if self.pool is not None and self.items is not None and self.items > self.pool:
            raise UsageError(f"{self.items:,} items cannot be drawn from a pool of {self.pool:,}")

    @property
    def log_threshold(self) -> float:
        """What log E must reach for a direction."""
        return math.log(2 * self.family / self.alpha)


@dataclass(frozen=True, slots=True)
class Stops:
    """`verdict` (runs,): 1 a, -1 b, 2 equivalent, 0 undecided; `items` (runs,): items labelled until then, or all."""

    verdict: Codes
    items: Counts

    @property
    def decided(self) -> NDArray[np.bool_]:
        """(runs,): whether there is a verdict."""
        return np.asarray(self.verdict != UNDECIDED)


@lru_cache(maxsize=64)
def boundary_for(rule: SimulatedRule, horizon: int) -> LeadBoundary | None:
    """The rule as a boundary for up to `horizon` items, kept for the next call.

    None for a fixed number of items, which is looked at once, and for a planned one, whose boundary depends on where
    the ties are.
    """
    if rule.name in ("fixed", "anytime"):
        return None
    if rule.name == "posterior":
        return lead_boundary.posterior_boundary(rule.alpha, horizon)
    return lead_boundary.hoeffding_boundary(rule.alpha, horizon)


def stops(values: Codes, rule: SimulatedRule, boundary: LeadBoundary | None = None, most: int | None = None) -> Stops:
    """Where each run of item values (runs, items) stops; `boundary`: by `boundary_for`, for as many items or more.

    A reached verdict stands; where a direction and equivalence are reached at one item, the direction counts. `most`:
    items that a run may have in all, where these are only the first of them (None: these are all).
    """
    items = values.shape[1]
    if items == 0:
        return Stops(np.zeros(len(values), dtype=np.int8), np.zeros(len(values), dtype=np.int64))
    if rule.name == "fixed":
        return _at_fixed(values, rule, int(rule.items or items))
    boundary = boundary_for(rule, items) if boundary is None else boundary
    if boundary is None:
        return _planned(values, rule)
    sides = _sides(values, boundary)
    if rule.name == "hoeffding-retrospective":
        return _last_crossing(sides)
    if rule.name == "posterior":
        count = np.arange(1, items + 1)
        looks = (count % rule.batch == 0) | (count == (items if most is None else most))
        sides = np.where(looks & (count >= FEW_LABELS), sides, np.int8(0))
    return _first_crossing(sides)


def _sides(values: Codes, boundary: LeadBoundary) -> Codes:
    """1, -1 or 0 (runs, items): beyond the boundary of a, of b, or of neither, after each item."""
    items = values.shape[1]
    if items > boundary.horizon:
        raise UsageError(f"a boundary for {boundary.horizon:,} items cannot decide {items:,}")
    lead = np.cumsum(values, axis=1, dtype=np.int32)
    for_a, for_b = boundary.for_a[1 : items + 1], boundary.for_b[1 : items + 1]
    if boundary.by_untied and not values.all():
        untied = np.cumsum(values != 0, axis=1, dtype=np.int32)
        for_a, for_b = boundary.for_a[untied], boundary.for_b[untied]
    return np.asarray((lead >= for_a).view(np.int8) - (lead <= for_b).view(np.int8))


def _first_crossing(sides: Codes) -> Stops:
    rows = np.arange(len(sides))
    first = (sides != 0).argmax(axis=1)
    verdict = sides[rows, first]
    return Stops(verdict, np.where(verdict != 0, first + 1, sides.shape[1]))


def _last_crossing(sides: Codes) -> Stops:
    """The item at which the run moves for the last time to the side on which it ends; undecided if it ends between."""
    verdict = sides[:, -1].copy()
    elsewhere = (sides != verdict[:, None])[:, ::-1]
    back = elsewhere.argmax(axis=1)
    since = np.where(elsewhere.any(axis=1), sides.shape[1] - back + 1, 1)
    return Stops(verdict, np.where(verdict != 0, since, sides.shape[1]))


def _at_fixed(values: Codes, rule: SimulatedRule, count: int) -> Stops:
    """One look, after `count` items; with fewer there is none."""
    runs, items = values.shape
    if items < count:
        return Stops(np.zeros(runs, dtype=np.int8), np.full(runs, items))
    wins, losses = ((side * values[:, :count] > 0).sum(axis=1)[:, None] for side in (1, -1))
    # Bonferroni over `family` pairs is a single pair at its share of alpha.
    verdict = finished_runs(wins, losses, count, rule.pool, rule.alpha / rule.family, "none", rule.margin)
    return Stops(verdict[:, 0], np.full(runs, count))


def _planned(values: Codes, rule: SimulatedRule) -> Stops:
    """Evidence for a planned number of items, a block of items at a time for the runs that are undecided."""
    family = Family(rule.alpha, "bonferroni", rule.family, rule.margin is not None)
    most = int(rule.items or values.shape[1])
    runs = planned_runs(family, most, rule.margin, rule.pool, len(values))
    verdict = np.zeros(len(values), dtype=np.int8)
    items = np.full(len(values), values.shape[1])
    cells = np.arange(len(values))
    for start in range(0, values.shape[1], _BLOCK):
        if not cells.size:
            break
        reached = runs.after(cells, values[cells, start : start + _BLOCK]) >= rule.log_threshold
        at: Bools = np.asarray(reached.any(axis=2))
        decided, first = at.any(axis=1), at.argmax(axis=1)
        rows = np.flatnonzero(decided)
        which = reached[rows, first[rows]].argmax(axis=1)  # a direction goes before an equivalence
        verdict[cells[rows]] = np.array([1, -1, EQUIVALENT], dtype=np.int8)[which]
        items[cells[rows]] = start + first[rows] + 1
        cells = cells[~decided]
    return Stops(verdict, items)
