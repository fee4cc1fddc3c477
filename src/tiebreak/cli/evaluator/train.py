"""`tiebreak evaluator train`: a model that compares two outputs, or scores one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tiebreak.cli.options import JsonOption
from tiebreak.cli.setting_options import with_settings
from tiebreak.cli.terminal import write_json
from tiebreak.scoring.evaluator.training.settings import TrainSettings


@with_settings(TrainSettings)
def train_command(
    studies: Annotated[
        list[Path], typer.Argument(metavar="STUDY...", help="Folders of the studies to learn from.", show_default=False)
    ],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the evaluator goes.")],
    settings: TrainSettings,
    as_json: JsonOption = False,
) -> None:
    """Train an evaluator: references are better than outputs, later checkpoints than earlier ones, and what people say.

    Or a baseline that scores each output alone: --form discriminator learns references from outputs, --form regressor
    mean ratings. A training that was interrupted goes on where it was: give the same command again. Needs the extra
    evaluator.

    Example: tiebreak evaluator train my-study --out my-evaluator
    """
    from tiebreak.cli.evaluator.extra import needs_torch
    from tiebreak.cli.evaluator.progress import keeping_what_is_done, progress_of_training
    from tiebreak.cli.evaluator.show import show_trained
    from tiebreak.places.place import study_at

    needs_torch()
    from tiebreak.scoring.evaluator.training.run import train_evaluator

    read = [study_at(path) for path in studies]
    with keeping_what_is_done(), progress_of_training(settings.folds) as report:
        made = train_evaluator(read, out, settings, report)
    if as_json:
        write_json({"folder": str(out), "evaluators": [_short(about) for about in made]})
    else:
        show_trained(out, made)


def _short(about: dict[str, Any]) -> dict[str, Any]:
    """Without the hashes of what it learned from, which are many."""
    return {name: value for name, value in about.items() if name != "trained_on"}
