"""Who gave the labels: how many each annotator gave, and what each system was rated."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiebreak.data.study import Study


@dataclass(frozen=True, slots=True)
class AnnotatorLabels:
    """`labels`: preferences and ratings that one person gave on the criterion."""

    annotator: str
    labels: int


@dataclass(frozen=True, slots=True)
class SystemRatings:
    """Mean and standard deviation (None of a single rating) of the ratings of one system on the criterion."""

    system: str
    mean: float
    deviation: float | None
    ratings: int


def annotator_labels(study: Study, criterion: str | None) -> list[AnnotatorLabels]:
    """Labels per annotator on the criterion, most first; `study`: the part of it that was compared."""
    frames = [
        frame.filter(pl.col("criterion").eq_missing(pl.lit(criterion))).select("annotator")
        for frame in (study.preferences, study.ratings)
        if frame is not None
    ]
    if not frames:
        return []
    counts = pl.concat(frames).group_by("annotator").len().sort(["len", "annotator"], descending=[True, False])
    return [AnnotatorLabels(name, count) for name, count in counts.iter_rows()]


def system_ratings(study: Study, criterion: str | None) -> list[SystemRatings]:
    """Ratings per system, best mean first; empty without ratings. `study`: the part of it that was compared."""
    if study.ratings is None:
        return []
    found = (
        study.ratings.filter(pl.col("criterion").eq_missing(pl.lit(criterion)))
        .group_by("system")
        .agg(mean=pl.col("value").mean(), deviation=pl.col("value").std(), ratings=pl.len())
        .sort(["mean", "system"], descending=[True, False])
    )
    return [SystemRatings(*row) for row in found.iter_rows()]
