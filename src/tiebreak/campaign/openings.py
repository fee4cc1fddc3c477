"""What can be asked next on a pair: the first place of its sealed order that still needs a label."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.state import State


@dataclass(frozen=True, slots=True)
class Opening:
    """An item that needs a label: its unit, its place in the unit, and its number."""

    unit: int
    slot: int
    item: int


def affordable_labels(state: State) -> float:
    """Labels that the budget still pays for beyond those under way; infinite without a budget."""
    most = state.protocol.most_labels
    return math.inf if most is None else most - state.labels - len(state.tasks)


def opening(state: State, pair: int, annotator: str | None, affordable: float) -> Opening | None:
    """The first item of a pair that this person (None: anybody) may label and the budget can complete.

    Items that were opened before go first, so that a task that came back is asked again at its place.
    """
    found = _opened_before(state, pair, annotator, affordable)
    return found if found is not None else _new_item(state, pair, affordable)


def may_work_on(state: State, pair: int, annotator: str) -> bool:
    """Whether the labelling policy lets this person label the pair at all."""
    if not LABELLING_POLICIES[state.protocol.labels.policy].same_annotator:
        return True
    worker = state.pairs[pair].worker
    return worker is None or worker == annotator or state.is_excluded(worker)


def next_new_unit(state: State, pair: int) -> int | None:
    """The first unit never opened that is no known tie; None at the end of the order or of the pair's budget."""
    plan, of = state.plan.pairs[pair], state.pairs[pair]
    unit = max(of.next, of.done)
    while unit < plan.most_units and (unit in of.open or plan.is_known(unit)):
        unit += 1
    return unit if unit < plan.most_units else None


def _opened_before(state: State, pair: int, annotator: str | None, affordable: float) -> Opening | None:
    open_units = state.pairs[pair].open
    for unit in sorted(open_units):
        for slot, item in enumerate(open_units[unit]):
            free = item.labels_missing(state.protocol) - len(item.out)
            if 0 < free <= affordable and not (annotator is not None and item.touched_by(annotator)):
                return Opening(unit, slot, item.item)
    return None


def _new_item(state: State, pair: int, affordable: float) -> Opening | None:
    protocol, plan = state.protocol, state.plan.pairs[pair]
    wanted = LABELLING_POLICIES[protocol.labels.policy].labels_wanted((), protocol.labels.annotators)
    limit = protocol.pairs.open
    if wanted > affordable or (limit is not None and len(state.pairs[pair].open) >= limit):
        return None
    unit = next_new_unit(state, pair)
    if unit is None:
        return None
    slot = int(plan.known_of(unit).argmin())
    return Opening(unit, slot, int(plan.items(unit)[slot]))
