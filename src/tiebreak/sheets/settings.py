"""How much work a sheet holds."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting


@dataclass(frozen=True, slots=True)
class SheetSettings:
    """`number` of tasks, at most. Raises `UsageError` for impossible values."""

    number: int = setting(
        50,
        Setting("Number of tasks, at most", short="-n", at_least=1, at_most=shared.MOST_LABELS_IN_ALL),
    )

    def __post_init__(self) -> None:
        check_settings(self)
