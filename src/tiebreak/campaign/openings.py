"""What can be asked next on a pair: the first place of its sealed order that still needs a label."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.state import OpenUnit, State


@dataclass(frozen=True, slots=True)
class Opening:
    """An item that needs a label: its unit, and its place in the unit."""

    unit: int
    slot: int


@dataclass(frozen=True, slots=True)
class Allowance:
    """Labels that the budget still pays for: `begun` for items that were opened before, `new` beyond what these need.

    (Without the difference the last labels of a budget would go to items that it cannot complete.) Infinite without a
    budget.
    """

    begun: float
    new: float


def affordable_labels(state: State) -> float:
    """Labels that the budget still pays for beyond those under way; infinite without a budget."""
    most = state.protocol.most_labels
    return math.inf if most is None else most - state.labels - len(state.tasks)


def allowance(state: State, wanted: Iterable[int]) -> Allowance:
    """What is left, if the opened items of the wanted pairs are completed first."""
    affordable = affordable_labels(state)
    if affordable == math.inf:
        return Allowance(affordable, affordable)
    promised = sum(
        max(0, item.labels_missing(state.protocol) - len(item.out))
        for k in wanted
        for _, items in _begun_units(state, k)
        for item in items
    )
    return Allowance(affordable, affordable - promised)


def opening(state: State, pair: int, annotator: str | None, left: Allowance) -> Opening | None:
    """The first item of a pair that this person (None: anybody) may label and the budget can complete.

    Items that were opened before go first, so that a task that came back is asked again at its place.
    """
    for unit, items in _begun_units(state, pair):
        found = _free_item(state, unit, items, annotator, left.begun)
        if found is not None:
            return found
    return _new_item(state, pair, left.new)


def may_get_more(state: State, annotator: str) -> bool:
    """Whether a person may be handed tasks: not excluded, and below the most labels per person."""
    if state.is_excluded(annotator):
        return False
    person, most = state.annotators.get(annotator), state.protocol.people.most_labels
    return most is None or person is None or person.labels + person.open < most


def may_work_on(state: State, pair: int, annotator: str) -> bool:
    """Whether the labelling policy lets this person label the pair at all."""
    if not LABELLING_POLICIES[state.protocol.labels.policy].same_annotator:
        return True
    worker = state.pairs[pair].worker
    return worker is None or worker == annotator or not may_get_more(state, worker)


def next_new_unit(state: State, pair: int) -> int | None:
    """The first unit from `next` on that needs labels; None at the end of the order or of the pair's budget."""
    plan, of = state.plan.pairs[pair], state.pairs[pair]
    unit = max(of.next, of.done)
    while unit < plan.most_units and _needs_nobody(state, pair, unit):
        unit += 1
    return unit if unit < plan.most_units else None


def _needs_nobody(state: State, pair: int, unit: int) -> bool:
    """All its items are known ties or abandoned."""
    items = state.pairs[pair].open.get(unit)
    if items is None:
        return not any(state.plan.pairs[pair].needs[unit])
    return all(item.known or item.abandoned for item in items)


def _begun_units(state: State, pair: int) -> list[tuple[int, OpenUnit]]:
    """The units that somebody has been asked about and that are not done, in order."""
    of = state.pairs[pair]
    if not of.open:
        return []
    return [(unit, of.open[unit]) for unit in sorted(of.open) if unit < of.next]


def _free_item(state: State, unit: int, items: OpenUnit, annotator: str | None, affordable: float) -> Opening | None:
    for slot, item in enumerate(items):
        free = item.labels_missing(state.protocol) - len(item.out)
        if 0 < free <= affordable and not (annotator is not None and item.touched_by(annotator)):
            return Opening(unit, slot)
    return None


def _new_item(state: State, pair: int, affordable: float) -> Opening | None:
    """The first item of the next unit, if the budget pays for the whole unit."""
    plan, limit, unit = state.plan.pairs[pair], state.protocol.pairs.open, next_new_unit(state, pair)
    if unit is None or affordable < 1 or (limit is not None and _incomplete_units(state, pair) >= limit):
        return None
    items = state.pairs[pair].open.get(unit)  # where some were abandoned
    needs = plan.needs[unit] if items is None else tuple(not (item.known or item.abandoned) for item in items)
    return Opening(unit, needs.index(True)) if state.plan.least_labels * sum(needs) <= affordable else None


def _incomplete_units(state: State, pair: int) -> int:
    return sum(any(item.labels_missing(state.protocol) for item in items) for _, items in _begun_units(state, pair))
