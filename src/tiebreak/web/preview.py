"""What annotators would see, for the owner: nothing of it is stored."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from tiebreak.campaign import next_tasks
from tiebreak.campaign.kinds import AnswerError, kind_of
from tiebreak.live import LiveCampaign
from tiebreak.live.task_view import assignment_of
from tiebreak.web.forms import NOTHING, filled_in, form_page
from tiebreak.web.language import gettext
from tiebreak.web.site import Site, now

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
