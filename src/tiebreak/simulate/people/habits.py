"""How simulated people work: how many tasks they take, forget and leave."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.errors import UsageError
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting


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
