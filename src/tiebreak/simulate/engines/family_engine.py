"""The vectorised engine for campaigns of many pairs: undecided pairs take turns, a batch each, one label at a time.

`run_family` asks for the labels of those pairs only that are still undecided, some turns at a time, and gives what the
step engine gives if one task is out at a time. `run_matrices` starts from labels that exist.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.rules.registry import Multiplicity
from tiebreak.simulate.engines.family_stops import family_stops
from tiebreak.simulate.engines.policies import SimulatedLabelling, Turns, item_values
from tiebreak.simulate.engines.stopping import SimulatedRule

Codes = NDArray[np.int8]
Counts = NDArray[np.int64]
Cells = NDArray[np.intp]
Ask = Callable[[Cells, int, int], Codes]
"""Cells (pair k of campaign r is r K + k), first item and one beyond the last, to labels (cells, items, people)."""


@dataclass(frozen=True, slots=True)
class FamilyRuns:
    """What became of each pair of each campaign, all (runs, pairs).

    `verdict`: 1 a, -1 b, 2 equivalent, 0 undecided; `items` and `item_labels`, their labels, until the verdict, or all
    of them; `labels` paid: also the first label on an item that was begun when another pair's verdict decided this one.
    """

    verdict: Codes
    items: Counts
    item_labels: Counts
    labels: Counts

    @property
    def decided(self) -> NDArray[np.bool_]:
        """(runs, pairs): whether there is a verdict."""
        return np.asarray(self.verdict != 0)


def run_family(
    ask: Ask,
    runs: int,
    pairs: int,
    items: int,
    policy: SimulatedLabelling,
    rule: SimulatedRule,
    multiplicity: Multiplicity,
) -> FamilyRuns:
    """Campaigns of `pairs` pairs with at most `items` items each; a batch is `rule.batch` items.

    The people of a label (its last axis) are in the order in which they answer; what no undecided pair needs is not
    asked for. `rule.family` is not read: the family is all pairs. Raises `UsageError` for a fixed number of items that
    is not that of the pairs.
    """
    if rule.name == "fixed" and rule.items != items:
        raise UsageError(f"{items:,} items of a pair are not the {rule.items:,} that were fixed for all")
    turns = Turns(rule.batch, items, several=policy.people > 1)
    state = family_stops(rule, multiplicity, turns, runs, pairs)
    paid = np.zeros(runs * pairs, dtype=np.int64)
    for first, last in turns.stretches():
        cells = state.undecided()
        start, stop = int(turns.done_after(first - 1)), int(turns.done_after(last - 1))
        if not cells.size or start == stop:
            continue
        valued = item_values(ask(cells, start, stop), policy)
        state.look(cells, valued.values, first, last)
        paid[cells] += valued.labels_up_to(state.items.reshape(-1)[cells] - start)
    item_labels = paid.reshape(runs, pairs)
    return FamilyRuns(state.verdict, state.items, item_labels, item_labels + state.begun)


def run_matrices(
    labels: Codes, policy: SimulatedLabelling, rule: SimulatedRule, multiplicity: Multiplicity
) -> FamilyRuns:
    """Campaigns on labels (runs, pairs, items, people) that are there already."""
    runs, pairs, items, people = labels.shape
    of_cells = labels.reshape(runs * pairs, items, people)

    def ask(cells: Cells, start: int, stop: int) -> Codes:
        return of_cells[cells, start:stop]

    return run_family(ask, runs, pairs, items, policy, rule, multiplicity)
