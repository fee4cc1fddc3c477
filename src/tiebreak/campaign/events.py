"""What happens in a campaign, as records: the only way in which its state changes, and all that is stored of it.

An event carries its own time (`at`, ISO 8601, UTC, as "2026-05-01T09:30:00Z"); nothing here reads a clock. Events
name systems and items as the study does, so that a log can be read without the program.

All kinds of labels have the same events: `systems` says whose outputs were asked about, and the `response` of a label
is a record of its kind (`campaign.kinds`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar, get_args

import msgspec

from tiebreak.errors import InputError, TiebreakError
from tiebreak.typed import typed


class EventError(TiebreakError):
    """An event that does not belong to this campaign: unknown task, wrong annotator, another protocol's log."""


@dataclass(frozen=True, slots=True)
class CampaignOpened:
    """The first event of every log: which protocol and which study it belongs to (fingerprints)."""

    at: str
    protocol: str
    study: str


@dataclass(frozen=True, slots=True)
class TaskAssigned:
    """A task was handed to an annotator: about the outputs of these `systems` for an item, which are `shown` in this
    order. `gold`: a check with a known answer, which is not evidence.
    """

    at: str
    task: str
    annotator: str
    systems: tuple[str, ...]
    item: str
    shown: tuple[str, ...]
    gold: bool = False

    @property
    def system_a(self) -> str:
        """The first of the systems, or the one that is rated."""
        return self.systems[0]

    @property
    def system_b(self) -> str:
        """The second of two systems."""
        return self.systems[1]

    @property
    def left(self) -> str:
        """The system whose output is shown first."""
        return self.shown[0]


@dataclass(frozen=True, slots=True)
class Response:
    """What an answer says, for each kind of label a record of its own. `texts` names its fields that a person wrote."""

    texts: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class LabelGiven:
    """An annotator's answer to a task of theirs. `seconds`: time spent on it, where known. `left_page`, `pasted`: how
    often they left its page, and pasted text into it; None where no page counted.
    """

    at: str
    task: str
    annotator: str
    response: Response
    seconds: float | None = None
    comment: str | None = None
    left_page: int | None = None
    pasted: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerHeld(LabelGiven):
    """An answer that its annotator may still take back. It moves nothing until it is given as a label."""


@dataclass(frozen=True, slots=True)
class AnswerUndone:
    """The annotator took back a held answer, and has the task before them again."""

    at: str
    task: str
    annotator: str


@dataclass(frozen=True, slots=True)
class TaskReturned:
    """A task came back without an answer (expired, sheet withdrawn); its item is asked again. `declined`: the annotator
    skipped it, and is not asked about this item again.
    """

    at: str
    task: str
    reason: str = "returned"
    declined: bool = False


@dataclass(frozen=True, slots=True)
class ItemAbandoned:
    """Nobody will label this item for these systems (unreadable, say): it counts against whichever side is argued, and
    a rating as the worst and as the best that it could have been.
    """

    at: str
    systems: tuple[str, ...]
    item: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ItemWithdrawn:
    """Whoever runs the campaign takes back what `task` asked: of its item, for its systems, no label counts any more,
    and the item counts as an abandoned one, for good. After the end of the campaign it is only noted.
    """

    at: str
    task: str
    systems: tuple[str, ...]
    item: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AnnotatorExcluded:
    """No more tasks for this person; labels given so far stay, because leaving out people after seeing their labels
    on a pair would bend that pair's error rate.
    """

    at: str
    annotator: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CampaignPaused:
    """Nobody gets a task until `CampaignResumed`; answers to tasks that are out count as always."""

    at: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CampaignResumed:
    """Tasks are handed out again."""

    at: str


@dataclass(frozen=True, slots=True)
class InstructionsChanged:
    """From now on annotators read these `instructions`. What the campaign asks and decides stays as it was sealed."""

    at: str
    instructions: str


@dataclass(frozen=True, slots=True)
class PriceChanged:
    """Labels of tasks that are handed out from now on cost `price` each, in the protocol's currency. How many items are
    planned for stays as it was sealed.
    """

    at: str
    price: float


Role = Literal["annotator", "owner"]
"""Whose pages a link opens."""


@dataclass(frozen=True, slots=True)
class LinkIssued:
    """A link to the pages of a campaign: for one `annotator`, or ("") for `most` people who join by it; or (`role`) to
    those of the owner. `link`: what its secret is recognised by. It moves no evidence.
    """

    at: str
    link: str
    annotator: str = ""
    most: int = 1
    role: Role = "annotator"


@dataclass(frozen=True, slots=True)
class LinkRevoked:
    """Nobody gets in by this link any more, nor those who came by it."""

    at: str
    link: str


@dataclass(frozen=True, slots=True)
class AnnotatorJoined:
    """Somebody came by a link, read what is stored of them, and agreed; again, when they come back after they had left.
    `crowd_id`: what a platform for crowds calls them, to be paid there; `visit`: what it calls this work of theirs.
    """

    at: str
    annotator: str
    link: str
    crowd_id: str | None = None
    visit: str | None = None


@dataclass(frozen=True, slots=True)
class AnnotatorLeft:
    """A platform for crowds said, by the `notice` of this name, that a person works no more, since their work has this
    `status`: no tasks for them until they come back by their link. It moves no evidence.
    """

    at: str
    annotator: str
    status: str
    notice: str


@dataclass(frozen=True, slots=True)
class CrowdStudy:
    """A platform for crowds sends people by a `study` of this name there. `codes`: by how somebody's work ends, what
    they show there; `return_url`: where they go then, with {code} for a code. It moves no evidence.
    """

    at: str
    study: str
    codes: dict[str, str]
    return_url: str


@dataclass(frozen=True, slots=True)
class TutorialAnswered:
    """An annotator answered a question of the tutorial, by its number from 0: rightly or not. It moves no evidence."""

    at: str
    annotator: str
    question: Annotated[int, msgspec.Meta(ge=0)]
    right: bool


@dataclass(frozen=True, slots=True)
class CampaignStopped:
    """Somebody ended the campaign before it ended by itself."""

    at: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OwnerTold:
    """The owner's address was told that the campaign has ended. It moves no evidence."""

    at: str


Event = (
    CampaignOpened
    | TaskAssigned
    | LabelGiven
    | AnswerHeld
    | AnswerUndone
    | TaskReturned
    | ItemAbandoned
    | ItemWithdrawn
    | AnnotatorExcluded
    | CampaignPaused
    | CampaignResumed
    | InstructionsChanged
    | PriceChanged
    | LinkIssued
    | LinkRevoked
    | AnnotatorJoined
    | AnnotatorLeft
    | CrowdStudy
    | TutorialAnswered
    | CampaignStopped
    | OwnerTold
)

_TYPES: Final[dict[str, type[Event]]] = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind.__name__).lower(): kind for kind in get_args(Event)
}
"""By name in stored logs, which is that of the class: a class of events is never renamed."""
_NAMES: Final = {kind: name for name, kind in _TYPES.items()}
_TEXTS: Final = ("comment", "crowd_id", "visit")
Record = TypeVar("Record")


def event_to_json(event: Event) -> dict[str, object]:
    """`{"type": ..., fields, "texts": {comment, edit}}` for a store; what is None or empty is left out. `texts`: what
    people wrote, and who they are elsewhere, apart, so that it can be erased.
    """
    document = {"type": _NAMES[type(event)]} | _filled(msgspec.to_builtins(event))
    texts = {name: document.pop(name) for name in _TEXTS if name in document}
    if isinstance(event, LabelGiven):
        response = _filled(msgspec.to_builtins(event.response))
        texts |= {name: response.pop(name) for name in event.response.texts if name in response}
        document["response"] = response
    return document | ({"texts": texts} if texts else {})


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value != []}


def event_from_json(document: Mapping[str, Any], response: type[Response]) -> Event:
    """The event that `event_to_json` wrote; of an event whose texts were erased, without them. `response`: that of the
    campaign's kind of label.

    Raises:
        EventError: an unknown type, a missing or unknown field, or a value of the wrong kind.
    """
    name = document.get("type")
    kind = _TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise EventError(f"unknown type of event: {name!r}; known are {', '.join(_TYPES)}")
    values = {key: value for key, value in document.items() if key not in ("type", "texts")}
    texts = dict(document.get("texts", {}))
    if kind not in (LabelGiven, AnswerHeld):
        return _read(values | texts, kind, f"{name} event")
    comment = {"comment": texts.pop("comment")} if "comment" in texts else {}
    said = values.get("response")
    label = _read(values | comment | {"response": {}}, kind, f"{name} event")
    answer = _read((said if isinstance(said, dict) else {}) | texts, response, f"response of a {name} event")
    return replace(label, response=answer)


def _read(values: dict[str, Any], kind: type[Record], what: str) -> Record:
    known = tuple(field.name for field in fields(kind))  # type: ignore[arg-type]
    if unknown := values.keys() - set(known):
        raise EventError(f"a {what} has no field {min(unknown)!r}; its fields are {', '.join(known)}")
    try:
        return typed(values, kind, what)
    except InputError as error:
        raise EventError(str(error.problems[0])) from error


@lru_cache(maxsize=1024)  # events of one sheet share their time
def event_time(at: str) -> datetime:
    """The moment that a time names; without an offset it is UTC.

    Raises:
        EventError: it names none.
    """
    try:
        moment = datetime.fromisoformat(at)
    except ValueError as error:
        raise EventError(f"{at!r} is not a time such as 2026-05-01T09:30:00Z") from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
