"""`tiebreak score`: metrics over the outputs of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.options import JsonOption
from tiebreak.cli.plain_output import write_json
from tiebreak.cli.setting_options import with_settings
from tiebreak.scoring.settings import ScoreSettings


@with_settings(ScoreSettings)
def score_command(
    study: Annotated[
        Path | None, typer.Argument(metavar="STUDY", help="Folder with the study's tables.", show_default=False)
    ] = None,
    *,
    settings: ScoreSettings,
    list_metrics: Annotated[bool, typer.Option("--list", help="List the metrics and stop.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Compute metrics over the outputs of a study, and add their scores to it.

    Every text is scored once. Scores are kept as they are made: after an interruption, the same command goes on from
    there. Each has a signature that reproduces it. Ends with how the metrics go with the labels, where there are any.

    Example: tiebreak score my-study --metric chrf --metric rougeL

    Example: tiebreak score --list
    """
    from tiebreak.cli.score_metrics import list_known_metrics, run_metrics
    from tiebreak.errors import UsageError

    if list_metrics:
        list_known_metrics(as_json=as_json)
        return
    if study is None:
        raise UsageError("name a study: tiebreak score STUDY --metric NAME (tiebreak score --list shows the metrics)")
    document = {"study": str(study), **run_metrics(study, settings, quiet=as_json)}
    if as_json:
        write_json(document)
