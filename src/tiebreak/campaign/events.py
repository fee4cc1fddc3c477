"""What happens in a campaign, as records: the only way in which its state changes, and all that is stored of it.

An event carries its own time (`at`, ISO 8601, UTC, as "2026-05-01T09:30:00Z"); nothing here reads a clock. Events
name systems and items as the study does, so that a log can be read without the program; `outcome` is relative to the
`systems` of the task, a the first and b the second, whatever was shown on the left.

Tasks about pairs and about single outputs have the same events: `systems` says what was asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec

from tiebreak.errors import InputError, TiebreakError
from tiebreak.records import Support
from tiebreak.typed import typed

Outcome = Literal["a", "tie", "b"]
Place = Annotated[int, msgspec.Meta(ge=0)]


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
    """A task was handed to an annotator: to compare the outputs of two `systems`, or to rate that of one. `left`: of
    two the one whose text is shown first. `gold`: a check with a known answer, which is not evidence.
    """

    at: str
    task: str
    annotator: str
    systems: tuple[str, ...]
    item: str
    left: str = ""
    gold: bool = False

    @property
    def system_a(self) -> str:
        """The first of the systems, or the one that is rated."""
        return self.systems[0]

    @property
    def system_b(self) -> str:
        """The second of two systems."""
        return self.systems[1]


@dataclass(frozen=True, slots=True)
class LabelGiven:
    """An annotator's answer to a task of theirs. `seconds`: time spent on it, where known."""

    at: str
    task: str
    annotator: str
    outcome: Outcome
    seconds: float | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """What an annotator found in a passage: that it `supports` or `contradicts` the output, or does `neither`, and
    where, from `start` to `end` in code points (None: not marked).
    """

    passage: str
    support: Support
    start: Place | None = None
    end: Place | None = None


@dataclass(frozen=True, slots=True)
class OutputRated:
    """An annotator's answer to a task of theirs about one output: `values` by question, the output as they would have
    it (`edit`, which changes `edit_size` characters), and what they found in passages.
    """

    at: str
    task: str
    annotator: str
    values: Mapping[str, float]
    edit: str | None = None
    edit_size: int | None = None
    spans: tuple[Span, ...] = ()
    seconds: float | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class TaskReturned:
    """A task came back without an answer (skipped, expired, sheet withdrawn); its item is asked again."""

    at: str
    task: str
    reason: str = "returned"


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
class CampaignStopped:
    """Somebody ended the campaign before it ended by itself."""

    at: str
    reason: str = ""


Answered = LabelGiven | OutputRated
Event = (
    CampaignOpened
    | TaskAssigned
    | Answered
    | TaskReturned
    | ItemAbandoned
    | ItemWithdrawn
    | AnnotatorExcluded
    | CampaignStopped
)

_TYPES: Final[dict[str, type[Event]]] = {
    "campaign-opened": CampaignOpened,
    "task-assigned": TaskAssigned,
    "label-given": LabelGiven,
    "output-rated": OutputRated,
    "task-returned": TaskReturned,
    "item-abandoned": ItemAbandoned,
    "item-withdrawn": ItemWithdrawn,
    "annotator-excluded": AnnotatorExcluded,
    "campaign-stopped": CampaignStopped,
}
_NAMES: Final = {kind: name for name, kind in _TYPES.items()}
_FIELDS: Final = {kind: tuple(field.name for field in fields(kind)) for kind in _NAMES}
_TEXTS: Final = ("comment", "edit")
"""What people wrote: stored apart, so that it can be erased."""


def event_to_json(event: Event) -> dict[str, object]:
    """`{"type": ..., fields, "texts": {comment, edit}}` for a store; what is None or empty is left out."""
    values = msgspec.to_builtins(event)
    said = {name: value for name, value in values.items() if value is not None and value != []}
    texts = {name: said.pop(name) for name in _TEXTS if name in said}
    return {"type": _NAMES[type(event)]} | said | ({"texts": texts} if texts else {})


def has_texts(event: Event) -> bool:
    """Whether an event holds something that a person wrote."""
    return any(getattr(event, name, None) is not None for name in _TEXTS)


def event_from_json(document: Mapping[str, Any]) -> Event:
    """The event that `event_to_json` wrote; of an event whose texts were erased, without them.

    Raises:
        EventError: an unknown type, a missing or unknown field, or a value of the wrong kind.
    """
    name = document.get("type")
    kind = _TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise EventError(f"unknown type of event: {name!r}; known are {', '.join(_TYPES)}")
    values = {key: value for key, value in document.items() if key not in ("type", "texts")}
    values |= document.get("texts", {})
    if unknown := values.keys() - set(_FIELDS[kind]):
        raise EventError(f"a {name} event has no field {min(unknown)!r}; its fields are {', '.join(_FIELDS[kind])}")
    try:
        return typed(values, kind, f"{name} event")
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
