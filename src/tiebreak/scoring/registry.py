"""Metrics by name: those of tiebreak, and those of other packages by the entry point `tiebreak.metrics`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.scoring.metric import Metric
from tiebreak.scoring.metrics import bleurt, cider, comet, embeddings, meteor, perplexity, plain, rouge, sacrebleu

ENTRY_POINTS: Final = "tiebreak.metrics"
"""Each names a `Metric`, a class of it that needs no arguments, or several of them."""

_OWN: Final[tuple[Metric, ...]] = (
    *sacrebleu.METRICS,
    *rouge.METRICS,
    *meteor.METRICS,
    *cider.METRICS,
    *embeddings.METRICS,
    *bleurt.METRICS,
    *comet.METRICS,
    *perplexity.METRICS,
    *plain.METRICS,
)


@dataclass(frozen=True, slots=True)
class KnownMetrics:
    """All metrics by name, and why entry points gave none. `source`: the package of one that is not tiebreak's."""

    metrics: Mapping[str, Metric]
    source: Mapping[str, str] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NamedMetric:
    """A metric, and the name that its scores have in the study."""

    name: str
    metric: Metric


def known_metrics() -> KnownMetrics:
    """Those of tiebreak first, in its order, then those of other packages."""
    metrics = {metric.name: metric for metric in _OWN}
    source, broken = dict[str, str](), dict[str, str]()
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        package = point.dist.name if point.dist is not None else point.value
        try:
            for metric in _metrics_at(point):
                if metric.name in metrics:
                    raise TypeError(f"there is a metric {metric.name} already")
                metrics[metric.name], source[metric.name] = metric, package
        except Exception as error:  # somebody else's code
            broken[f"{package}: {point.name}"] = f"{type(error).__name__}: {error}"
    return KnownMetrics(metrics, source, broken)


def _metrics_at(point: EntryPoint) -> list[Metric]:
    loaded: Any = point.load()
    entries = list(loaded) if isinstance(loaded, (list, tuple)) else [loaded]
    metrics = [entry() if isinstance(entry, type) else entry for entry in entries]
    for metric in metrics:
        if not isinstance(metric, Metric):
            raise TypeError(f"{point.value} is a {type(metric).__name__}, not a metric (tiebreak.scoring.Metric)")
    return metrics


def metric_named(asked: str, known: KnownMetrics) -> NamedMetric:
    """The metric of `[NAME=]METRIC[:MODEL]`; without a NAME its scores are called METRIC.

    Raises:
        UsageError: there is no such metric, or it takes no model.
    """
    head, colon, model = asked.partition(":")
    name, equals, metric = head.rpartition("=")
    if metric not in known.metrics:
        broken = "; ".join(f"{point} could not be loaded ({why})" for point, why in known.broken.items())
        hint = did_you_mean(metric, known.metrics) or ": tiebreak score --list shows all"
        raise UsageError(f"no metric {metric!r}{hint}{f'. {broken}' if broken else ''}")
    if (colon and not model.strip()) or (equals and not name.strip()):
        raise UsageError(f"--metric {asked}: write METRIC, METRIC:MODEL, or NAME=METRIC:MODEL")
    plain = known.metrics[metric]
    return NamedMetric(name or metric, plain.with_model(model) if colon else plain)
