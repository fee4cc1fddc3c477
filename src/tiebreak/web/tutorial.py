"""The pages of a campaign's tutorial, and what annotators would see, for the owner: nothing of it is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from tiebreak.campaign import State, next_tasks
from tiebreak.campaign.events import Event, TutorialAnswered
from tiebreak.campaign.kinds import AnswerError, LabelKind, kind_of
from tiebreak.campaign.kinds.rating_with_edit import EDIT
from tiebreak.live import LiveCampaign
from tiebreak.live.ledger import TaskLedger
from tiebreak.live.task_view import Assignment, Shown, TaskView, assignment_of
from tiebreak.live.tutorial import Tutorial
from tiebreak.settings.protocol import LABEL_KINDS
from tiebreak.web.forms import NOTHING, cells_in, filled_in, form_page
from tiebreak.web.site import FormTicket, Site, gettext, now

_NOBODY: Final = "a preview"


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
            return RedirectResponse(site.path(f"/owner/preview?after={number + 1}"), 303)
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


_TASK: Final = "tutorial "  # and the number of a question, in place of a task


class TutorialPages:
    """A question after the other, and after each what is right."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def question(self, live: LiveCampaign, name: str) -> Response:
        """The next question of a person; the tasks, where none is left."""
        number = None if live.tutorial is None else live.tutorial.next_question(live.ledger, name)
        if live.tutorial is None or number is None:
            return RedirectResponse(self._site.path("/task"), 303)
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
            problems=problems or {},
            ticket=self._site.ticket(name, f"{_TASK}{number}"),
            action="/tutorial",
            heading=gettext("Tutorial: question %(number)s of %(count)s")
            % {"number": number + 1, "count": len(tutorial.questions)},
        )


def _shown(kind: LabelKind, texts: Sequence[str]) -> list[Shown]:
    """The texts of a question of the tutorial under their names."""
    names = kind.text_names(len(texts))
    return [Shown(name, text, compared=len(texts) > 1) for name, text in zip(names, texts, strict=True)]
