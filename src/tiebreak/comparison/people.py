"""Who gave the labels: how many each annotator gave, and what each system was rated."""

from __future__ import annotations

import polars as pl

from tiebreak.data.study import Study
from tiebreak.results.records import AnnotatorLabels, SystemRatings


def annotator_labels(study: Study, criterion: str | None) -> tuple[AnnotatorLabels, ...]:
    """Labels per annotator on the criterion, most first; `study`: the part of it that was compared."""
    frames = [
        frame.filter(pl.col("criterion").eq_missing(pl.lit(criterion))).select("annotator")
        for frame in (study.preferences, study.ratings)
        if frame is not None
    ]
    if not frames:
        return ()
    counts = pl.concat(frames).group_by("annotator").len().sort(["len", "annotator"], descending=[True, False])
    return tuple(AnnotatorLabels(name, count) for name, count in counts.iter_rows())


def system_ratings(study: Study, criterion: str | None) -> tuple[SystemRatings, ...]:
    """Ratings per system, best mean first; empty without ratings. `study`: the part of it that was compared."""
    if study.ratings is None:
        return ()
    found = (
        study.ratings.filter(pl.col("criterion").eq_missing(pl.lit(criterion)))
        .group_by("system")
        .agg(mean=pl.col("value").mean(), deviation=pl.col("value").std(), ratings=pl.len())
        .sort(["mean", "system"], descending=[True, False])
    )
    return tuple(SystemRatings(*row) for row in found.iter_rows())
