"""Ratings: how good one output is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from tiebreak.campaign.allocations import ALLOCATIONS
from tiebreak.campaign.events import Answered, EventError, OutputRated, TaskAssigned
from tiebreak.campaign.kinds import rating_marks
from tiebreak.campaign.kinds.kind import LabelKind
from tiebreak.campaign.openings import Opening
from tiebreak.campaign.plan import CampaignPlan, Measure
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.rating_checks import rated_criteria
from tiebreak.campaign.state import AnnotatorState, Answer, OpenItem, OpenTask, OpenUnit, State, Tally, TrackState
from tiebreak.campaign.task_ids import task_id
from tiebreak.campaign.track_policy import TrackPolicy
from tiebreak.records import UnitValue


class Rating(LabelKind):
    """A task shows one output; an answer has a number for each criterion, and an output's value is their mean."""

    name: ClassVar[str] = "rating"

    def task(self, state: State, track: int, place: Opening, annotator: str, now: str) -> TaskAssigned:
        """One output of a system."""
        plan = state.plan.tracks[track]
        item = state.plan.items[int(plan.order[plan.starts[place.unit] + place.slot])]
        return TaskAssigned(now, task_id(state.issued, state.plan.fingerprint), annotator, plan.systems, item)

    def check_task(self, event: TaskAssigned) -> None:
        """Nothing beside its item."""

    def check_answer(self, protocol: Protocol, event: Answered) -> None:
        """A number on the scale of every criterion."""
        if not isinstance(event, OutputRated):
            raise EventError(f"task {event.task} asks for ratings, and was answered with an outcome")
        names = [of.name for of in protocol.ratings.criteria]
        for name in event.values:
            if name not in names:
                raise EventError(f"task {event.task} rates {name!r}, which is not asked; asked are {', '.join(names)}")
        for of in protocol.ratings.criteria:
            value = event.values.get(of.name)
            if value is None:
                raise EventError(f"task {event.task} does not rate {of.name}")
            if not of.low <= value <= of.high:
                raise EventError(f"task {event.task} rates {of.name} {value:g}, which is not {of.low:g} to {of.high:g}")
            if protocol.ratings.whole and not float(value).is_integer():
                raise EventError(f"task {event.task} rates {of.name} {value:g}, but ratings are whole numbers here")
        self.check_rest(protocol, event)

    def check_rest(self, protocol: Protocol, event: OutputRated) -> None:  # noqa: ARG002
        """Check what comes with the ratings: nothing does.

        Raises:
            EventError: something does.
        """
        if event.edit is not None or event.spans:
            raise EventError(f"task {event.task} was answered with an edit or with spans, which nobody asked for")

    def answer(self, protocol: Protocol, event: Answered) -> Answer:
        """A number in [-1, 1] per criterion."""
        values = self.values(cast(OutputRated, event))
        return tuple(of.to_unit(values[of.name]) for of in rated_criteria(protocol))

    def values(self, event: OutputRated) -> dict[str, float]:
        """By criterion, what the answer says of it."""
        return dict(event.values)

    def person_after(self, state: State, person: AnnotatorState, event: Answered, task: OpenTask) -> AnnotatorState:  # noqa: ARG002
        """Nothing of which anything depends."""
        return person

    def policy(self, protocol: Protocol) -> TrackPolicy:
        """The allocation of the protocol."""
        return ALLOCATIONS[protocol.ratings.allocation]

    def known(self, items: int) -> bytes:
        """There are none: every output is rated."""
        raise ValueError(f"{items} outputs that nobody needs to rate")

    def complete(self, items: OpenUnit, protocol: Protocol) -> bytes:
        """A record of each."""
        criteria = len(rated_criteria(protocol))
        return b"".join([_mark(item, criteria) for item in items])

    def tally(self, marks: bytes, protocol: Protocol) -> Tally:
        """Outputs that are rated, and the others."""
        return rating_marks.tally(marks, len(rated_criteria(protocol)))

    def unit_value(self, plan: CampaignPlan, tracks: Sequence[TrackState], measure: Measure, unit: int) -> UnitValue:
        """The mean over its items of a system's ratings, or half of how far they are above another's."""
        criteria = len(rated_criteria(plan.protocol))
        if measure.places is None or measure.starts is None:
            (track,) = measure.tracks
            begin, end = plan.tracks[track].starts[unit : unit + 2].tolist()
            of_track = tracks[track].marks
            return rating_marks.mean(
                [rating_marks.value(of_track, place, measure.criterion, criteria) for place in range(begin, end)]
            )
        begin, end = measure.starts[unit : unit + 2].tolist()
        one, other = (
            [
                rating_marks.value(tracks[k].marks, int(place), measure.criterion, criteria)
                for place in places[begin:end]
            ]
            for k, places in zip(measure.tracks, measure.places, strict=True)
        )
        return rating_marks.mean([rating_marks.difference(*both) for both in zip(one, other, strict=True)])

    def is_withdrawn(self, track: TrackState, place: int, protocol: Protocol) -> bool:
        """By its mark."""
        return rating_marks.is_withdrawn(track, place, len(rated_criteria(protocol)))

    def withdraw(self, track: TrackState, place: int, protocol: Protocol) -> TrackState:
        """With its mark changed, and the counts."""
        return rating_marks.withdraw(track, place, len(rated_criteria(protocol)))


def _mark(item: OpenItem, criteria: int) -> bytes:
    answers = [cast(tuple[float, ...], answer) for _, answer in item.answers]
    complete = bool(answers) and not item.abandoned
    means = [sum(of) / len(answers) for of in zip(*answers, strict=True)] if complete else None
    return rating_marks.mark(means, criteria, len(answers), withdrawn=item.withdrawn)
