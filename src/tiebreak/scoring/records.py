"""What a run of metrics found, as records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import polars as pl

from tiebreak.data.provenance import Meaning
from tiebreak.data.study import Study
from tiebreak.kernels.data_efficiency import RatingCorrelations


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
