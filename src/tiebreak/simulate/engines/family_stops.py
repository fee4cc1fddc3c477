"""When each pair of a campaign is decided, and how, for many campaigns at once: one look per stretch of items.

A cell is one pair in one campaign, numbered campaign by campaign. What decides it is told the values of more and more
of its items, until there is a verdict. `Apart` is for rules under which pairs do not care about one another,
`StoppedTogether` for thresholds that fall with the verdicts found (`campaign/stopping/anytime.py`), `AtTheEnd` for one
look at the end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.rules.planned import Family
from tiebreak.rules.registry import Multiplicity
from tiebreak.simulate.engines import policies
from tiebreak.simulate.engines.planned_runs import planned_runs
from tiebreak.simulate.engines.policies import Turns
from tiebreak.simulate.engines.stopping import EQUIVALENT, UNDECIDED, SimulatedRule, boundary_for, finished_runs, stops

Codes = NDArray[np.int8]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Cells = NDArray[np.intp]


class FamilyStops(ABC):
    """`verdict` (runs, pairs): 1 a, -1 b, 2 equivalent, 0 undecided; `items`: done when the verdict was reached, or so
    far; `begun`: labels on an item that was begun then, by a pair that was decided while it waited for its turn.
    """

    def __init__(self, runs: int, pairs: int) -> None:
        self.verdict = np.full((runs, pairs), UNDECIDED, dtype=np.int8)
        self.items = np.zeros((runs, pairs), dtype=np.int64)
        self.begun = np.zeros((runs, pairs), dtype=np.int64)

    def undecided(self) -> Cells:
        """The cells that need more items."""
        return np.flatnonzero(self.verdict == UNDECIDED)

    @abstractmethod
    def look(self, cells: Cells, values: Codes, first: int, last: int) -> None:
        """The values (cells, n) of the items of turns `first` to `last` - 1 of all undecided cells."""


def family_stops(rule: SimulatedRule, multiplicity: Multiplicity, turns: Turns, runs: int, pairs: int) -> FamilyStops:
    """Ready for the first items. `rule.family` is not read: the family is that of all pairs."""
    if rule.name == "fixed":
        return AtTheEnd(rule, multiplicity, turns, runs, pairs)
    if rule.name == "anytime":
        return StoppedTogether(rule, multiplicity, turns, runs, pairs)
    family = 1 if multiplicity in ("none", "fdr", "fdr-any") else pairs
    return Apart(replace(rule, family=family), turns, runs, pairs)


class Apart(FamilyStops):
    """Each pair by itself: its verdict is the same whenever its turns come."""

    def __init__(self, rule: SimulatedRule, turns: Turns, runs: int, pairs: int) -> None:
        super().__init__(runs, pairs)
        self._rule, self._turns = rule, turns
        self._boundary = boundary_for(rule, turns.most)
        self._values = np.zeros((runs * pairs, turns.most), dtype=np.int8)

    def look(self, cells: Cells, values: Codes, first: int, last: int) -> None:
        """All items so far again: a boundary costs far less than the labels did."""
        start, stop = int(self._turns.done_after(first - 1)), int(self._turns.done_after(last - 1))
        self._values[cells, start:stop] = values
        found = stops(self._values[cells, :stop], self._rule, self._boundary, self._turns.most)
        self.verdict.reshape(-1)[cells], self.items.reshape(-1)[cells] = found.verdict, found.items


class AtTheEnd(FamilyStops):
    """One look at all pairs once all of them have all their items."""

    def __init__(self, rule: SimulatedRule, multiplicity: Multiplicity, turns: Turns, runs: int, pairs: int) -> None:
        super().__init__(runs, pairs)
        self._rule, self._multiplicity, self._turns = rule, multiplicity, turns
        self._wins, self._losses = np.zeros((2, runs, pairs), dtype=np.int64)

    def look(self, cells: Cells, values: Codes, first: int, last: int) -> None:  # noqa: ARG002
        """Every cell is undecided until the end."""
        shape = self.verdict.shape
        self._wins += (values > 0).sum(axis=1).reshape(shape)
        self._losses += (values < 0).sum(axis=1).reshape(shape)
        self.items += values.shape[1]
        if last == self._turns.count:
            rule = self._rule
            self.verdict[:] = finished_runs(
                self._wins, self._losses, self._turns.most, rule.pool, rule.alpha, self._multiplicity, rule.margin
            )


class StoppedTogether(FamilyStops):
    """Evidence that grows item by item and thresholds that fall with each null rejected.

    Both only ever move one way, so that the next verdict of a campaign is found by bisection over the places of its
    items in the campaign: over turns, then over the pairs of that turn, then over the items of that pair.
    """

    def __init__(self, rule: SimulatedRule, multiplicity: Multiplicity, turns: Turns, runs: int, pairs: int) -> None:
        super().__init__(runs, pairs)
        self._turns = turns
        self._done = turns.done_after(np.arange(-1, turns.count))
        sides = 2 if rule.margin is None else 3
        self._thresholds = policies.thresholds(multiplicity, pairs, sides, rule.alpha)
        family = Family(rule.alpha, multiplicity, pairs, rule.margin is not None)
        self._paths = planned_runs(family, turns.most, rule.margin, rule.pool, runs * pairs)
        self._rejected = np.zeros(runs, dtype=np.int64)
        self._sup = np.full((runs, pairs, sides), -np.inf)

    def look(self, cells: Cells, values: Codes, first: int, last: int) -> None:
        """One verdict after the other in each campaign, in all campaigns at once."""
        start, stop = int(self._done[first]), int(self._done[last])
        runs, place = np.unique(cells // self.verdict.shape[1], return_inverse=True)
        evidence = np.repeat(self._sup[runs][:, :, None], stop - start + 1, axis=2)
        evidence[place, cells % self.verdict.shape[1], 1:] = self._paths.after(cells, values)
        self.items.reshape(-1)[cells] = stop
        rows, turn = np.arange(runs.size), np.full(runs.size, first)
        while True:
            # Only campaigns in which the evidence of all these turns rejects more than was rejected before.
            sup, rejected = _at(evidence, rows, self.items[runs[rows]] - start), self._rejected[runs[rows]]
            rows = rows[self._thresholds.rejected(sup, rejected) > rejected]
            if not rows.size:
                break
            turn[rows], pair, done = self._next(evidence, runs, rows, turn[rows], last - 1, start)
            self._decide(runs[rows], _at(evidence, rows, done - start), turn[rows], pair, done)
        self._sup[runs] = _at(evidence, np.arange(runs.size), self.items[runs] - start)

    def _next(
        self, evidence: Floats, runs: Cells, rows: Cells, turn: Counts, last: int, start: int
    ) -> tuple[Counts, Counts, Counts]:
        """When these rows reject more: the turn, the pair (rows,), and the items of all pairs (rows, pairs) by then."""
        asked, rejected = self.items[runs[rows]], self._rejected[runs[rows]]
        places, row = np.arange(asked.shape[1]), np.arange(rows.size)
        before, after = self._done[:-1], self._done[1:]

        def done(turn: Counts, pair: Counts, items: Counts) -> Counts:
            found = np.where(places < pair[:, None], after[turn, None], before[turn, None])
            found[row, pair] = items
            return np.minimum(found, asked)  # nobody is asked about a decided pair

        def more(turn: Counts, pair: Counts, items: Counts) -> NDArray[np.bool_]:
            sup = _at(evidence, rows, done(turn, pair, items) - start)
            return np.asarray(self._thresholds.rejected(sup, rejected) > rejected)

        zero = np.zeros_like(turn)
        final = zero + asked.shape[1] - 1
        turn = _smallest(lambda turn: more(turn, final, after[turn]), turn, zero + last)
        pair = _smallest(lambda pair: more(turn, pair, after[turn]), zero, final)
        items = _smallest(lambda items: more(turn, pair, items), before[turn] + 1, after[turn])
        return turn, pair, done(turn, pair, items)

    def _decide(self, runs: Cells, sup: Floats, turn: Counts, pair: Counts, done: Counts) -> None:
        """Verdicts on all pairs (runs, pairs) that reach the thresholds which their evidence brings about."""
        self._rejected[runs] = self._thresholds.rejected_in_all(sup, self._rejected[runs])
        reached = sup >= self._thresholds.log_e[self._rejected[runs], None, None]
        new = reached.any(axis=2) & (self.verdict[runs] == UNDECIDED)
        direction = np.where(sup[:, :, 0] >= sup[:, :, 1], 1, -1)
        verdict = np.where(reached[:, :, :2].any(axis=2), direction, EQUIVALENT)
        # Pairs before the one whose item it was have had this turn, those after it have not.
        places = np.arange(sup.shape[1])
        waiting = self._turns.begun_after(turn[:, None] - (places > pair[:, None]))
        self.verdict[runs] = np.where(new, verdict, self.verdict[runs])
        self.items[runs] = np.where(new, done, self.items[runs])
        self.begun[runs] = np.where(new & (places != pair[:, None]), waiting, self.begun[runs])


def _at(evidence: Floats, rows: Cells, items: Counts) -> Floats:
    """Of evidence (campaigns, pairs, items + 1, sides) what there is after so many items (rows, pairs): (rows, pairs,
    sides); what is below 0 came before.
    """
    return np.asarray(evidence[rows[:, None], np.arange(items.shape[1]), np.maximum(items, 0)])


def _smallest(holds: Callable[[Counts], NDArray[np.bool_]], low: Counts, high: Counts) -> Counts:
    """The smallest number in [low, high] of each row at which something holds that then holds for all larger ones, and
    for `high`.
    """
    while (low < high).any():
        middle = (low + high) // 2
        found = holds(middle)
        low, high = np.where(found, low, middle + 1), np.where(found, middle, high)
    return high
