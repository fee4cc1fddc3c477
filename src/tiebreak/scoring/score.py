"""`score`: outputs in, the scores of metrics out, each text scored once and kept as soon as it is.

It ends with how metrics go with the labels of a study: over instances, within systems, and between the systems' means.
Of ratings by `estimation/efficiency.py`. Of preferences an instance is one system's value on an item against another
system, in [-1, 1], beside the difference of their scores; each comparison counts once from either side, so that it
makes no difference which system is named first.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol

import numpy as np
import polars as pl

from tiebreak.data.provenance import Meaning, add_signatures
from tiebreak.data.schema import TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.data.writers import Stamp, add_directions, replace_tables
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.estimation.efficiency import correlations
from tiebreak.evidence.automatic import AutomaticValues, automatic_values
from tiebreak.evidence.automatic import known_metrics as metrics_in
from tiebreak.evidence.derived import with_derived
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import OutputScores, RatedSystems
from tiebreak.evidence.study_evidence import CriterionEvidence, EvidenceSettings, study_evidence
from tiebreak.kernels.data_efficiency import RatingCorrelations, rating_correlations
from tiebreak.scoring.metric import NO_VALUE, Instances, Metric, signature_of
from tiebreak.scoring.preparing import PreparedStudy, prepared_study
from tiebreak.scoring.registry import NamedMetric, known_metrics, metric_named
from tiebreak.scoring.running import ChunkStore, Crew, crew_of, scored
from tiebreak.scoring.settings import ReferenceSource, ScoreSettings
from tiebreak.scoring.writing import MergedScores, merged, refuse_others, scores_of


class ScoringProgress(Protocol):
    """Who wants to know how far a run is."""

    def begin(self, metric: str, texts: int, known: int) -> None:
        """A metric has so many distinct texts to score, of which so many are known from before."""

    def advance(self, texts: int) -> None:
        """So many more are scored, and stored."""


@dataclass(frozen=True, slots=True)
class MetricScores:
    """What became of the outputs by one metric. `name`: that of its scores; `scored`: outputs that have one, of
    `outputs`; `missing`: how many have none, by reason. `distinct`: texts that differ, each scored once, of which
    `computed` by this run. `replaced`: scores of the study that are other ones now.
    """

    name: str
    metric: str
    signature: str
    higher_is_better: bool | None
    outputs: int
    scored: int
    missing: Mapping[str, int]
    distinct: int
    computed: int
    replaced: int
    seconds: float

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LabelCorrelations:
    """How scores of one metric go with the labels on a criterion, better outputs with better ones counted positive.

    `labels`: "ratings" or "preferences". For these an instance is a system's outcome on an item against another.
    """

    criterion: str | None
    labels: str
    metric: str
    correlations: RatingCorrelations

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {"criterion": self.criterion, "labels": self.labels, "metric": self.metric, **asdict(self.correlations)}


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """What a run made of a study. `study`: with the scores. `meanings`: of their signatures; `directions`: whether more
    is better, of metrics of which study.toml does not say it yet. `scores_changed`, `outputs_changed`: whether these
    tables are other ones than before. `prepared`: the steps that were taken, by this run or before, which changed
    `texts_changed` outputs now.
    """

    study: Study
    metrics: tuple[MetricScores, ...]
    correlations: tuple[LabelCorrelations, ...]
    meanings: Mapping[str, Meaning]
    directions: Mapping[str, bool]
    scores_changed: bool
    outputs_changed: bool
    prepared: str | None = None
    texts_changed: int = 0

    @property
    def scores(self) -> pl.DataFrame:
        """The scores of the metrics that ran: item, system, sample, metric, value, signature."""
        table = self.study.scores
        names = [found.name for found in self.metrics]
        columns = ("item", "system", "sample", "metric", "value", "signature")
        empty = pl.DataFrame(schema=dict.fromkeys(columns, pl.String) | {"value": pl.Float64})
        return empty if table is None else table.filter(pl.col("metric").is_in(names)).select(columns)

    def to_dict(self) -> dict[str, Any]:
        """The document of `--json`."""
        return {
            "study": self.study.name,
            "prepared": self.prepared,
            "texts_changed": self.texts_changed,
            "metrics": [found.to_dict() for found in self.metrics],
            "correlations": [found.to_dict() for found in self.correlations],
        }


class _Silent:
    """Nobody wants to know how far a run is."""

    def begin(self, metric: str, texts: int, known: int) -> None:
        """Nothing."""

    def advance(self, texts: int) -> None:
        """Nothing."""


SILENT: Final = _Silent()
_UNORDERED: Final = EvidenceSettings(ordered=False)


@dataclass(frozen=True, slots=True)
class _Scorer:
    """A metric that can run on a study: the name of its scores, and their signature with what that stands for."""

    name: str
    metric: Metric
    signature: str
    meaning: dict[str, object]


def score_with(
    study: Study,
    settings: ScoreSettings,
    more: Sequence[NamedMetric] = (),
    *,
    folder: Path | None = None,
    progress: ScoringProgress = SILENT,
) -> ScoreResult:
    """The study with the scores of the settings' metrics, and of `more`. Chunks are kept in the study's `folder`, if it
    has one; nothing else is written.

    Raises:
        UsageError: no such metric, one that needs what is not there, or scores of its name that were made otherwise.
        InputError: the study has no outputs.
        TiebreakError: a package or a model is missing, or a metric failed.
    """
    metrics = _asked(settings, more)
    prepared = prepared_study(study, settings.prepare, overwrite=settings.overwrite)
    instances = Instances.of(prepared.study, settings.reference_from, prepared.references)
    scorers = [_scorer(metric, instances, settings.reference_from, prepared) for metric in metrics]
    if not settings.overwrite and study.scores is not None:
        for scorer in scorers:
            mine = study.scores.filter(pl.col("metric") == scorer.name)
            rename = f"give the new ones another name: --metric NAME={scorer.metric.name}"
            refuse_others(mine, "score", f"called {scorer.name}", [scorer.signature], rename)
    table, changed, accounts = prepared.study.tables_as_read.get("scores"), False, list[MetricScores]()
    place = TemporaryDirectory() if folder is None else nullcontext(folder)
    with crew_of(settings.workers or os.cpu_count() or 1, settings.dask) as crew, place as chunks:
        for scorer in scorers:
            store = ChunkStore(Path(chunks), scorer.signature)
            merge, account = _run(scorer, instances, crew, store, progress, table)
            table, changed = merge.frame, changed or merge.changed
            accounts.append(account)
    known = study.settings.higher_is_better
    better = {scorer.name: scorer.metric.higher_is_better for scorer in scorers if scorer.name not in known}
    directions = {name: higher for name, higher in better.items() if higher is not None}
    with_scores = replace(
        prepared.study if table is None else _with_scores(prepared.study, table),
        settings=replace(study.settings, higher_is_better={**known, **directions}),
    )
    return ScoreResult(
        study=with_scores,
        metrics=tuple(accounts),
        correlations=label_correlations(with_scores, [scorer.name for scorer in scorers]),
        meanings={scorer.signature: scorer.meaning for scorer in scorers},
        directions=directions,
        scores_changed=changed,
        outputs_changed=prepared.changed,
        prepared=prepared.steps,
        texts_changed=prepared.texts,
    )


def write_scores(result: ScoreResult, path: Path, read: Mapping[str, Stamp]) -> bool:
    """What signatures stand for first, then whether more is better, then the tables, so that no score is there without
    them; whether any table was written. `read`: the stamps of the folder when the study was read.

    Raises:
        TiebreakError: somebody has changed the folder since, or it cannot be written. The chunks are kept, so that the
            next run is short.
    """
    add_signatures(path, result.meanings)
    add_directions(path, result.directions)
    tables: dict[TableName, pl.DataFrame] = {}
    written = result.study.tables_as_read
    if result.outputs_changed:
        tables["outputs"] = written["outputs"]
    if result.scores_changed:
        tables["scores"] = written.get("scores", pl.DataFrame())
    if tables:
        replace_tables(path, tables, read)
    return bool(tables)


def _asked(settings: ScoreSettings, more: Sequence[NamedMetric]) -> list[NamedMetric]:
    """The metrics, whose scores have different names; none only where texts are to be prepared. What outputs were held
    against stands in the name of the scores, unless somebody has named them.

    Raises:
        UsageError: there is none, or two of one name.
    """
    known, source = known_metrics(), settings.reference_from
    metrics = [*(metric_named(asked, known) for asked in dict.fromkeys(settings.metrics)), *more]
    if source != "reference":
        metrics = [
            replace(named, name=f"{named.name}-{source}")
            if "references" in named.metric.needs and named.name == named.metric.name
            else named
            for named in metrics
        ]
    if not metrics and not settings.prepare:
        raise UsageError("name a metric, such as --metric chrf; tiebreak score --list shows all")
    twice = [name for name, times in Counter(named.name for named in metrics).items() if times > 1]
    if twice:
        raise UsageError(f"two metrics would give scores called {twice[0]}: name one, as in --metric NAME={twice[0]}")
    return metrics


def _scorer(named: NamedMetric, instances: Instances, source: ReferenceSource, prepared: PreparedStudy) -> _Scorer:
    """The metric, if it can run here and the study has what it needs.

    Raises:
        UsageError: the study has no references, or no inputs.
        TiebreakError: a package or a model is missing.
    """
    metric, held_against = _checked(named.metric), None
    if "references" in metric.needs:
        held_against = source
        if instances.references.null_count() == len(instances.references):
            where = "a column reference" if source == "reference" else f"the column {source}"
            raise UsageError(
                f"the metric {metric.name} holds outputs against references, and no item has one (table items, "
                f"{where}): take them from elsewhere (--reference-from), or another metric"
            )
        metric = metric.fitted(instances.reference_lists())
    if "input" in metric.needs and instances.inputs.null_count() == len(instances.inputs):
        raise UsageError(f"the metric {metric.name} needs inputs, and no item has one (table items, column input)")
    more = {"from": (held_against or "").removeprefix("reference"), "prep": prepared.label}
    meaning: dict[str, object] = {
        "kind": "metric",
        "metric": metric.name,
        "settings": dict(metric.settings()),
        "higher_is_better": metric.higher_is_better,
        "range": [end if math.isfinite(end) else None for end in metric.range],
        "references": held_against,
        "prepared": prepared.steps,
    }
    return _Scorer(named.name, metric, signature_of(metric, more), meaning)


def _checked(metric: Metric) -> Metric:
    """The metric, whose files and packages are there, and whose model can be loaded where its settings come from it.

    Raises:
        TiebreakError: they are not.
    """
    try:
        metric.check()
        metric.settings()
    except TiebreakError:
        raise
    except Exception as error:  # of libraries that load models, and of metrics of others
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise TiebreakError(f"the metric {metric.name} cannot be used ({what})") from error
    return metric


def _run(
    scorer: _Scorer,
    instances: Instances,
    crew: Crew,
    store: ChunkStore,
    progress: ScoringProgress,
    table: pl.DataFrame | None,
) -> tuple[MergedScores, MetricScores]:
    """The `table` with the scores of all outputs that have one: those of texts that the store does not know are made
    first.
    """
    start = time.perf_counter()
    metric, rows = scorer.metric, instances.rows
    lacking = instances.lacking(metric.needs)
    keys = instances.keys(metric.needs, lacking)
    distinct = pl.DataFrame({"key": keys}).with_row_index("row").drop_nulls().unique("key", maintain_order=True)
    left = distinct.join(store.known().select("key"), on="key", how="anti", maintain_order="left")
    progress.begin(scorer.name, distinct.height, distinct.height - left.height)
    for chunk, values in scored(metric, left["row"], instances, crew):
        store.add(keys.gather(chunk), values)
        progress.advance(len(chunk))
    store.tidy()
    scores = scores_of(rows, keys, store.known(), scorer.name, scorer.signature)
    merge = merged(table, scores, scorer.name, scorer.signature, rows)
    missing = Counter(lacking.drop_nulls().to_list())
    missing[NO_VALUE] += lacking.null_count() - scores.height
    return merge, MetricScores(
        name=scorer.name,
        metric=metric.name,
        signature=scorer.signature,
        higher_is_better=metric.higher_is_better,
        outputs=rows.height,
        scored=scores.height,
        missing={why: times for why, times in missing.items() if times},
        distinct=distinct.height,
        computed=left.height,
        replaced=merge.replaced,
        seconds=time.perf_counter() - start,
    )


def _with_scores(study: Study, table: pl.DataFrame) -> Study:
    """The study with a table of scores as it is written, which may have rows that repeat others."""
    once = table.unique(TABLES["scores"].key, keep="first", maintain_order=True)
    repeats: dict[TableName, pl.DataFrame] = {}
    repeats |= {name: frame for name, frame in study.with_repeats.items() if name != "scores"}
    if once.height < table.height:
        repeats["scores"] = table
    return replace(study, scores=once if once.height else None, with_repeats=repeats)


def label_correlations(study: Study, metrics: Sequence[str]) -> tuple[LabelCorrelations, ...]:
    """Of these metrics, on every criterion that has labels, those that follow from edits and spans among them."""
    labelled = with_derived(study, beside=False)
    if not labelled.criteria:
        return ()
    index = ItemIndex.of(labelled)
    return tuple(entry for criterion in labelled.criteria for entry in _on(labelled, criterion, index, metrics))


def _on(study: Study, criterion: str | None, index: ItemIndex, metrics: Sequence[str]) -> Iterator[LabelCorrelations]:
    names = [name for name in metrics if name in metrics_in(study, criterion)]
    if not names:
        return
    automatic = automatic_values(study, criterion, index, names, ())
    rated = None if criterion is None else RatedSystems.of(study, criterion, index, "inputs")
    if criterion is not None and rated is not None:
        for name, rating in correlations(rated, OutputScores.of(study, criterion, rated, automatic)):
            yield LabelCorrelations(criterion, "ratings", name, rating)
        return
    evidence = study_evidence(study, [criterion], _UNORDERED).criteria[0]
    for place, name in enumerate(names):
        yield LabelCorrelations(criterion, "preferences", name, _of_preferences(evidence, automatic, place))


def _of_preferences(evidence: CriterionEvidence, automatic: AutomaticValues, place: int) -> RatingCorrelations:
    """Those of the metric at a place, with the labels of all pairs."""
    human, metric, systems, items = [], [], [], []
    for pair in evidence.pairs:
        labelled = pair.labels > 0
        scores = automatic.of_pair(pair.system_a, pair.system_b)[pair.items, place]
        known = labelled & ~np.isnan(scores)
        for sign, system in ((1.0, pair.system_a), (-1.0, pair.system_b)):
            human.append(sign * pair.values[known])
            metric.append(sign * scores[known])
            systems.append(np.full(int(known.sum()), automatic.system_row[system], dtype=np.intp))
            items.append(pair.items[known])
    if not human:
        empty = np.zeros(0)
        return rating_correlations(empty, empty, empty.astype(np.intp), empty.astype(np.intp))
    return rating_correlations(*(np.concatenate(column) for column in (human, metric, systems, items)))
