"""The form of a task: the page that shows it, and what comes back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
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
_LONGEST_COMMENT: Final = 2_000


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
    problems: Mapping[str, str],
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
        problems=problems,
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
