"""The form of a task: the page that shows it, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.datastructures import FormData
from starlette.responses import Response

from tiebreak.campaign.kinds import LabelKind
from tiebreak.live.task_view import Assignment
from tiebreak.web.site import Site

ANSWER: Final = "answer:"
"""What the names of the controls for an answer begin with."""
SKIP_REASONS: Final = {
    "unclear": "The task is not clear",
    "language": "I do not know the language",
    "expertise": "It needs knowledge that I do not have",
    "harmful": "The text is harmful or offensive",
    "broken": "The page does not show the text as it should",
}


def form_page(
    site: Site,
    kind: LabelKind,
    content: Assignment,
    *,
    ticket: str,
    values: Mapping[str, str],
    problems: Mapping[str, str],
    count: int = 0,
    saved: str = "",
    undo: str = "",
    comment: str = "",
    action: str = "/task",
    heading: str = "",
) -> Response:
    """One task to answer; with a `heading` what is no task: a question of the tutorial, a preview. `values`: by field,
    what stands in it; `problems`: what is wrong there; `count`: answers so far; `undo`: a ticket to take back the last.
    """
    (view,) = content.tasks
    return site.page(
        "task.html",
        422 if problems else 200,
        kind=f"kinds/{kind.name.replace('+', '_')}.html",
        content=content,
        view=view,
        fields={field.name: field for field in content.fields},
        values={**view.filled, **values},
        problems=problems,
        ticket=ticket,
        given=count,
        saved=saved,
        undo=undo,
        comment=comment,
        action=site.path(action),
        heading=heading,
        reasons=SKIP_REASONS,
        prefix=ANSWER,
    )


def cells_in(form: FormData) -> dict[str, str]:
    """What was filled in, by field."""
    return {name.removeprefix(ANSWER): text_in(form, name) for name in form if name.startswith(ANSWER)}


def text_in(form: FormData, name: str) -> str:
    """What was typed into a field, without blanks around it; what is no text in any encoding is replaced."""
    value = form.get(name, "")
    text = value.replace("\r\n", "\n").replace("\0", "") if isinstance(value, str) else ""
    return text.encode("utf-8", "replace").decode().strip()
