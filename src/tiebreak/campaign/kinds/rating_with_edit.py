"""Ratings, and where an output is lacking a better text (price-of-debiasing, section 4: the edit prompt)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, cast

from rapidfuzz.distance import Levenshtein

from tiebreak.campaign.events import EventError, LabelGiven, Response, TaskAssigned
from tiebreak.campaign.kinds.kind import (
    AnswerError,
    AnswerField,
    Cells,
    FieldProblem,
    ItemTexts,
    Phrase,
    Rows,
    SimulatedPerson,
)
from tiebreak.campaign.kinds.rating import Rated, Rating
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.protocol_parts import EDIT_WORDS
from tiebreak.campaign.state import OpenTask
from tiebreak.evidence.derived import share_of_words
from tiebreak.numbers import plain
from tiebreak.tabular.cells import visible

EDIT: Final = "edit"
_SIMULATED_EDIT: Final = "edited"


@dataclass(frozen=True, slots=True)
class RatedWithEdit(Rated):
    """`edit`: the output as it should be, which changes `edit_size` characters of it and keeps a share of its `words`;
    None, 0 and 1 where it may stay.
    """

    texts: ClassVar[tuple[str, ...]] = (EDIT,)

    edit: str | None = None
    edit_size: int | None = None
    words: float | None = None


class RatingWithEdit(Rating):
    """A rating below `ratings.edit_below` on any criterion demands an edit; others may have one."""

    name: ClassVar[str] = "rating+edit"
    response: ClassVar[type[Response]] = RatedWithEdit

    def asks(self, protocol: Protocol) -> str:
        """Also when an output is edited."""
        below = plain(protocol.ratings.edit_below or 0.0)
        return f"{super().asks(protocol).removesuffix('.')}; below {below} they edit the text."

    def fields(self, protocol: Protocol, *, outputs: int, passages: int) -> tuple[AnswerField, ...]:
        """Ratings, and the text once more."""
        rated = super().fields(protocol, outputs=outputs, passages=passages)
        below = plain(protocol.ratings.edit_below or 0.0)
        told = Phrase(
            "The text once more. Where you rated anything below {below}, change it until it is good, with as few "
            "changes as you can; else leave it as it is.",
            below=below,
        )
        return (*rated, AnswerField(EDIT, told, is_text=True))

    def filled(self, task: TaskAssigned, texts: ItemTexts) -> Cells:
        """The edit begins with the text itself."""
        return {EDIT: texts.outputs[task.system_a]}

    def is_empty(self, cells: Cells) -> bool:
        """No rating, whatever stands in the field for edits."""
        return not any(cell for name, cell in cells.items() if name != EDIT)

    def read(self, protocol: Protocol, task: TaskAssigned, texts: ItemTexts, cells: Cells) -> Response:
        """An edit that changes no more than blanks and line breaks is none."""
        values = self.read_values(protocol, cells)
        text, edit = texts.outputs.get(task.system_a, ""), cells.get(EDIT, "")
        if edit and visible(edit).split() != visible(text).split():  # a spreadsheet shows what else would be invisible
            return RatedWithEdit(values, edit, Levenshtein.distance(text, edit), share_of_words(text, edit))
        lacking = _lacking(protocol, values)
        if lacking:
            below = plain(protocol.ratings.edit_below or 0.0)
            message = Phrase(
                "{criterion} is rated below {below}, so that the text must be changed until it is good",
                criterion=lacking,
                below=below,
            )
            raise AnswerError([FieldProblem(EDIT, message)])
        return RatedWithEdit(values, None, 0, 1.0)

    def said(self, task: TaskAssigned, response: Response) -> str:
        """ "fluency 4, coherence 2, edited"."""
        edited = ", edited" if cast(RatedWithEdit, response).edit_size else ""
        return super().said(task, response) + edited

    def simulated(self, protocol: Protocol, task: TaskAssigned, person: SimulatedPerson) -> Response:
        """With another text where the ratings demand one. What it keeps is seen as the other criteria are."""
        values = self.simulated_values(protocol, task, person)
        words = values.pop(EDIT_WORDS, None)
        return RatedWithEdit(values, _SIMULATED_EDIT if _lacking(protocol, values) else None, words=words)

    def check(self, protocol: Protocol, event: LabelGiven, task: OpenTask) -> None:
        """An edit where one is due."""
        super().check(protocol, event, task)
        response = cast(RatedWithEdit, event.response)
        lacking = _lacking(protocol, response.values)
        edited = (response.edit or "").strip() or response.edit_size  # a text that was erased since
        if lacking and not edited:
            raise EventError(
                f"task {event.task} rates {lacking} below {protocol.ratings.edit_below:g}: it needs an edit"
            )
        if response.words is None and protocol.ratings.edit_half_width is not None:
            raise EventError(f"task {event.task} does not say which share of words its edit keeps")
        if response.words is not None and not 0 <= response.words <= 1:
            raise EventError(f"task {event.task} keeps {response.words:g} of the words, which is not 0 to 1")

    def values(self, response: Response) -> dict[str, float]:
        """Also the share of words that the edit keeps, where it is known."""
        words = cast(RatedWithEdit, response).words
        return super().values(response) | ({} if words is None else {EDIT_WORDS: words})

    def set_aside(self, protocol: Protocol, response: Response) -> str | None:
        """An edit that changes hardly anything (price-of-debiasing, appendix A)."""
        size, least = cast(RatedWithEdit, response).edit_size, protocol.people.least_edit
        return f"changed fewer than {least:,} characters" if least is not None and size and size < least else None

    def edit_size(self, response: Response) -> int | None:
        """None also where the output may stay."""
        return cast(RatedWithEdit, response).edit_size or None

    def rows(self, protocol: Protocol, task: TaskAssigned, response: Response, texts: ItemTexts) -> Rows:
        """Also the edit: of an output that may stay, its own text. What it keeps of the words follows from that."""
        found, response = super().rows(protocol, task, response, texts), cast(RatedWithEdit, response)
        rated = [row for row in found["ratings"] if row["criterion"] != EDIT_WORDS]
        edit = texts.outputs[task.system_a] if response.edit_size == 0 else response.edit
        edits: Rows = {} if edit is None else {"edits": [{"system": task.system_a, "text": edit}]}
        return {"ratings": rated, **edits}


def _lacking(protocol: Protocol, values: Mapping[str, float]) -> str:
    """The first criterion on which an output is rated so low that it must be edited; "" for none."""
    below = protocol.ratings.edit_below
    if below is None:
        return ""
    return next((of.name for of in protocol.ratings.criteria if values.get(of.name, below) < below), "")
