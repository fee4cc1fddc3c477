"""How the best of several trainings is chosen. The options of the command are made from this record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tiebreak.errors import UsageError
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting

WhichCheckpoint = Literal["lowest-loss", "last"]

_CHECKPOINTS: Final = {"lowest-loss": "with the lowest dev loss; the last of a run that has none", "last": "the last"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosingSettings:
    """Raises:
    UsageError: an impossible value, or an empty name.
    """

    name: str = setting("evaluator", shared.NAME)
    checkpoint: WhichCheckpoint = setting(
        "lowest-loss", Setting("Checkpoint of each run that is compared", choices=_CHECKPOINTS)
    )
    alpha: float = setting(0.05, shared.ALPHA)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise UsageError("a judge needs a name")
        check_settings(self)
