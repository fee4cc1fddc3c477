"""An item is withdrawn: what that changes. The owner may have seen every answer, so that nothing may rise by it.

Evidence is a product with one factor per unit. The factor of the withdrawn item's unit falls to its worst value, for
either side; all bets stay those that the labels as they came have made. So evidence is at most what it would have been
without the withdrawal, whatever the owner knows, and errs no more often.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from tiebreak.campaign.assigning import asked_about, slot_of, taken_back, unit_items, unit_of
from tiebreak.campaign.events import EventError, ItemWithdrawn
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.state import MeasureState, State, with_track
from tiebreak.rules.registry import RULES


def withdrawn(state: State, event: ItemWithdrawn) -> tuple[State, tuple[int, ...] | None]:
    """The state after the event, and the track whose evidence may grow by it (units behind an item that waited).

    An item that is withdrawn again, and any after the end, changes nothing.

    Raises:
        EventError: no such item; one that nobody is asked about; one that evidence must learn from and cannot yet.
    """
    k, item = asked_about(state.plan, event)
    plan, of, unit = state.plan.tracks[k], state.tracks[k], unit_of(state, k, item)
    place = int(np.flatnonzero(plan.order == item)[0])
    if plan.known[place]:
        raise EventError(f"the outputs of {' and '.join(event.systems)} on item {event.item} are identical")
    if state.ended is not None or unit >= plan.most_units:
        return state, None
    if unit >= of.done:
        return _before_evidence(state, event, k, unit, item), (k,)
    without_it = kind_of(state.protocol).withdraw(state.plan, k, of, place)
    if without_it is None:
        return state, None
    state = with_track(_all_back(state, k, place), k, without_it)
    measures = list(state.measures)
    for number in state.plan.measures_of[k]:
        measures[number] = _measured_again(state, number)
    return state._replace(measures=tuple(measures)), None


def _measured_again(state: State, number: int) -> MeasureState:
    """A measure with the evidence of its units as they are now."""
    of, plan = state.measures[number], state.plan
    kind, rule = kind_of(state.protocol), RULES[state.protocol.decision.rule]
    values = [kind.unit_value(plan, state.tracks, plan.measures[number], unit) for unit in range(of.done)]
    return of._replace(evidence=rule.again(plan.rule_plans[number], values, of.evidence))


def _all_back(state: State, k: int, place: int) -> State:
    """The state with every task back that is out on the item at a place of a track's sealed order."""
    starts = state.plan.tracks[k].starts
    out = [
        task.task
        for task in state.tasks.values()
        if task.gold is None and task.track == k and int(starts[task.unit]) + task.slot == place
    ]
    return reduce(taken_back, out, state)


def _before_evidence(state: State, event: ItemWithdrawn, k: int, unit: int, item: int) -> State:
    """The same for an item that is no evidence yet."""
    items = unit_items(state, k, unit)
    slot = slot_of(items, item)
    if items[slot].withdrawn:
        return state
    rule = RULES[state.protocol.decision.rule]
    if items[slot].missing and rule.learns:
        raise EventError(
            f"item {event.item} has not all of its labels yet, and later evidence learns from each: collect its answer "
            "first, then withdraw it"
        )
    state = _all_back(state, k, int(state.plan.tracks[k].starts[unit]) + slot)
    of = state.tracks[k]
    place = unit_items(state, k, unit)[slot]
    gone = place._replace(withdrawn=True)
    if place.missing:
        gone = gone._replace(wanted=0, abandoned=True)
    grown = of.with_place(unit, items, slot, gone)
    return with_track(state, k, grown._replace(withdrawn=of.withdrawn + len(place.answers)))
