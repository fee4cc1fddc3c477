"""Scores of single texts, for the tests of metrics."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.scoring.metric import Batch, Metric


def score(metric: Metric, output: str, *references: str, given: str = "") -> float:
    """The score of one output beside these references, after this input."""
    (found,) = metric.score(Batch([output], [references] if references else (), [given] if given else ())).tolist()
    return float(found)


def named(metrics: Sequence[Metric], name: str) -> Metric:
    """The metric of a module that has this name."""
    return next(metric for metric in metrics if metric.name == name)
