"""Ratings: how good one output is.

What became of each done output is kept in a record of a fixed size: two bytes, and a number for each criterion. Of the
two bytes the lowest bit says that its ratings do not count any more, the others are the number of its answers. The
numbers are the means of its ratings as they came, on [-1, 1]; NaN where they are missing.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, cast

from tiebreak.campaign.events import EventError, LabelGiven, Response, TaskAssigned
from tiebreak.campaign.kinds.kind import (
    AnswerError,
    AnswerField,
    Cells,
    FieldProblem,
    ItemTexts,
    LabelKind,
    Phrase,
    Rows,
    SimulatedPerson,
    mean_of,
)
from tiebreak.campaign.outcome_marks import Tally
from tiebreak.campaign.plan import CampaignPlan, Measure, TrackPlan
from tiebreak.campaign.policies import ALLOCATIONS, TrackPolicy
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.protocol_parts import MOST_CHOICES
from tiebreak.campaign.state import Answer, OpenItem, OpenTask, OpenUnit, State, TrackState
from tiebreak.numbers import listed_names, plain
from tiebreak.records import UnitValue
from tiebreak.settings.protocol import RatedCriterion

_WITHDRAWN: Final = 1
_ANSWERS: Final = 1  # bits before their number
_HEAD: Final = struct.Struct("<H")
_NUMBER: Final = 8  # bytes


@dataclass(frozen=True, slots=True)
class Rated(Response):
    """`values` by criterion."""

    values: Mapping[str, float]


class Rating(LabelKind):
    """A task shows one output; an answer has a number for each criterion, and an output's value is their mean."""

    name: ClassVar[str] = "rating"
    response: ClassVar[type[Response]] = Rated

    # ---- tasks -------------------------------------------------------------------------------------------------

    def shown(self, state: State, track: int) -> tuple[str, ...]:
        """The one."""
        return state.plan.tracks[track].systems

    def text_names(self, count: int) -> tuple[str, ...]:
        """It has no number."""
        return ("text",)

    def policy(self, protocol: Protocol) -> TrackPolicy:
        """The allocation of the protocol."""
        return ALLOCATIONS[protocol.ratings.allocation]

    # ---- answers -----------------------------------------------------------------------------------------------

    def asks(self, protocol: Protocol) -> str:
        """The criteria with their scales."""
        names = [f"{of.name} ({plain(of.low)} to {plain(of.high)})" for of in protocol.ratings.criteria]
        return f"People rate one text at a time: {listed_names(names)}."

    def fields(self, protocol: Protocol, *, outputs: int, passages: int) -> tuple[AnswerField, ...]:
        """A rating for each criterion."""
        return tuple(_rating_field(of, whole=protocol.ratings.whole) for of in protocol.ratings.criteria)

    def read(self, protocol: Protocol, task: TaskAssigned, texts: ItemTexts, cells: Cells) -> Response:
        """A number on the scale of every criterion."""
        return Rated(self.read_values(protocol, cells))

    def read_values(self, protocol: Protocol, cells: Cells) -> dict[str, float]:
        """The ratings by criterion.

        Raises:
            AnswerError: those that are missing, or on no scale.
        """
        values: dict[str, float] = {}
        problems: list[FieldProblem] = []
        for of in protocol.ratings.criteria:
            cell = cells.get(of.name, "")
            value, whole = _number(cell), protocol.ratings.whole
            low, high = plain(of.low), plain(of.high)
            allowed = Phrase("a number from {low} to {high}", low=low, high=high)
            if whole:
                allowed = Phrase("a whole number from {low} to {high}", low=low, high=high)
            if not cell:
                problems.append(FieldProblem(of.name, Phrase("is empty; write {allowed}", allowed=allowed)))
            elif value is None or not of.low <= value <= of.high or (whole and not value.is_integer()):
                problems.append(FieldProblem(of.name, Phrase("not a rating; write {allowed}", allowed=allowed)))
            else:
                values[of.name] = value
        if problems:
            raise AnswerError(problems)
        return values

    def said(self, task: TaskAssigned, response: Response) -> str:
        """ "fluency 4, coherence 2"."""
        return ", ".join(f"{name} {plain(value)}" for name, value in cast(Rated, response).values.items())

    def simulated(self, protocol: Protocol, task: TaskAssigned, person: SimulatedPerson) -> Response:
        """A rating for each criterion."""
        return Rated(self.simulated_values(protocol, task, person))

    def simulated_values(self, protocol: Protocol, task: TaskAssigned, person: SimulatedPerson) -> dict[str, float]:
        """By criterion."""
        return {of.name: person.rates(task.system_a, of) for of in protocol.rated_criteria}

    def check(self, protocol: Protocol, event: LabelGiven, task: OpenTask) -> None:
        """A number on the scale of every criterion."""
        values, names = cast(Rated, event.response).values, [of.name for of in protocol.ratings.criteria]
        for name in values:
            if name not in names:
                raise EventError(f"task {event.task} rates {name!r}, which is not asked; asked are {', '.join(names)}")
        for of in protocol.ratings.criteria:
            value = values.get(of.name)
            if value is None:
                raise EventError(f"task {event.task} does not rate {of.name}")
            if not of.low <= value <= of.high:
                raise EventError(f"task {event.task} rates {of.name} {value:g}, which is not {of.low:g} to {of.high:g}")
            if protocol.ratings.whole and not float(value).is_integer():
                raise EventError(f"task {event.task} rates {of.name} {value:g}, but ratings are whole numbers here")

    def answer(self, protocol: Protocol, plan: TrackPlan, response: Response) -> Answer:
        """A number in [-1, 1] per criterion."""
        values = self.values(response)
        return tuple(of.to_unit(values[of.name]) for of in protocol.rated_criteria)

    def values(self, response: Response) -> dict[str, float]:
        """By criterion, what a response says of it."""
        return dict(cast(Rated, response).values)

    def rows(self, protocol: Protocol, task: TaskAssigned, response: Response, texts: ItemTexts) -> Rows:
        """A rating for each value, what the campaign made of the answers among them."""
        values = {**cast(Rated, response).values, **self.values(response)}
        system = task.system_a
        return {"ratings": [{"system": system, "criterion": name, "value": value} for name, value in values.items()]}

    # ---- complete items ----------------------------------------------------------------------------------------

    def known(self, plan: TrackPlan, items: int) -> bytes:
        """There are none: every output is rated."""
        raise ValueError(f"{items} outputs of {plan.systems} that nobody needs to rate")

    def complete(self, items: OpenUnit, plan: TrackPlan, protocol: Protocol) -> bytes:
        """A record of each."""
        criteria = len(protocol.rated_criteria)
        return b"".join([_mark(item, criteria) for item in items])

    def tally(self, plan: CampaignPlan, track: TrackState, measure: Measure) -> Tally:
        """Outputs that are rated, and the others."""
        found = rated_outputs(plan.protocol, track, measure.part)
        rated = sum(of.for_a == of.for_b for of in found)
        return Tally(rated=rated, abandoned=len(found) - rated)

    def unit_value(self, plan: CampaignPlan, tracks: Sequence[TrackState], measure: Measure, unit: int) -> UnitValue:
        """The mean over its items of a system's ratings, or half of how far they are above another's."""
        criteria = len(plan.protocol.rated_criteria)
        if measure.places is None or measure.starts is None:
            (track,) = measure.tracks
            begin, end = plan.tracks[track].starts[unit : unit + 2].tolist()
            of_track = tracks[track].marks
            return mean_of([_value(of_track, place, measure.part, criteria) for place in range(begin, end)])
        begin, end = measure.starts[unit : unit + 2].tolist()
        one, other = (
            [_value(tracks[k].marks, int(place), measure.part, criteria) for place in places[begin:end]]
            for k, places in zip(measure.tracks, measure.places, strict=True)
        )
        return mean_of([_difference(*both) for both in zip(one, other, strict=True)])

    def withdraw(self, plan: CampaignPlan, track: int, marks: bytes, place: int) -> tuple[bytes, int] | None:
        """With its mark changed."""
        begin = place * _size(len(plan.protocol.rated_criteria))
        (head,) = _HEAD.unpack_from(marks, begin)
        if head & _WITHDRAWN:
            return None
        return marks[:begin] + _HEAD.pack(head | _WITHDRAWN) + marks[begin + _HEAD.size :], head >> _ANSWERS


def rated_outputs(protocol: Protocol, track: TrackState, criterion: int) -> list[UnitValue]:
    """The values of a system's done outputs by a criterion, in the sealed order."""
    criteria = len(protocol.rated_criteria)
    return [_value(track.marks, place, criterion, criteria) for place in range(track.items)]


def _rating_field(of: RatedCriterion, *, whole: bool) -> AnswerField:
    low, high = plain(of.low), plain(of.high)
    told = Phrase("A number from {low} to {high}.", low=low, high=high)
    if whole:
        told = Phrase("A whole number from {low} to {high}.", low=low, high=high)
    if of.question:
        told = Phrase("{question} {told}", question=of.question, told=told)
    count = of.high - of.low + 1
    choices = tuple(plain(of.low + step) for step in range(int(count))) if whole and count <= MOST_CHOICES else ()
    return AnswerField(of.name, told, choices, of.cues if choices else ())


def _number(cell: str) -> float | None:
    """A number with a point or a comma; None for anything else."""
    try:
        return float(cell.replace(",", ".")) if "_" not in cell else None
    except ValueError:
        return None


# ---- marks -----------------------------------------------------------------------------------------------------


def _size(criteria: int) -> int:
    """Bytes of one output."""
    return _HEAD.size + _NUMBER * criteria


def _mark(item: OpenItem, criteria: int) -> bytes:
    answers = [answer for _, answer in item.answers]
    complete = bool(answers) and not item.abandoned
    means = [sum(of) / len(answers) for of in zip(*answers, strict=True)] if complete else (math.nan,) * criteria
    return struct.pack(f"<H{criteria}d", item.withdrawn * _WITHDRAWN | len(answers) << _ANSWERS, *means)


def _value(marks: bytes, place: int, criterion: int, criteria: int) -> UnitValue:
    """The output at a place of the sealed order; without a rating that counts it is the worst for either side."""
    begin = place * _size(criteria)
    (head,) = _HEAD.unpack_from(marks, begin)
    (mean,) = struct.unpack_from("<d", marks, begin + _HEAD.size + _NUMBER * criterion)
    if math.isnan(mean):
        return UnitValue(-1.0, 1.0, None)
    return UnitValue(-1.0, 1.0, mean) if head & _WITHDRAWN else UnitValue.labelled(mean)


def _difference(one: UnitValue, other: UnitValue) -> UnitValue:
    """Half of the first minus the second, which lies in [-1, 1]: what is missing is the worst for either side."""
    known = one.taught is not None and other.taught is not None
    taught = (one.taught - other.taught) / 2 if known else None  # type: ignore[operator]
    return UnitValue((one.for_a - other.for_b) / 2, (one.for_b - other.for_a) / 2, taught)
