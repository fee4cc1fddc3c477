"""When each pair of a campaign is decided, and how, for many campaigns at once: by the rule that decides a real one.

A cell is one pair in one campaign, numbered campaign by campaign. The rule is told the values of more and more items of
all undecided cells. Its evidence at its largest so far, and the verdicts that this brings about, only ever move one
way: so the next verdict of a campaign is found by bisection over the places of its items in the campaign, over turns,
then over the pairs of that turn, then over the items of that pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import UNDECIDED, Codes, MeasureFacts, Rule, Units
from tiebreak.settings.protocol import DecisionSettings
from tiebreak.simulate.engines.policies import Turns

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Cells = NDArray[np.intp]

_BLOCK = 128  # items of one pair looked at together


@dataclass(frozen=True)
class SimulatedRule:
    """A rule as every pair of a simulated campaign has it: `items` of each pair get one value, of a `pool` where the
    claim is about these items. `batch`: items between two looks of a rule that looks after batches.

    Raises `UsageError` for values that cannot be, or that the rule has no use for.
    """

    decision: DecisionSettings
    items: int
    pairs: int = 1
    pool: int | None = None
    batch: int = 10

    def __post_init__(self) -> None:
        for name, count in (("items", self.items), ("pairs", self.pairs), ("batch", self.batch)):
            if count < 1:
                raise UsageError(f"{name} must be at least 1, but it is {count}")
        if self.decision.margin is not None and not self.rule.takes_margin:
            raise UsageError(f"the rule {self.rule.name} cannot find equivalence")
        if self.pool is not None and self.items > self.pool:
            raise UsageError(f"{self.items:,} items cannot be drawn from a pool of {self.pool:,}")

    @property
    def rule(self) -> Rule[Any, Any]:
        """The rule itself."""
        return RULES[self.decision.rule]

    @cached_property
    def plans(self) -> list[Any]:
        """Of the pairs, which are all alike."""
        facts = MeasureFacts(self.items, pool_size=self.pool, batch=self.batch, intervals=False)
        return self.rule.prepare([facts] * self.pairs, self.decision)


@dataclass(frozen=True, slots=True)
class Stops:
    """`verdict` (runs,): 1 a, -1 b, 2 equivalent, 0 undecided; `items` (runs,): items labelled until then, or all."""

    verdict: Codes
    items: Counts

    @property
    def decided(self) -> NDArray[np.bool_]:
        """(runs,): whether there is a verdict."""
        return np.asarray(self.verdict != UNDECIDED)


def stops(values: Codes, of: SimulatedRule) -> Stops:
    """Where each run of the item values (runs, items) of one pair stops, at the latest at the end of the plan."""
    # A block of items at a time, for the runs that are undecided.
    rule, (plan,) = of.rule, of.plans
    values = values[:, : of.items]
    verdict, items = np.zeros(len(values), dtype=np.int8), np.full(len(values), values.shape[1])
    cells = np.arange(len(values))
    state = rule.start(plan, len(values))
    for start in range(0, values.shape[1], _BLOCK):
        if not cells.size:
            break
        state, path = rule.advance(plan, state, Units.labelled(values[cells, start : start + _BLOCK]))
        codes = rule.verdicts([plan], path.reshape(-1, 1, path.shape[2]), of.decision).reshape(path.shape[:2])
        at = codes != UNDECIDED
        rows, first = np.flatnonzero(at.any(axis=1)), at.argmax(axis=1)
        verdict[cells[rows]] = codes[rows, first[rows]]
        items[cells[rows]] = start + first[rows] + 1
        left = np.flatnonzero(~at.any(axis=1))
        state, cells = rule.some(state, left), cells[left]
    return Stops(verdict, items)


class FamilyStops:
    """`verdict` (runs, pairs): 1 a, -1 b, 2 equivalent, 0 undecided; `items`: done when the verdict was reached, or so
    far; `begun`: labels on an item that was begun then, by a pair that was decided while it waited for its turn.
    """

    def __init__(self, of: SimulatedRule, turns: Turns, runs: int) -> None:
        self._of, self._rule, self._turns = of, of.rule, turns
        self._done = turns.done_after(np.arange(-1, turns.count))
        self._cells = np.arange(runs * of.pairs)
        self._state = self._rule.start(of.plans[0], runs * of.pairs)
        self._largest = self._state.evidence.reshape(runs, of.pairs, -1).copy()
        self.verdict = np.full((runs, of.pairs), UNDECIDED, dtype=np.int8)
        self.items = np.zeros((runs, of.pairs), dtype=np.int64)
        self.begun = np.zeros((runs, of.pairs), dtype=np.int64)

    def undecided(self) -> Cells:
        """The cells that need more items."""
        return np.flatnonzero(self.verdict == UNDECIDED)

    def look(self, cells: Cells, values: Codes, first: int, last: int) -> None:
        """The values (cells, n) of the items of turns `first` to `last` - 1 of all undecided cells.

        One verdict after the other is found in each campaign, in all campaigns at once.
        """
        start, stop = int(self._done[first]), int(self._done[last])
        runs, place = np.unique(cells // self.verdict.shape[1], return_inverse=True)
        evidence = np.repeat(self._largest[runs][:, :, None], stop - start + 1, axis=2)
        evidence[place, cells % self.verdict.shape[1], 1:] = self._after(cells, values)
        np.maximum.accumulate(evidence, axis=2, out=evidence)
        self.items.reshape(-1)[cells] = stop
        if self._rule.looks == "one":
            self._largest = evidence[:, :, -1]
            if last == self._turns.count:
                self.verdict[:] = self._codes(self._largest)
            return
        rows, turn = np.arange(runs.size), np.full(runs.size, first)
        while True:
            # Only campaigns in which the evidence of all these turns decides another pair.
            codes = self._codes(_at(evidence, rows, self.items[runs[rows]] - start))
            rows = rows[self._is_new(codes, runs[rows])]
            if not rows.size:
                break
            turn[rows], pair, done = self._next(evidence, runs, rows, turn[rows], last - 1, start)
            self._decide(runs[rows], _at(evidence, rows, done - start), turn[rows], pair, done)
        self._largest[runs] = _at(evidence, np.arange(runs.size), self.items[runs] - start)

    def _after(self, cells: Cells, values: Codes) -> Floats:
        """The evidence (cells, n, D) after each of the next values; cells not given are not looked at again."""
        self._state = self._rule.some(self._state, np.searchsorted(self._cells, cells))
        self._cells = cells
        self._state, path = self._rule.advance(self._of.plans[0], self._state, Units.labelled(values))
        return path

    def _codes(self, largest: Floats) -> Codes:
        return self._rule.verdicts(self._of.plans, largest, self._of.decision)

    def _is_new(self, codes: Codes, runs: Cells) -> NDArray[np.bool_]:
        """Whether verdicts (rows, pairs) decide a pair of these runs that was undecided."""
        return np.asarray(((codes != UNDECIDED) & (self.verdict[runs] == UNDECIDED)).any(axis=1))

    def _next(
        self, evidence: Floats, runs: Cells, rows: Cells, turn: Counts, last: int, start: int
    ) -> tuple[Counts, Counts, Counts]:
        """When these rows decide more: the turn, the pair (rows,), and the items of all pairs (rows, pairs) by then."""
        asked = self.items[runs[rows]]
        places, row = np.arange(asked.shape[1]), np.arange(rows.size)
        before, after = self._done[:-1], self._done[1:]

        def done(turn: Counts, pair: Counts, items: Counts) -> Counts:
            found = np.where(places < pair[:, None], after[turn, None], before[turn, None])
            found[row, pair] = items
            return np.minimum(found, asked)  # nobody is asked about a decided pair

        def more(turn: Counts, pair: Counts, items: Counts) -> NDArray[np.bool_]:
            return self._is_new(self._codes(_at(evidence, rows, done(turn, pair, items) - start)), runs[rows])

        zero, final = np.zeros_like(turn), np.full_like(turn, asked.shape[1] - 1)
        turn = _smallest(lambda turn: more(turn, final, after[turn]), turn, np.full_like(turn, last))
        pair = _smallest(lambda pair: more(turn, pair, after[turn]), zero, final)
        items = _smallest(lambda items: more(turn, pair, items), before[turn] + 1, after[turn])
        return turn, pair, done(turn, pair, items)

    def _decide(self, runs: Cells, largest: Floats, turn: Counts, pair: Counts, done: Counts) -> None:
        """Verdicts on all pairs (runs, pairs) that this evidence decides."""
        codes = self._codes(largest)
        new = (codes != UNDECIDED) & (self.verdict[runs] == UNDECIDED)
        # Pairs before the one whose item it was have had this turn, those after it have not.
        places = np.arange(largest.shape[1])
        waiting = self._turns.begun_after(turn[:, None] - (places > pair[:, None]))
        self.verdict[runs] = np.where(new, codes, self.verdict[runs])
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
