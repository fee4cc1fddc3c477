"""`tiebreak evaluator score`: single outputs, and systems, by what was trained."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from tiebreak.cli.options import EvaluatorArgument, JsonOption, StudyArgument
from tiebreak.cli.setting_options import Changes, with_changes
from tiebreak.cli.terminal import write_json
from tiebreak.scoring.evaluator.scores.settings import SampleSettings


@with_changes({"scores": SampleSettings})
def score_command(
    study: StudyArgument,
    evaluator: EvaluatorArgument,
    *,
    changes: Changes,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the scores by metrics of these names.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Score single outputs, add the scores to the study, and set three scores of each system side by side.

    An output gets points against common references, which are outputs of systems that are not scored, and a rating
    from games against the others. A discriminator or regressor scores it alone, and takes no options of comparisons.
    The scores are a metric's: compare, estimate and audit use them with --metric, and refuse them on items whose labels
    trained it. Needs the extra evaluator.

    Example: tiebreak evaluator score my-study my-evaluator --references-from baseline
    """
    from tiebreak.cli.evaluator.extra import needs_torch
    from tiebreak.cli.evaluator.progress import progress_of_scoring
    from tiebreak.cli.evaluator.show import show_scored
    from tiebreak.places.place import check_free, study_at

    needs_torch()
    from tiebreak.scoring.evaluator.scores.score import score_into

    given = changes["scores"]
    settings = SampleSettings(**given)
    read, check = study_at(study), partial(check_free, study)
    with progress_of_scoring() as report:
        found = score_into(read, evaluator, settings, given=given, overwrite=overwrite, report=report, check=check)
    if as_json:
        write_json(found.to_dict())
    else:
        show_scored(found, study)
