"""`tiebreak score`: metrics and judges over the outputs of a study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.score_runs import list_known_metrics, run_judges, run_metrics, show_next
from tiebreak.cli.setting_options import JsonOption, argument, option, with_settings
from tiebreak.cli.terminal import write_json
from tiebreak.errors import UsageError
from tiebreak.scoring.settings import JudgingSettings, ScoreSettings
from tiebreak.settings.checks import command_words


@with_settings(ScoreSettings)
@with_settings(JudgingSettings)
def score_command(
    study: Annotated[Path | None, argument("Folder with the study's tables.", "STUDY")] = None,
    *,
    settings: ScoreSettings,
    judging: JudgingSettings,
    list_metrics: Annotated[bool, option("List the metrics and stop.", "", "--list")] = False,
    yes: Annotated[bool, option("Do not ask before calls that cost money.", "", "--yes", "-y")] = False,
    dry_run: Annotated[bool, option("Show what judges would be asked, and stop.", "", "--dry-run")] = False,
    as_json: JsonOption = False,
) -> None:
    """Compute metrics over the outputs of a study, ask judges about them, and add what comes of it to the study.

    Every text is scored once, and every question asked once. Scores and replies are kept as they come: after an
    interruption, the same command goes on from there. Each has a signature that reproduces it. It ends with how the
    metrics go with the labels, where there are any, and with the bill of the judges.

    Example: tiebreak score my-study --metric chrf --metric rougeL

    Example: tiebreak score my-study --judge gpt-4o --dry-run

    Example: tiebreak score --list
    """
    if list_metrics:
        list_known_metrics(as_json=as_json)
        return
    if study is None:
        raise UsageError("name a study: tiebreak score STUDY --metric NAME (tiebreak score --list shows the metrics)")
    _check(settings, judging, dry_run=dry_run)
    document: dict[str, object] = {"study": str(study)}
    code, options = 0, list[str]()
    if settings.metrics or settings.prepare:
        document |= run_metrics(study, settings, quiet=as_json)
        options += ["--metric", "all"] if settings.metrics else []
    if judging.judges:
        judging = replace(judging, overwrite=settings.overwrite)
        judged = run_judges(study, judging, yes=yes, dry_run=dry_run, quiet=as_json)
        document["judges"], code = judged.documents, judged.code
        options += judged.options
    if as_json:
        write_json(document)
    elif options and not code and not dry_run:
        show_next(study, options)
    if code:
        raise typer.Exit(code)


def _check(settings: ScoreSettings, judging: JudgingSettings, *, dry_run: bool) -> None:
    """Raise UsageError where there is nothing to run, or an option is of what is not run."""
    if not settings.metrics and not settings.prepare and not judging.judges:
        raise UsageError(
            "name a metric or a judge: --metric NAME (tiebreak score --list shows the metrics), or --judge NAME"
        )
    if not judging.judges and (of_judges := command_words(judging)):
        raise UsageError(f"{of_judges[0]} is an option of judges: add --judge NAME, or leave it out")
    if dry_run and (settings.metrics or settings.prepare):
        raise UsageError("--dry-run shows what judges would be asked: leave out --metric and --prepare")
