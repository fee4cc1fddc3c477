"""Who gave the labels: how many each annotator gave, and what each system was rated."""

from __future__ import annotations

import polars as pl

from tiebreak.data.study import Study
from tiebreak.evidence.annotators import labels_by_annotator
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.records import LabelRule
from tiebreak.results.annotators import Annotators, SystemRatings


def annotator_labels(study: Study, evidence: CriterionEvidence, index: ItemIndex, rule: LabelRule) -> Annotators:
    """Labels in the evidence per annotator, most first; `study`: the part of it that was compared."""
    counts = labels_by_annotator(study, evidence, index, rule)
    return Annotators(tuple(name for name, _ in counts), tuple(labels for _, labels in counts))


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
