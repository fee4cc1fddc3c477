"""What `estimate` was asked for, checked. The options of the command are made from this record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from tiebreak.errors import UsageError
from tiebreak.records import Raters, Target
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting

_CONFIDENCE: Final = Setting(
    "Share of studies in which an interval holds, each by itself",
    at_least=0.5,
    below=1,
    at_most=1 - shared.SMALLEST_ALPHA,
    such_as="0.95 for 95%",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateSettings:
    """Settings of an estimate; fix them before looking at results. Several names may be any sequence; None takes all.

    Raises:
        UsageError: an impossible value.
    """

    confidence: float = setting(0.95, _CONFIDENCE)
    target: Target = setting("inputs", shared.TARGET)
    criteria: Sequence[str] | None = setting(None, shared.CRITERION)
    raters: Raters = setting("same", shared.RATERS_COMPARED)
    annotators: Sequence[str] | None = setting(None, shared.ANNOTATORS)
    exclude: Sequence[str] | None = setting(None, shared.EXCLUDED)
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS)
    metrics: Sequence[str] = setting((), shared.METRICS)

    def __post_init__(self) -> None:
        for name in ("criteria", "annotators", "exclude", "systems", "metrics"):
            value = getattr(self, name)
            named = (value,) if isinstance(value, str) else value
            object.__setattr__(self, name, None if named is None else tuple(named))
        check_settings(self)
        if "all" in self.metrics and len(self.metrics) > 1:
            raise UsageError("--metric all takes every metric of the study: name no other beside it")

    @property
    def level(self) -> float:
        """Chance to miss on either side, above 0."""
        return (1 - self.confidence) / 2

    def to_dict(self) -> dict[str, object]:
        """All settings by name, tuples as lists."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
