"""`tiebreak evaluator judge`: what a trained evaluator says of outputs."""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.options import EvaluatorArgument, JsonOption, StudyArgument
from tiebreak.cli.setting_options import with_settings
from tiebreak.cli.terminal import write_json
from tiebreak.scoring.evaluator.judging_settings import EvaluatorJudgingSettings


@with_settings(EvaluatorJudgingSettings)
def judge_command(
    study: StudyArgument,
    evaluator: EvaluatorArgument,
    *,
    settings: EvaluatorJudgingSettings,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the answers of a judge of this name.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Judge every pair of outputs, with probabilities, and add the answers to the study.

    What the same evaluator has judged is not judged again, unless texts have changed. The answers are a judge's:
    compare, audit and campaigns use them with --judge. Results from labels that trained it refuse them. Needs the extra
    evaluator.

    Example: tiebreak evaluator judge my-study my-evaluator
    """
    from tiebreak.cli.evaluator.extra import needs_torch
    from tiebreak.cli.evaluator.progress import keeping_what_is_done, progress_of_judging
    from tiebreak.cli.evaluator.show import show_judged
    from tiebreak.places.place import check_free, study_at

    needs_torch()
    read = study_at(study)
    check_free(study, [settings.name])
    from tiebreak.scoring.evaluator.judging import judge_into

    with keeping_what_is_done(overwrite=overwrite), progress_of_judging() as report:
        found = judge_into(read, evaluator, settings, overwrite=overwrite, report=report)
    if as_json:
        write_json(found.to_dict())
    else:
        show_judged(found, study)
