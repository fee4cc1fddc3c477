"""What the answers of a judge look like together: flips, ties, and human labels that they save."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from tiebreak.comparison.compare import compare_with
from tiebreak.data.columns import one_way_round
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError
from tiebreak.messages.notices import grades_tie
from tiebreak.records import Notice
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


MOST_GRADES_TIED: Final = 0.3
_FEWEST_PAIRS: Final = 30


@dataclass(frozen=True, slots=True)
class Flips:
    """Comparisons answered in `both` orders, and those whose outcome changed with the order, which count as ties."""

    flipped: int
    both: int


@dataclass(frozen=True, slots=True)
class Findings:
    """Of all answers that a study has of a judge on its criterion."""

    flips: Flips
    worth: Worth
    notices: tuple[Notice, ...]

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "flipped": self.flips.flipped,
            "answered_in_both_orders": self.flips.both,
            "labels_saved": self.worth.labels,
            "price_of_labels_saved": self.worth.price,
            "warnings": [notice.to_dict() for notice in self.notices],
        }


def findings_of(study: Study, judge: Judge) -> Findings:
    """What there is to find."""
    return Findings(_flips(study, judge), worth_of(study, judge), tuple(_grades_tie(study, judge)))


def _flips(study: Study, judge: Judge) -> Flips:
    frame = study.judge_preferences
    if frame is None or judge.settings.grades:
        return Flips(0, 0)
    criterion = pl.lit(judge.settings.criterion, pl.String)
    mine = frame.filter(
        (pl.col("judge") == judge.name)
        & pl.col("criterion").eq_missing(criterion)
        & pl.col("outcome").is_not_null()
        & pl.col("left").is_not_null()
    )
    asked = one_way_round(mine).group_by("item", "system_a", "system_b", "sample_a", "sample_b")
    counted = asked.agg(sides=pl.col("left").n_unique(), outcomes=pl.col("outcome").n_unique())
    both = counted.filter(pl.col("sides") == 2)
    return Flips(both.filter(pl.col("outcomes") > 1).height, both.height)


def _grades_tie(study: Study, judge: Judge) -> list[Notice]:
    """Raised where a judge gives two outputs of an item the same grade more often than is of use."""
    if study.scores is None or not judge.settings.grades:
        return []
    criterion = pl.lit(judge.settings.criterion, pl.String)
    mine = study.scores.filter((pl.col("metric") == judge.name) & pl.col("criterion").eq_missing(criterion))
    of = mine.group_by("item", "system").agg(pl.col("value").mean())
    pairs = of.join(of, on="item", suffix="_b").filter(pl.col("system") < pl.col("system_b"))
    share = float((pairs["value"] == pairs["value_b"]).mean() or 0.0) if pairs.height else 0.0  # type: ignore[arg-type]
    if pairs.height < _FEWEST_PAIRS or share <= MOST_GRADES_TIED:
        return []
    return [grades_tie(judge.name, share, pairs.height)]
