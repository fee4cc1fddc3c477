"""What annotators would see, for the owner: nothing of it is stored."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from tiebreak.campaign import next_tasks
from tiebreak.campaign.kinds import AnswerError, kind_of
from tiebreak.live import LiveCampaign
from tiebreak.live.task_view import assignment_of
from tiebreak.web.forms import cells_in, form_page
from tiebreak.web.site import Site, now

_NOBODY: Final = "a preview"


def preview_page(site: Site, live: LiveCampaign, number: int, form: FormData | None = None) -> Response:
    """The task that somebody would get after `number` others, or (`form`) what an answer to it would bring."""
    protocol, kind = live.protocol, kind_of(live.protocol)
    tasks = next_tasks(live.state, _NOBODY, number + 1, now())
    if len(tasks) <= number:
        return site.problem(404, "There are no more tasks", "The campaign is over or paused, or has no more items.")
    task, cells = tasks[number], {} if form is None else cells_in(form)
    problems: dict[str, str] = {}
    if form is not None:
        try:
            kind.read(protocol, task, live.texts.of_task(task, kind), cells)
        except AnswerError as error:
            problems = {problem.field: problem.message for problem in error.problems}
        else:
            return RedirectResponse(site.path(f"/owner/preview?after={number + 1}"), 303)
    return form_page(
        site,
        kind,
        assignment_of(live, _NOBODY, (task,)),
        ticket="",
        values=cells,
        problems=problems,
        action=f"/owner/preview?after={number}",
        heading="A preview: nothing is stored",
    )
