"""Whether people labelled anything that a metric or judge says something about: else it is unvalidated.

The same question as whether an audit has any comparison, asked of the tables alone: rows are joined, and no pair of
systems is gone through. Studies here are of single outputs (`SingleOutputs`).
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tiebreak.data.columns import one_way_round
from tiebreak.data.study import Study
from tiebreak.evidence.automatic import serving
from tiebreak.evidence.rated_systems import SingleOutputs

_PAIR = ("item", "system_a", "system_b")


def unvalidated(study: Study, metrics: Sequence[str], judges: Sequence[str], criterion: str | None) -> tuple[str, ...]:
    """Those of the metrics and judges named that are, on a criterion; a study of any outputs."""
    single = SingleOutputs.of(study).study

    def of_metric(name: str) -> bool:
        return metric_is_validated(single, serving(single.scores, "metric", name, criterion), criterion)

    def of_judge(name: str) -> bool:
        return judge_is_validated(single, serving(single.judge_preferences, "judge", name, criterion), criterion)

    return (*(name for name in metrics if not of_metric(name)), *(name for name in judges if not of_judge(name)))


def judge_is_validated(study: Study, rows: pl.DataFrame, criterion: str | None) -> bool:
    """Of a judge's `rows` on a criterion; None serves every criterion."""
    judged = one_way_round(rows.filter(pl.col("outcome").is_not_null()).select(_PAIR)).unique()
    if study.preferences is not None:
        asked = one_way_round(_serving(study.preferences, criterion).select(_PAIR))
        if judged.join(asked, on=_PAIR, how="semi").height:
            return True
    if study.ratings is None:
        return False
    rated = _serving(study.ratings, criterion).select("item", "system", "annotator", "criterion")
    first = judged.join(rated, left_on=("item", "system_a"), right_on=("item", "system"), how="inner")
    both = ("item", "annotator", "criterion")
    second = first.join(rated, left_on=("system_b", *both), right_on=("system", *both), how="semi")
    return second.height > 0


def metric_is_validated(study: Study, rows: pl.DataFrame, criterion: str | None) -> bool:
    """Of a metric's `rows` of scores on a criterion; None serves every criterion."""
    scored = rows.select("item", "system").unique()
    if study.preferences is not None:
        asked = _serving(study.preferences, criterion)
        for name in ("system_a", "system_b"):
            asked = asked.join(scored, left_on=("item", name), right_on=("item", "system"), how="semi")
        if asked.height:
            return True
    if study.ratings is None:
        return False
    rated = _serving(study.ratings, criterion).join(scored, on=("item", "system"), how="semi")
    people = rated.group_by("item", "annotator", "criterion").agg(systems=pl.col("system").n_unique())
    return people.filter(pl.col("systems") > 1).height > 0


def _serving(labels: pl.DataFrame, criterion: str | None) -> pl.DataFrame:
    """Labels on the criterion of a source."""
    return labels if criterion is None else labels.filter(pl.col("criterion") == criterion)
