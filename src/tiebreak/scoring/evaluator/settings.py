"""Settings of judging and of choosing by an evaluator. The options of the commands are made from these records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tiebreak.errors import UsageError
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorJudgingSettings:
    """Which pairs, by what name, on which criterion (None: on all, as labels without a criterion are).

    Raises:
        UsageError: an empty name.
    """

    name: str = setting("evaluator", shared.NAME)
    criterion: str | None = setting(None, Setting(shared.CRITERION.help, metavar="NAME", default_words="all"))
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS)
    pairs: Sequence[tuple[str, str]] | None = setting(None, shared.ONLY_PAIRS)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise UsageError("a judge needs a name")
        check_settings(self)


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
