"""What a study holds, counted: systems, items, labels, people, metrics and judges."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiebreak.data.schema import DERIVED, LABEL_TABLES, TABLES
from tiebreak.data.study import Study
from tiebreak.data.validation import BLANK
from tiebreak.evidence.items import ItemIndex, filled
from tiebreak.evidence.rated_systems import SingleOutputs
from tiebreak.evidence.validated import judge_is_validated, metric_is_validated


@dataclass(frozen=True, slots=True)
class SystemHolding:
    """`outputs` of a system, all samples; `missing`: items that have outputs, but not of it; `empty`: blank ones.

    `median_characters` is None without outputs; `labels`: human labels that involve the system. `candidate`: whether it
    is compared; a reference without labels is not.
    """

    system: str
    outputs: int
    missing: int
    empty: int
    median_characters: float | None
    labels: int
    candidate: bool = True


@dataclass(frozen=True, slots=True)
class LabelHolding:
    """Human labels of one kind, which is the name of their table, on one criterion (None: those without one). Of a
    criterion that is derived `kind` is the name of the table that it follows from, and `labels` counts ratings.
    """

    criterion: str | None
    kind: str
    labels: int
    items: int
    systems: int
    annotators: int


@dataclass(frozen=True, slots=True)
class AnnotatorHolding:
    """`share` of all human labels, in [0, 1]; `median_seconds` of those that say, else None."""

    annotator: str
    labels: int
    share: float
    median_seconds: float | None


@dataclass(frozen=True, slots=True)
class MetricHolding:
    """`share`: outputs with a score on that criterion, of all outputs of the study; None without outputs. `validated`:
    whether people compared any two outputs that it scored."""

    metric: str
    criterion: str | None
    scores: int
    share: float | None
    validated: bool


@dataclass(frozen=True, slots=True)
class JudgeHolding:
    """`replies`: rows of a judge on a criterion; `unparsed`: those without an outcome; `pairs` of systems; `validated`:
    whether people compared any two outputs that it compared."""

    judge: str
    criterion: str | None
    replies: int
    unparsed: int
    pairs: int
    validated: bool


@dataclass(frozen=True, slots=True)
class Holdings:
    """`items`: named by any table; `inputs` and `references`: items with a non-empty one; `clusters`: units of
    evidence where items are grouped by `clustered_by` ("cluster" or "input"), else None. `derived`: ratings that
    follow from other labels, and are no labels of their own.
    """

    items: int
    inputs: int
    references: int
    clusters: int | None
    clustered_by: str | None
    systems: tuple[SystemHolding, ...]
    labels: tuple[LabelHolding, ...]
    derived: tuple[LabelHolding, ...]
    annotators: tuple[AnnotatorHolding, ...]
    metrics: tuple[MetricHolding, ...]
    judges: tuple[JudgeHolding, ...]

    @property
    def candidates(self) -> int:
        """How many systems are compared."""
        return sum(holding.candidate for holding in self.systems)

    @property
    def human_labels(self) -> int:
        return sum(holding.labels for holding in self.labels)

    @property
    def outputs(self) -> int:
        return sum(holding.outputs for holding in self.systems)


def holdings(study: Study, index: ItemIndex, analysed: Study) -> Holdings:
    """Counts everything; any table may be missing. `analysed`: the study with derived ratings."""
    grouped = index.clustered_by is not None
    return Holdings(
        items=len(index.items),
        inputs=0 if study.items is None else int(filled(study.items, "input").sum()),
        references=_references(study.items),
        clusters=len(set(index.clusters.tolist())) if grouped else None,
        clustered_by=index.clustered_by,
        systems=_systems(study),
        labels=_labels(study),
        derived=_derived(analysed),
        annotators=_annotators(study),
        metrics=_metrics(study),
        judges=_judges(study),
    )


def _references(items: pl.DataFrame | None) -> int:
    if items is None:
        return 0
    found = [
        pl.col(name).list.len() > 0 if items.schema[name] == pl.List else pl.col(name).is_not_null()
        for name in ("reference", "references")
        if name in items.columns
    ]
    return items.filter(pl.any_horizontal(found)).height if found else 0


def _systems(study: Study) -> tuple[SystemHolding, ...]:
    labels, candidates = _labels_by_system(study), set(study.candidates)
    if study.outputs is None:
        return tuple(
            SystemHolding(name, 0, 0, 0, None, labels.get(name, 0), name in candidates) for name in study.systems
        )
    items = study.outputs["item"].n_unique()
    text = pl.col("text").fill_null("")
    counted = study.outputs.group_by("system").agg(
        outputs=pl.len(),
        items=pl.col("item").n_unique(),
        empty=text.str.contains(BLANK).sum(),
        characters=text.str.len_chars().median(),
    )
    rows = {row["system"]: row for row in counted.iter_rows(named=True)}
    found = []
    for name in study.systems:
        row = rows.get(name, {"outputs": 0, "items": 0, "empty": 0, "characters": None})
        missing = items - row["items"]
        counts = row["outputs"], missing, row["empty"], row["characters"], labels.get(name, 0)
        found.append(SystemHolding(name, *counts, name in candidates))
    return tuple(found)


def _labels_by_system(study: Study) -> dict[str, int]:
    columns = [
        frame[column]
        for table, frame in study.tables.items()
        if table in LABEL_TABLES
        for column in TABLES[table].system_columns
    ]
    if not columns:
        return {}
    counted = pl.concat([column.rename("system") for column in columns]).value_counts()
    return dict(counted.iter_rows())


def _labels(study: Study) -> tuple[LabelHolding, ...]:
    found = []
    for criterion in study.criteria:
        same = pl.col("criterion").eq_missing(pl.lit(criterion))
        for kind, frame in (("preferences", study.preferences), ("ratings", study.ratings)):
            if frame is not None and (own := frame.filter(same)).height:
                found.append(_held(own, criterion, kind))
    others = (("edits", study.edits), ("spans", study.spans))
    return (*found, *(_held(frame, None, kind) for kind, frame in others if frame is not None and frame.height))


def _held(rows: pl.DataFrame, criterion: str | None, kind: str) -> LabelHolding:
    sides = [name for name in ("system", "system_a", "system_b") if name in rows.columns]
    systems = pl.concat([rows[name].rename("system") for name in sides]).n_unique()
    return LabelHolding(criterion, kind, rows.height, rows["item"].n_unique(), systems, rows["annotator"].n_unique())


def _derived(study: Study) -> tuple[LabelHolding, ...]:
    if study.ratings is None:
        return ()
    own = {name: study.ratings.filter(pl.col("criterion") == name) for name in study.derived}
    return tuple(_held(rows, name, DERIVED[name].source) for name, rows in own.items())


def _annotators(study: Study) -> tuple[AnnotatorHolding, ...]:
    parts = [frame.select("annotator", "seconds") for table, frame in study.tables.items() if table in LABEL_TABLES]
    if not parts:
        return ()
    rows = pl.concat(parts)
    counted = rows.group_by("annotator").agg(labels=pl.len(), seconds=pl.col("seconds").median())
    counted = counted.sort(["labels", "annotator"], descending=[True, False])
    return tuple(
        AnnotatorHolding(name, labels, labels / rows.height, seconds) for name, labels, seconds in counted.iter_rows()
    )


def _metrics(study: Study) -> tuple[MetricHolding, ...]:
    if study.scores is None:
        return ()
    keys = ["metric", "criterion"]
    counted = study.scores.group_by(keys).len("scores")
    if study.outputs is None:
        rows = counted.with_columns(share=pl.lit(None, dtype=pl.Float64))
    else:
        cells = study.outputs.select("item", "system", "sample")
        of_outputs = study.scores.join(cells, on=cells.columns, how="semi", nulls_equal=True)
        scored = of_outputs.group_by(keys).len("scored")
        rows = counted.join(scored, on=keys, how="left", nulls_equal=True).select(
            *keys, "scores", share=pl.col("scored").fill_null(0) / max(cells.height, 1)
        )
    single = SingleOutputs.of(study).study
    known = {} if single.scores is None else single.scores.partition_by(keys, as_dict=True)
    return tuple(
        MetricHolding(metric, of, scores, share, metric_is_validated(single, known[metric, of], of))
        for metric, of, scores, share in rows.sort(keys).iter_rows()
    )


def _judges(study: Study) -> tuple[JudgeHolding, ...]:
    if study.judge_preferences is None:
        return ()
    pair = pl.struct(pl.min_horizontal("system_a", "system_b"), pl.max_horizontal("system_a", "system_b").alias("b"))
    counted = study.judge_preferences.group_by("judge", "criterion").agg(
        replies=pl.len(), unparsed=pl.col("outcome").is_null().sum(), pairs=pair.n_unique()
    )
    single = SingleOutputs.of(study).study
    replies_of = single.judge_preferences
    known = {} if replies_of is None else replies_of.partition_by("judge", "criterion", as_dict=True)
    return tuple(
        JudgeHolding(judge, of, replies, unparsed, pairs, judge_is_validated(single, known[judge, of], of))
        for judge, of, replies, unparsed, pairs in counted.sort("judge", "criterion").iter_rows()
    )
