"""`score` in Python: metrics over a study, or over what lies at a path."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tiebreak.data.study import Study
from tiebreak.data.writers import stamps_of, until_unchanged
from tiebreak.errors import UsageError
from tiebreak.files import remove_abandoned
from tiebreak.live.export import is_export
from tiebreak.places.place import check_free, study_at
from tiebreak.scoring.metric import Metric
from tiebreak.scoring.metrics.function import metric_of
from tiebreak.scoring.registry import NamedMetric
from tiebreak.scoring.score import SILENT, MetricScores, ScoreResult, ScoringProgress, score_with, write_scores
from tiebreak.scoring.settings import ReferenceSource, ScoreSettings


def score(
    study: Study | str | os.PathLike[str],
    metrics: Sequence[str | Metric | Callable[..., Any]],
    *,
    reference_from: ReferenceSource = "reference",
    prepare: Sequence[str] = (),
    overwrite: bool = False,
    workers: int | None = None,
    dask: str | None = None,
) -> ScoreResult:
    """Compute metrics over the outputs of a study; the arguments have the names of the options of `tiebreak score`.

    study: a study in memory, which stays as it is (the result's `study` has the scores), or the path of one, into which
    the scores are written, and where they survive an interruption.
    metrics: names as after `--metric`; metrics of your own; or functions that return the score of a text, which also
    get the `references` or the `input` if they have a parameter of that name.

    Raises:
        UsageError: an impossible argument, or a metric that needs what the study does not have.
        InputError: the study is damaged, or has no outputs.
        TiebreakError: a package or a model is missing, or a metric failed.
    """
    own = [one if isinstance(one, Metric) else metric_of(one) for one in metrics if not isinstance(one, str)]
    more = [NamedMetric(metric.name, metric) for metric in own]
    settings = ScoreSettings(
        metrics=[metric for metric in metrics if isinstance(metric, str)],
        reference_from=reference_from,
        prepare=prepare,
        overwrite=overwrite,
        workers=workers,
        dask=dask,
    )
    if isinstance(study, Study):
        return score_with(study, settings, more)
    return score_into(Path(study), settings, more)[0]


def score_into(
    path: Path, settings: ScoreSettings, more: Sequence[NamedMetric] = (), progress: ScoringProgress = SILENT
) -> tuple[ScoreResult, bool]:
    """Score the study at a path, and put the scores into it; and whether that changed it. Where somebody else writes
    into it meanwhile, what was scored is kept, and goes into what is there then.

    Raises:
        UsageError, InputError, TiebreakError: as `score_with` and `write_scores`; or other texts or scores where the
            verdict of an export rests on those that are there.
    """
    remove_abandoned(path)  # of a run that was killed just after it had written the scores
    if settings.prepare and is_export(path):
        raise UsageError(
            f"{path} is the export of a campaign, whose texts stay as people saw them: leave out --prepare, or prepare "
            "the texts of a study before a campaign begins"
        )
    made: list[Sequence[MetricScores]] = []

    def scored() -> tuple[ScoreResult, bool]:
        stamps = stamps_of(path)
        result = score_with(study_at(path, folder=True), settings, more, folder=path, progress=progress)
        made.append(result.metrics)
        if result.scores_changed:
            check_free(path, [metric.name for metric in result.metrics])
        return result, write_scores(result, path, stamps)

    result, written = until_unchanged(scored)
    metrics = tuple(
        replace(runs[-1], computed=sum(run.computed for run in runs), seconds=sum(run.seconds for run in runs))
        for runs in zip(*made, strict=True)
    )
    return replace(result, metrics=metrics), written
