"""A task goes to a person, or comes back: what that changes, and the checks of a task that comes from outside."""

from __future__ import annotations

from typing import Final

import numpy as np

from tiebreak.campaign.events import EventError, ItemAbandoned, ItemWithdrawn, TaskAssigned
from tiebreak.campaign.openings import (
    Opening,
    affordable_labels,
    may_get_more,
    may_work_on,
    next_new_unit,
    task_id,
    task_number,
)
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.state import (
    AnnotatorState,
    OpenItem,
    OpenTask,
    OpenUnit,
    State,
    with_entry,
    with_item,
    with_track,
    without,
)

_NEAR: Final = 8  # items


def assigned(state: State, event: TaskAssigned) -> State:
    """The state after an event from outside. A task that was handed out before is handed out once.

    Raises:
        EventError: the task is not the next of this campaign, or may not be given to this person.
    """
    if event.task != task_id(state.issued, state.plan.fingerprint):
        return _assigned_before(state, event)
    _check_turn(state, event)
    track, item = asked_about(state.plan, event)
    if event.gold:
        return with_check(state, event, track, _gold_number(state, event))
    return with_task(state, event, track, _checked_place(state, event, track, item))


def _assigned_before(state: State, event: TaskAssigned) -> State:
    """The state after a task that is not the next but was handed out to this person: the same, or with a task out again
    that came back unanswered.
    """
    number = task_number(event.task, state.plan.fingerprint)
    if number is None:
        raise EventError(f"task {event.task!r} is not one of this campaign")
    if number >= state.issued:
        raise EventError(f"task {event.task} is not the next to be handed out: events are missing")
    known = state.tasks.get(event.task) or state.returned.get(event.task)
    if known is not None and known.annotator != event.annotator:
        raise EventError(f"task {event.task} was handed to {known.annotator} before, not to {event.annotator}")
    if known is None or event.task not in state.returned or event.at == known.at or not _may_be_again(state, known):
        return state
    return with_task_again(state, event, known)


def _may_be_again(state: State, task: OpenTask) -> bool:
    """Whether a task that came back may go out to the same person once more."""
    items = state.tracks[task.track].open.get(task.unit)
    if task.gold is not None or items is None or state.ended is not None:
        return False
    item = items[task.slot]
    return item.missing > len(item.out) and not item.touched_by(task.annotator)


def with_task(state: State, event: TaskAssigned, track: int, place: Opening) -> State:
    """The state with a task out on an item that is known to be open for this person."""
    of, items = state.tracks[track], unit_items(state, track, place.unit)
    item = items[place.slot]
    asked = item._replace(out=(*item.out, (event.task, event.annotator)), asked=True)
    grown = of.with_place(place.unit, items, place.slot, asked)._replace(
        next=max(of.next, place.unit + 1),
        opened=of.opened + (not item.asked),
        tasks=of.tasks + 1,
        worker=event.annotator,
    )
    task = OpenTask(
        event.task, event.annotator, event.at, track, place.unit, place.slot, event.shown, price=state.price
    )
    return _with_open_task(with_track(state, track, grown), task)


def with_task_again(state: State, event: TaskAssigned, task: OpenTask) -> State:
    """The state with a task out once more that came back unanswered from the same person."""
    of, person = state.tracks[task.track], state.annotators[task.annotator]
    items = of.open[task.unit]
    item = items[task.slot]
    asked = item._replace(out=(*item.out, (task.task, task.annotator)))
    return with_track(state, task.track, of.with_place(task.unit, items, task.slot, asked))._replace(
        tasks=with_entry(state.tasks, task.task, task._replace(at=event.at, price=state.price)),
        returned=without(state.returned, task.task),
        annotators=with_entry(state.annotators, task.annotator, person._replace(open=person.open + 1)),
    )


def came_back(state: State, track: int, place: Opening, annotator: str) -> OpenTask | None:
    """The task about this item that this person gave back unanswered; None where there is none."""
    return next(
        (
            task
            for task in state.returned.values()
            if (task.track, task.unit, task.slot, task.annotator) == (track, *place, annotator) and task.gold is None
        ),
        None,
    )


def with_check(state: State, event: TaskAssigned, track: int, gold: int) -> State:
    """The state with a check task out, the `gold`-th of the protocol."""
    task = OpenTask(event.task, event.annotator, event.at, track, -1, -1, event.shown, gold, state.price)
    return _with_open_task(state, task)


def _with_open_task(state: State, task: OpenTask) -> State:
    person = state.annotators.get(task.annotator, AnnotatorState())
    person = person._replace(tasks=person.tasks + 1, open=person.open + 1, handed=_handed(state, person, task.track))
    return state._replace(
        tasks=with_entry(state.tasks, task.task, task),
        annotators=with_entry(state.annotators, task.annotator, person),
        issued=state.issued + 1,
    )


def _handed(state: State, person: AnnotatorState, track: int) -> tuple[int, ...]:
    """Tasks of each track that a person has had, with one more; of pairs, which may be thousands, nobody counts."""
    if not state.protocol.rates:
        return ()
    before = person.handed or (0,) * len(state.tracks)
    return with_item(before, track, before[track] + 1)


def taken_back(state: State, name: str, *, declined: bool = False) -> State:
    """The state with a task that is out back from whoever has it; its item is asked again where it wants a label, but
    not of whoever declined it.
    """
    task = state.tasks[name]
    person = state.annotators[task.annotator]
    state = state._replace(
        tasks=without(state.tasks, name),
        returned=with_entry(state.returned, name, task),
        annotators=with_entry(state.annotators, task.annotator, person._replace(open=person.open - 1)),
    )
    of = state.tracks[task.track]
    items = of.open.get(task.unit)
    if task.gold is not None or items is None:
        return state
    place = without_task(items[task.slot], name)
    place = place.refusing(task.annotator) if declined else place
    return with_track(state, task.track, of.with_place(task.unit, items, task.slot, place))


def without_task(place: OpenItem, task: str) -> OpenItem:
    """The item with this task no longer out."""
    return place._replace(out=tuple([entry for entry in place.out if entry[0] != task]))


# ---- checks of a task from outside -----------------------------------------------------------------------------


def _check_turn(state: State, event: TaskAssigned) -> None:
    """Whether this person may get a task now."""
    if state.ended is not None:
        raise EventError(f"task {event.task} was handed out after the end of the campaign")
    if state.paused:
        raise EventError(f"task {event.task} was handed out while the campaign was paused")
    if not may_get_more(state, event.annotator):
        raise EventError(f"task {event.task} was handed to {event.annotator}, who gets no more tasks")
    if affordable_labels(state) < 1:
        raise EventError(f"task {event.task} was handed out beyond the budget of {state.most_labels} labels")
    if sorted(event.shown) != sorted(event.systems):
        raise EventError(f"task {event.task} shows {', '.join(event.shown)}, but must show each of its systems once")


def _gold_number(state: State, event: TaskAssigned) -> int:
    for number, gold in enumerate(state.protocol.people.gold):
        if (gold.item, gold.system_a, gold.system_b) == (event.item, event.system_a, event.system_b):
            return number
    raise EventError(f"task {event.task} is said to be a check, but its item is not among people.gold")


def _checked_place(state: State, event: TaskAssigned, track: int, item: int) -> Opening:
    """The place of an item that this person may be asked about now."""
    if not may_work_on(state, track, event.annotator):
        raise EventError(f"task {event.task}: all items of this pair belong to {state.tracks[track].worker}")
    of = state.tracks[track]
    unit = unit_of(state, track, item)
    if unit < of.done:
        raise EventError(f"task {event.task} asks for item {event.item}, which is complete")
    if unit >= of.next and unit != next_new_unit(state, track):
        raise EventError(f"task {event.task} asks for item {event.item}, which is not the next of its order")
    items = unit_items(state, track, unit)
    slot = slot_of(items, item)
    if items[slot].touched_by(event.annotator) or items[slot].missing <= len(items[slot].out):
        raise EventError(f"task {event.task} asks for item {event.item}, which needs no label from {event.annotator}")
    return Opening(unit, slot)


# ---- where an event's track and item stand in the plan ---------------------------------------------------------


def asked_about(plan: CampaignPlan, event: TaskAssigned | ItemAbandoned | ItemWithdrawn) -> tuple[int, int]:
    """The numbers of the track and of the item that an event names.

    Raises:
        EventError: the campaign has no such pair, or rates no such system; or the study has no such item.
    """
    track, item = plan.track_numbers.get(event.systems), plan.item_numbers.get(event.item)
    if track is None and len(event.systems) == 1:
        raise EventError(f"{event.systems[0]} is not a system that this campaign rates")
    if track is None:
        raise EventError(f"{' and '.join(event.systems)} are not a pair of this campaign, in this order")
    if item is None:
        raise EventError(f"{event.item!r} is not an item of this campaign's study")
    return track, item


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
