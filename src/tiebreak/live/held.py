"""Answers that an annotator may take back: for a minute, or until they answer the next task.

Until then an answer is in the log, so that nothing loses it, and is no evidence, so that taking it back bends nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from tiebreak.campaign import State, expired_tasks, step
from tiebreak.campaign.events import AnswerHeld, AnswerUndone, Event, LabelGiven, TaskReturned, event_time
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import TaskLedger

UNDO_SECONDS: Final = 60
"""How long an answer may be taken back."""


def given(held: AnswerHeld, now: str) -> LabelGiven:
    """The label that a held answer becomes."""
    return LabelGiven(
        now, held.task, held.annotator, held.response, held.seconds, held.comment, held.left_page, held.pasted
    )


def due(state: State, ledger: TaskLedger, now: str) -> Iterator[LabelGiven]:
    """The labels of answers that can be taken back no more: a minute old, or after the end of the campaign."""
    for held in ledger.held.values():
        if not _may_be_undone(state, held, now):
            yield given(held, now)


def overdue(state: State, ledger: TaskLedger, now: str) -> tuple[TaskReturned, ...]:
    """`expired_tasks` without those that are answered already."""
    return tuple(event for event in expired_tasks(state, now) if ledger.tasks[event.task].held is None)


def answered(state: State, ledger: TaskLedger, answer: AnswerHeld, now: str) -> Sequence[Event]:
    """The events of an answer to a task, with the label of the one before; none where the task has an answer.

    Raises:
        EventError: the campaign does not allow this answer.
    """
    if ledger.tasks[answer.task].answer is not None:
        return ()
    answer, before = replace(answer, at=now), ledger.held.get(answer.annotator)
    labels = () if before is None else (given(before, now),)
    # Whether it can become a label is asked before anybody is told that it is saved.
    for label in (*labels, given(answer, now)):
        state = step(state, label)
    return (*labels, answer)


def undone(state: State, ledger: TaskLedger, annotator: str, task: str, now: str) -> Sequence[Event]:
    """The event that takes back the held answer of an annotator to a task, none where it can be taken back no more."""
    held = ledger.held.get(annotator)
    if held is None or held.task != task or not _may_be_undone(state, held, now):
        return ()
    return (AnswerUndone(now, held.task, annotator),)


def release(campaign: LiveCampaign, now: str, annotator: str | None = None) -> None:
    """Make labels of all held answers, or of that of one annotator."""

    def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
        return [given(held, now) for name, held in ledger.held.items() if annotator in (None, name)]

    if campaign.ledger.held:
        campaign.commit(decide)


def release_due(campaign: LiveCampaign, now: str) -> None:
    """Make labels of the answers that can be taken back no more."""
    if campaign.ledger.held:
        campaign.commit(lambda state, ledger: tuple(due(state, ledger, now)))


def _may_be_undone(state: State, held: AnswerHeld, now: str) -> bool:
    return state.ended is None and event_time(now) - event_time(held.at) < timedelta(seconds=UNDO_SECONDS)
