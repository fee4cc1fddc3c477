"""Whose labels the evidence on a criterion is made of."""

from __future__ import annotations

from typing import Final

import polars as pl

from tiebreak.data.study import Study
from tiebreak.evidence.human_labels import earliest_labels, oriented_preferences
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.records import LabelRule

_PAIR: Final = ["system_a", "system_b"]


def labels_by_annotator(
    study: Study, evidence: CriterionEvidence, index: ItemIndex, rule: LabelRule
) -> list[tuple[str, int]]:
    """Each annotator with the number of their labels in the evidence, most first; `study`: the part that was compared.

    A rating serves many pairs, but was paid once; one that no other could be compared with is no evidence. What comes
    after the budget of a pair is none either.
    """
    within = _within_budget(evidence, index)
    names = [pl.Series("annotator", [], dtype=pl.String)]
    if study.preferences is not None:
        used = _preferences(study, study.preferences, evidence.criterion, rule)
        pairs = {(min(pair.system_a, pair.system_b), max(pair.system_a, pair.system_b)) for pair in evidence.summaries}
        compared = pl.DataFrame(sorted(pairs), schema=dict.fromkeys(_PAIR, pl.String), orient="row")
        used = used.join(compared, on=_PAIR, how="semi")
        names.append((used if within is None else used.join(within, on=[*_PAIR, "item"], how="semi"))["annotator"])
    if study.ratings is not None and evidence.from_ratings:
        by = ["item", "annotator"] if evidence.raters.compared == "same" else ["item"]
        about = study.ratings.filter(pl.col("criterion").eq_missing(pl.lit(evidence.criterion)))
        about = about.filter(pl.col("system").n_unique().over(by) > 1)
        if within is not None:
            served = pl.concat([within.select("item", system=name) for name in _PAIR])
            about = about.join(served, on=["item", "system"], how="semi")
        names.append(about["annotator"])
    counts = pl.concat(names).to_frame().group_by("annotator").len()
    # One column after the other: sorting by two takes several times as long.
    return counts.sort("annotator").sort("len", descending=True, maintain_order=True).rows()


def _preferences(study: Study, preferences: pl.DataFrame, criterion: str | None, rule: LabelRule) -> pl.DataFrame:
    """Those on a criterion that the label rule takes, with system_a < system_b."""
    if rule == "first":
        return earliest_labels(oriented_preferences(study, criterion))
    pair = pl.min_horizontal(_PAIR).alias("system_a"), pl.max_horizontal(_PAIR).alias("system_b")
    return preferences.filter(pl.col("criterion").eq_missing(pl.lit(criterion))).select("item", "annotator", *pair)


def _within_budget(evidence: CriterionEvidence, index: ItemIndex) -> pl.DataFrame | None:
    """The items (item, system_a, system_b) of each pair, by name; None where nothing comes after a budget."""
    if not any(pair.beyond_budget for pair in evidence.summaries):
        return None
    frames = []
    for pair in evidence.pairs:
        first, second = sorted((pair.system_a, pair.system_b))
        items = pl.Series("item", [index.items[item] for item in pair.items], dtype=pl.String).to_frame()
        frames.append(items.with_columns(system_a=pl.lit(first), system_b=pl.lit(second)))
    return pl.concat(frames)
