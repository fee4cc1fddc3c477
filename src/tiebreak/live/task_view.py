"""What an annotator sees of each task, and nothing by which to tell the systems. Sheets and web pages lay it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiebreak.campaign.events import TaskAssigned
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem
from tiebreak.live.campaign import LiveCampaign
from tiebreak.tabular.cells import visible

EMPTY = "[this text is empty]"

_INPUT_COLUMNS = ("input", "context", "reference")


@dataclass(frozen=True, slots=True)
class TaskView:
    """One task. `given`: what the texts are about (input, context, reference), by column, where the item has it."""

    task: str
    given: Mapping[str, str]
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """Tasks for one annotator, with all that is shown beside them. `ties`: may the answer be "no difference"?"""

    question: str
    instructions: str
    ties: bool
    annotator: str
    tasks: tuple[TaskView, ...]

    @property
    def given_columns(self) -> tuple[str, ...]:
        """Those of input, context and reference that any task has, in this order."""
        return tuple(name for name in _INPUT_COLUMNS if any(name in task.given for task in self.tasks))


def assignment_of(campaign: LiveCampaign, annotator: str, tasks: Sequence[TaskAssigned]) -> Assignment:
    """The tasks as the campaign shows them to this person.

    Raises:
        InputError: the study has no output for a task's item and system.
    """
    protocol = campaign.protocol
    return Assignment(
        question=protocol.question,
        instructions=protocol.instructions,
        ties=protocol.labels.ties,
        annotator=annotator,
        tasks=views_of(tasks, campaign.study),
    )


def views_of(tasks: Sequence[TaskAssigned], study: Study) -> tuple[TaskView, ...]:
    """A view per task, in the order of the tasks; texts are as `shown_text` makes them.

    Raises:
        InputError: the study has no output for a task's item and system.
    """
    items = {task.item for task in tasks}
    texts = _texts(study, items)
    given = _given(study, items)
    views = []
    for task in tasks:
        second = task.system_b if task.left == task.system_a else task.system_a
        for system in (task.left, second):
            if (task.item, system) not in texts:
                message = f"item {task.item!r} has no output of {system}, which a task shows; write it into outputs"
                raise InputError([Problem("study", message)])
        views.append(
            TaskView(
                task=task.task,
                given=given.get(task.item, {}),
                first=shown_text(texts[task.item, task.left]),
                second=shown_text(texts[task.item, second]),
            )
        )
    return tuple(views)


def _texts(study: Study, items: set[str]) -> dict[tuple[str, str], str]:
    if study.outputs is None:
        return {}
    wanted = study.outputs.filter(pl.col("item").is_in(list(items)))
    return {(item, system): text or "" for item, system, text in wanted.select("item", "system", "text").iter_rows()}


def _given(study: Study, items: set[str]) -> dict[str, dict[str, str]]:
    if study.items is None:
        return {}
    found: dict[str, dict[str, str]] = {}
    columns = ["item", "input", "context", "reference", "references"]
    for item, *values in study.items.filter(pl.col("item").is_in(list(items))).select(columns).iter_rows():
        text, context, *references = values
        joined = _joined([one for value in references for one in _as_list(value)])
        shown = dict(zip(_INPUT_COLUMNS, (text, context, joined), strict=True))
        found[item] = {name: shown_text(value) for name, value in shown.items() if value and value.strip()}
    return found


def _as_list(reference: object) -> list[str]:
    """A reference is a text, a list of texts or texts by name; names are left out, as they may be those of systems."""
    if isinstance(reference, Mapping):
        return [text for text in reference.values() if text]
    if isinstance(reference, Sequence) and not isinstance(reference, str):
        return [text for text in reference if text]
    return [str(reference)] if reference else []


def _joined(texts: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(texts))
    if len(distinct) <= 1:
        return "".join(distinct)
    return "\n\n".join(f"({number}) {text}" for number, text in enumerate(distinct, 1))


def shown_text(text: str) -> str:
    """`visible`, and an empty or blank text says that it is empty."""
    return visible(text) if text.strip() else EMPTY
