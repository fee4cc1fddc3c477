"""`tiebreak evaluator choose`: the best of several trainings.

`tiebreak evaluator follow`: should a training stop?

`tiebreak evaluator judge`: what a trained evaluator says of outputs.

`tiebreak evaluator score`: single outputs, and systems, by what was trained.

`tiebreak evaluator train`: a model that compares two outputs, or scores one.

An evaluator in the terminal.

Scores of outputs and systems in the terminal.

What the answers of an evaluator are good for in the study that they were written into.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from tiebreak.cli.progress import Bar, interrupted, progress_bar
from tiebreak.cli.score import show_next
from tiebreak.cli.setting_options import (
    Changes,
    CheckpointsArgument,
    EvaluatorArgument,
    JsonOption,
    StudyArgument,
    argument,
    option,
    with_changes,
    with_settings,
)
from tiebreak.cli.terminal import Name, Terminal, Words, console_for_results, sentence, write_json
from tiebreak.cli.writing import print_result
from tiebreak.data.provenance import contexts_of
from tiebreak.data.readers import read_study
from tiebreak.errors import ExtraMissingError
from tiebreak.messages.ranks import ends_words, place_words
from tiebreak.messages.tables import LEARNED_FROM, UNUSED
from tiebreak.numbers import command, counted, known_number, points, some_names
from tiebreak.places.place import check_free, study_at
from tiebreak.scoring.evaluator.examples.rows import ACROSS, SOURCES
from tiebreak.scoring.evaluator.settings import (
    ChoosingSettings,
    EvaluatorJudgingSettings,
    FollowSettings,
    SampleSettings,
    TrainSettings,
)
from tiebreak.scoring.evaluator.training.measures import ties_in_words

if TYPE_CHECKING:
    from tiebreak.scoring.evaluator.choosing import Candidate, Choice
    from tiebreak.scoring.evaluator.following import Follower
    from tiebreak.scoring.evaluator.judging import Judged
    from tiebreak.scoring.evaluator.scores import Scored
    from tiebreak.scoring.evaluator.training.stages import Stage


@with_settings(ChoosingSettings)
def choose_command(
    study: CheckpointsArgument,
    evaluator: EvaluatorArgument,
    *,
    settings: ChoosingSettings,
    overwrite: Annotated[bool, option("Replace the answers of a judge of this name.", "", "--overwrite")] = False,
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
    print_result(found, partial(show_choice, settings=settings, study=study), as_json=as_json)


@with_settings(FollowSettings)
def follow_command(
    study: CheckpointsArgument,
    evaluator: EvaluatorArgument,
    *,
    settings: FollowSettings,
    run: Annotated[str | None, option("The run, where the study has several.", "NAME")] = None,
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
        show_followed(follower, notes, console_for_results())


@with_settings(EvaluatorJudgingSettings)
def judge_command(
    study: StudyArgument,
    evaluator: EvaluatorArgument,
    *,
    settings: EvaluatorJudgingSettings,
    overwrite: Annotated[bool, option("Replace the answers of a judge of this name.", "", "--overwrite")] = False,
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
    print_result(found, partial(show_judged, study=study), as_json=as_json)


@with_changes({"scores": SampleSettings})
def score_command(
    study: StudyArgument,
    evaluator: EvaluatorArgument,
    *,
    changes: Changes,
    overwrite: Annotated[bool, option("Replace the scores by metrics of these names.", "", "--overwrite")] = False,
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
    print_result(found, partial(show_scored, study=study), as_json=as_json)


@with_settings(TrainSettings)
def train_command(
    studies: Annotated[list[Path], argument("Folders of the studies to learn from.", "STUDY...")],
    *,
    out: Annotated[Path, option("Where the evaluator goes.", "FOLDER", "--out", "-o")],
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
        show_trained(out, made, console_for_results())


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


def show_use(study: Path, option: str, name: str) -> None:
    """The next command, with the option that names a judge or metric; or on which items results leave it out."""
    read = read_study(study)
    learned = [notice for notice in read.notices if notice.code == LEARNED_FROM.code]
    console_for_results().say_each(notice.text for notice in learned if notice.details["name"] == name)
    if not any(passed == name for _, passed in read.passed_over):
        show_next(study, (option, name))


def show_trained(folder: Path, made: list[dict[str, Any]], console: Terminal) -> None:
    """What each was trained on, and how good it is where it did not learn."""
    what: dict[str, str] = {str(source): words for source, words in SOURCES.items()}
    what[ACROSS] = "people (texts, across inputs)"
    for about in made:
        fold = about["fold"]
        console.heading(f"{folder}" if fold is None else f"{folder / f'fold-{fold}'}")
        console.say(about["signature"], style="dim")
        form = about["settings"]["form"]
        columns = _COLUMNS.get(form, _OF_PAIRS)
        rows = []
        for source, of in about["measured"].items():
            if not about["examples"]["rows"].get(source, 1):
                continue  # people rated, and nobody two texts of one input: what there is, is across inputs
            count = about["learned"]["rows"].get(source, 0)
            cells = (_with_interval(write(of[name]), of.get("intervals", {}).get(name)) for _, name, write in columns)
            rows.append((what[source], f"{count:,}", *cells))
        rows_are = "Texts" if form == "regressor" else "Pairs"
        console.table([Name("To learn from"), rows_are, *(name for name, *_ in columns)], rows)
        console.bullets(about["notes"])
        if form not in _MEANS:
            console.say(ties_in_words(about))
    settings, form = made[0]["settings"], made[0]["settings"]["form"]
    means, then = _MEANS.get(form, (_OF_TWO, "judge"))
    console.say(means)
    if settings["across"] and not made[0]["examples"]["rows"].get("human"):
        then = "score"  # of one rated output per input no two can be judged
    console.command("evaluator", then, "STUDY", folder, before=f"{then.capitalize()} with it: ")


def show_judged(found: Judged, console: Terminal, *, study: Path) -> None:
    """How many pairs, what it did not read of them, whether it learned from them, and what next."""
    numbers = found.to_dict()
    ties = "1 of them a tie" if numbers["ties"] == 1 else f"{numbers['ties']:,} of them ties"
    new = f"{counted(found.preferences.height, 'pair')} judged, {ties}."
    console.say(f"{found.judge}: {new if found.preferences.height else 'nothing new to judge.'}")
    if found.known:
        console.say(f"{counted(found.known, 'pair')} it had judged before.")
    if found.identical:
        console.say(f"{counted(found.identical, 'pair')} of identical texts: ties, without reading them.")
    console.bullets(found.notes)
    show_use(study, "--judge", found.judge)


def show_followed(follower: Follower, notes: Sequence[str], console: Terminal) -> None:
    """The counts of each checkpoint, what was not read of their texts, and what to do."""
    if not follower.checks:
        console.bullets(notes)
        console.say(f"There is one checkpoint, {follower.best}, and nothing to compare it with yet: go on.")
        return
    by_streak = follower.settings.rule == "streak"
    columns = [Name("Checkpoint"), "Wins", "Ties", "Losses"]
    columns.append("Lost in a row" if by_streak else Words("Against the best so far"))
    rows, row = [], 0
    for name, check, against in zip(follower.names[1:], follower.checks, follower.against, strict=False):
        row = row + 1 if check.is_worse else 0
        last = (str(row) if row else "-") if by_streak else against[0]
        rows.append((name, f"{check.wins:,}", f"{check.ties:,}", f"{check.losses:,}", last))
    console.table(columns, rows)
    console.bullets(notes)
    if all(check.wins == check.losses == 0 for check in follower.checks):
        console.say("The evaluator answered a tie every time: it cannot tell these texts apart.")
    if follower.stopped is None:
        console.say(f"Go on: rule {follower.settings.rule} does not stop yet. To be kept so far: {follower.best}")
        if follower.used_up:
            console.say(
                f"Every item has been compared with {follower.best} once. Until there is a better checkpoint the rule "
                "learns nothing new: a larger --gain is found with fewer items, or let checkpoints write for more."
            )
        return
    name = follower.names[follower.stopped.after + 1]
    console.say(f"Stop: rule {follower.settings.rule} is met after {name}. Keep {follower.best}.", style="bold")


def show_choice(found: Choice, console: Terminal, *, settings: ChoosingSettings, study: Path) -> None:
    """The runs by their ratings, with their settings; which is best, if any is told apart, and what may be as well."""
    columns = ["Place", Name("Run"), Words("Checkpoint"), *found.differing, "Dev loss", "Wins", "Rating", "Interval"]
    rows = []
    for one in found.candidates:
        values = ("-" if value is None else str(value) for value in found.values_of(one).values())
        loss = "-" if one.about.dev_loss is None else f"{one.about.dev_loss:.3g}"
        strength = one.ranked.strength
        ends = "-" if strength.low == strength.high else ends_words(strength)  # ratings told from it say nothing of it
        system = "" if one.checkpoint.system == one.run else one.checkpoint.system
        about = (place_words(one.ranked), one.run, system, *values, loss)
        rows.append((*about, _share(one.win_rate), points(strength.rating), ends))
    console.table(columns, rows)
    console.bullets(found.notes)
    if found.best is None:
        console.say(_no_best(found, settings), style="bold")
    else:
        console.say(
            f"Best: {_settings_of(found.best, found)}. By the judge {settings.name!r} it {_wins(found.best)}.",
            style="bold",
        )
        others = [one.run for one in found.may_be_best]
        if others:
            console.say(f"Not told apart from it: {some_names(others)}. Outputs for more inputs may do so.")
        elif found.one_scale:
            console.say(f"No other run may be the best, at an error rate of {settings.alpha:g} for all together.")
        else:
            console.say("By the ratings no other run may be the best. They are not the last word: see the notes.")
    if found.by_loss is not None and found.by_loss is not found.best:
        console.say(f"By dev loss it would be {found.by_loss.run}.")
    console.say(
        f"Places are those by the judge {settings.name!r}, which may be wrong; with labels of people, "
        f"{command('audit', study, '--judge', settings.name)} says how far.",
        style="dim",
    )


def _no_best(found: Choice, settings: ChoosingSettings) -> str:
    """Why no run is named, and what may tell."""
    if found.all_tied:
        return (
            f"No run is the best: the judge {settings.name!r} tells none of them apart. Every one of "
            f"{counted(found.comparisons, 'comparison')} is a tie."
        )
    if found.beaten_by:
        others = some_names([one.run for one in found.beaten_by])
        beat = "beats" if len(found.beaten_by) == 1 else "beat"
        return (
            f"No run is told apart as the best by the judge {settings.name!r}: {found.candidates[0].run} has the "
            f"highest rating, and {others} {beat} it in their own comparisons."
        )
    may_be = found.may_be_best
    names = "each" if len(may_be) == len(found.candidates) else some_names([one.run for one in may_be])
    why = f"No run is told apart as the best by the judge {settings.name!r}: {names} may be it."
    if found.highest is not None:
        why += f" The highest rating has {_settings_of(found.highest, found)}, which {_wins(found.highest)}."
    return f"{why} Outputs for more inputs may tell."


def _settings_of(one: Candidate, found: Choice) -> str:
    """A run with the settings in which it differs from others."""
    chosen = ", ".join(f"{name} {value}" for name, value in found.values_of(one).items() if value is not None)
    return f"{one.run} ({chosen})" if chosen else one.run


def _wins(one: Candidate) -> str:
    return f"wins {_share(one.win_rate)} of {counted(one.ranked.games, 'comparison')}, a tie counting half"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f}%"


def _with_interval(cell: str, ends: Sequence[float] | None) -> str:
    """A share with the ends of its 95% interval: of few pairs it says little."""
    return cell if ends is None else f"{cell} ({100 * ends[0]:.0f} to {100 * ends[1]:.0f}%)"


def _count(value: int) -> str:
    return f"{value:,}"


_OF_PAIRS: Final = (
    ("Held out", "pairs", _count), ("Two-way", "two_way", _share), ("Three-way", "three_way", _share),
    ("Ties told", "ties_told", _share), ("Ties answered", "ties_answered", _share), ("Flips", "flips", _share),
)  # fmt: skip
_COLUMNS: Final[Mapping[str, Sequence[tuple[str, str, Callable[[Any], str]]]]] = {
    "discriminator": (
        ("References held out", "references", _count), ("Outputs held out", "outputs", _count),
        ("Accuracy", "accuracy", _share), ("References found", "references_found", _share),
        ("Outputs found", "outputs_found", _share),
    ),
    "regressor": (
        ("Held out", "texts", _count), ("Correlation", "spearman", known_number), ("RMSE", "rmse", known_number),
    ),
}  # fmt: skip
"""What is told of each form: the name of a column, what it is called in `evaluator.json`, how it is written."""

_OF_TWO: Final = (
    "Two-way: of the held-out pairs that are no ties, the share whose better text it finds; three-way: of all, the "
    "share that it answers rightly, ties included; in brackets 95% intervals. Ties told: pairs on which more people "
    "say tie than either text, or as many each; ties answered: pairs that it answers by a tie."
)
_MEANS: Final = {
    "discriminator": (
        "Accuracy: the mean of the shares of held-out references and outputs that it takes for what they are.",
        "score",
    ),
    "regressor": (
        "Correlation: Spearman's, of what it says with the ratings of held-out texts; RMSE: its root mean squared "
        "error, on the scale of the ratings.",
        "score",
    ),
}  # fmt: skip


def show_scored(found: Scored, console: Terminal, *, study: Path) -> None:
    """Systems by their mean scores and by their own rating, what that took, and what next."""
    columns = [Name("System"), "Outputs", *(f"Mean {metric}" for metric in found.metrics)]
    rated = found.comparisons.get("systems", 0) > 0
    columns += ["Rating"] if rated else []
    rows = []
    for one in found.systems:
        means = [_score(mean) for mean in one.means.values()]
        rating = [] if not rated else ["-" if one.rating is None else f"{one.rating:.0f}"]
        rows.append((one.system, f"{one.outputs:,}", *means, *rating))
    console.table(columns, rows)
    for metric in found.metrics:
        if metric in found.comparisons:
            against = f" with {counted(found.references, 'common reference')}" if metric.endswith("-points") else ""
            console.say(f"{metric}: {counted(found.comparisons[metric], 'comparison')}{against}.")
    if rated:
        console.say(f"Rating: a tournament of systems, {counted(found.comparisons['systems'], 'comparison')}.")
    elif "systems" in found.comparisons and len(found.systems) > 1:
        console.say("No rating of systems: no two of them have outputs for the same item.")
    if rated and found.converged is False:
        console.say("Its order had not settled: more --system-games, or systems that it cannot tell apart.")
    console.bullets(found.notes)
    show_use(study, "--metric", found.metrics[0])


def _score(mean: float) -> str:
    return f"{mean:.0f}" if abs(mean) >= 1000 else f"{mean:.3g}"
