"""What an annotator sees of each task, and nothing by which to tell the systems. Sheets and web pages lay it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import polars as pl

from tiebreak.campaign.events import TaskAssigned
from tiebreak.campaign.kinds import AnswerField, ItemTexts, LabelKind, kind_of
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem
from tiebreak.live.campaign import LiveCampaign
from tiebreak.tabular.cells import visible

EMPTY = "[this text is empty]"

_INPUT_COLUMNS = ("input", "context", "reference")


@dataclass(frozen=True, slots=True)
class Shown:
    """A text under its name. `compared`: it is one of those that the question is about."""

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
    protocol, kind = campaign.protocol, kind_of(campaign.protocol)
    views = views_of(tasks, campaign.study, kind)
    most = max((len(view.passages) for view in views), default=0)
    outputs = max((len(view.texts) for view in views), default=0)
    fields = kind.fields(protocol, outputs=outputs, passages=most)
    return Assignment(protocol.asked, protocol.instructions, fields, annotator, views)


def views_of(tasks: Sequence[TaskAssigned], study: Study, kind: LabelKind) -> tuple[TaskView, ...]:
    """A view per task, in the order of the tasks; texts are as `shown_text` makes them.

    Raises:
        InputError: the study has no output for a task's item and system.
    """
    given, texts = _given(study, {task.item for task in tasks}), texts_of_tasks(tasks, study, kind)
    views = []
    for task, of in zip(tasks, texts, strict=True):
        names = kind.text_names(len(task.shown))
        shown = tuple(
            Shown(name, shown_text(of.outputs[system]), compared=len(task.shown) > 1)
            for name, system in zip(names, task.shown, strict=True)
        )
        passages = tuple(map(shown_text, of.passages.values()))
        filled = {name: shown_text(text) for name, text in kind.filled(task, of).items()}
        views.append(TaskView(task.task, given.get(task.item, {}), shown, passages, filled))
    return tuple(views)


def texts_of_tasks(tasks: Sequence[TaskAssigned], study: Study, kind: LabelKind) -> list[ItemTexts]:
    """The texts of each task as the study has them, in the order of the tasks.

    Raises:
        InputError: the study has no output for a task's item and system.
    """
    items = {task.item for task in tasks}
    outputs = _outputs(study, items)
    passages = _passages(study, items) if kind.shows_passages else {}
    found = []
    for task in tasks:
        for system in task.systems:
            if (task.item, system) not in outputs:
                message = f"item {task.item!r} has no output of {system}, which a task shows; write it into outputs"
                raise InputError([Problem("study", message)])
        of_task = {system: outputs[task.item, system] for system in task.systems}
        found.append(ItemTexts(of_task, passages.get(task.item, {})))
    return found


def _passages(study: Study, items: set[str]) -> dict[str, dict[str, str]]:
    """By item, the text of each of its passages by name, as the study lists them."""
    found: dict[str, dict[str, str]] = {}
    if study.passages is not None:
        wanted = study.passages.filter(pl.col("item").is_in(list(items)))
        for item, passage, text in wanted.select("item", "passage", "text").iter_rows():
            found.setdefault(item, {})[passage] = text or ""
    return found


def _outputs(study: Study, items: set[str]) -> dict[tuple[str, str], str]:
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
