"""`tiebreak evaluator choose`: the best of several trainings.

`tiebreak evaluator follow`: should a training stop?

`tiebreak evaluator judge`: what a trained evaluator says of outputs.

`tiebreak evaluator score`: single outputs, and systems, by what was trained.

`tiebreak evaluator train`: a model that compares two outputs, or scores one.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tiebreak.errors import ExtraMissingError
from tiebreak.scoring.evaluator.examples.rows import SOURCES

if TYPE_CHECKING:
    from tiebreak.scoring.evaluator.training.stages import Stage

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from tiebreak.cli.evaluator.show import show_choice, show_followed, show_judged, show_scored, show_trained
from tiebreak.cli.progress import Bar, interrupted, progress_bar
from tiebreak.cli.setting_options import (
    Changes,
    CheckpointsArgument,
    EvaluatorArgument,
    JsonOption,
    StudyArgument,
    with_changes,
    with_settings,
)
from tiebreak.cli.terminal import sentence, write_json
from tiebreak.data.provenance import contexts_of
from tiebreak.messages.tables import UNUSED
from tiebreak.places.place import check_free, study_at
from tiebreak.scoring.evaluator.settings import (
    ChoosingSettings,
    EvaluatorJudgingSettings,
    FollowSettings,
    SampleSettings,
    TrainSettings,
)


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
    needs_torch()
    read = study_at(study, folder=True)
    check_free(study, [settings.name])
    from tiebreak.scoring.evaluator.choosing import choose_into

    with keeping_what_is_done(overwrite=overwrite), progress_bar("pairs judged") as bar:
        found = choose_into(read, evaluator, settings, overwrite=overwrite, report=bar.update)
    if as_json:
        write_json(found.to_dict())
    else:
        show_choice(found, settings, study)


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
    needs_torch()
    from tiebreak.scoring.evaluator.following import Follower, checkpoints_of
    from tiebreak.scoring.evaluator.judging import ComparingBy
    from tiebreak.scoring.evaluator.training.kept import load_evaluator

    read = study_at(study)
    checkpoints = checkpoints_of(read, run)
    items = dict.fromkeys((item for _, outputs in checkpoints for item in outputs), "")
    judge = load_evaluator(evaluator)
    compare = ComparingBy(judge, items | contexts_of(read.items))
    follower = Follower(compare, settings)
    for name, outputs in checkpoints:
        follower.add(name, outputs)
    misspelt = [
        sentence(notice.text) for notice in read.notices if notice.code == UNUSED.code and "system" in notice.details
    ]
    notes = [*misspelt, *judge.doubts, *compare.notes, *follower.notes]
    if as_json:
        write_json(follower.to_dict() | {"notes": notes})
    else:
        show_followed(follower, notes)


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
    needs_torch()
    read = study_at(study, folder=True)
    check_free(study, [settings.name])
    from tiebreak.scoring.evaluator.judging import judge_into

    with keeping_what_is_done(overwrite=overwrite), progress_bar("pairs judged") as bar:
        found = judge_into(read, evaluator, settings, overwrite=overwrite, report=bar.update)
    if as_json:
        write_json(found.to_dict())
    else:
        show_judged(found, study)


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
    needs_torch()
    from tiebreak.scoring.evaluator.scores import score_into

    given = changes["scores"]
    settings = SampleSettings(**given)
    read, check = study_at(study, folder=True), partial(check_free, study)
    with progress_bar("comparisons, or outputs scored alone") as bar:
        found = score_into(read, evaluator, settings, given=given, overwrite=overwrite, report=bar.advance, check=check)
    if as_json:
        write_json(found.to_dict())
    else:
        show_scored(found, study)


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
    needs_torch()
    from tiebreak.scoring.evaluator.training.run import train_evaluator

    read = [study_at(path) for path in studies]
    with keeping_what_is_done(), progress_bar("reading") as bar:
        made = train_evaluator(read, out, settings, _report(bar, settings.folds))
    if as_json:
        write_json({"folder": str(out), "evaluators": [_short(about) for about in made]})
    else:
        show_trained(out, made)


def _short(about: dict[str, Any]) -> dict[str, Any]:
    """Without the hashes of what it learned from, which are many."""
    return {name: value for name, value in about.items() if name != "trained_on"}


def _report(bar: Bar, folds: int | None) -> Callable[[int, Stage, int, float], None]:
    """A function to call after each step of a training."""

    def report(fold: int, stage: Stage, step: int, loss: float) -> None:
        of = "" if folds is None else f"fold {fold + 1} of {folds}, "
        bar.update(step, stage.steps, f"{of}learns from {SOURCES[stage.source]}, loss {loss:.2f}")

    return report


@contextmanager
def keeping_what_is_done(*, overwrite: bool = False) -> Iterator[None]:
    """Leave with a sentence on an interruption. `overwrite`: nothing is kept, so that what is to be replaced stays."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "The same command goes on from what is kept."
        if overwrite:
            kept = "--overwrite replaces answers when all new ones are there: until then the old ones stay."
        raise interrupted(kept) from None


def needs_torch() -> None:
    """Raise ExtraMissingError, with the command that installs them, where torch or transformers are not installed."""
    for package in ("torch", "transformers", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise ExtraMissingError("a comparative evaluator", package, "evaluator")
