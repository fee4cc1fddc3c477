"""Warnings about metrics and judges: nobody knows how wrong they are, or one confusion does not speak for all pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import chdtrc

from tiebreak.checks.thresholds import AGREEMENT_SPREAD, FEWEST_ITEMS, P_VALUE
from tiebreak.data.study import Study
from tiebreak.evidence.automatic_names import known_judges, known_metrics
from tiebreak.evidence.validated import unvalidated
from tiebreak.records import Notice
from tiebreak.results.numbers import in_percent
from tiebreak.results.records import PairResult
from tiebreak.settings.name_lists import listed_names


def metric_errors_differ(pairs: Sequence[PairResult]) -> list[Notice]:
    """Raised if agreement with the humans varies between pairs by more than chance, and by more than matters.

    Chi-square test of equal agreement over the pairs of one criterion with at least 30 items on which both judged;
    the size is the standard deviation of the true agreements (total variance less binomial variance).
    """
    used = [pair.metric for pair in pairs if pair.metric is not None]
    totals = np.array([np.sum(use.confusion) for use in used], dtype=np.float64)
    agreed = np.array([np.trace(np.array(use.confusion)) for use in used], dtype=np.float64)
    enough = totals >= FEWEST_ITEMS
    totals, agreed = totals[enough], agreed[enough]
    if totals.size < 2 or not 0 < agreed.sum() < totals.sum():
        return []
    overall = agreed.sum() / totals.sum()
    variance = overall * (1 - overall)
    chi_square = float(((agreed - totals * overall) ** 2 / (totals * variance)).sum())
    p_value = float(chdtrc(totals.size - 1, chi_square))
    shares = agreed / totals
    spread = float(np.sqrt(max(shares.var() - (variance / totals).mean(), 0.0)))
    if p_value >= P_VALUE or spread <= AGREEMENT_SPREAD:
        return []
    names = listed_names(used[0].names)
    text = (
        f"The errors of {names} differ between pairs: it agrees with the humans on {in_percent(shares.min())} to "
        f"{in_percent(shares.max())} of the items of a pair. Do not carry its confusion from one pair to another; "
        "verdicts here fit it to each pair."
    )
    details = {"low": float(shares.min()), "high": float(shares.max()), "spread": spread, "p_value": p_value}
    return [Notice("metric-errors-differ", text, dict(details))]


def unvalidated_alone(
    study: Study, criterion: str | None, metrics: Sequence[str], judges: Sequence[str]
) -> list[Notice]:
    """Raised of metrics and judges that decide alone where people labelled nothing of what they judged; ("all",) takes
    every one. Beside human labels the words on each say so.
    """
    metrics = known_metrics(study, criterion) if tuple(metrics) == ("all",) else metrics
    judges = known_judges(study, criterion) if tuple(judges) == ("all",) else judges
    found = unvalidated(study, metrics, judges, criterion)
    if not found:
        return []
    about = f" on {criterion}" if criterion is not None else ""
    text = (
        f"Unvalidated: {listed_names(found)}. People labelled nothing that was judged{about}, so that nobody knows how "
        "wrong this is."
    )
    return [Notice("unvalidated", text, {"criterion": criterion, "names": list(found)})]
