"""The vectorised engine: one pair of systems, many runs of a campaign at once.

label matrix -> item values by the labelling policy -> stop by the rule. `run_matrix` starts from labels that exist
(pre-drawn, or replayed from a study); `simulate_pair` draws them from agents, in seeded chunks.

The vectorised engine for campaigns of many pairs: undecided pairs take turns, a batch each, one label at a time.

`run_family` asks for the labels of those pairs only that are still undecided, some turns at a time, and gives what the
step engine gives if one task is out at a time. `run_matrices` starts from labels that exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.simulate.engines.parallel import in_chunks
from tiebreak.simulate.engines.policies import SimulatedLabelling, Turns, item_values
from tiebreak.simulate.engines.stops import FamilyStops, SimulatedRule, stops
from tiebreak.simulate.people.crowd import Crowd, draw_labels, draw_one_person, draw_people

Codes = NDArray[np.int8]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_CELLS = 400_000  # labels drawn at once: a few megabytes


@dataclass(frozen=True, slots=True)
class CampaignRuns:
    """What became of each run, all (runs,).

    `verdict`: 1 a, -1 b, 2 equivalent, 0 undecided; `items` and `labels` until the verdict, or all of them.
    """

    verdict: Codes
    items: Counts
    labels: Counts

    @property
    def decided(self) -> NDArray[np.bool_]:
        """(runs,): whether there is a verdict."""
        return np.asarray(self.verdict != 0)

    @classmethod
    def joined(cls, parts: Sequence[CampaignRuns]) -> CampaignRuns:
        """The runs of several parts, in order."""
        return cls(
            np.concatenate([part.verdict for part in parts]),
            np.concatenate([part.items for part in parts]),
            np.concatenate([part.labels for part in parts]),
        )


def run_matrix(labels: Codes, policy: SimulatedLabelling, rule: SimulatedRule) -> CampaignRuns:
    """Campaigns on labels (runs, items, people) that are there already, people in the order in which they answer.

    A campaign asks about one item after the other and stops at its verdict; what it does not ask for costs nothing.
    """
    valued = item_values(labels, policy)
    found = stops(valued.values, rule)
    return CampaignRuns(found.verdict, found.items, valued.labels_up_to(found.items))


@dataclass(frozen=True, slots=True)
class PairSetting:
    """A pair of systems and the people who judge it.

    `difference` (items,): latent differences in [-1, 1] of the items, the same in every run. `repeat`: policies with
    several answers on an item under which one person may give more than one of them.
    """

    crowd: Crowd
    difference: Floats
    repeat: frozenset[str] = field(default_factory=frozenset)

    def draw(self, policy: SimulatedLabelling, runs: int, rng: np.random.Generator) -> Codes:
        """Labels (runs, items, people) as this policy asks for them."""
        items = self.difference.size
        if policy.name == "fixed":
            people = draw_one_person(len(self.crowd), runs, items, rng)
        else:
            replace = policy.name in self.repeat
            people = draw_people(len(self.crowd), runs, items, policy.people, rng, replace=replace)
        return draw_labels(self.crowd, people, self.difference, rng)


def simulate_pair(
    setting: PairSetting,
    plans: Sequence[tuple[SimulatedLabelling, Sequence[SimulatedRule]]],
    runs: int,
    seed: int,
    workers: int = 1,
) -> Mapping[tuple[SimulatedLabelling, SimulatedRule], CampaignRuns]:
    """Runs of every policy under each of its rules; the rules of one policy see the same labels.

    The same seed gives the same results with any number of `workers`.
    """
    items = setting.difference.size
    if not items:
        raise UsageError("a campaign needs at least one item")
    widest = max(policy.people for policy, _ in plans)
    chunk = max(1, _CELLS // (items * widest))

    def task(size: int, rng: np.random.Generator) -> list[list[CampaignRuns]]:
        found = []
        for policy, of_policy in plans:
            labels = setting.draw(policy, size, rng)
            found.append([run_matrix(labels, policy, rule) for rule in of_policy])
        return found

    parts = in_chunks(task, runs, seed, chunk=chunk, workers=workers)
    return {
        (policy, rule): CampaignRuns.joined([part[i][j] for part in parts])
        for i, (policy, of_policy) in enumerate(plans)
        for j, rule in enumerate(of_policy)
    }


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


def run_family(ask: Ask, runs: int, policy: SimulatedLabelling, rule: SimulatedRule) -> FamilyRuns:
    """Campaigns of the pairs of a rule, of which a batch each comes in turn.

    The people of a label (its last axis) are in the order in which they answer; what no undecided pair needs is not
    asked for.
    """
    turns = Turns(rule.batch, rule.items, several=policy.people > 1)
    state = FamilyStops(rule, turns, runs)
    paid = np.zeros(runs * rule.pairs, dtype=np.int64)
    for first, last in turns.stretches():
        cells = state.undecided()
        start, stop = int(turns.done_after(first - 1)), int(turns.done_after(last - 1))
        if not cells.size or start == stop:
            continue
        valued = item_values(ask(cells, start, stop), policy)
        state.look(cells, valued.values, first, last)
        paid[cells] += valued.labels_up_to(state.items.reshape(-1)[cells] - start)
    item_labels = paid.reshape(runs, rule.pairs)
    return FamilyRuns(state.verdict, state.items, item_labels, item_labels + state.begun)


def run_matrices(labels: Codes, policy: SimulatedLabelling, rule: SimulatedRule) -> FamilyRuns:
    """Campaigns on labels (runs, pairs, items, people) that are there already.

    Raises `UsageError` where they are not those of the pairs of the rule.
    """
    runs, pairs, items, people = labels.shape
    if (pairs, items) != (rule.pairs, rule.items):
        raise UsageError(f"labels of {pairs:,} pairs on {items:,} items, not {rule.pairs:,} on {rule.items:,}")
    of_cells = labels.reshape(runs * pairs, items, people)

    def ask(cells: Cells, start: int, stop: int) -> Codes:
        return of_cells[cells, start:stop]

    return run_family(ask, runs, policy, rule)
