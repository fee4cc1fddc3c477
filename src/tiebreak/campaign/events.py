"""What happens in a campaign, as records: the only way in which its state changes, and all that is stored of it.

An event carries its own time (`at`, ISO 8601, UTC, as "2026-05-01T09:30:00Z"); nothing here reads a clock. Events
name systems and items as the study does, so that a log can be read without the program; `outcome` is relative to
`system_a` and `system_b` of the task, whatever was shown on the left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, Literal

from tiebreak.errors import TiebreakError
from tiebreak.records import OUTCOME_CODES

Outcome = Literal["a", "tie", "b"]


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
    """A task was handed to an annotator. `left`: the system whose text is shown first. `gold`: a check with a known
    answer, which is not evidence.
    """

    at: str
    task: str
    annotator: str
    system_a: str
    system_b: str
    item: str
    left: str
    gold: bool = False


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
class TaskReturned:
    """A task came back without an answer (skipped, expired, sheet withdrawn); its item is asked again."""

    at: str
    task: str
    reason: str = "returned"


@dataclass(frozen=True, slots=True)
class ItemAbandoned:
    """Nobody will label this item for this pair (unreadable, say): it counts against whichever side is argued."""

    at: str
    system_a: str
    system_b: str
    item: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ItemWithdrawn:
    """Whoever runs the campaign takes back what `task` asked: of its item, in its pair, no label counts any more, and
    the item counts against whichever side is argued, for good. After the end of the campaign it is only noted.
    """

    at: str
    task: str
    system_a: str
    system_b: str
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


@dataclass(frozen=True, slots=True)
class LogRepaired:
    """Somebody went on with the log as it was, although it was not the one of its head: `found` says in which way."""

    at: str
    found: str
    reason: str


Event = (
    CampaignOpened
    | TaskAssigned
    | LabelGiven
    | TaskReturned
    | ItemAbandoned
    | ItemWithdrawn
    | AnnotatorExcluded
    | CampaignStopped
    | LogRepaired
)

_TYPES: Final[dict[str, type[Event]]] = {
    "campaign-opened": CampaignOpened,
    "task-assigned": TaskAssigned,
    "label-given": LabelGiven,
    "task-returned": TaskReturned,
    "item-abandoned": ItemAbandoned,
    "item-withdrawn": ItemWithdrawn,
    "annotator-excluded": AnnotatorExcluded,
    "campaign-stopped": CampaignStopped,
    "log-repaired": LogRepaired,
}
_NAMES: Final = {kind: name for name, kind in _TYPES.items()}
_TEXTS: Final = ("str", "str | None")
_FIELDS: Final = {kind: {field.name: str(field.type) for field in fields(kind)} for kind in _NAMES}


def event_to_json(event: Event) -> dict[str, object]:
    """`{"type": ..., fields}` for a store; fields that are None are left out."""
    values = {name: getattr(event, name) for name in _FIELDS[type(event)]}
    return {"type": _NAMES[type(event)]} | {name: value for name, value in values.items() if value is not None}


def event_from_json(document: Mapping[str, Any]) -> Event:
    """The event that `event_to_json` wrote.

    Raises:
        EventError: an unknown type, a missing or unknown field, or a value of the wrong kind.
    """
    values = dict(document)
    name = values.pop("type", None)
    kind = _TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise EventError(f"unknown type of event: {name!r}; known are {', '.join(_TYPES)}")
    known = _FIELDS[kind]
    for field_name, value in values.items():
        if field_name not in known:
            raise EventError(f"a {name} event has no field {field_name!r}; its fields are {', '.join(known)}")
        if type(value) is not str or known[field_name] not in _TEXTS:
            _check_value(str(name), field_name, known[field_name], value)
    try:
        return kind(**values)
    except TypeError as error:
        needed = ", ".join(known)
        raise EventError(f"a {name} event lacks a field ({error}); it needs {needed}") from error


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


def _check_value(event: str, field: str, kind: str, value: object) -> None:
    if kind == "Outcome":
        if not isinstance(value, str) or value not in OUTCOME_CODES:
            raise EventError(f"outcome {value!r} of a {event} event must be one of {', '.join(OUTCOME_CODES)}")
        return
    allowed: tuple[type, ...] = {"bool": (bool,), "float | None": (int, float)}.get(kind, (str,))
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind != "bool"):
        raise EventError(f"{field} {value!r} of a {event} event must be {' or '.join(t.__name__ for t in allowed)}")
