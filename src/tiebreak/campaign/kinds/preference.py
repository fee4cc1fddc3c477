"""Preferences: which of two outputs is better."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import ClassVar, cast

from tiebreak.campaign.events import Answered, EventError, LabelGiven, TaskAssigned
from tiebreak.campaign.kinds import outcome_marks
from tiebreak.campaign.kinds.kind import LabelKind
from tiebreak.campaign.labelling import OUTCOME_POLICIES
from tiebreak.campaign.openings import Opening
from tiebreak.campaign.pair_policies import PAIR_POLICIES
from tiebreak.campaign.plan import CampaignPlan, Measure
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.state import AnnotatorState, Answer, OpenItem, OpenTask, OpenUnit, State, Tally, TrackState
from tiebreak.campaign.task_ids import task_id
from tiebreak.campaign.track_policy import TrackPolicy
from tiebreak.records import OUTCOME_CODES, TIE, UnitValue


class Preference(LabelKind):
    """A task shows the outputs of a pair; an answer is an outcome; an item's outcome goes by the labelling policy."""

    name: ClassVar[str] = "preference"

    def task(self, state: State, track: int, place: Opening, annotator: str, now: str) -> TaskAssigned:
        """The outputs of a pair, on sides drawn at random."""
        plan = state.plan.tracks[track]
        item = state.plan.items[int(plan.order[plan.starts[place.unit] + place.slot])]
        left = plan.system_a if _side(state, track) else plan.system_b
        name = task_id(state.issued, state.plan.fingerprint)
        return TaskAssigned(now, name, annotator, plan.systems, item, left)

    def check_task(self, event: TaskAssigned) -> None:
        """The text shown first is that of one of the two."""
        if event.left not in event.systems:
            raise EventError(f"left of task {event.task} is {event.left!r}, but must be one of its two systems")

    def check_answer(self, protocol: Protocol, event: Answered) -> None:
        """An outcome, and a tie only where ties are allowed."""
        if not isinstance(event, LabelGiven):
            raise EventError(f"task {event.task} compares two outputs, and was answered with ratings")
        if event.outcome not in OUTCOME_CODES:
            known = ", ".join(OUTCOME_CODES)
            raise EventError(f"outcome {event.outcome!r} of task {event.task} must be one of {known}")
        if event.outcome == "tie" and not protocol.labels.ties:
            raise EventError(f"task {event.task} was answered with a tie, which this campaign does not allow")

    def answer(self, protocol: Protocol, event: Answered) -> Answer:  # noqa: ARG002
        """The outcome's code."""
        return OUTCOME_CODES[cast(LabelGiven, event).outcome]

    def person_after(self, state: State, person: AnnotatorState, event: Answered, task: OpenTask) -> AnnotatorState:
        """Which side they chose, and whether they got a check right."""
        outcome = cast(LabelGiven, event).outcome
        people, is_check = state.protocol.people, task.gold is not None
        asked = person.gold_asked + is_check
        right = person.gold_right + (task.gold is not None and people.gold[task.gold].outcome == outcome)
        failed = is_check and asked >= people.gold_after and right < people.gold_share * asked
        of = state.plan.tracks[task.track]
        chosen = {"a": of.system_a, "b": of.system_b}.get(outcome)
        return person._replace(
            chose_left=person.chose_left + (chosen == task.left),
            gold_asked=asked,
            gold_right=right,
            excluded=person.excluded or failed,
        )

    def policy(self, protocol: Protocol) -> TrackPolicy:
        """The pair policy of the protocol."""
        return PAIR_POLICIES[protocol.pairs.pair_policy]

    def known(self, items: int) -> bytes:
        """Identical outputs are ties."""
        return outcome_marks.written((outcome_marks.KNOWN_TIE,) * items)

    def complete(self, items: OpenUnit, protocol: Protocol) -> bytes:
        """Two bytes per item."""
        return outcome_marks.written([_mark(item, protocol) for item in items])

    def tally(self, marks: bytes, protocol: Protocol) -> Tally:  # noqa: ARG002
        """Wins, ties and losses of the first system."""
        return outcome_marks.tally(marks)

    def unit_value(self, plan: CampaignPlan, tracks: Sequence[TrackState], measure: Measure, unit: int) -> UnitValue:
        """The mean outcome of its items."""
        (track,) = measure.tracks
        begin, end = plan.tracks[track].starts[unit : unit + 2].tolist()
        return outcome_marks.unit_value(tracks[track].marks, begin, end)

    def is_withdrawn(self, track: TrackState, place: int, protocol: Protocol) -> bool:  # noqa: ARG002
        """By its mark."""
        return outcome_marks.is_withdrawn(track, place)

    def withdraw(self, track: TrackState, place: int, protocol: Protocol) -> TrackState:  # noqa: ARG002
        """With its mark changed, and the counts."""
        return outcome_marks.withdraw(track, place)


def _mark(item: OpenItem, protocol: Protocol) -> int:
    return outcome_marks.mark(_outcome(item, protocol), len(item.answers), withdrawn=item.withdrawn)


def _outcome(item: OpenItem, protocol: Protocol) -> int | None:
    """The complete item's outcome as its labels came; None where they are missing."""
    if item.known:
        return TIE
    if item.abandoned:
        return None
    outcomes = [cast(int, answer) for _, answer in item.answers]
    return OUTCOME_POLICIES[protocol.labels.labelling].value(outcomes)


def _side(state: State, pair: int) -> bool:
    """Whether system_a goes left: random, and in each two tasks of a pair once on either side."""
    number = state.tracks[pair].tasks
    text = repr(("side", state.protocol.order.seed, pair, number // 2))
    first = hashlib.sha256(text.encode()).digest()[0] % 2 == 0
    return first if number % 2 == 0 else not first
