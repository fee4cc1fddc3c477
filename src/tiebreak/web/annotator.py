"""What annotators see: a link, what is stored of them, one task at a time, and thanks."""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from tiebreak.campaign import EventError, State, TaskReturned, next_tasks, replay
from tiebreak.campaign.events import AnswerHeld, Event, TaskAssigned
from tiebreak.campaign.kinds import AnswerError, kind_of
from tiebreak.errors import UsageError
from tiebreak.live import LiveCampaign
from tiebreak.live.answers import answered, due, overdue, undone
from tiebreak.live.ledger import Link, TaskLedger
from tiebreak.live.links import is_let_in, join, known_name, link_of
from tiebreak.live.task_view import assignment_of
from tiebreak.web.forms import NOTHING, SKIP_REASONS, Filled, TutorialPages, filled_in, form_page
from tiebreak.web.guards import Attempts, opened
from tiebreak.web.site import FormTicket, Site, gettext, now

_LONGEST_ID: Final = 100
_VISIT: Final = "SESSION_ID"  # the parameter by which Prolific names somebody's work
_NAME_BYTES: Final = 4
_CODE_DIGITS: Final = 10


class AnnotatorPages:
    """The pages of annotators."""

    def __init__(self, site: Site) -> None:
        self._site, self._attempts, self._tutorial = site, Attempts(), TutorialPages(site)
        self._last: dict[str, dict[str, Filled]] = {}  # by annotator and task, the last answer, for who takes it back

    # ---- the way in --------------------------------------------------------------------------------------------

    async def arrive(self, request: Request) -> Response:
        """A link: its secret moves from the address into what the browser keeps."""

        def found(secret: str) -> Link | None:
            return self._site.campaign(lambda live: link_of(live.ledger, secret))

        text = gettext("It may have been withdrawn, or copied in part. Please ask whoever sent it for another one.")
        link = await opened(self._site, self._attempts, request, found, text)
        if isinstance(link, Response):
            return link
        response = self._site.redirect("/join")
        self._site.remember(response, "link", link.issued.link)
        crowd_id = request.query_params.get(self._site.settings.crowd_id, "").strip()[:_LONGEST_ID]
        self._site.remember(response, "crowd", crowd_id)
        self._site.remember(response, "visit", request.query_params.get(_VISIT, "").strip()[:_LONGEST_ID])
        return response

    async def consent(self, request: Request) -> Response:
        """What is stored of a person, before the first task."""
        link = self._site.remembered(request, "link")
        if link is None:
            return self._no_link()
        name = self._site.remembered(request, "annotator") or ""

        def work(live: LiveCampaign) -> Response:
            of = live.ledger.links.get(link)
            crowd_id, visit = (self._site.remembered(request, what) or None for what in ("crowd", "visit"))
            wanted = "" if of is None else known_name(live.ledger, of, crowd_id)
            is_same = wanted == name if wanted or crowd_id is not None else True
            if is_same and is_let_in(live.ledger, name, visit):
                return self._site.redirect("/task")
            paid = live.protocol.labels.price is not None
            ticket = self._site.ticket(link, secrets.token_hex(_NAME_BYTES))  # the same form is the same person
            return self._site.page("join.html", ticket=ticket, paid=paid)

        return await run_in_threadpool(self._site.campaign, work)

    async def agree(self, request: Request) -> Response:
        """A person has agreed, and gets a name."""
        link, form = self._site.remembered(request, "link"), await request.form()
        ticket = None if link is None else self._site.read_ticket(form.get("ticket"), link)
        if link is None or ticket is None:
            return self._no_link()
        try:
            crowd_id, visit = (self._site.remembered(request, what) or None for what in ("crowd", "visit"))
            fresh = f"annotator-{ticket.task}"
            name = await run_in_threadpool(
                self._site.campaign,
                lambda live: join(live, link, fresh, now=now(), crowd_id=crowd_id, visit=visit),
            )
        except UsageError:
            text = gettext(
                "As many people as were needed have joined by this link, or it was withdrawn. Thank you for your time."
            )
            return self._site.problem(403, gettext("You cannot join any more"), text)
        response = self._site.redirect("/task")
        self._site.remember(response, "annotator", name)
        return response

    async def _for_person(self, request: Request, work: Callable[[LiveCampaign, str], Response]) -> Response:
        """What `work` makes for the annotator whose browser asks, if they came by a link that still works."""
        name = self._site.remembered(request, "annotator")
        if name is None:
            return self._no_link()
        return await run_in_threadpool(
            self._site.campaign, lambda live: work(live, name) if is_let_in(live.ledger, name) else self._no_link()
        )

    def _no_link(self) -> Response:
        text = gettext(
            "Please open the link that you were sent once more. If it was withdrawn, ask whoever sent it for another."
        )
        return self._site.problem(403, gettext("Please use your link"), text)

    # ---- tasks -------------------------------------------------------------------------------------------------

    async def task(self, request: Request) -> Response:
        """The task that a person has before them, or the next one."""
        saved = request.query_params.get("saved", "")
        return await self._for_person(request, lambda live, name: self._next(live, name, saved))

    async def answer(self, request: Request) -> Response:
        """An answer: on the disk when the browser hears of it."""
        return await self._posted(request, self._save)

    async def skip(self, request: Request) -> Response:
        """A task that a person does not answer, and why."""
        return await self._posted(request, self._decline)

    async def undo(self, request: Request) -> Response:
        """The last answer is taken back, and its task shown again."""
        return await self._posted(request, self._undo)

    async def tutorial(self, request: Request) -> Response:
        """The next question of the tutorial."""
        return await self._for_person(request, self._tutorial.question)

    async def tutorial_answer(self, request: Request) -> Response:
        """An answer to a question of the tutorial, and what is right."""
        return await self._posted(request, self._tutorial.explain)

    async def _posted(
        self, request: Request, work: Callable[[LiveCampaign, str, FormTicket, FormData], Response]
    ) -> Response:
        form = await request.form()

        def checked(live: LiveCampaign, name: str) -> Response:
            ticket = self._site.read_ticket(form.get("ticket"), name)
            return self._no_link() if ticket is None else work(live, name, ticket, form)

        return await self._for_person(request, checked)

    def _next(self, live: LiveCampaign, name: str, saved: str = "") -> Response:
        tutorial = live.tutorial
        if tutorial is not None and live.state.ended is None and not tutorial.has_passed(live.ledger, name):
            if tutorial.next_question(live.ledger, name) is not None:
                return self._site.redirect("/tutorial")
            return self._nothing(live, name)

        def decide(state: State, ledger: TaskLedger) -> Sequence[Event]:
            at = now()
            labels = tuple(due(state, ledger, at))
            if state.ended is not None or ledger.open_tasks(name):
                return labels
            state = replay(state, labels)
            expired = overdue(state, ledger, at)
            return (*labels, *expired, *next_tasks(replay(state, expired), name, 1, at))

        live.commit(decide)
        tasks = () if live.state.ended is not None else live.ledger.open_tasks(name)
        if not tasks:
            return self._nothing(live, name)
        if saved != "undone":
            return self._shown(live, name, tasks[0], saved=saved)
        held = (of for of in reversed(live.events()) if isinstance(of, AnswerHeld) and of.task == tasks[0].task)
        before = next((of.seconds for of in held), None) or 0.0  # of the answer that was taken back last
        filled = self._last.get(name, {}).get(tasks[0].task, NOTHING)
        return self._shown(live, name, tasks[0], saved=saved, filled=filled, before=before)

    def _save(self, live: LiveCampaign, name: str, ticket: FormTicket, form: FormData) -> Response:
        record = live.ledger.tasks.get(ticket.task)
        if record is None or record.assigned.annotator != name:
            text = gettext("Please reload the page of your tasks.")
            return self._site.problem(409, gettext("This is not your task"), text)
        if record.answer is not None:
            return self._see_other("known")
        kind, task = kind_of(live.protocol), record.assigned
        filled, seconds = filled_in(form), _seconds(form, ticket)
        if filled.is_to_change:
            return self._shown(live, name, task, filled=filled, before=seconds)
        try:
            cells = {**filled.cells, **kind.confirmation}
            response = kind.read(live.protocol, task, live.texts.of_task(task, kind), cells)
            if not filled.is_checked(kind, ticket.seen):
                return self._shown(live, name, task, filled=filled, fixed=True, before=seconds)
            answer = AnswerHeld(
                "", task.task, name, response, seconds, filled.comment or None, filled.left, filled.pasted
            )
            saved = live.commit(lambda state, ledger: answered(state, ledger, answer, now()))
        except AnswerError as error:
            problems = {problem.field: problem.message for problem in error.problems}
            return self._shown(live, name, task, filled=filled, problems=problems, before=seconds)
        except EventError as error:
            text = gettext("Please go back, or skip the task.")
            return self._site.problem(409, gettext("This answer was not taken"), f"{text} ({error})")
        self._last[name] = {task.task: filled}
        return self._see_other("saved" if saved else "known")

    def _undo(self, live: LiveCampaign, name: str, ticket: FormTicket, _: FormData) -> Response:
        events = live.commit(lambda state, ledger: undone(state, ledger, name, ticket.task, now()))
        if not events:
            return self._see_other("")
        return self._see_other("undone" if live.ledger.tasks[ticket.task].is_open else "gone")

    def _decline(self, live: LiveCampaign, name: str, ticket: FormTicket, form: FormData) -> Response:
        reason = SKIP_REASONS.get(str(form.get("reason", "")))
        if reason is None:
            return self._see_other("")

        def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
            record = ledger.tasks.get(ticket.task)
            if record is None or record.assigned.annotator != name or not record.is_open:
                return ()
            return (TaskReturned(now(), ticket.task, f"skipped: {reason}", declined=True),)

        return self._see_other("skipped" if live.commit(decide) else "")

    def _see_other(self, saved: str) -> Response:
        return self._site.redirect(f"/task?saved={saved}" if saved else "/task")

    # ---- pages -------------------------------------------------------------------------------------------------

    def _shown(
        self,
        live: LiveCampaign,
        name: str,
        task: TaskAssigned,
        *,
        filled: Filled = NOTHING,
        fixed: bool = False,
        saved: str = "",
        problems: Mapping[str, str] | None = None,
        before: float = 0.0,
    ) -> Response:
        return form_page(
            self._site,
            kind_of(live.protocol),
            assignment_of(live, name, (task,)),
            filled=filled,
            fixed=fixed,
            problems=problems,
            ticket=self._site.ticket(name, task.task, before, filled.digest if fixed else ""),
            count=_given(live, name),
            saved=saved,
            undo=self._undo_ticket(live, name),
        )

    def _undo_ticket(self, live: LiveCampaign, name: str) -> str:
        """What takes back the last answer of a person; "" where there is none, or it is too late."""
        held = live.ledger.held.get(name)
        return "" if held is None or live.state.ended is not None else self._site.ticket(name, held.task)

    def _nothing(self, live: LiveCampaign, name: str) -> Response:
        """Thanks, or why there is nothing to do just now."""
        state = live.state
        most = state.protocol.people.labels_per_person
        count = _given(live, name)
        tutorial = live.tutorial
        if state.ended is not None or (most is not None and count >= most):
            why = "over"
        elif tutorial is not None and not tutorial.has_passed(live.ledger, name):
            why = "screened"
        elif state.is_excluded(name):
            why = "excluded"
        else:
            why = "paused" if state.paused else "waiting"
        outcome = "screened" if why == "screened" else "done" if count else "stopped"
        own = hmac.new(self._site.key, f"code {outcome} {name}".encode(), hashlib.sha256).hexdigest()
        settings, study = self._site.settings, live.ledger.crowd_study
        of_study = None if study is None else study.codes.get(outcome)
        code = settings.code_for(outcome) or of_study or own[:_CODE_DIGITS].upper()
        back = settings.return_url or (None if study is None else study.return_url)
        return self._site.page(
            "nothing.html",
            why=why,
            decided=state.ended == "decided",
            given=count,
            code="" if why in ("waiting", "paused") else code,
            back=None if back is None else back.replace("{code}", code),
            undo=self._undo_ticket(live, name),
        )


def _given(live: LiveCampaign, name: str) -> int:
    """How many answers a person has given, with one that they may still take back."""
    return live.state.person(name).labels + (name in live.ledger.held)


def _seconds(form: FormData, ticket: FormTicket) -> float:
    """Seconds spent on a task: those that the page counted while it was looked at, at most those since it was made."""
    try:
        counted = float(str(form.get("seconds", "")))
    except ValueError:
        counted = math.nan
    return round(ticket.before + (counted if 0 < counted <= ticket.seconds else ticket.seconds), 1)
