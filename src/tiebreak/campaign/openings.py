"""What can be asked next on a track: the first place of its sealed order that still needs a label."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.state import OpenItem, OpenUnit, State, TrackState


class Opening(NamedTuple):
    """An item that needs a label: its unit, and its place in the unit."""

    unit: int
    slot: int


class Allowance(NamedTuple):
    """Labels that the budget still pays for: `begun` for items that were opened before, `new` beyond what these need.

    (Without the difference the last labels of a budget would go to items that it cannot complete.) Infinite without a
    budget.
    """

    begun: float
    new: float


def affordable_labels(state: State) -> float:
    """Labels that the budget still pays for beyond those under way; infinite without a budget."""
    most = state.most_labels
    return math.inf if most is None else most - state.labels - len(state.tasks)


def allowance(state: State, wanted: Iterable[int]) -> Allowance:
    """What is left, if the opened items of the wanted tracks are completed first."""
    affordable = affordable_labels(state)
    if affordable == math.inf:
        return Allowance(affordable, affordable)
    busy = [of for of in [state.tracks[k] for k in wanted] if of.open]
    promised = sum(_labels_to_ask(items) for of in busy for _, items in begun_units(of))
    return Allowance(affordable, affordable - promised)


def allowance_after(left: Allowance, state: State, track: int, unit: int) -> Allowance:
    """What is left of an allowance once somebody is asked about an item of this unit (`state`: before that).

    A label of an opened item was promised before. A new unit promises all of its labels.
    """
    if left.begun == math.inf or unit < state.tracks[track].next:
        return Allowance(left.begun - 1, left.new)
    return Allowance(left.begun - 1, left.new - _labels_of_new(state, track, unit))


def opening(state: State, track: int, annotator: str | None, left: Allowance) -> Opening | None:
    """The first item of a track that this person (None: anybody) may label and the budget can complete.

    Items that were opened before go first, so that a task that came back is asked again at its place.
    """
    for unit, items in begun_units(state.tracks[track]):
        for slot, item in enumerate(items):
            if _is_free(item, annotator, left):
                return Opening(unit, slot)
    return _new_item(state, track, left.new)


def may_be_asked(state: State, track: int, place: Opening, annotator: str, left: Allowance) -> bool:
    """Whether this person may label an opened item, and the budget can complete it."""
    item = state.tracks[track].open[place.unit][place.slot]
    return _is_free(item, annotator, left) and may_work_on(state, track, annotator)


def _is_free(item: OpenItem, annotator: str | None, left: Allowance) -> bool:
    free = item.wanted - len(item.answers) - len(item.out)
    return 0 < free <= left.begun and not (annotator is not None and item.touched_by(annotator))


def may_get_more(state: State, annotator: str) -> bool:
    """Whether a person may be handed tasks: not excluded, and below the most labels per person."""
    person, most = state.annotators.get(annotator), state.protocol.people.labels_per_person
    return person is None or (not person.excluded and (most is None or person.labels + person.open < most))


def may_work_on(state: State, track: int, annotator: str) -> bool:
    """Whether the labelling policy lets this person label the track at all."""
    if not LABELLING_POLICIES[state.protocol.labels.labelling].same_annotator:
        return True
    worker = state.tracks[track].worker
    return worker is None or worker == annotator or not may_get_more(state, worker)


def next_new_unit(state: State, track: int) -> int | None:
    """The first unit from `next` on that needs labels; None at the end of the order or of the track's budget."""
    plan, of = state.plan.tracks[track], state.tracks[track]
    unit = max(of.next, of.done)
    while unit < plan.most_units and not any(_needs(state, track, unit)):
        unit += 1
    return unit if unit < plan.most_units else None


def _needs(state: State, track: int, unit: int) -> tuple[bool, ...]:
    """Which items of a unit that nobody was asked about need somebody: neither known ties nor abandoned."""
    items = state.tracks[track].open.get(unit)  # where some were abandoned
    if items is None:
        return state.plan.tracks[track].needs[unit]
    return tuple([not (item.known or item.abandoned) for item in items])


def begun_units(of: TrackState) -> list[tuple[int, OpenUnit]]:
    """The units that somebody has been asked about and that are not done, in order."""
    return [(unit, of.open[unit]) for unit in sorted(of.open) if unit < of.next] if of.open else []


def _labels_to_ask(items: OpenUnit) -> int:
    """Labels that the items of a unit need beyond those under way."""
    return sum([max(0, item.missing - len(item.out)) for item in items])


def _labels_of_new(state: State, track: int, unit: int) -> int:
    """Labels of a unit that nobody was asked about."""
    return state.plan.least_labels * sum(_needs(state, track, unit))


def _new_item(state: State, track: int, affordable: float) -> Opening | None:
    """The first item of the next unit, if the budget pays for the whole unit."""
    limit, unit = state.protocol.pairs.open, next_new_unit(state, track)
    if unit is None or affordable < 1 or (limit is not None and _incomplete_units(state.tracks[track]) >= limit):
        return None
    if affordable < math.inf and _labels_of_new(state, track, unit) > affordable:
        return None
    return Opening(unit, _needs(state, track, unit).index(True))


def _incomplete_units(of: TrackState) -> int:
    return sum(any(item.missing for item in items) for _, items in begun_units(of))
