"""Where the answers of a simulated campaign come from: one interface for agents, old labels and pre-drawn matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tiebreak.errors import UsageError
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting


class RatedAnswer(NamedTuple):
    """Ratings by criterion, and the text as it should be (None: as it is)."""

    values: Mapping[str, float]
    edit: str | None = None


class Answer(NamedTuple):
    """An outcome code relative to system_a (`records.A`, `TIE`, `B`), the seconds that it took, and its price; in a
    campaign of ratings what was `rated`.
    """

    outcome: int
    seconds: float
    price: float
    rated: RatedAnswer | None = None


class AnswerSource(Protocol):
    """The people of one run. Asked in the order of simulated time; a source keeps what it needs to be consistent."""

    @property
    def people(self) -> int:
        """How many work at the same time."""

    def answer(self, person: int, track: int, item: int, a_on_left: bool) -> Answer:
        """What a person (from 0) says of an item (its number in the plan) of a track (its number in the plan)."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How people work. `hand`: tasks that a person takes at a time.

    `forgets` in [0, 1): chance that a task is never answered: it comes back when it expires (`people.hours` of the
    protocol). `leaves` in [0, 1): chance that a person leaves for good after an answer, with the tasks in hand.
    `give_up`: an item of a pair whose tasks have come back this often is abandoned; None: never.

    Raises `UsageError` for values outside these ranges.
    """

    hand: int = setting(
        1, Setting("Number of tasks that a person takes at a time", at_least=1, at_most=1000, panel="People")
    )
    forgets: float = setting(
        0.0, Setting("Share of tasks that are never answered", at_least=0, below=1, panel="People")
    )
    leaves: float = setting(
        0.0, Setting("Chance that a person leaves for good after a label", at_least=0, below=1, panel="People")
    )
    give_up: int | None = 3

    def __post_init__(self) -> None:
        check_settings(self)
        if self.give_up is not None and self.give_up < 1:
            raise UsageError(f"give_up must be at least 1, not {self.give_up}")
