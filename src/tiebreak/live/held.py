"""Answers that an annotator may take back: for a minute, or until they answer the next task.

Until then an answer is in the log, so that nothing loses it, and is no evidence, so that taking it back bends nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from tiebreak.campaign.events import AnswerHeld, AnswerUndone, Event, LabelGiven, event_time
from tiebreak.live.ledger import TaskLedger

UNDO_SECONDS: Final = 60
"""How long an answer may be taken back."""


def given(held: AnswerHeld, now: str) -> LabelGiven:
    """The label that a held answer becomes."""
    return LabelGiven(now, held.task, held.annotator, held.response, held.seconds, held.comment)


def due(ledger: TaskLedger, now: str) -> tuple[LabelGiven, ...]:
    """The labels of answers that can be taken back no more."""
    latest = event_time(now) - timedelta(seconds=UNDO_SECONDS)
    return tuple(given(held, now) for held in ledger.held.values() if event_time(held.at) <= latest)


def answered(ledger: TaskLedger, answer: AnswerHeld, now: str) -> Sequence[Event]:
    """The events of an answer to a task, with the label of the one before; none where the task has an answer."""
    before = ledger.held.get(answer.annotator)
    if ledger.tasks[answer.task].label is not None or (before is not None and before.task == answer.task):
        return ()
    return (answer,) if before is None else (given(before, now), answer)


def undone(ledger: TaskLedger, annotator: str, now: str) -> Sequence[Event]:
    """The event that takes back the held answer of an annotator, none where there is none."""
    held = ledger.held.get(annotator)
    return () if held is None else (AnswerUndone(now, held.task, annotator),)
