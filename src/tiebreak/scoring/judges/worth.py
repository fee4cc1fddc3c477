"""What a judge saves: human labels, by those that there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiebreak.comparison.compare import compare_with
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError
from tiebreak.results.settings import CompareSettings
from tiebreak.scoring.judges.judge import Judge

_MOST: Final = 0.99


@dataclass(frozen=True, slots=True)
class Worth:
    """Human labels that a judge saves, None where nobody can tell, and what they cost, None without a price. Below 0:
    it costs some.
    """

    labels: float | None
    price: float | None


def worth_of(study: Study, judge: Judge) -> Worth:
    """By the verdicts of `compare` with the judge beside the labels: where an interval is as narrow as that of more
    labels, the judge saves as many as it would have taken.
    """
    name, criterion = judge.name, judge.settings.criterion
    metrics, judges = ((name,), ()) if judge.settings.grades else ((), (name,))
    try:
        criteria = None if criterion is None else (criterion,)
        result = compare_with(study, CompareSettings(criteria=criteria, metrics=metrics, judges=judges))
    except TiebreakError:
        return Worth(None, None)  # nobody labelled anything that could be compared
    saved = [
        pair.labels * share / (1 - share)
        for found in result.results
        for pair in found.pairs
        if pair.metric is not None and pair.metric.saved is not None
        for share in (min(pair.metric.saved.share, _MOST),)
    ]
    if not saved:
        return Worth(None, None)
    price = study.settings.price_per_label
    return Worth(sum(saved), None if price is None else sum(saved) * price)
