"""What every kind of label says: what is asked, what an answer must be, and what becomes of complete items."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.events import Answered, TaskAssigned
from tiebreak.campaign.openings import Opening
from tiebreak.campaign.plan import CampaignPlan, Measure
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.state import AnnotatorState, Answer, OpenTask, OpenUnit, State, Tally, TrackState
from tiebreak.campaign.track_policy import TrackPolicy
from tiebreak.records import UnitValue


class LabelKind(ABC):
    """A kind keeps what became of done items as bytes (`TrackState.marks`), in a size of its own per item."""

    name: ClassVar[str]

    # ---- tasks and answers -------------------------------------------------------------------------------------

    @abstractmethod
    def task(self, state: State, track: int, place: Opening, annotator: str, now: str) -> TaskAssigned:
        """The next task, which asks this person about an item of a track."""

    @abstractmethod
    def check_task(self, event: TaskAssigned) -> None:
        """Check what a task from outside says beside its item.

        Raises:
            EventError: it cannot be.
        """

    @abstractmethod
    def check_answer(self, protocol: Protocol, event: Answered) -> None:
        """Check what an answer says.

        Raises:
            EventError: it is none that this campaign allows.
        """

    @abstractmethod
    def answer(self, protocol: Protocol, event: Answered) -> Answer:
        """What an item keeps of an answer."""

    @abstractmethod
    def person_after(self, state: State, person: AnnotatorState, event: Answered, task: OpenTask) -> AnnotatorState:
        """A person with what their answer tells of them."""

    @abstractmethod
    def policy(self, protocol: Protocol) -> TrackPolicy:
        """Which track is asked next."""

    # ---- complete items ----------------------------------------------------------------------------------------

    @abstractmethod
    def known(self, items: int) -> bytes:
        """Marks of a unit that nobody is asked about."""

    @abstractmethod
    def complete(self, items: OpenUnit, protocol: Protocol) -> bytes:
        """Marks of a unit that has its labels."""

    @abstractmethod
    def tally(self, marks: bytes, protocol: Protocol) -> Tally:
        """Items by what became of them."""

    @abstractmethod
    def unit_value(self, plan: CampaignPlan, tracks: Sequence[TrackState], measure: Measure, unit: int) -> UnitValue:
        """The value of a done unit for a measure; withdrawn items, and those without a label, are the worst for either
        side.
        """

    @abstractmethod
    def is_withdrawn(self, track: TrackState, place: int, protocol: Protocol) -> bool:
        """Whether the done item at a place of the sealed order is withdrawn."""

    @abstractmethod
    def withdraw(self, track: TrackState, place: int, protocol: Protocol) -> TrackState:
        """The track with the done item at a place of the sealed order withdrawn; evidence is for others to lower."""
