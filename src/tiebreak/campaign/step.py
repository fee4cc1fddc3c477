"""One event changes the state: `step`. Everything that a campaign does is a sequence of events through it.

What does not belong raises `EventError` and changes nothing. What repeats something known is a no-op: a campaign opened
or stopped again, a task assigned or returned again, an item abandoned again (or after it was labelled, or one that is
never asked), a second answer to a task (counted in `State.repeated`; the first stands). After the end answers are kept
and counted as late; they move no evidence and no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from typing import Any, Final

import numpy as np

from tiebreak.campaign.events import (
    AnnotatorExcluded,
    CampaignOpened,
    CampaignStopped,
    Event,
    EventError,
    ItemAbandoned,
    LabelGiven,
    TaskAssigned,
    TaskReturned,
    event_time,
)
from tiebreak.campaign.openings import affordable_labels, may_get_more, may_work_on, next_new_unit
from tiebreak.campaign.progress import settle
from tiebreak.campaign.state import (
    AnnotatorState,
    OpenItem,
    OpenTask,
    OpenUnit,
    PairState,
    State,
    with_entry,
    with_item,
    without,
)
from tiebreak.campaign.task_ids import task_id, task_number
from tiebreak.records import OUTCOME_CODES


def step(state: State, event: Event) -> State:
    """The state after one more event.

    Raises:
        EventError: the event does not belong to this campaign, or comes where it cannot.
    """
    if not isinstance(event, CampaignOpened) and state.opened_at is None:
        raise EventError("the first event of a campaign must be campaign-opened; the beginning of the log is missing")
    event_time(event.at)
    return _STEPS[type(event)](state, event)


def replay(state: State, events: Iterable[Event]) -> State:
    """The state after many events."""
    return reduce(step, events, state)


def _opened(state: State, event: CampaignOpened) -> State:
    plan = state.plan
    if event.protocol != plan.fingerprint:
        raise EventError(
            f"this log belongs to the protocol {event.protocol[:12]}, not to {plan.fingerprint[:12]}: the protocol was "
            "changed after the campaign was opened, or the log is another campaign's"
        )
    if event.study != plan.study:
        raise EventError(
            f"this log belongs to the study {event.study[:12]}, not to {plan.study[:12]}: the study was changed after "
            "the campaign was opened"
        )
    if state.opened_at is not None:
        return state
    return settle(replace(state, opened_at=event.at), range(len(state.pairs)), event.at)


# ---- tasks -----------------------------------------------------------------------------------------------------


def _assigned(state: State, event: TaskAssigned) -> State:
    number = _number(state, event.task)
    if number < state.issued:
        known = state.tasks.get(event.task) or state.returned.get(event.task)
        if known is not None and known.annotator != event.annotator:
            raise EventError(f"task {event.task} was handed to {known.annotator} before, not to {event.annotator}")
        return state
    if event.task != task_id(state.issued, state.plan.fingerprint):
        raise EventError(f"task {event.task} is not the next to be handed out: events are missing")
    if state.ended is not None:
        raise EventError(f"task {event.task} was handed out after the end of the campaign")
    if not may_get_more(state, event.annotator):
        raise EventError(f"task {event.task} was handed to {event.annotator}, who gets no more tasks")
    if affordable_labels(state) < 1:
        raise EventError(f"task {event.task} was handed out beyond the budget of {state.protocol.most_labels} labels")
    if event.left not in (event.system_a, event.system_b):
        raise EventError(f"left of task {event.task} is {event.left!r}, but must be one of its two systems")
    pair, item = _pair_number(state, event), _item_number(state, event)
    if event.gold:
        task = _gold_task(state, event, pair)
    else:
        state, task = _open_place(state, event, pair, item)
    person = state.annotators.get(event.annotator, AnnotatorState())
    person = replace(person, tasks=person.tasks + 1, open=person.open + 1)
    return replace(
        state,
        tasks=with_entry(state.tasks, task.task, task),
        annotators=with_entry(state.annotators, event.annotator, person),
        issued=state.issued + 1,
    )


def _gold_task(state: State, event: TaskAssigned, pair: int) -> OpenTask:
    for number, gold in enumerate(state.protocol.people.gold):
        if (gold.item, gold.system_a, gold.system_b) == (event.item, event.system_a, event.system_b):
            return OpenTask(event.task, event.annotator, event.at, pair, -1, -1, event.left, number)
    raise EventError(f"task {event.task} is said to be a check, but its item is not among people.gold")


def _open_place(state: State, event: TaskAssigned, pair: int, item: int) -> tuple[State, OpenTask]:
    """The item opened if it was not yet, and the task among those out on it."""
    if not may_work_on(state, pair, event.annotator):
        raise EventError(f"task {event.task}: all items of this pair belong to {state.pairs[pair].worker}")
    of = state.pairs[pair]
    unit = _unit_of(state, pair, item)
    if unit < of.done:
        raise EventError(f"task {event.task} asks for item {event.item}, which is complete")
    if unit >= of.next and unit != next_new_unit(state, pair):
        raise EventError(f"task {event.task} asks for item {event.item}, which is not the next of its pair's order")
    items = of.open.get(unit) or _fresh_unit(state, pair, unit)
    slot = next(k for k, known in enumerate(items) if known.item == item)
    place = items[slot]
    if place.touched_by(event.annotator) or place.labels_missing(state.protocol) <= len(place.out):
        raise EventError(f"task {event.task} asks for item {event.item}, which needs no label from {event.annotator}")
    is_new = not place.asked
    place = replace(place, out=(*place.out, (event.task, event.annotator)), asked=True)
    grown = replace(
        of,
        open=with_entry(of.open, unit, with_item(items, slot, place)),
        next=max(of.next, unit + 1),
        opened=of.opened + is_new,
        tasks=of.tasks + 1,
        worker=event.annotator,
    )
    task = OpenTask(event.task, event.annotator, event.at, pair, unit, slot, event.left)
    return _with_pair(state, pair, grown), task


def _returned(state: State, event: TaskReturned) -> State:
    name = _handed_out(state, event.task)
    task = state.tasks.get(name)
    if task is None:
        return state
    person = state.annotators[task.annotator]
    state = replace(
        state,
        tasks=without(state.tasks, name),
        returned=with_entry(state.returned, name, task),
        annotators=with_entry(state.annotators, task.annotator, replace(person, open=person.open - 1)),
    )
    of = state.pairs[task.pair]
    items = of.open.get(task.unit)
    if task.gold is None and items is not None:
        unit = with_item(items, task.slot, _without_task(items[task.slot], name))
        state = _with_pair(state, task.pair, replace(of, open=with_entry(of.open, task.unit, unit)))
    return settle(state, (), event.at)


def _without_task(place: OpenItem, task: str) -> OpenItem:
    """The item with this task no longer out."""
    return replace(place, out=tuple(entry for entry in place.out if entry[0] != task))


# ---- labels ----------------------------------------------------------------------------------------------------


def _labelled(state: State, event: LabelGiven) -> State:
    name = _handed_out(state, event.task)
    task = state.tasks.get(name) or state.returned.get(name)
    if task is None:
        return replace(state, repeated=state.repeated + 1)
    _check_label(state, event, task)
    was_out = name in state.tasks
    person = _person_after(state, event, task, was_out)
    state = replace(
        state,
        tasks=without(state.tasks, name) if was_out else state.tasks,
        returned=state.returned if was_out else without(state.returned, name),
        annotators=with_entry(state.annotators, event.annotator, person),
        labels=state.labels + 1,
    )
    if task.gold is not None:
        return settle(state, (), event.at)
    of = state.pairs[task.pair]
    items = of.open.get(task.unit)
    if items is None:  # complete without this answer
        counted = replace(of, labels=of.labels + 1)
        return settle(replace(_with_pair(state, task.pair, counted), late=state.late + 1), (), event.at)
    place = _without_task(items[task.slot], name)
    needed = state.ended is None and _is_needed(state, place, event.annotator, was_out)
    if needed:
        place = replace(place, answers=(*place.answers, (event.annotator, OUTCOME_CODES[event.outcome])))
    unit = with_item(items, task.slot, place)
    counted = replace(of, labels=of.labels + 1, open=with_entry(of.open, task.unit, unit))
    state = _with_pair(state, task.pair, counted)
    return settle(state if needed else replace(state, late=state.late + 1), (task.pair,) if needed else (), event.at)


def _is_needed(state: State, place: OpenItem, annotator: str, was_out: bool) -> bool:
    """Whether an answer completes an item: one to a task that came back does only while nobody else was asked in its
    stead, and nobody is counted twice on an item.
    """
    if any(name == annotator for name, _ in place.answers):
        return False
    return place.labels_missing(state.protocol) > (0 if was_out else len(place.out))


def _check_label(state: State, event: LabelGiven, task: OpenTask) -> None:
    if task.annotator != event.annotator:
        raise EventError(f"task {event.task} was handed to {task.annotator}, but {event.annotator} answered it")
    if event.outcome not in OUTCOME_CODES:
        raise EventError(f"outcome {event.outcome!r} of task {event.task} must be one of {', '.join(OUTCOME_CODES)}")
    if event.outcome == "tie" and not state.protocol.labels.ties:
        raise EventError(f"task {event.task} was answered with a tie, which this campaign does not allow")
    if event.seconds is not None and not 0 <= event.seconds < math.inf:
        raise EventError(f"seconds {event.seconds!r} of task {event.task} must be a number of 0 or more")


def _person_after(state: State, event: LabelGiven, task: OpenTask, was_out: bool) -> AnnotatorState:
    person = state.annotators[event.annotator]
    people, is_check = state.protocol.people, task.gold is not None
    asked = person.gold_asked + is_check
    right = person.gold_right + (task.gold is not None and people.gold[task.gold].outcome == event.outcome)
    failed = is_check and asked >= people.gold_after and right < people.gold_share * asked
    chosen = {"a": state.plan.pairs[task.pair].system_a, "b": state.plan.pairs[task.pair].system_b}.get(event.outcome)
    return replace(
        person,
        open=person.open - was_out,
        labels=person.labels + 1,
        seconds=person.seconds + (event.seconds or 0.0),
        timed=person.timed + (event.seconds is not None),
        chose_left=person.chose_left + (chosen == task.left),
        gold_asked=asked,
        gold_right=right,
        excluded=person.excluded or failed,
    )


# ---- items, people, the end ------------------------------------------------------------------------------------


def _abandoned(state: State, event: ItemAbandoned) -> State:
    pair, item = _pair_number(state, event), _item_number(state, event)
    of, unit = state.pairs[pair], _unit_of(state, pair, item)
    if not of.done <= unit < state.plan.pairs[pair].most_units:
        return state
    items = of.open.get(unit) or _fresh_unit(state, pair, unit)
    slot = next(k for k, known in enumerate(items) if known.item == item)
    if not items[slot].labels_missing(state.protocol):
        return state
    given_up = replace(items[slot], abandoned=True)
    grown = replace(of, open=with_entry(of.open, unit, with_item(items, slot, given_up)))
    return settle(_with_pair(state, pair, grown), (pair,), event.at)


def _excluded(state: State, event: AnnotatorExcluded) -> State:
    person = replace(state.annotators.get(event.annotator, AnnotatorState()), excluded=True)
    return replace(state, annotators=with_entry(state.annotators, event.annotator, person))


def _stopped(state: State, event: CampaignStopped) -> State:
    return state if state.ended is not None else replace(state, ended="stopped", ended_at=event.at)


_STEPS: Final[dict[type[Event], Callable[[State, Any], State]]] = {
    CampaignOpened: _opened,
    TaskAssigned: _assigned,
    TaskReturned: _returned,
    LabelGiven: _labelled,
    ItemAbandoned: _abandoned,
    AnnotatorExcluded: _excluded,
    CampaignStopped: _stopped,
}


# ---- places ----------------------------------------------------------------------------------------------------


def _fresh_unit(state: State, pair: int, unit: int) -> OpenUnit:
    """The items of a unit before any answer."""
    plan = state.plan.pairs[pair]
    items, known = plan.items(unit).tolist(), plan.known_of(unit).tolist()
    return tuple(OpenItem(item, known=is_known) for item, is_known in zip(items, known, strict=True))


def _number(state: State, task: str) -> int:
    number = task_number(task, state.plan.fingerprint)
    if number is None:
        raise EventError(f"task {task!r} is not one of this campaign")
    return number


def _handed_out(state: State, task: str) -> str:
    """The task's id as it was handed out, however it was typed."""
    if task in state.tasks:
        return task
    number = _number(state, task)
    if number >= state.issued:
        raise EventError(f"task {task} has not been handed out: events are missing")
    return task_id(number, state.plan.fingerprint)


def _pair_number(state: State, event: TaskAssigned | ItemAbandoned) -> int:
    number = state.plan.pair_numbers.get((event.system_a, event.system_b))
    if number is None:
        raise EventError(f"{event.system_a} and {event.system_b} are not a pair of this campaign, in this order")
    return number


def _item_number(state: State, event: TaskAssigned | ItemAbandoned) -> int:
    number = state.plan.item_numbers.get(event.item)
    if number is None:
        raise EventError(f"{event.item!r} is not an item of this campaign's study")
    return number


def _unit_of(state: State, pair: int, item: int) -> int:
    """The unit that an item belongs to: looked for among the open and the next ones first."""
    plan, of = state.plan.pairs[pair], state.pairs[pair]
    for unit, items in of.open.items():
        if any(known.item == item for known in items):
            return unit
    near = max(of.next, of.done)
    places = np.flatnonzero(plan.order[plan.starts[near] : plan.starts[min(near + 8, plan.starts.size - 1)]] == item)
    places = places + plan.starts[near] if places.size else np.flatnonzero(plan.order == item)
    if not places.size:
        raise EventError(f"item {state.plan.items[item]!r} is not asked for {plan.system_a} and {plan.system_b}")
    return int(np.searchsorted(plan.starts, places[0], side="right")) - 1


def _with_pair(state: State, pair: int, changed: PairState) -> State:
    return replace(state, pairs=with_item(state.pairs, pair, changed))
