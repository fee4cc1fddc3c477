"""A result as text, as its command prints it: for notebooks, logs and messages."""

from __future__ import annotations

import io
from typing import Any

from tiebreak.checks.study_check import StudyCheck
from tiebreak.cli.annotators import show_annotators
from tiebreak.cli.audit import show_audit
from tiebreak.cli.check import show_check
from tiebreak.cli.compare import show_comparison
from tiebreak.cli.estimate import show_estimates, show_measured
from tiebreak.cli.rank import show_ranks
from tiebreak.cli.terminal import Terminal
from tiebreak.results.annotators import AnnotatorsResult
from tiebreak.results.audits import Audit
from tiebreak.results.estimates import EstimateResult
from tiebreak.results.measured import MeasuredResult
from tiebreak.results.ranks import RankResult
from tiebreak.results.records import CompareResult
from tiebreak.results.shown import SummarisedResult

_SHOWN: dict[type[Any], Any] = {
    CompareResult: show_comparison,
    EstimateResult: show_estimates,
    RankResult: show_ranks,
    Audit: show_audit,
    AnnotatorsResult: show_annotators,
    MeasuredResult: show_measured,
    StudyCheck: show_check,
}


def summary(result: SummarisedResult, *, width: int) -> str:
    """What the command prints of a result, at most `width` characters wide, without colours."""
    stream = io.StringIO()
    _SHOWN[type(result)](result, Terminal(file=stream, width=width, highlight=False, emoji=False, color_system=None))
    return stream.getvalue()
