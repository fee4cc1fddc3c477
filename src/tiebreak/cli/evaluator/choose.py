"""`tiebreak evaluator choose`: the best of several trainings."""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.options import CheckpointsArgument, EvaluatorArgument, JsonOption
from tiebreak.cli.setting_options import with_settings
from tiebreak.cli.terminal import write_json
from tiebreak.scoring.evaluator.choosing_settings import ChoosingSettings


@with_settings(ChoosingSettings)
def choose_command(
    study: CheckpointsArgument,
    evaluator: EvaluatorArgument,
    *,
    settings: ChoosingSettings,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the answers of a judge of this name.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Rate the outputs of several trainings, name the best, if any is, and those that cannot be told apart from it.

    One checkpoint stands for each run. What the same evaluator has judged is not judged again. Needs the extra
    evaluator.

    Example: tiebreak evaluator choose my-runs my-evaluator
    """
    from tiebreak.cli.evaluator.extra import needs_torch
    from tiebreak.cli.evaluator.progress import keeping_what_is_done, progress_of_judging
    from tiebreak.cli.evaluator.show import show_choice
    from tiebreak.places.place import check_free, study_at

    needs_torch()
    read = study_at(study)
    check_free(study, [settings.name])
    from tiebreak.scoring.evaluator.choosing import choose_into

    with keeping_what_is_done(overwrite=overwrite), progress_of_judging() as report:
        found = choose_into(read, evaluator, settings, overwrite=overwrite, report=report)
    if as_json:
        write_json(found.to_dict())
    else:
        show_choice(found, settings, study)
