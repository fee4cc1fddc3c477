"""Handing out work: `next_tasks`, and the tasks that have been out for too long.

A task goes to a person, or comes back: what that changes, and the checks of a task that comes from outside.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

import numpy as np

from tiebreak.campaign.events import EventError, TaskAssigned, TaskReturned, event_time
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.openings import (
    Allowance,
    Opening,
    affordable_labels,
    allowance,
    allowance_after,
    asked_about,
    blocking,
    may_be_asked,
    may_get_more,
    may_work_on,
    next_new_unit,
    opening,
    overdue_tasks,
    slot_of,
    task_id,
    task_number,
    unit_items,
    unit_of,
)
from tiebreak.campaign.state import (
    AnnotatorState,
    OpenItem,
    OpenTask,
    State,
    with_entry,
    with_item,
    with_track,
    without,
)

Tasks = tuple[TaskAssigned, ...]

_CHOSEN_AT_ONCE: Final = 1_000
"""A policy chooses a track for each task asked for, whether or not there is one: time must not grow with that."""


def next_tasks(state: State, annotator: str, n: int, now: str) -> Tasks:
    """Up to n new tasks for a person, best first; empty when there is nothing for them to do.

    The state does not change: the tasks are handed out when their events have been stored and stepped through. Which
    items a person gets depends on the policy and on what is out, never on the outcomes of a track within the track.

    Raises:
        EventError: the campaign was not opened, n is below 0, or `now` is no time.
    """
    return assign_tasks(state, annotator, n, now)[0]


def assign_tasks(state: State, annotator: str, n: int, now: str) -> tuple[Tasks, State]:
    """`next_tasks`, and the state once they are handed out: that after `step` with each of them, without its checks.

    For whoever stores nothing, such as a simulation.
    """
    if state.opened_at is None:
        raise EventError("the campaign has not been opened")
    if n < 0:
        raise EventError(f"the number of tasks must be 0 or more, not {n}")
    event_time(now)
    found: list[TaskAssigned] = []
    n = kind_of(state.protocol).policy(state.protocol).whole(state, n)
    while len(found) < n:
        more, state = _check_due(state, annotator, now) or _run(state, annotator, n - len(found), now)
        if not more:
            break
        found += more
    return tuple(found), state


def expired_tasks(state: State, now: str) -> tuple[TaskReturned, ...]:
    """Events that take back the tasks which have been out for longer than `people.hours`, and those that hold up
    answers and have been out for far longer than usual.
    """
    limit = timedelta(hours=state.protocol.people.hours)
    at = event_time(now)
    expired = {task.task for task in state.tasks.values() if at - event_time(task.at) > limit}
    taken_over = (event for event in overdue_tasks(state, now) if event.task not in expired)
    return (*(TaskReturned(now, task, "expired") for task in state.tasks if task in expired), *taken_over)


def _run(state: State, annotator: str, n: int, now: str) -> tuple[Tasks, State]:
    """Up to n tasks: items that hold up answers, then those of the tracks that the policy chooses among those that have
    any for this person; a check that falls due ends the run.
    """
    found: list[TaskAssigned] = []
    if not _may_get_more(state, annotator):
        return (), state
    policy = kind_of(state.protocol).policy(state.protocol)
    wanted = policy.wanted(state)
    left = allowance(state, wanted)
    for track, place in blocking(state, wanted):
        if len(found) == n or _gold_is_due(state, annotator) or not _may_get_more(state, annotator):
            return tuple(found), state
        if may_be_asked(state, track, place, annotator, left):
            left, state = _hand_out(state, track, place, annotator, now, left, found)
    full: set[int] = set()  # tracks that have no more items for this person
    is_open = partial(_has_any, state, annotator, left)
    for track in policy.choose(state, wanted, is_open, min(n - len(found), _CHOSEN_AT_ONCE), annotator):
        if track in full:
            continue
        if _gold_is_due(state, annotator) or not _may_get_more(state, annotator):
            break
        first = opening(state, track, annotator, left)
        if first is None:  # the next run leaves it out
            full.add(track)
            continue
        left, state = _hand_out(state, track, first, annotator, now, left, found)
    return tuple(found), state


def _hand_out(
    state: State, track: int, place: Opening, annotator: str, now: str, left: Allowance, found: list[TaskAssigned]
) -> tuple[Allowance, State]:
    """One more task in `found`; what is left of the allowance, and the state with it."""
    task = kind_of(state.protocol).task(state, track, place, annotator, now)
    left = allowance_after(left, state, track, place.unit)
    earlier = came_back(state, track, place, annotator)
    if earlier is None or earlier.at == now:
        found.append(task)
        return left, with_task(state, task, track, place)
    # Under its old name: an answer in either sheet is one answer.
    again = replace(task, task=earlier.task, shown=earlier.shown)
    found.append(again)
    return left, with_task_again(state, again, earlier)


def _has_any(state: State, annotator: str, left: Allowance, track: int) -> bool:
    """Whether a track has an item for this person now."""
    return may_work_on(state, track, annotator) and opening(state, track, annotator, left) is not None


def _may_get_more(state: State, annotator: str) -> bool:
    return state.ended is None and not state.paused and may_get_more(state, annotator)


def _gold_is_due(state: State, annotator: str) -> bool:
    """Every so many tasks; but a check must not take the labels that opened items need."""
    people = state.protocol.people
    if not people.gold or state.person(annotator).tasks % people.gold_every != people.gold_every - 1:
        return False
    return allowance(state, kind_of(state.protocol).policy(state.protocol).wanted(state)).new >= 1


def _check_due(state: State, annotator: str, now: str) -> tuple[Tasks, State] | None:
    """A check task where one is due, out; the checks come in an order of this person's own."""
    if not _may_get_more(state, annotator) or not _gold_is_due(state, annotator):
        return None
    people = state.protocol.people
    seed = int.from_bytes(hashlib.sha256(repr((state.protocol.order.seed, annotator)).encode()).digest()[:8], "little")
    order = np.random.default_rng(seed).permutation(len(people.gold))
    number = int(order[state.annotators[annotator].tasks // people.gold_every % len(people.gold)])
    gold = people.gold[number]
    systems = (gold.system_a, gold.system_b)
    shown = systems if hashlib.sha256(f"{seed}{state.issued}".encode()).digest()[0] % 2 else systems[::-1]
    name = task_id(state.issued, state.plan.fingerprint)
    task = TaskAssigned(now, name, annotator, systems, gold.item, shown, gold=True)
    return (task,), with_check(state, task, state.plan.track_numbers[systems], number)


# ---- a task goes to a person, or comes back --------------------------------------------------------------------


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
    person = state.person(task.annotator)
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
