"""What `audit` was asked for, checked. The options of the command are made from this record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tiebreak.records import LabelRule, Raters, Target
from tiebreak.settings import shared
from tiebreak.settings.checks import check_raters, check_settings
from tiebreak.settings.setting import Setting, setting

HALF_WIDTH: Final = replace(shared.HALF_WIDTH, below=0.5, at_least=0.0001, at_most=None)
GROUP: Final = Setting(
    "Column of items whose groups are set against one another", metavar="COLUMN", default_words="cluster"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """Settings of one audit. Without any `metrics` or `judges` all that the study has are audited.

    Raises:
        UsageError: an impossible value, with the nearest possible one where there is a near miss.
    """

    metrics: Sequence[str] = setting((), shared.METRICS)
    judges: Sequence[str] = setting((), shared.JUDGES)
    alpha: float = setting(0.05, shared.ALPHA)
    half_width: float = setting(0.05, HALF_WIDTH)
    target: Target = setting("inputs", shared.TARGET)
    group: str | None = setting(None, GROUP)
    criteria: Sequence[str] | None = setting(None, shared.CRITERION)
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS)
    annotators: Sequence[str] | None = setting(None, shared.ANNOTATORS)
    exclude: Sequence[str] | None = setting(None, shared.EXCLUDED)
    several: LabelRule = setting("mean", shared.SEVERAL)
    raters: Raters = setting("same", shared.RATERS_COMPARED)
    tie_threshold: float = setting(0.0, shared.TIE_THRESHOLD)
    metric_tie_threshold: float = setting(0.0, shared.METRIC_TIE_THRESHOLD)

    def __post_init__(self) -> None:
        for name in ("criteria", "annotators", "exclude", "systems", "metrics", "judges"):
            value = getattr(self, name)
            named = (value,) if isinstance(value, str) else value  # one name is a list of one, not of its letters
            object.__setattr__(self, name, None if named is None else tuple(named))
        check_settings(self)
        check_raters(self.raters, self.several)
