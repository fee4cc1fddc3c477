"""The labels that comparisons with one system rest on."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from tiebreak.data.study import Study
from tiebreak.records import Raters


def with_baseline(study: Study, baseline: str | None, raters: Raters) -> Study:
    """The study with the labels that say something of the baseline: preferences between it and another system, and
    ratings of outputs beside which it was rated (by the same person, unless `raters` are "any"). Without a baseline the
    study as it is.
    """
    if baseline is None:
        return study
    preferences, ratings = study.preferences, study.ratings
    if preferences is not None:
        preferences = preferences.filter((pl.col("system_a") == baseline) | (pl.col("system_b") == baseline))
    if ratings is not None:
        together = ["item", "criterion", *(["annotator"] if raters == "same" else [])]
        ratings = ratings.filter((pl.col("system") == baseline).any().over(together))
    return replace(
        study,
        preferences=None if preferences is None or not preferences.height else preferences,
        ratings=None if ratings is None or not ratings.height else ratings,
    )
