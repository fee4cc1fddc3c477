"""What happens in a campaign, as records: the only way in which its state changes, and all that is stored of it.

An event carries its own time (`at`, ISO 8601, UTC, as "2026-05-01T09:30:00Z"); nothing here reads a clock. Events
name systems and items as the study does, so that a log can be read without the program; `outcome` is relative to
`system_a` and `system_b` of the task, whatever was shown on the left.

Labels of pairs and labels of single outputs have events of their own: `systems` of either says what was asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, Literal

from tiebreak.data.schema import SUPPORTS
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

    @property
    def systems(self) -> tuple[str, ...]:
        """What is asked about."""
        return self.system_a, self.system_b


@dataclass(frozen=True, slots=True)
class OutputAssigned:
    """A task was handed to an annotator: to rate the output of a system."""

    at: str
    task: str
    annotator: str
    system: str
    item: str

    @property
    def systems(self) -> tuple[str, ...]:
        """What is asked about."""
        return (self.system,)


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
    support: str
    start: int | None = None
    end: int | None = None


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
    """Nobody will label this item for this pair (unreadable, say): it counts against whichever side is argued."""

    at: str
    system_a: str
    system_b: str
    item: str
    reason: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """What would have been asked about."""
        return self.system_a, self.system_b


@dataclass(frozen=True, slots=True)
class OutputAbandoned:
    """Nobody will rate this output: it counts as the worst and as the best that it could have been rated."""

    at: str
    system: str
    item: str
    reason: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """What would have been asked about."""
        return (self.system,)


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

    @property
    def systems(self) -> tuple[str, ...]:
        """What was asked about."""
        return self.system_a, self.system_b


@dataclass(frozen=True, slots=True)
class OutputWithdrawn:
    """Whoever runs the campaign takes back what `task` asked: no rating of this output counts any more, and it counts
    as the worst and as the best that it could have been rated, for good.
    """

    at: str
    task: str
    system: str
    item: str
    reason: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """What was asked about."""
        return (self.system,)


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


Asked = TaskAssigned | OutputAssigned
Answered = LabelGiven | OutputRated
Abandoned = ItemAbandoned | OutputAbandoned
Withdrawn = ItemWithdrawn | OutputWithdrawn
Event = (
    CampaignOpened
    | Asked
    | Answered
    | TaskReturned
    | Abandoned
    | Withdrawn
    | AnnotatorExcluded
    | CampaignStopped
    | LogRepaired
)

_TYPES: Final[dict[str, type[Event]]] = {
    "campaign-opened": CampaignOpened,
    "task-assigned": TaskAssigned,
    "label-given": LabelGiven,
    "output-assigned": OutputAssigned,
    "output-rated": OutputRated,
    "task-returned": TaskReturned,
    "item-abandoned": ItemAbandoned,
    "item-withdrawn": ItemWithdrawn,
    "output-abandoned": OutputAbandoned,
    "output-withdrawn": OutputWithdrawn,
    "annotator-excluded": AnnotatorExcluded,
    "campaign-stopped": CampaignStopped,
    "log-repaired": LogRepaired,
}
_NAMES: Final = {kind: name for name, kind in _TYPES.items()}
_TEXTS: Final = ("str", "str | None")
_FIELDS: Final = {kind: {field.name: str(field.type) for field in fields(kind)} for kind in _NAMES}


def event_to_json(event: Event) -> dict[str, object]:
    """`{"type": ..., fields}` for a store; fields that are None are left out."""
    values = {name: _WRITTEN.get(name, _as_it_is)(getattr(event, name)) for name in _FIELDS[type(event)]}
    return {"type": _NAMES[type(event)]} | {name: value for name, value in values.items() if value not in (None, [])}


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
            values[field_name] = _checked(str(name), field_name, known[field_name], value)
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


def _checked(event: str, field: str, kind: str, value: object) -> object:
    """The value of a field that is no plain text, as its record keeps it."""
    if kind == "Outcome":
        if not isinstance(value, str) or value not in OUTCOME_CODES:
            raise EventError(f"outcome {value!r} of a {event} event must be one of {', '.join(OUTCOME_CODES)}")
        return value
    if kind == "Mapping[str, float]":
        return _numbers_by_name(event, field, value)
    if kind == "tuple[Span, ...]":
        return _spans(event, field, value)
    allowed: tuple[type, ...] = {
        "bool": (bool,),
        "float | None": (int, float),
        "int | None": (int,),
    }.get(kind, (str,))
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind != "bool"):
        raise EventError(f"{field} {value!r} of a {event} event must be {' or '.join(t.__name__ for t in allowed)}")
    return value


def _numbers_by_name(event: str, field: str, value: object) -> Mapping[str, float]:
    if not isinstance(value, Mapping) or not all(_is_number(number) for number in value.values()):
        raise EventError(f"{field} {value!r} of a {event} event must be numbers by name")
    return {str(name): float(number) for name, number in value.items()}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _spans(event: str, field: str, value: object) -> tuple[Span, ...]:
    if not isinstance(value, list):
        raise EventError(f"{field} {value!r} of a {event} event must be a list")
    return tuple(_span(event, entry) for entry in value)


def _span(event: str, entry: object) -> Span:
    known = {field.name for field in fields(Span)}
    found = entry if isinstance(entry, Mapping) and set(entry) <= known else {}
    passage, support = found.get("passage"), found.get("support")
    ends = (found.get("start"), found.get("end"))
    whole = all(end is None or (isinstance(end, int) and not isinstance(end, bool) and end >= 0) for end in ends)
    if not isinstance(passage, str) or support not in SUPPORTS or not whole:
        raise EventError(
            f"span {entry!r} of a {event} event must have a passage, a support ({', '.join(SUPPORTS)}), and perhaps "
            "start and end"
        )
    return Span(passage, str(support), *ends)


def _as_it_is(value: object) -> object:
    return value


def _span_documents(spans: tuple[Span, ...]) -> list[dict[str, object]]:
    return [{name: value for name, value in asdict(span).items() if value is not None} for span in spans]


_WRITTEN: Final[Mapping[str, Callable[[Any], object]]] = {"values": dict, "spans": _span_documents}
"""Fields that are written otherwise than they are kept."""
