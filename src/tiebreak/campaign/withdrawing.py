"""An item is withdrawn: what that changes. The owner may have seen every answer, so that nothing may rise by it.

Evidence is a product with one factor per unit. The factor of the withdrawn item's unit falls to its worst value, for
either side; all bets stay those that the labels as they came have made. So evidence is at most what it would have been
without the withdrawal, whatever the owner knows, and errs no more often.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from tiebreak.campaign import marks
from tiebreak.campaign.assigning import taken_back, with_pair
from tiebreak.campaign.events import EventError, ItemWithdrawn
from tiebreak.campaign.places import item_number, pair_number, slot_of, unit_items, unit_of
from tiebreak.campaign.plan import Plan
from tiebreak.campaign.state import State, with_entry, with_item
from tiebreak.campaign.stopping import STOPPING_RULES


def withdrawn(state: State, event: ItemWithdrawn) -> tuple[State, tuple[int, ...] | None]:
    """The state after the event, and the pair whose evidence may grow by it (units behind an item that waited).

    An item that is withdrawn again, and any after the end, changes nothing.

    Raises:
        EventError: no such item; one that nobody is asked about; one that evidence must learn from and cannot yet.
    """
    k, item = pair_number(state.plan, event), item_number(state.plan, event)
    unit, place = unit_of(state, k, item), _place(state.plan, k, item)
    plan, of = state.plan.pairs[k], state.pairs[k]
    if plan.known[place]:
        raise EventError(f"the outputs of {event.system_a} and {event.system_b} on item {event.item} are identical")
    if state.ended is not None or unit >= plan.most_units:
        return state, None
    if unit >= of.done:
        return _before_evidence(state, event, k, unit, item), (k,)
    if marks.is_withdrawn(of, place):
        return state, None
    state = _all_back(state, k, place)
    lowered = marks.withdraw(of, place)
    rule = STOPPING_RULES[state.protocol.decision.rule]
    evidence = rule.again(state.plan.rule_plans[k], marks.values_of(plan, lowered), of.evidence)
    return with_pair(state, k, lowered._replace(evidence=evidence)), None


def _all_back(state: State, k: int, place: int) -> State:
    """The state with every task back that is out on the item at a place of a pair's sealed order."""
    starts = state.plan.pairs[k].starts
    out = [
        task.task
        for task in state.tasks.values()
        if task.gold is None and task.pair == k and int(starts[task.unit]) + task.slot == place
    ]
    return reduce(taken_back, out, state)


def _before_evidence(state: State, event: ItemWithdrawn, k: int, unit: int, item: int) -> State:
    """The same for an item that is no evidence yet."""
    items = unit_items(state, k, unit)
    slot = slot_of(items, item)
    if items[slot].withdrawn:
        return state
    rule = STOPPING_RULES[state.protocol.decision.rule]
    if items[slot].missing and rule.learns(state.plan.rule_plans[k]):
        raise EventError(
            f"item {event.item} has not all of its labels yet, and evidence that uses a metric learns from each: "
            "collect its answer first, then withdraw it"
        )
    state = _all_back(state, k, int(state.plan.pairs[k].starts[unit]) + slot)
    of = state.pairs[k]
    place = unit_items(state, k, unit)[slot]
    gone = place._replace(withdrawn=True)
    if place.missing:
        gone = gone._replace(wanted=0, abandoned=True)
    grown = of._replace(
        open=with_entry(of.open, unit, with_item(items, slot, gone)), withdrawn=of.withdrawn + len(place.answers)
    )
    return with_pair(state, k, grown)


def _place(plan: Plan, pair: int, item: int) -> int:
    """Where an item stands in the sealed order of a pair, in which it is known to be."""
    return int(np.flatnonzero(plan.pairs[pair].order == item)[0])
