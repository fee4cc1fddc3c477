"""What the demo is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting

MOST_ITEMS: Final = 100_000


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """Which example study is written. Raises `UsageError` for impossible values."""

    seed: int = setting(
        1, Setting("Seed of the study: another seed, another study", at_least=0, at_most=shared.LARGEST_SEED)
    )
    number_of_items: int = setting(300, Setting(shared.NUMBER_OF_ITEMS.help, at_least=1, at_most=MOST_ITEMS))

    ratings: bool = setting(False, Setting("Rate outputs and estimate means, instead of comparing outputs"))

    def __post_init__(self) -> None:
        check_settings(self)
