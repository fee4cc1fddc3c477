"""Agreement among the annotators of a study, on the labels that a comparison used."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from tiebreak.data.study import Study
from tiebreak.errors import UnidentifiedError
from tiebreak.evidence.human_labels import oriented_preferences
from tiebreak.kernels import agreement as kernel
from tiebreak.results.records import AnnotatorAgreement

_MANY_LABELS = 200_000  # with so many labels the interval is narrow and 100 resamples describe it


def study_agreement(study: Study, criterion: str | None, seed: int) -> tuple[AnnotatorAgreement, ...]:
    """One entry for preferences and one for ratings, as far as the criterion has them.

    Preferences: what is judged is an item and a pair of outputs. Ratings: one output; Krippendorff's interval level.
    """
    found = []
    preferences = oriented_preferences(study, criterion)
    if preferences.height:
        found.append(_of_preferences(preferences, np.random.default_rng([seed, 3])))
    if study.ratings is not None:
        ratings = study.ratings.filter(pl.col("criterion").eq_missing(pl.lit(criterion)))
        if ratings.height:
            found.append(_of_ratings(ratings, np.random.default_rng([seed, 4])))
    return tuple(found)


def _of_preferences(frame: pl.DataFrame, rng: np.random.Generator) -> AnnotatorAgreement:
    unit = _codes(frame, "system_a", "system_b", "item", "sample_a", "sample_b")
    people, values = _codes(frame, "annotator"), frame["value"].to_numpy().astype(np.int64)
    resamples = _resamples(frame.height)
    return AnnotatorAgreement(
        kind="preferences",
        alpha=_or_none(
            lambda: kernel.krippendorff_alpha(unit, people, values, "nominal", rng=rng, resamples=resamples)
        ),
        agreeing=_or_none(lambda: kernel.pairwise_agreement(unit, people, values, rng=rng, resamples=resamples)),
    )


def _of_ratings(frame: pl.DataFrame, rng: np.random.Generator) -> AnnotatorAgreement:
    unit, people = _codes(frame, "item", "system", "sample"), _codes(frame, "annotator")
    values, resamples = frame["value"].to_numpy(), _resamples(frame.height)
    return AnnotatorAgreement(
        kind="ratings",
        alpha=_or_none(
            lambda: kernel.krippendorff_alpha(unit, people, values, "interval", rng=rng, resamples=resamples)
        ),
        agreeing=None,
    )


def _codes(frame: pl.DataFrame, *columns: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    key = pl.struct(columns) if len(columns) > 1 else pl.col(columns[0])
    return frame.select(key.rank("dense")).to_series().to_numpy().astype(np.int64) - 1


def _resamples(labels: int) -> int:
    return 1000 if labels <= _MANY_LABELS else 100


def _or_none(statistic: Callable[[], kernel.Agreement]) -> kernel.Agreement | None:
    """None where nobody can be compared: too few items with two labels, or one answer throughout."""
    try:
        return statistic()
    except UnidentifiedError:
        return None
