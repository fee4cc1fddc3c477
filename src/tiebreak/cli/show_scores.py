"""What `tiebreak score` prints: the metrics there are, what became of the outputs, and how scores go with labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from rich.console import Console

from tiebreak.cli.tables import Column, name_column, show_table, words_column
from tiebreak.cli.terminal import bullets, heading, say
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.results.numbers import counted, interval, number
from tiebreak.scoring.metric import Metric
from tiebreak.scoring.records import LabelCorrelations, MetricScores, ScoreResult
from tiebreak.scoring.registry import KnownMetrics

_TELLING: Final = 5.0
"""Seconds below which a rate tells how long a metric took to load, and little of how fast it is."""


def show_scores(result: ScoreResult, study: str, console: Console, *, written: bool) -> None:
    """What became of the outputs of a study by each metric, and how its scores go with the labels; `written`: whether
    the study has changed.
    """
    if result.prepared is not None:
        kept = f"; {counted(result.texts_changed, 'text')} changed now" if result.outputs_changed else ""
        say(console, f"Outputs are prepared ({result.prepared}){kept}. The originals are in the column original.")
    if result.metrics:
        _show_counts(result.metrics, console)
    for criterion, found in groupby(result.correlations, key=lambda one: one.criterion):
        _show_correlations(criterion, list(found), console)
    say(console)
    what = "Scores are" if result.metrics else "Prepared texts are"
    done = f"{what} in {study}." if written else f"Nothing is new: {study} is as it was."
    say(console, done, style="bold green")


def _show_counts(metrics: Sequence[MetricScores], console: Console) -> None:
    rows = [
        (
            of.name,
            of.scored,
            of.outputs - of.scored,
            of.distinct,
            of.computed,
            of.replaced or "",
            _rate(of.computed / of.seconds) if of.seconds >= _TELLING else "",
        )
        for of in metrics
    ]
    columns = [
        name_column("Metric"),
        Column("Scored", said="{} scored"),
        Column("Missing", said="{} missing"),
        Column("Texts", said="{} texts"),
        Column("New", said="{} new"),
        Column("Replaced", said="{} replaced"),
        Column("Per second", said="{} per second"),
    ]
    show_table(console, columns, rows)
    reasons: dict[tuple[str, int], list[str]] = {}
    for of in metrics:
        for reason in of.missing.items():
            reasons.setdefault(reason, []).append(of.name)
    if reasons:
        say(console)
        bullets(
            console,
            [
                f"{', '.join(names)}: {counted(times, 'output')} without a score: {why}."
                for (why, times), names in reasons.items()
            ],
        )


def _rate(of: float) -> str:
    return f"{of:,.0f}" if of >= 10 else f"{of:.1f}"


def _show_correlations(criterion: str | None, found: Sequence[LabelCorrelations], console: Console) -> None:
    """Of each metric three correlations with 95% intervals."""
    labels = found[0].labels
    heading(console, f"Correlation with {labels}{f' on {criterion}' if criterion is not None else ''}")
    rows = [
        (of.metric, *_cells((of.correlations.within, of.correlations.instances, of.correlations.systems)))
        for of in found
    ]
    heads = ("within systems", "over outputs" if labels == "ratings" else "over comparisons", "between systems")
    show_table(console, [name_column("Metric"), *(Column(head, said=f"{head} {{}}") for head in heads)], rows)


def _cells(of: Iterable[IntervalEstimate]) -> list[str]:
    return [
        "-"
        if one.estimate is None
        else number(one.estimate)
        if one.low is None or one.high is None
        else f"{number(one.estimate)} {interval(one.low, one.high)}"
        for one in of
    ]


def show_known_metrics(known: KnownMetrics, console: Console) -> None:
    """All metrics: what each measures, which way is better, its range, and what it needs and takes."""
    rows = [
        (metric.name, metric.words, _better(metric), _range(metric), ", ".join(sorted(metric.needs)), _install(metric))
        for metric in known.metrics.values()
    ]
    columns = [
        name_column("Metric"),
        words_column("What", said="{}"),
        Column("Better", said="better {}"),
        Column("Range", said="{}"),
        Column("Needs", said="needs {}"),
        Column("To install", said="to install: {}"),
    ]
    show_table(console, columns, rows)
    for point, why in known.broken.items():
        say(console, f"{point} could not be loaded: {why}", style="yellow", hanging=2)


def _better(metric: Metric) -> str:
    return {True: "higher", False: "lower", None: ""}[metric.higher_is_better]


def _range(metric: Metric) -> str:
    low, high = metric.range
    if math.isinf(low):
        return "any"
    return f"from {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def _install(metric: Metric) -> str:
    missing = metric.missing_package()
    return f"tiebreak[{metric.extra}]" if missing and metric.extra else missing


def metrics_document(known: KnownMetrics) -> dict[str, object]:
    """The same for `--json`."""
    return {
        "metrics": [
            {
                "name": metric.name,
                "what": metric.words,
                "higher_is_better": metric.higher_is_better,
                "range": [end if math.isfinite(end) else None for end in metric.range],
                "needs": sorted(metric.needs),
                "missing_package": metric.missing_package() or None,
                "package": known.source.get(metric.name, "tiebreak"),
            }
            for metric in known.metrics.values()
        ],
        "not_loaded": dict(known.broken),
    }
