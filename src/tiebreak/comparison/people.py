"""Who gave the labels: how many each annotator gave, and what each system was rated."""

from __future__ import annotations

from typing import Final

import polars as pl

from tiebreak.data.study import Study
from tiebreak.evidence.human_labels import earliest_labels, oriented_preferences
from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.records import LabelRule
from tiebreak.results.annotators import Annotators, SystemRatings

_PAIR: Final = ("system_a", "system_b")


def annotator_labels(study: Study, evidence: CriterionEvidence, rule: LabelRule) -> Annotators:
    """Labels in the evidence per annotator, most first; `study`: the part of it that was compared.

    A rating serves many pairs, but was paid once; one that no other could be compared with is no evidence.
    """
    pairs = {(min(pair.system_a, pair.system_b), max(pair.system_a, pair.system_b)) for pair in evidence.summaries}
    given = oriented_preferences(study, evidence.criterion)
    names = [pl.Series("annotator", [], dtype=pl.String)]
    if given.height:
        used = earliest_labels(given) if rule == "first" else given
        compared = pl.DataFrame(sorted(pairs), schema=dict.fromkeys(_PAIR, pl.String), orient="row")
        names.append(used.join(compared, on=list(_PAIR), how="semi")["annotator"])
    if study.ratings is not None and evidence.from_ratings:
        by = ["item", "annotator"] if evidence.raters.compared == "same" else ["item"]
        about = study.ratings.filter(pl.col("criterion").eq_missing(pl.lit(evidence.criterion)))
        names.append(about.filter(pl.col("system").n_unique().over(by) > 1)["annotator"])
    counts = pl.concat(names).to_frame().group_by("annotator").len()
    # One column after the other: sorting by two takes several times as long.
    counts = counts.sort("annotator").sort("len", descending=True, maintain_order=True)
    return Annotators(tuple(counts["annotator"].to_list()), tuple(counts["len"].to_list()))


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
