"""Handing out work: `next_tasks`, and the tasks that have been out for too long."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import timedelta

import numpy as np

from tiebreak.campaign.events import EventError, TaskAssigned, TaskReturned, event_time
from tiebreak.campaign.openings import allowance, may_get_more, may_work_on, opening
from tiebreak.campaign.pair_policies import PAIR_POLICIES
from tiebreak.campaign.state import State
from tiebreak.campaign.step import step
from tiebreak.campaign.task_ids import task_id


def next_tasks(state: State, annotator: str, n: int, now: str) -> tuple[TaskAssigned, ...]:
    """Up to n new tasks for a person, best first; empty when there is nothing for them to do.

    The state does not change: the tasks are handed out when their events have been stored and stepped through. Which
    items a person gets depends on the pair policy and on what is out, never on the outcomes of a pair within the pair.

    Raises:
        EventError: the campaign was not opened, or n is below 0.
    """
    if state.opened_at is None:
        raise EventError("the campaign has not been opened")
    if n < 0:
        raise EventError(f"the number of tasks must be 0 or more, not {n}")
    found: list[TaskAssigned] = []
    while len(found) < n:
        task = _gold_for(state, annotator, now)
        more = [task] if task is not None else _run(state, annotator, n - len(found), now)
        if not more:
            break
        for task in more:
            state = step(state, task)
        found += more
    return tuple(found)


def expired_tasks(state: State, now: str) -> tuple[TaskReturned, ...]:
    """Events that take back the tasks which have been out for longer than `people.hours`."""
    limit = timedelta(hours=state.protocol.people.hours)
    at = event_time(now)
    return tuple(
        TaskReturned(now, task.task, "expired") for task in state.tasks.values() if at - event_time(task.at) > limit
    )


def _run(state: State, annotator: str, n: int, now: str) -> list[TaskAssigned]:
    """Up to n tasks of the pairs that the policy chooses among those that have any for this person; a check that falls
    due ends the run.
    """
    if not _may_get_more(state, annotator):
        return []
    policy = PAIR_POLICIES[state.protocol.pairs.policy]
    wanted = policy.wanted_pairs(state)
    left = allowance(state, wanted)
    open_pairs = [
        k for k in wanted if may_work_on(state, k, annotator) and opening(state, k, annotator, left) is not None
    ]
    if not open_pairs:
        return []
    rng = np.random.default_rng([state.protocol.order.seed, state.issued])
    found: list[TaskAssigned] = []
    for pair in policy.choose(state, open_pairs, n, rng):
        if _gold_is_due(state, annotator) or not _may_get_more(state, annotator):
            break
        task = _task_on(state, pair, annotator, now, wanted)
        if task is not None:  # else this pair has no more items for them, and the next run leaves it out
            state = step(state, task)
            found.append(task)
    return found


def _may_get_more(state: State, annotator: str) -> bool:
    return state.ended is None and may_get_more(state, annotator)


def _task_on(state: State, pair: int, annotator: str, now: str, wanted: Sequence[int]) -> TaskAssigned | None:
    place = opening(state, pair, annotator, allowance(state, wanted))
    if place is None:
        return None
    plan = state.plan.pairs[pair]
    item = state.plan.items[int(plan.items(place.unit)[place.slot])]
    left = plan.system_a if _side(state, pair) else plan.system_b
    task = task_id(state.issued, state.plan.fingerprint)
    return TaskAssigned(now, task, annotator, plan.system_a, plan.system_b, item, left)


def _side(state: State, pair: int) -> bool:
    """Whether system_a goes left: random, and in each two tasks of a pair once on either side."""
    number = state.pairs[pair].tasks
    text = repr(("side", state.protocol.order.seed, pair, number // 2))
    first = hashlib.sha256(text.encode()).digest()[0] % 2 == 0
    return first if number % 2 == 0 else not first


def _gold_is_due(state: State, annotator: str) -> bool:
    """Every so many tasks; but a check must not take the labels that opened items need."""
    people, person = state.protocol.people, state.annotators.get(annotator)
    handed_out = 0 if person is None else person.tasks
    if not people.gold or handed_out % people.gold_every != people.gold_every - 1:
        return False
    return allowance(state, PAIR_POLICIES[state.protocol.pairs.policy].wanted_pairs(state)).new >= 1


def _gold_for(state: State, annotator: str, now: str) -> TaskAssigned | None:
    """A check task where one is due; the checks come in an order of this person's own."""
    if not _may_get_more(state, annotator) or not _gold_is_due(state, annotator):
        return None
    gold = state.protocol.people.gold
    seed = int.from_bytes(hashlib.sha256(repr((state.protocol.order.seed, annotator)).encode()).digest()[:8], "little")
    order = np.random.default_rng(seed).permutation(len(gold))
    chosen = gold[int(order[state.annotators[annotator].tasks // state.protocol.people.gold_every % len(gold)])]
    left = chosen.system_a if hashlib.sha256(f"{seed}{state.issued}".encode()).digest()[0] % 2 else chosen.system_b
    task = task_id(state.issued, state.plan.fingerprint)
    return TaskAssigned(now, task, annotator, chosen.system_a, chosen.system_b, chosen.item, left, gold=True)
