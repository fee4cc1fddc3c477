"""What an annotator sees of each task, and nothing by which to tell the systems. Sheets and web pages lay it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import polars as pl

from tiebreak.campaign.events import TaskAssigned
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.fields import EDIT, AnswerField, fields_of
from tiebreak.tabular.cells import visible

EMPTY = "[this text is empty]"

_INPUT_COLUMNS = ("input", "context", "reference")


@dataclass(frozen=True, slots=True)
class Shown:
    """A text under its name. `compared`: it is one of the two that the question is about."""

    name: str
    text: str
    compared: bool = False


@dataclass(frozen=True, slots=True)
class TaskView:
    """One task. `given`: what the texts are about (input, context, reference), by column, where the item has it;
    `texts`: the outputs that are asked about; `passages`: those to be judged. `filled`: fields that begin with a text.
    """

    task: str
    given: Mapping[str, str]
    texts: tuple[Shown, ...]
    passages: tuple[str, ...] = ()
    filled: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Assignment:
    """Tasks for one annotator, with all that is shown beside them, and the `fields` to fill in for each."""

    question: str
    instructions: str
    fields: tuple[AnswerField, ...]
    annotator: str
    tasks: tuple[TaskView, ...]

    @property
    def given_columns(self) -> tuple[str, ...]:
        """Those of input, context and reference that any task has, in this order."""
        return tuple(name for name in _INPUT_COLUMNS if any(name in task.given for task in self.tasks))

    @property
    def passages(self) -> int:
        """The most passages of a task."""
        return max((len(task.passages) for task in self.tasks), default=0)


def assignment_of(campaign: LiveCampaign, annotator: str, tasks: Sequence[TaskAssigned]) -> Assignment:
    """The tasks as the campaign shows them to this person.

    Raises:
        InputError: the study has no output for a task's item and system.
    """
    protocol = campaign.protocol
    views = views_of(tasks, campaign.study)
    if protocol.labels.kind == "rating+edit":
        views = tuple(replace(view, filled={EDIT: view.texts[0].text}) for view in views)
    if protocol.labels.kind == "correctness":
        passages = passages_of(campaign.study, {task.item for task in tasks})
        shown = [tuple(shown_text(text) for _, text in passages.get(task.item, ())) for task in tasks]
        views = tuple(replace(view, passages=of) for view, of in zip(views, shown, strict=True))
    most = max((len(view.passages) for view in views), default=0)
    return Assignment(protocol.asked, protocol.instructions, fields_of(protocol, most), annotator, views)


def views_of(tasks: Sequence[TaskAssigned], study: Study) -> tuple[TaskView, ...]:
    """A view per task, in the order of the tasks; texts are as `shown_text` makes them.

    Raises:
        InputError: the study has no output for a task's item and system.
    """
    items = {task.item for task in tasks}
    texts = outputs_of(study, items)
    given = _given(study, items)
    views = []
    for task in tasks:
        for system in task.systems:
            if (task.item, system) not in texts:
                message = f"item {task.item!r} has no output of {system}, which a task shows; write it into outputs"
                raise InputError([Problem("study", message)])
        views.append(TaskView(task.task, given.get(task.item, {}), _shown(task, texts)))
    return tuple(views)


def _shown(task: TaskAssigned, texts: Mapping[tuple[str, str], str]) -> tuple[Shown, ...]:
    """One output, or two on the sides that were drawn."""
    if len(task.systems) == 1:
        return (Shown("text", shown_text(texts[task.item, task.system_a])),)
    second = task.system_b if task.left == task.system_a else task.system_a
    sides = (("first text", task.left), ("second text", second))
    return tuple(Shown(name, shown_text(texts[task.item, system]), compared=True) for name, system in sides)


def passages_of(study: Study, items: set[str]) -> dict[str, list[tuple[str, str]]]:
    """By item, the name and text of each of its passages, as the study lists them."""
    found: dict[str, list[tuple[str, str]]] = {}
    if study.passages is not None:
        wanted = study.passages.filter(pl.col("item").is_in(list(items)))
        for item, passage, text in wanted.select("item", "passage", "text").iter_rows():
            found.setdefault(item, []).append((passage, text or ""))
    return found


def outputs_of(study: Study, items: set[str]) -> dict[tuple[str, str], str]:
    """By item and system, the text as it is."""
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
