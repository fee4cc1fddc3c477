"""How a training is followed. The options of the command are made from this record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiebreak.scoring.evaluator.during.rules import StopRule
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings, refuse_given
from tiebreak.settings.setting import Setting, setting

_RULES: Final = {
    "streak": "after checks in a row with fewer wins than losses",
    "no-gain": "when a sequential test shows that nothing is gained",
}


_WRONG: Final = Setting(
    "Chance of stopping though each checkpoint gains that much (no-gain)", above=0.0, below=1.0, such_as="0.05"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowSettings:
    """Settings of learning-to-compare (4.1), and of the test beside it, which meets a text of the best checkpoint once.

    Raises:
        UsageError: an impossible value, or one of the other rule.
    """

    rule: StopRule = setting("streak", Setting("When to stop", option="stop-rule", choices=_RULES))
    comparisons: int = setting(
        1000,
        Setting(
            "Comparisons after each checkpoint, in all; no-gain takes fewer where items are few",
            at_least=1,
            at_most=1_000_000,
            such_as="1000",
        ),
    )
    previous: int = setting(
        2, Setting("Earlier checkpoints that share them (streak)", at_least=1, at_most=1000, such_as="2")
    )
    in_a_row: int = setting(5, Setting("Lost checks in a row (streak)", at_least=1, at_most=1000, such_as="5"))
    gain: float = setting(
        0.1,
        Setting("Gain that is worth going on for, in wins - losses per comparison (no-gain)",
                above=0.0, below=1.0, such_as="0.1"),
    )  # fmt: skip
    wrong_stop: float = setting(0.05, _WRONG)
    wait: int = setting(
        5, Setting("Checkpoints since the best one before it may stop (no-gain)", at_least=1, at_most=1000, such_as="5")
    )
    seed: int = setting(0, Setting("Seed of the items and samples", at_least=0, at_most=shared.LARGEST_SEED))

    def __post_init__(self) -> None:
        check_settings(self)
        others = ("gain", "wrong_stop", "wait") if self.rule == "streak" else ("previous", "in_a_row")
        refuse_given(self, others, f"cannot be given with --stop-rule {self.rule}")
