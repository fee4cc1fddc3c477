"""Gives somebody tasks, and makes the sheet that shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.campaign import State, next_tasks, replay, sheet_size
from tiebreak.campaign.events import Event, TaskAssigned, TaskReturned
from tiebreak.live import LiveCampaign
from tiebreak.live.answers import overdue
from tiebreak.live.ledger import TaskLedger
from tiebreak.live.task_view import Assignment, assignment_of
from tiebreak.sheets.workbook import to_csv, to_xlsx

FORMATS: Final[dict[str, Callable[[Assignment], bytes]]] = {".xlsx": to_xlsx, ".csv": to_csv}
"""By the ending of the file's name."""


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A sheet that is ready to be written. `fresh`: its tasks that were handed out with it, not before; `expired`: how
    many tasks, of anybody, had been out for too long and were taken back on this occasion.
    """

    content: Assignment
    file: bytes
    fresh: tuple[TaskAssigned, ...]
    expired: int


def hand_out(campaign: LiveCampaign, annotator: str, n: int | None, *, now: str, ending: str) -> HandedOut:
    """Up to n new tasks for a person (None: as many as `sheet_size` says), as a sheet; their events are on the disk
    when this returns.

    The sheet is made before the tasks are handed out, so that one that cannot be made takes none. If writing it fails
    afterwards, give the tasks back with `take_back`. No tasks: `content.tasks` is empty.
    """
    made: list[HandedOut] = []

    def decide(state: State, ledger: TaskLedger) -> Sequence[Event]:
        expired = overdue(state, ledger, now)
        state = replay(state, expired)
        tasks = next_tasks(state, annotator, sheet_size(state, annotator) if n is None else n, now)
        content = assignment_of(campaign, annotator, tasks)
        made.append(HandedOut(content, FORMATS[ending](content), tasks, len(expired)))
        return (*expired, *tasks)

    campaign.commit(decide)
    return made[-1]


def open_again(campaign: LiveCampaign, annotator: str, *, ending: str) -> HandedOut:
    """The tasks that a person has and has not answered, in a sheet once more; nothing is handed out."""
    content = assignment_of(campaign, annotator, campaign.ledger.open_tasks(annotator))
    return HandedOut(content, FORMATS[ending](content), (), 0)


def take_back(campaign: LiveCampaign, tasks: Sequence[str], *, now: str, reason: str) -> int:
    """Return those of the tasks that are still open, to be asked again; how many they were."""

    def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
        return [TaskReturned(now, task, reason) for task in tasks if ledger.tasks[task].is_open]

    return len(campaign.commit(decide))
