"""What an annotator sees of each task, and nothing by which to tell the systems. Sheets and web pages lay it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tiebreak.campaign.events import TaskAssigned
from tiebreak.campaign.kinds import AnswerField, LabelKind, kind_of
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.texts import GIVEN, StudyTexts
from tiebreak.tabular.cells import visible

EMPTY = "[this text is empty]"


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
    """Tasks for one annotator, with all that is shown beside them, and the `fields` to fill in for each. `markdown`:
    a page shows texts as it says; a sheet shows them as they are.
    """

    question: str
    instructions: str
    fields: tuple[AnswerField, ...]
    annotator: str
    tasks: tuple[TaskView, ...]
    markdown: bool = False

    @property
    def given_columns(self) -> tuple[str, ...]:
        """Those of input, context and reference that any task has, in this order."""
        return tuple(name for name in GIVEN if any(name in task.given for task in self.tasks))

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
    views = views_of(tasks, campaign.texts, kind)
    most = max((len(view.passages) for view in views), default=0)
    outputs = max((len(view.texts) for view in views), default=0)
    fields = kind.fields(protocol, outputs=outputs, passages=most)
    return Assignment(protocol.asked, campaign.state.instructions, fields, annotator, views, protocol.labels.markdown)


def views_of(tasks: Sequence[TaskAssigned], texts: StudyTexts, kind: LabelKind) -> tuple[TaskView, ...]:
    """A view per task, in the order of the tasks; texts are as `shown_text` makes them.

    Raises:
        InputError: the study has no output for a task's item and system.
    """
    views = []
    for task in tasks:
        of = texts.of_task(task, kind)
        names = kind.text_names(len(task.shown))
        shown = tuple(
            Shown(name, shown_text(of.outputs[system]), compared=len(task.shown) > 1)
            for name, system in zip(names, task.shown, strict=True)
        )
        given = {name: shown_text(text) for name, text in texts.given(task.item).items()}
        passages = tuple(map(shown_text, of.passages.values()))
        views.append(TaskView(task.task, given, shown, passages, kind.filled(task, of)))
    return tuple(views)


def shown_text(text: str) -> str:
    """`visible`, and an empty or blank text says that it is empty."""
    return visible(text) if text.strip() else EMPTY
