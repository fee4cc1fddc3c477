"""`score`: outputs in, the scores of metrics out, each text scored once and kept as soon as it is."""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.data.schema import TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.scoring.correlations import label_correlations
from tiebreak.scoring.instances import NO_VALUE, Instances
from tiebreak.scoring.metric import Metric, signature_of
from tiebreak.scoring.preparing.prepared import PreparedStudy, prepared_study
from tiebreak.scoring.records import MetricScores, ScoreResult, ScoringProgress
from tiebreak.scoring.registry import NamedMetric, known_metrics, metric_named
from tiebreak.scoring.running import Crew, crew_of, scored
from tiebreak.scoring.settings import ReferenceSource, ScoreSettings
from tiebreak.scoring.store import ChunkStore, MemoryStore, Store
from tiebreak.scoring.writing import merged, refuse_other_scores, scores_of


class _Silent:
    """Nobody wants to know how far a run is."""

    def begin(self, metric: str, texts: int, known: int) -> None:
        """Nothing."""

    def advance(self, texts: int) -> None:
        """Nothing."""


SILENT: Final = _Silent()
_ROWS_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class _Ready:
    """A metric that can run on a study: what its scores are called, and their signature with what that stands for."""

    named: NamedMetric
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
    asked = _asked(settings, more)
    prepared = prepared_study(study, settings.prepare, overwrite=settings.overwrite)
    instances = Instances.of(prepared.study, settings.reference_from, prepared.references)
    ready = [_ready(named, instances, settings.reference_from, prepared) for named in asked]
    if not settings.overwrite:
        refuse_other_scores(study.scores, [(one.named, one.signature) for one in ready])
    found: dict[str, pl.DataFrame] = {}
    accounts = []
    with crew_of(settings.workers or os.cpu_count() or 1, settings.dask) as crew:
        for one in ready:
            store = MemoryStore() if folder is None else ChunkStore(folder, one.signature)
            scores, account = _run(one, instances, crew, store, progress)
            found[one.named.name] = scores
            accounts.append(account)
    return _result(prepared, ready, found, accounts, instances.rows)


def _asked(settings: ScoreSettings, more: Sequence[NamedMetric]) -> list[NamedMetric]:
    """The metrics, whose scores have different names; none only where texts are to be prepared.

    Raises:
        UsageError: there is none, or two of one name.
    """
    known = known_metrics()
    named = [
        _by_source(metric_named(asked, known), settings.reference_from) for asked in dict.fromkeys(settings.metrics)
    ]
    asked = [*named, *(_by_source(one, settings.reference_from) for one in more)]
    if not asked and not settings.prepare:
        raise UsageError("name a metric, such as --metric chrf; tiebreak score --list shows all")
    twice = [name for name, times in Counter(one.name for one in asked).items() if times > 1]
    if twice:
        raise UsageError(f"two metrics would give scores called {twice[0]}: name one, as in --metric NAME={twice[0]}")
    return asked


def _by_source(named: NamedMetric, source: ReferenceSource) -> NamedMetric:
    """The metric, whose scores say in their name what outputs were held against, unless somebody has named them."""
    if source == "reference" or "references" not in named.metric.needs or named.name != named.metric.name:
        return named
    return replace(named, name=f"{named.name}-{source}")


def _ready(named: NamedMetric, instances: Instances, source: ReferenceSource, prepared: PreparedStudy) -> _Ready:
    """The metric, if it can run here and the study has what it needs.

    Raises:
        UsageError: the study has no references, or no inputs.
        TiebreakError: a package or a model is missing.
    """
    metric = _checked(named.metric)
    if "references" in metric.needs:
        if instances.references.null_count() == len(instances.references):
            where = "a column reference" if source == "reference" else f"the column {source}"
            raise UsageError(
                f"the metric {metric.name} holds outputs against references, and no item has one (table items, "
                f"{where}): take them from elsewhere (--reference-from), or another metric"
            )
        metric = metric.fitted(_lists(instances.references))
    if "input" in metric.needs and instances.inputs.null_count() == len(instances.inputs):
        raise UsageError(f"the metric {metric.name} needs inputs, and no item has one (table items, column input)")
    more = {"from": source if "references" in metric.needs and source != "reference" else "", "prep": prepared.label}
    meaning: dict[str, object] = {
        "kind": "metric",
        "metric": metric.name,
        "settings": dict(metric.settings()),
        "higher_is_better": metric.higher_is_better,
        "range": [end if math.isfinite(end) else None for end in metric.range],
        "references": source if "references" in metric.needs else None,
        "prepared": prepared.steps,
    }
    return _Ready(NamedMetric(named.name, metric), signature_of(metric, more), meaning)


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


def _lists(references: pl.Series) -> Iterator[Sequence[str]]:
    """One by one: all of them as Python objects would take far more room."""
    for start in range(0, len(references), _ROWS_AT_ONCE):
        yield from references.slice(start, _ROWS_AT_ONCE).drop_nulls().to_list()


def _run(
    one: _Ready, instances: Instances, crew: Crew, store: Store, progress: ScoringProgress
) -> tuple[pl.DataFrame, MetricScores]:
    """The scores of all outputs that have one: those of texts that the store does not know are made first."""
    start = time.perf_counter()
    metric, name = one.named.metric, one.named.name
    lacking = instances.lacking(metric.needs)
    keys = instances.keys(metric.needs, lacking)
    distinct = pl.DataFrame({"key": keys}).with_row_index("row").drop_nulls().unique("key", maintain_order=True)
    left = distinct.join(store.known().select("key"), on="key", how="anti", maintain_order="left")
    progress.begin(name, distinct.height, distinct.height - left.height)
    for rows, values in scored(metric, left["row"], instances, crew):
        store.add(keys.gather(rows), values)
        progress.advance(len(rows))
    store.tidy()
    scores = scores_of(instances.rows, keys, store.known(), name, one.signature)
    missing = Counter(lacking.drop_nulls().to_list())
    missing[NO_VALUE] += instances.rows.height - lacking.len() + lacking.null_count() - scores.height
    account = MetricScores(
        name=name,
        metric=metric.name,
        signature=one.signature,
        higher_is_better=metric.higher_is_better,
        outputs=instances.rows.height,
        scored=scores.height,
        missing={why: times for why, times in missing.items() if times},
        distinct=distinct.height,
        computed=left.height,
        replaced=0,
        seconds=time.perf_counter() - start,
    )
    return scores, account


def _result(
    prepared: PreparedStudy,
    ready: Sequence[_Ready],
    found: Mapping[str, pl.DataFrame],
    accounts: Sequence[MetricScores],
    outputs: pl.DataFrame,
) -> ScoreResult:
    signatures = {one.named.name: one.signature for one in ready}
    made = merged(prepared.study.tables_as_read.get("scores"), found, signatures, outputs)
    known = prepared.study.settings.higher_is_better
    directions = {
        one.named.name: one.named.metric.higher_is_better
        for one in ready
        if one.named.metric.higher_is_better is not None and one.named.name not in known
    }
    study = _with_scores(prepared.study, made.frame)
    settings = replace(study.settings, higher_is_better={**known, **directions})
    study = replace(study, settings=settings)
    return ScoreResult(
        study=study,
        metrics=tuple(replace(account, replaced=made.replaced[account.name]) for account in accounts),
        correlations=label_correlations(study, list(found)),
        meanings={one.signature: one.meaning for one in ready},
        directions=directions,
        scores_changed=made.changed,
        outputs_changed=prepared.changed,
        prepared=prepared.steps,
        texts_changed=prepared.texts,
    )


def _with_scores(study: Study, table: pl.DataFrame) -> Study:
    """The study with a table of scores as it is written, which may have rows that repeat others."""
    once = table.unique(TABLES["scores"].key, keep="first", maintain_order=True)
    repeats: dict[TableName, pl.DataFrame] = {}
    repeats |= {name: frame for name, frame in study.with_repeats.items() if name != "scores"}
    if once.height < table.height:
        repeats["scores"] = table
    return replace(study, scores=once if once.height else None, with_repeats=repeats)
