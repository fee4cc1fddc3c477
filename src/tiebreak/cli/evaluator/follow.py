"""`tiebreak evaluator follow`: should a training stop?"""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.options import CheckpointsArgument, EvaluatorArgument, JsonOption
from tiebreak.cli.setting_options import with_settings
from tiebreak.cli.terminal import write_json
from tiebreak.scoring.evaluator.during.settings import FollowSettings


@with_settings(FollowSettings)
def follow_command(
    study: CheckpointsArgument,
    evaluator: EvaluatorArgument,
    *,
    settings: FollowSettings,
    run: Annotated[
        str | None, typer.Option(metavar="NAME", help="The run, where the study has several.", show_default=False)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare each checkpoint of a run with earlier ones, and say whether the training should stop.

    Run it again whenever there is a new checkpoint: the same comparisons are drawn. Needs the extra evaluator.

    Example: tiebreak evaluator follow my-run my-evaluator
    """
    from tiebreak.cli.evaluator.extra import needs_torch
    from tiebreak.cli.evaluator.show import show_followed
    from tiebreak.cli.terminal import sentence
    from tiebreak.data.provenance import contexts_of
    from tiebreak.places.place import study_at

    needs_torch()
    from tiebreak.scoring.evaluator.during.compare import ComparingBy
    from tiebreak.scoring.evaluator.during.follow import Follower, checkpoints_of
    from tiebreak.scoring.evaluator.training.kept import load_evaluator

    read = study_at(study)
    checkpoints = checkpoints_of(read, run)
    items = dict.fromkeys((item for _, outputs in checkpoints for item in outputs), "")
    judge = load_evaluator(evaluator)
    compare = ComparingBy(judge, items | contexts_of(read.items))
    follower = Follower(compare, settings)
    for name, outputs in checkpoints:
        follower.add(name, outputs)
    misspelt = [sentence(notice.text) for notice in read.notices if notice.code == "unknown-system-setting"]
    notes = [*misspelt, *judge.doubts, *compare.notes, *follower.notes]
    if as_json:
        write_json(follower.to_dict() | {"notes": notes})
    else:
        show_followed(follower, notes)
