"""What is drawn at random when outputs are paired."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting


@dataclass(frozen=True, slots=True)
class SampledPairs:
    """`sample`: pairs kept of every two systems, None for all. Raises `UsageError` for impossible values."""

    sample: int | None = setting(
        None,
        Setting(
            "Number of pairs of every two systems to keep, at random",
            at_least=1,
            at_most=shared.MOST_LABELS_IN_ALL,
            default_words="all",
        ),
    )
    seed: int = setting(
        0,
        Setting("Seed of partners of equal fit, the order and the sample", at_least=0, at_most=shared.LARGEST_SEED),
    )

    def __post_init__(self) -> None:
        check_settings(self)
