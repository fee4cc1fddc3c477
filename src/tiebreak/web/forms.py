"""The form of a task: the page that shows it, and what comes back.

The pages of a campaign's tutorial, and what annotators would see, for the owner: nothing of it is stored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from starlette.datastructures import FormData
from starlette.responses import Response

from tiebreak.campaign import State, next_tasks
from tiebreak.campaign.events import Event, TutorialAnswered
from tiebreak.campaign.kinds import AnswerError, LabelKind, kind_of
from tiebreak.campaign.kinds.rating_with_edit import EDIT
from tiebreak.live import LiveCampaign
from tiebreak.live.ledger import TaskLedger
from tiebreak.live.task_view import Assignment, Shown, TaskView, assignment_of
from tiebreak.live.tutorial import Tutorial
from tiebreak.settings.protocol import LABEL_KINDS
from tiebreak.web.site import FormTicket, Site, gettext, now

ANSWER: Final = "answer:"
"""What the names of the controls for an answer begin with."""
SKIP_REASONS: Final = {
    "unclear": "The task is not clear",
    "language": "I do not know the language",
    "expertise": "It needs knowledge that I do not have",
    "harmful": "The text is harmful or offensive",
    "broken": "The page does not show the text as it should",
}
_LONGEST_COMMENT: Final = 2_000
_NOBODY: Final = "a preview"
_TASK: Final = "tutorial "  # and the number of a question, in place of a task


@dataclass(frozen=True, slots=True)
class Filled:
    """What a form has in it. `cells`: by field; `left`, `pasted`: how often the page was left and text was pasted, None
    where nobody counted; `is_to_change`: it comes from the page to check answers, and they are not right yet.
    """

    cells: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    comment: str = ""
    left: int | None = None
    pasted: int | None = None
    is_to_change: bool = False

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the answers and the comment."""
        return hashlib.sha256(json.dumps([dict(self.cells), self.comment], sort_keys=True).encode()).hexdigest()

    def is_checked(self, kind: LabelKind, seen: str) -> bool:
        """Whether complete answers may be saved: the kind has no page to check them, or its form showed these (`seen`:
        their digest).
        """
        return not kind.confirmation or seen == self.digest


NOTHING: Final = Filled()


def form_page(
    site: Site,
    kind: LabelKind,
    content: Assignment,
    *,
    ticket: str,
    problems: Mapping[str, str] | None = None,
    filled: Filled = NOTHING,
    fixed: bool = False,
    count: int = 0,
    saved: str = "",
    undo: str = "",
    action: str = "/task",
    heading: str = "",
) -> Response:
    """One task to answer; with a `heading` what is no task: a question of the tutorial, a preview. `problems`: by
    field, what is wrong there; `fixed`: it is the page to check what is `filled` in; `count`: answers so far; `undo`: a
    ticket to take back the last.
    """
    (view,) = content.tasks
    return site.page(
        "task.html",
        422 if problems else 200,
        kind=f"kinds/{kind.name.replace('+', '_')}.html",
        content=content,
        view=view,
        fields={field.name: field for field in content.fields},
        values={**view.filled, **filled.cells},
        filled=filled,
        fixed=fixed,
        problems=problems or {},
        ticket=ticket,
        given=count,
        saved=saved,
        undo=undo,
        action=site.path(action),
        heading=heading,
        reasons=SKIP_REASONS,
        prefix=ANSWER,
    )


def cells_in(form: FormData) -> dict[str, str]:
    """What was filled in, by field."""
    return {name.removeprefix(ANSWER): text_in(form, name) for name in form if name.startswith(ANSWER)}


def filled_in(form: FormData) -> Filled:
    """What came back from a form."""
    comment = text_in(form, "comment")[:_LONGEST_COMMENT]
    return Filled(cells_in(form), comment, _count_in(form, "left"), _count_in(form, "pasted"), "change" in form)


def text_in(form: FormData, name: str) -> str:
    """What was typed into a field, without blanks around it; what is no text in any encoding is replaced."""
    value = form.get(name, "")
    text = value.replace("\r\n", "\n").replace("\0", "") if isinstance(value, str) else ""
    return text.encode("utf-8", "replace").decode().strip()


def _count_in(form: FormData, name: str) -> int | None:
    """How often the page saw something; None where it did not count."""
    text = text_in(form, name)
    return int(text) if re.fullmatch("[0-9]{1,6}", text) else None


# ---- what is no task: a preview, and the questions of the tutorial -------------------------------------------


def preview_page(site: Site, live: LiveCampaign, number: int, form: FormData | None = None) -> Response:
    """The task that somebody would get after `number` others, or (`form`) what an answer to it would bring."""
    protocol, kind = live.protocol, kind_of(live.protocol)
    tasks = next_tasks(live.state, _NOBODY, number + 1, now())
    if len(tasks) <= number:
        text = gettext("The campaign is over or paused, or has no more items.")
        return site.problem(404, gettext("There are no more tasks"), text)
    task, filled = tasks[number], NOTHING if form is None else filled_in(form)
    problems: dict[str, str] = {}
    fixed = False
    if form is not None and not filled.is_to_change:
        ticket = site.read_ticket(form.get("ticket"), _NOBODY)
        try:
            kind.read(protocol, task, live.texts.of_task(task, kind), {**filled.cells, **kind.confirmation})
        except AnswerError as error:
            problems = {problem.field: problem.message for problem in error.problems}
        else:
            fixed = not filled.is_checked(kind, "" if ticket is None else ticket.seen)
        if not fixed and not problems:
            return site.redirect(f"/owner/preview?after={number + 1}")
    return form_page(
        site,
        kind,
        assignment_of(live, _NOBODY, (task,)),
        ticket=site.ticket(_NOBODY, seen=filled.digest if fixed else ""),
        filled=filled,
        fixed=fixed,
        problems=problems,
        action=f"/owner/preview?after={number}",
        heading=gettext("A preview: nothing is stored"),
    )


class TutorialPages:
    """A question after the other, and after each what is right."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def question(self, live: LiveCampaign, name: str) -> Response:
        """The next question of a person; the tasks, where none is left."""
        number = None if live.tutorial is None else live.tutorial.next_question(live.ledger, name)
        if live.tutorial is None or number is None:
            return self._site.redirect("/task")
        return self._tutorial_page(live, live.tutorial, name, number)

    def explain(self, live: LiveCampaign, name: str, ticket: FormTicket, form: FormData) -> Response:
        """Keep whether the first answer to a question is right, and say what is right and why."""
        tutorial, text = live.tutorial, ticket.task.removeprefix(_TASK)
        if tutorial is None or not ticket.task.startswith(_TASK) or int(text) >= len(tutorial.questions):
            text = gettext("Please go back.")
            return self._site.problem(403, gettext("This is no question of the tutorial"), text)
        number, cells = int(text), cells_in(form)
        kind, question = tutorial.kind_for(live.protocol), tutorial.questions[number]
        if kind.is_empty(cells):
            problems = {next(iter(question.answer)): gettext("please answer")}
            return self._tutorial_page(live, tutorial, name, number, problems=problems)
        cells |= kind.confirmation  # nobody checks them here
        wrong = question.wrong_fields(cells)

        def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
            known = number in ledger.tutorials.get(name, {})
            return () if known else (TutorialAnswered(now(), name, number, not wrong),)

        live.commit(decide)
        fields = kind.fields(live.protocol, outputs=len(question.texts), passages=len(question.passages))
        return self._site.page(
            "explained.html",
            right=not wrong,
            texts=_shown(kind, question.texts),
            answers=[
                (of.name, cells.get(of.name, ""), question.right[of.name], of.name in wrong)
                for of in fields
                if of.name in question.right
            ],
            explanation=question.explanation,
            number=number + 1,
            count=len(tutorial.questions),
        )

    def _tutorial_page(
        self,
        live: LiveCampaign,
        tutorial: Tutorial,
        name: str,
        number: int,
        problems: Mapping[str, str] | None = None,
    ) -> Response:
        kind, question, protocol = tutorial.kind_for(live.protocol), tutorial.questions[number], live.protocol
        texts = _shown(kind, question.texts)
        given = {of: text for of, text in (("input", question.input), ("context", question.context)) if text}
        filled = {EDIT: question.texts[0]} if kind.name == "rating+edit" else {}
        view = TaskView("", given, tuple(texts), tuple(question.passages), filled)
        fields = kind.fields(protocol, outputs=len(texts), passages=len(question.passages))
        asked = protocol.asked if kind.name == protocol.labels.kind else LABEL_KINDS[kind.name].question
        content = Assignment(asked, live.state.instructions, fields, name, (view,))
        return form_page(
            self._site,
            kind,
            content,
            problems=problems,
            ticket=self._site.ticket(name, f"{_TASK}{number}"),
            action="/tutorial",
            heading=gettext("Tutorial: question %(number)s of %(count)s")
            % {"number": number + 1, "count": len(tutorial.questions)},
        )


def _shown(kind: LabelKind, texts: Sequence[str]) -> list[Shown]:
    """The texts of a question of the tutorial under their names."""
    names = kind.text_names(len(texts))
    return [Shown(name, text, compared=len(texts) > 1) for name, text in zip(names, texts, strict=True)]
