"""Finds the task of rows that came back without their ids: by the texts that they show, where only one task shows them.

The same texts may have been shown to several people. They are told apart by the whole sheet: it is that of the one
person who has tasks for all of its rows. A row that may still be of two tasks keeps no id, and is handed back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from tiebreak.campaign.events import TaskAssigned
from tiebreak.live import LiveCampaign
from tiebreak.live.task_view import assignment_of
from tiebreak.sheets.columns import TASK, text_columns
from tiebreak.sheets.filled import FilledRow, column_name

Shown = frozenset[tuple[str, str]]
"""Columns of texts, and what stands in them; those that are empty are left out."""


def with_tasks(rows: Sequence[FilledRow], campaign: LiveCampaign) -> tuple[FilledRow, ...]:
    """The rows, those without a task with the one that they show."""
    if all(row.task for row in rows):
        return tuple(rows)
    shown, columns = _shown_by_tasks(campaign)
    found = [[] if row.task else shown.get(_texts(row, columns), []) for row in rows]
    people = [{task.annotator for task in tasks} for tasks in found if tasks]
    common = set.intersection(*people) if people else set()
    known = {row.task.lower() for row in rows if row.task}
    return tuple(
        row
        if row.task
        else _with(row, [task.task for task in tasks if task.annotator in common and task.task not in known])
        for row, tasks in zip(rows, found, strict=True)
    )


def _shown_by_tasks(campaign: LiveCampaign) -> tuple[dict[Shown, list[TaskAssigned]], set[str]]:
    """The tasks that show some texts, and all columns of texts that any sheet has."""
    of_people: dict[str, list[TaskAssigned]] = defaultdict(list)
    for record in campaign.ledger.tasks.values():
        of_people[record.assigned.annotator].append(record.assigned)
    found: dict[Shown, list[TaskAssigned]] = defaultdict(list)
    names: set[str] = set()
    for annotator, tasks in of_people.items():
        columns = text_columns(assignment_of(campaign, annotator, tasks))
        names |= {column_name(column.name) for column in columns}
        for place, task in enumerate(tasks):
            texts = {column_name(column.name): _plain(column.texts[place]) for column in columns}
            found[frozenset((name, text) for name, text in texts.items() if text)].append(task)
    return found, names


def _texts(row: FilledRow, columns: set[str]) -> Shown:
    cells = zip(map(column_name, row.header), map(_plain, row.cells), strict=False)
    return frozenset((name, text) for name, text in cells if name in columns and text)


def _plain(text: str) -> str:
    """As it is compared: programs change blanks and the ends of lines."""
    return " ".join(text.split())


def _with(row: FilledRow, tasks: Sequence[str]) -> FilledRow:
    return replace(row, used=MappingProxyType({**row.used, TASK: tasks[0]})) if len(tasks) == 1 else row
