"""Where an event's track and item stand in the plan, and the items of a unit before any answer."""

from __future__ import annotations

from typing import Final

import numpy as np

from tiebreak.campaign.events import EventError, ItemAbandoned, ItemWithdrawn, TaskAssigned
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.state import OpenItem, OpenUnit, State

_NEAR: Final = 8  # items


def track_number(plan: CampaignPlan, event: TaskAssigned | ItemAbandoned | ItemWithdrawn) -> int:
    """The number of the track that an event names.

    Raises:
        EventError: the campaign has no such pair, or rates no such system.
    """
    number = plan.track_numbers.get(event.systems)
    if number is None:
        if len(event.systems) == 1:
            raise EventError(f"{event.systems[0]} is not a system that this campaign rates")
        raise EventError(f"{' and '.join(event.systems)} are not a pair of this campaign, in this order")
    return number


def item_number(plan: CampaignPlan, event: TaskAssigned | ItemAbandoned | ItemWithdrawn) -> int:
    """The number of the item that an event names.

    Raises:
        EventError: the study has no such item.
    """
    number = plan.item_numbers.get(event.item)
    if number is None:
        raise EventError(f"{event.item!r} is not an item of this campaign's study")
    return number


def unit_of(state: State, track: int, item: int) -> int:
    """The unit that an item belongs to: looked for among the open and the next ones first.

    Raises:
        EventError: the item is not asked for this track.
    """
    plan, of = state.plan.tracks[track], state.tracks[track]
    for unit, items in of.open.items():
        if item in [known.item for known in items]:
            return unit
    begin = int(plan.starts[max(of.next, of.done)])
    near = plan.order[begin : begin + _NEAR].tolist()
    if item in near:
        return int(np.searchsorted(plan.starts, begin + near.index(item), side="right")) - 1
    places = np.flatnonzero(plan.order == item)
    if not places.size:
        raise EventError(f"item {state.plan.items[item]!r} is not asked for {' and '.join(plan.systems)}")
    return int(np.searchsorted(plan.starts, places[0], side="right")) - 1


def slot_of(items: OpenUnit, item: int) -> int:
    """The place of an item in its unit."""
    return [known.item for known in items].index(item)


def unit_items(state: State, track: int, unit: int) -> OpenUnit:
    """The items of a unit that is not done: as they are, or before any answer."""
    known_so_far = state.tracks[track].open.get(unit)
    if known_so_far is not None:
        return known_so_far
    plan, wanted = state.plan.tracks[track], state.plan.least_labels
    items, known = plan.items(unit).tolist(), plan.known_of(unit).tolist()
    return tuple([OpenItem(item, 0 if same else wanted, known=same) for item, same in zip(items, known, strict=True)])
