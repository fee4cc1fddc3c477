"""One event changes the state: `step`. Everything that a campaign does is a sequence of events through it.

What does not belong raises `EventError` and changes nothing. What repeats something known is a no-op: a campaign opened
or stopped again, a task assigned or returned again (but one that came back unanswered may go out to the same person
once more), an item withdrawn again, or abandoned again (or after it was labelled, or one that is never asked), a second
answer to a task (counted in `State.repeated`; the first stands). After the end answers are kept and counted as late;
they move no evidence and no verdict, and neither does a withdrawal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any, Final, Literal

import numpy as np

from tiebreak.campaign.events import (
    AnnotatorExcluded,
    CampaignOpened,
    CampaignPaused,
    CampaignResumed,
    CampaignStopped,
    Event,
    EventError,
    InstructionsChanged,
    ItemAbandoned,
    ItemWithdrawn,
    LabelGiven,
    PriceChanged,
    TaskAssigned,
    TaskReturned,
    event_time,
)
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.openings import asked_about, hours_between, slot_of, task_id, task_number, unit_items, unit_of
from tiebreak.campaign.progress import growth, with_end
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.state import (
    AnnotatorState,
    MeasureState,
    OpenItem,
    OpenTask,
    State,
    TrackState,
    with_entry,
    with_track,
    without,
)
from tiebreak.campaign.tasks import assigned, taken_back, without_task
from tiebreak.settings.checks import wrong_number
from tiebreak.settings.shared import MOST_SECONDS, PRICE

Changed = tuple[State, Iterable[int] | None]
"""The state with what an event itself changes, and the tracks whose evidence may grow by it; None: nothing follows."""


def step(state: State, event: Event) -> State:
    """The state after one more event.

    Raises:
        EventError: the event does not belong to this campaign, or comes where it cannot.
    """
    for _, after in steps(state, event):
        state = after
    return state


def steps(state: State, event: Event) -> Iterator[tuple[int | None, State]]:
    """The states on the way of one more event: after each unit of evidence that it completes with the number of the
    measure, and with None at last, what `step` gives.

    Raises:
        EventError: as `step`.
    """
    if not isinstance(event, CampaignOpened) and state.opened_at is None:
        raise EventError("the first event of a campaign must be campaign-opened; the beginning of the log is missing")
    event_time(event.at)
    change = _CHANGES.get(type(event))
    changed, touched = (state, None) if change is None else change(state, event)
    if touched is not None:
        for k, grown in growth(changed, touched):
            changed = grown
            yield k, grown
        changed = with_end(changed, event.at)
    yield None, changed


def replay(state: State, events: Iterable[Event]) -> State:
    """The state after many events."""
    return reduce(step, events, state)


def _opened(state: State, event: CampaignOpened) -> Changed:
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
        return state, None
    return state._replace(opened_at=event.at), range(len(state.tracks))


# ---- tasks -----------------------------------------------------------------------------------------------------


def _returned(state: State, event: TaskReturned) -> Changed:
    name = _handed_out(state, event.task)
    if name not in state.tasks:
        return state, None
    return taken_back(state, name, declined=event.declined), ()


# ---- labels ----------------------------------------------------------------------------------------------------


def _labelled(state: State, event: LabelGiven) -> Changed:
    name = _handed_out(state, event.task)
    task = state.tasks.get(name) or state.returned.get(name)
    if task is None:
        return state._replace(repeated=state.repeated + 1), None
    _check_label(state, event, task)
    was_out = name in state.tasks
    person = _person_after(state, event, task, was_out)
    track, fate = _track_after(state, event, task, was_out)
    labelled = with_track(state, task.track, track)._replace(
        tasks=without(state.tasks, name) if was_out else state.tasks,
        returned=state.returned if was_out else without(state.returned, name),
        annotators=with_entry(state.annotators, event.annotator, person),
        labels=state.labels + 1,
        late=state.late + (fate == "late"),
        set_aside=state.set_aside + (fate == "set aside"),
    )
    return labelled, (task.track,) if fate == "counts" else ()


Fate = Literal["counts", "late", "set aside", "check"]
"""What becomes of an answer: an item needed it, or none did, or it does not count, or its task was a check."""


def _track_after(state: State, event: LabelGiven, task: OpenTask, was_out: bool) -> tuple[TrackState, Fate]:
    """The track with the answer counted, and what becomes of it. A check is no label of its track."""
    of = state.tracks[task.track]
    if task.gold is not None:
        return of, "check"
    items = of.open.get(task.unit)
    if items is None:  # complete without this answer
        return of._replace(labels=of.labels + 1), "late"
    place = without_task(items[task.slot], task.task)
    fate: Fate = "late"
    if state.ended is None and _is_needed(place, event.annotator, was_out):
        fate = "counts" if _why_set_aside(state.protocol, event) is None else "set aside"
    place = _with_answer(state, task.track, place, event) if fate == "counts" else place.refusing(event.annotator)
    return of.with_place(task.unit, items, task.slot, place)._replace(labels=of.labels + 1), fate


def _is_needed(place: OpenItem, annotator: str, was_out: bool) -> bool:
    """Whether an answer completes an item: one to a task that came back does only while nobody else was asked in its
    stead, and nobody is counted twice on an item.
    """
    if annotator in [name for name, _ in place.answers]:
        return False
    return place.missing > (0 if was_out else len(place.out))


def _with_answer(state: State, track: int, place: OpenItem, event: LabelGiven) -> OpenItem:
    """The item with one more answer, after which it may want more labels or fewer."""
    labels = state.protocol.labels
    answer = kind_of(state.protocol).answer(state.protocol, state.plan.tracks[track], event.response)
    answers = (*place.answers, (event.annotator, answer))
    wanted = LABELLING_POLICIES[labels.labelling].labels_wanted([answer for _, answer in answers], labels.per_item)
    return place._replace(answers=answers, wanted=wanted)


def _why_set_aside(protocol: Protocol, event: LabelGiven) -> str | None:
    """Why a label does not count, in words; None where it does. It never looks at what is preferred or how an output is
    rated, which would bend what is found out; so it may be automatic (price-of-debiasing, appendix A), and somebody
    else is asked instead.
    """
    least = protocol.people.least_seconds
    if least is not None and event.seconds is not None and event.seconds < least:
        return f"took less than {least:g} seconds"
    return kind_of(protocol).set_aside(protocol, event.response)


def _check_label(state: State, event: LabelGiven, task: OpenTask) -> None:
    if task.annotator != event.annotator:
        raise EventError(f"task {event.task} was handed to {task.annotator}, but {event.annotator} answered it")
    kind = kind_of(state.protocol)
    if type(event.response) is not kind.response:
        raise EventError(f"task {event.task} asks for a {kind.name}, and was answered with another kind of label")
    kind.check(state.protocol, event, task)
    if event.seconds is not None and not 0 <= event.seconds <= MOST_SECONDS:
        raise EventError(f"seconds {event.seconds!r} of task {event.task} must be a number from 0 to {MOST_SECONDS:,}")


def _person_after(state: State, event: LabelGiven, task: OpenTask, was_out: bool) -> AnnotatorState:
    person = state.annotators[event.annotator]
    person = person._replace(
        open=person.open - was_out,
        labels=person.labels + 1,
        hours=person.hours + hours_between(task.at, event.at),
        seconds=person.seconds + (event.seconds or 0.0),
        timed=person.timed + (event.seconds is not None),
        left_page=person.left_page + bool(event.left_page),
        pasted=person.pasted + bool(event.pasted),
        paid=person.paid
        if task.price is None
        else with_entry(person.paid, task.price, person.paid.get(task.price, 0) + 1),
    )
    return kind_of(state.protocol).person_after(state, person, event, task)


# ---- items that are given up -----------------------------------------------------------------------------------


def _abandoned(state: State, event: ItemAbandoned) -> Changed:
    track, item = asked_about(state.plan, event)
    of, unit = state.tracks[track], unit_of(state, track, item)
    if not of.done <= unit < state.plan.tracks[track].most_units:
        return state, None
    items = unit_items(state, track, unit)
    slot = slot_of(items, item)
    if not items[slot].missing:
        return state, None
    given_up = items[slot]._replace(wanted=0, abandoned=True)
    return with_track(state, track, of.with_place(unit, items, slot, given_up)), (track,)


# ---- withdrawals -----------------------------------------------------------------------------------------------


def _withdrawn(state: State, event: ItemWithdrawn) -> Changed:
    """The owner may have seen every answer, so that nothing may rise by a withdrawal.

    Evidence is a product with one factor per unit. The factor of the withdrawn item's unit falls to its worst value,
    for either side; all bets stay those that the labels as they came have made. So evidence is at most what it would
    have been without the withdrawal, whatever the owner knows, and errs no more often. It may grow by units behind an
    item that waited. An item that is withdrawn again, and any after the end, changes nothing.

    Raises:
        EventError: no such item; one that nobody is asked about; one that evidence must learn from and cannot yet.
    """
    _handed_out(state, event.task)
    k, item = asked_about(state.plan, event)
    plan, of, unit = state.plan.tracks[k], state.tracks[k], unit_of(state, k, item)
    place = int(np.flatnonzero(plan.order == item)[0])
    if plan.known[place]:
        raise EventError(f"the outputs of {' and '.join(event.systems)} on item {event.item} are identical")
    if state.ended is not None or unit >= plan.most_units:
        return state, None
    if unit >= of.done:
        return _withdrawn_early(state, event, k, unit, item), (k,)
    found = kind_of(state.protocol).withdraw(state.plan, k, of.marks, place)
    if found is None:
        return state, None
    marks, answers = found
    without_it = of._replace(marks=marks, done_labels=of.done_labels - answers, withdrawn=of.withdrawn + answers)
    state = with_track(_all_back(state, k, place), k, without_it)
    measures = list(state.measures)
    for number in state.plan.measures_of[k]:
        measures[number] = _measured_again(state, number)
    return state._replace(measures=tuple(measures)), None


def _measured_again(state: State, number: int) -> MeasureState:
    """A measure with the evidence of its units as they are now."""
    of, plan = state.measures[number], state.plan
    kind, rule = kind_of(state.protocol), state.rule
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


def _withdrawn_early(state: State, event: ItemWithdrawn, k: int, unit: int, item: int) -> State:
    """The same for an item that is no evidence yet."""
    items = unit_items(state, k, unit)
    slot = slot_of(items, item)
    if items[slot].withdrawn:
        return state
    rule = state.rule
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


# ---- people, the end -------------------------------------------------------------------------------------------


def _excluded(state: State, event: AnnotatorExcluded) -> Changed:
    person = state.person(event.annotator)._replace(excluded=True)
    return state._replace(annotators=with_entry(state.annotators, event.annotator, person)), None


def _priced_anew(state: State, event: PriceChanged) -> Changed:
    if state.price is None:
        raise EventError("labels of this campaign have no price, so there is none to change")
    if wrong := wrong_number(PRICE, event.price, whole=False):
        raise EventError(f"the price is {event.price}, but {wrong}")
    if not event.price and state.protocol.budget.max_money is not None:
        raise EventError("a budget in money needs a price above 0")
    return state._replace(new_price=event.price), ()


def _stopped(state: State, event: CampaignStopped) -> Changed:
    return (state if state.ended is not None else state._replace(ended="stopped", ended_at=event.at)), None


_CHANGES: Final[dict[type[Event], Callable[[State, Any], Changed]]] = {
    CampaignOpened: _opened,
    TaskAssigned: lambda state, event: (assigned(state, event), None),
    TaskReturned: _returned,
    LabelGiven: _labelled,
    ItemAbandoned: _abandoned,
    ItemWithdrawn: _withdrawn,
    AnnotatorExcluded: _excluded,
    CampaignPaused: lambda state, _: (state._replace(paused=True), None),
    CampaignResumed: lambda state, _: (state._replace(paused=False), None),
    InstructionsChanged: lambda state, event: (state._replace(new_instructions=event.instructions), None),
    PriceChanged: _priced_anew,
    CampaignStopped: _stopped,
}
"""By type of event; any other is only noted: who gets to the pages is nothing that evidence depends on, and neither is
an answer that may be taken back."""


def _handed_out(state: State, task: str) -> str:
    """The task's id as it was handed out, however it was typed."""
    if task in state.tasks:
        return task
    number = task_number(task, state.plan.fingerprint)
    if number is None:
        raise EventError(f"task {task!r} is not one of this campaign")
    if number >= state.issued:
        raise EventError(f"task {task} has not been handed out: events are missing")
    return task_id(number, state.plan.fingerprint)
