"""Handing out work: `next_tasks`, and the tasks that have been out for too long."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

import numpy as np

from tiebreak.campaign.assigning import came_back, with_check, with_task, with_task_again
from tiebreak.campaign.events import EventError, TaskAssigned, TaskReturned, event_time
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.openings import (
    Allowance,
    Opening,
    allowance,
    allowance_after,
    blocking,
    may_be_asked,
    may_get_more,
    may_work_on,
    opening,
    overdue_tasks,
    task_id,
)
from tiebreak.campaign.state import State

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
    people, person = state.protocol.people, state.annotators.get(annotator)
    handed_out = 0 if person is None else person.tasks
    if not people.gold or handed_out % people.gold_every != people.gold_every - 1:
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
