"""Who gave the labels: how many each annotator gave, and what each system was rated."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiebreak.analysis.settings import CompareSettings
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


def annotator_labels(study: Study, criterion: str | None, settings: CompareSettings) -> list[AnnotatorLabels]:
    """Labels per annotator that the comparison could use, most first."""
    chosen = selected(study, settings)
    frames = [
        frame.filter(pl.col("criterion").eq_missing(pl.lit(criterion))).select("annotator")
        for frame in (chosen.preferences, chosen.ratings)
        if frame is not None
    ]
    if not frames:
        return []
    counts = pl.concat(frames).group_by("annotator").len().sort(["len", "annotator"], descending=[True, False])
    return [AnnotatorLabels(name, count) for name, count in counts.iter_rows()]


def system_ratings(study: Study, criterion: str | None, settings: CompareSettings) -> list[SystemRatings]:
    """Ratings per system, best mean first; empty without ratings on the criterion."""
    chosen = selected(study, settings)
    if chosen.ratings is None:
        return []
    found = (
        chosen.ratings.filter(pl.col("criterion").eq_missing(pl.lit(criterion)))
        .group_by("system")
        .agg(mean=pl.col("value").mean(), deviation=pl.col("value").std(), ratings=pl.len())
        .sort(["mean", "system"], descending=[True, False])
    )
    return [SystemRatings(*row) for row in found.iter_rows()]


def selected(study: Study, settings: CompareSettings) -> Study:
    """The part of the study that the settings compare."""
    if settings.systems is None and settings.annotators is None:
        return study
    return study.select(systems=settings.systems, annotators=settings.annotators)
