"""The part of `tiebreak score` that runs metrics: reads, runs with progress, writes, prints."""

from __future__ import annotations

from pathlib import Path

import typer

from tiebreak.cli.plain_output import write_json
from tiebreak.cli.score_progress import ScoreProgress
from tiebreak.cli.show_scores import metrics_document, show_known_metrics, show_scores
from tiebreak.cli.terminal import console_for_messages, console_for_results, say
from tiebreak.places.scored import score_into
from tiebreak.scoring.registry import known_metrics
from tiebreak.scoring.settings import ScoreSettings

_INTERRUPTED = 130


def list_known_metrics(*, as_json: bool) -> None:
    """All metrics, with what each measures and takes."""
    known = known_metrics()
    if as_json:
        write_json(metrics_document(known))
    else:
        show_known_metrics(known, console_for_results())


def run_metrics(path: Path, settings: ScoreSettings, *, quiet: bool) -> dict[str, object]:
    """Score the study at a path, and put the scores into it; `quiet`: print nothing on standard output. What was found,
    for `--json`.

    Raises:
        UsageError, InputError, TiebreakError: as `score_into`.
    """
    progress = ScoreProgress(console_for_messages())
    try:
        with progress:
            result, written = score_into(path, settings, progress=progress)
    except KeyboardInterrupt:
        say(console_for_messages(), f"Interrupted: {progress.kept}. The same command goes on from there.")
        raise typer.Exit(_INTERRUPTED) from None
    if not quiet:
        show_scores(result, str(path), console_for_results(), written=written)
    return {**result.to_dict(), "written": written}
