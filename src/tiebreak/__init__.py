"""tiebreak decides which text-generation system is better with as few human labels as possible.

    import tiebreak

    study = tiebreak.read_study("my-study")
    result = tiebreak.compare(study)
    print(result.pairs)

Public names load when they are first used, so that `import tiebreak` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tiebreak.version import __version__

if TYPE_CHECKING:
    from tiebreak.auditing.audit import Audit, audit
    from tiebreak.checks.study_check import StudyCheck, check
    from tiebreak.comparison.against import evaluate_against, load_result
    from tiebreak.comparison.compare import CompareResult, compare
    from tiebreak.comparison.joint import PosteriorTogether, posterior_together
    from tiebreak.data.readers import read_study
    from tiebreak.data.settings import StudySettings, SystemSettings
    from tiebreak.data.study import Study
    from tiebreak.data.writers import write_study
    from tiebreak.errors import InputError, TiebreakError, UsageError
    from tiebreak.estimation.estimate import EstimateResult, estimate
    from tiebreak.importers.reading import read_csv
    from tiebreak.panel.aggregated import aggregated
    from tiebreak.panel.annotators import AnnotatorsResult, annotators
    from tiebreak.places import result_at
    from tiebreak.places.estimates import score, watch
    from tiebreak.ranking.rank import RankResult, rank
    from tiebreak.scoring.metric import Metric
    from tiebreak.scoring.metrics.function import metric_of
    from tiebreak.scoring.score import ScoreResult

_HOMES = {
    "aggregated": "tiebreak.panel.aggregated",
    "AnnotatorsResult": "tiebreak.panel.annotators",
    "annotators": "tiebreak.panel.annotators",
    "Audit": "tiebreak.auditing.audit",
    "audit": "tiebreak.auditing.audit",
    "evaluate_against": "tiebreak.comparison.against",
    "load_result": "tiebreak.comparison.against",
    "CompareResult": "tiebreak.comparison.compare",
    "compare": "tiebreak.comparison.compare",
    "PosteriorTogether": "tiebreak.comparison.joint",
    "posterior_together": "tiebreak.comparison.joint",
    "StudyCheck": "tiebreak.checks.study_check",
    "check": "tiebreak.checks.study_check",
    "EstimateResult": "tiebreak.estimation.estimate",
    "estimate": "tiebreak.estimation.estimate",
    "read_study": "tiebreak.data.readers",
    "Study": "tiebreak.data.study",
    "StudySettings": "tiebreak.data.settings",
    "SystemSettings": "tiebreak.data.settings",
    "write_study": "tiebreak.data.writers",
    "read_csv": "tiebreak.importers.reading",
    "InputError": "tiebreak.errors",
    "TiebreakError": "tiebreak.errors",
    "UsageError": "tiebreak.errors",
    "result_at": "tiebreak.places",
    "watch": "tiebreak.places.estimates",
    "score": "tiebreak.places.estimates",
    "Metric": "tiebreak.scoring.metric",
    "metric_of": "tiebreak.scoring.metrics.function",
    "ScoreResult": "tiebreak.scoring.score",
    "RankResult": "tiebreak.ranking.rank",
    "rank": "tiebreak.ranking.rank",
}

__all__ = [
    "AnnotatorsResult",
    "Audit",
    "CompareResult",
    "EstimateResult",
    "InputError",
    "Metric",
    "PosteriorTogether",
    "RankResult",
    "ScoreResult",
    "Study",
    "StudyCheck",
    "StudySettings",
    "SystemSettings",
    "TiebreakError",
    "UsageError",
    "__version__",
    "aggregated",
    "annotators",
    "audit",
    "check",
    "compare",
    "estimate",
    "evaluate_against",
    "load_result",
    "metric_of",
    "posterior_together",
    "rank",
    "read_csv",
    "read_study",
    "result_at",
    "score",
    "watch",
    "write_study",
]


def __getattr__(name: str) -> object:
    if name in ("plots", "report"):
        return import_module(f"tiebreak.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'tiebreak' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
