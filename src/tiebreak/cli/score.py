"""`tiebreak score`: metrics and judges over the outputs of a study.

The part of `tiebreak score` that runs judges: plans, asks whether to pay, runs with progress, writes, prints.

The part of `tiebreak score` that runs metrics: reads, runs with progress, writes, prints.

What to do with scores and judgements: nothing follows from them without labels of people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import polars as pl
import typer

from tiebreak.cli.progress import INTERRUPTED, Bar, interrupted, progress_bar
from tiebreak.cli.setting_options import JsonOption, argument, option, with_settings
from tiebreak.cli.show_scores import (
    judging_document,
    metrics_document,
    show_account,
    show_known_metrics,
    show_plan,
    show_scores,
    total_words,
)
from tiebreak.cli.terminal import console_for_messages, console_for_results, stdin_is_terminal, write_json
from tiebreak.data.schema import LABEL_TABLES
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.numbers import about_money, counted, rounded
from tiebreak.places.estimates import score_into
from tiebreak.places.place import check_free, place_at, study_at
from tiebreak.scoring.judges.account import JudgeAccount, JudgePlan, findings_of
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.judge import Judge, check_ready, find_judge
from tiebreak.scoring.judges.questions import work_of
from tiebreak.scoring.judges.run import JudgeRun
from tiebreak.scoring.judges.store import Intent, JudgeStore
from tiebreak.scoring.registry import known_metrics
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
        known = known_metrics()
        if as_json:
            write_json(metrics_document(known))
        else:
            show_known_metrics(known, console_for_results())
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
        document["judges"], code, named = run_judges(study, judging, yes=yes, dry_run=dry_run, quiet=as_json)
        options += named
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


class JudgeProgress:
    """How far a judge is, and what it will cost by what it cost so far: said once, after the first calls."""

    def __init__(self, bar: Bar, plan: JudgePlan, asker: Asker, currency: str) -> None:
        self._console, self._bar = console_for_messages(), bar
        self._plan, self._asker, self._currency = plan, asker, currency
        self._corrected = False

    def update(self) -> None:
        """A question is done with."""
        self._correct()
        spent = "" if self._asker.prices is None else f", {about_money(self._asker.purse.paid, self._currency)}"
        words = f"{self._plan.judge.name}{spent}, {self._asker.pace.limit} calls at once"
        self._bar.update(self._asker.meter.calls, self._plan.calls, words)

    def stopping(self) -> None:
        """Somebody wants it to stop."""
        self._console.say("Stopping: calls on their way are waited for, as they are paid. Ctrl-C again leaves them.")

    def _correct(self) -> None:
        """Say once what the calls take, when the first ones have shown it."""
        usage = None if self._corrected else self._asker.meter.corrected(self._plan.usage)
        if usage is None or self._plan.calls <= self._asker.meter.calls:
            return
        self._corrected = True
        price = ""
        if self._asker.prices is not None:
            price = f", {about_money(self._asker.prices.of(usage), self._currency)}"
        self._console.say(
            f"By the first {counted(self._asker.meter.calls, 'call')}: about {rounded(usage.read)} tokens read and "
            f"{rounded(usage.written)} written in all{price}."
        )


_NOTHING: Final = 1
_IN_PART: Final = 4

Documents = list[dict[str, object]]


def run_judges(
    path: Path, settings: JudgingSettings, *, yes: bool, dry_run: bool, quiet: bool
) -> tuple[Documents, int, list[str]]:
    """Ask judges about the study at a path, and put what they say into it; `quiet`: print nothing on standard output.

    An account of each judge, for `--json`; the exit code; the options of `compare` that name the judges.

    Raises:
        UsageError, InputError, TiebreakError: nothing can be asked, or what was said cannot be written.
    """
    study = study_at(path, folder=True)
    config = None if settings.judge_config is None else Path(settings.judge_config)
    judges = [find_judge(name, study, config) for name in dict.fromkeys(settings.judges)]
    check_free(path, [judge.name for judge in judges])
    kept = JudgeStore.of(path)
    if dry_run:
        return _looked(study, [JudgeRun(judge, settings, kept) for judge in judges], quiet=quiet), 0, []
    for judge in judges:
        work_of(study, judge, settings)  # what cannot be asked is said before anything is written
    waiting = "Another tiebreak asks judges about this study: waiting until it is done."
    with kept.alone(partial(console_for_messages().say, waiting)):
        documents, code = _run(path, judges, settings, kept, yes=yes, quiet=quiet)
    options = [word for judge in judges for word in ("--metric" if judge.settings.grades else "--judge", judge.name)]
    return documents, code, options


def _looked(study: Study, runs: Sequence[JudgeRun], *, quiet: bool) -> Documents:
    """What would be asked."""
    plans = []
    for run in runs:
        run.look()
        plans.append(run.plan(study))
        if not quiet:
            show_plan(console_for_results(), plans[-1], study, prompt=True)
    return [judging_document(plan, study) for plan in plans]


def _run(
    path: Path, judges: Sequence[Judge], settings: JudgingSettings, kept: JudgeStore, *, yes: bool, quiet: bool
) -> tuple[Documents, int]:
    study, messages = study_at(path, folder=True), console_for_messages()
    runs = [JudgeRun(judge, settings, kept) for judge in judges]
    plans = []
    for run in runs:
        if run.has_batches:
            check_ready(run.judge)
        run.collect(lambda intent, batches: _hand_in_again(intent, batches, yes=yes), _say_finding_out)
        plans.append(run.plan(study))
        show_plan(messages, plans[-1], study)
        messages.say_each(run.collected.remarks, indent=2, hanging=2)
    for plan in plans:
        if plan.calls:
            check_ready(plan.judge)
    if any(plan.calls for plan in plans):
        _ask_whether_to_pay(plans, study, yes=yes)
    documents, codes, left = Documents(), list[int](), settings.spend_at_most
    for run, plan in zip(runs, plans, strict=True):
        purse = run.asker.purse
        purse.limit = left
        account, study = _judged(path, run, plan, study)
        left = None if left is None else max(left - purse.paid - purse.doubtful - purse.reserved, 0.0)
        found = findings_of(study, run.judge)
        if not quiet:
            show_account(console_for_results(), account, found, study)
        documents.append(judging_document(plan, study, account, found))
        codes.append(_code(account))
        if account.interrupted:
            break
    return documents, max(codes, key=(0, _IN_PART, _NOTHING, INTERRUPTED).index, default=0)


def _judged(path: Path, run: JudgeRun, plan: JudgePlan, study: Study) -> tuple[JudgeAccount, Study]:
    """The calls of one judge, and the study with what it said."""
    with progress_bar(plan.judge.name, plan.calls) as bar:
        progress = JudgeProgress(bar, plan, run.asker, study.settings.currency)
        account, outcomes = run.carry_out(plan, progress.update, progress.stopping)
    return account, run.write(path, plan, outcomes, study)


def _ask_whether_to_pay(plans: Sequence[JudgePlan], study: Study, *, yes: bool) -> None:
    """Go on, or leave.

    Raises:
        UsageError: nobody can be asked.
    """
    if yes:
        return
    if not stdin_is_terminal():
        raise UsageError("calls may cost money, and nobody can be asked here: look at --dry-run, then add --yes")
    if not typer.confirm(f"Make {total_words(plans, study)}?", default=False, err=True):
        console_for_messages().say("Nothing was asked, and nothing was written.")
        raise typer.Exit(_NOTHING)


def _hand_in_again(intent: Intent, batches: Sequence[str], *, yes: bool) -> bool:
    """Whether somebody at the terminal would rather pay twice than wait."""
    if yes or not stdin_is_terminal():
        return False
    return typer.confirm(
        f"{counted(len(intent.calls), 'call')} may be in {' or '.join(batches)}, which can be told once it has ended. "
        "Hand them in again all the same, and perhaps pay twice?",
        default=False,
        err=True,
    )


def _say_finding_out(seconds: float) -> None:
    console_for_messages().say(f"Finding out whether a batch was handed in, which takes {seconds:.0f} seconds.")


def _code(account: JudgeAccount) -> int:
    if account.interrupted:
        return INTERRUPTED
    if account.nothing:
        return _NOTHING
    return 0 if account.complete else _IN_PART


def run_metrics(path: Path, settings: ScoreSettings, *, quiet: bool) -> dict[str, object]:
    """Score the study at a path, and put the scores into it; `quiet`: print nothing on standard output. What was found,
    for `--json`.

    Raises:
        UsageError, InputError, TiebreakError: as `score_into`.
    """
    with progress_bar() as bar:
        try:
            result, written = score_into(path, settings, progress=bar)
        except KeyboardInterrupt:
            kept = f"{counted(bar.made, 'new score')} {'is' if bar.made == 1 else 'are'} kept"
            raise interrupted(f"{kept}; the same command goes on from there.") from None
    if not quiet:
        show_scores(result, str(path), console_for_results(), written=written)
    return {**result.to_dict(), "written": written}


_ASKED: Final = ("item", "annotator", "criterion")


def show_next(path: Path, options: Sequence[str]) -> None:
    """The command that uses what was scored in the study at a path; `options`: those of `compare` that name it.

    In an export its own analysis does: the verdict of the campaign does not use what came later.
    """
    console, study, kind = console_for_results(), study_at(path, folder=True), place_at(path).kind
    own = ("--own-analysis",) if kind == "export" else ()
    if kind == "watched":
        console.command("watch", path, before="Next: ")
    elif _is_compared(study):
        console.command("compare", path, *own, *options, before="Next: ")
    elif study.ratings is not None:
        console.command("estimate", path, *own, *options, before="Next: ")
    else:
        console.say(
            "Next: labels of people, without which nothing is decided: tiebreak campaign create collects them, "
            "tiebreak add takes those that you have."
        )


def _is_compared(study: Study) -> bool:
    """Whether somebody preferred one of two outputs, or labelled two systems on one item."""
    labels = {name: study.tables[name] for name in LABEL_TABLES if name in study.tables}
    if "preferences" in labels:
        return True
    asked = [frame.group_by([name for name in _ASKED if name in frame.columns]) for frame in labels.values()]
    return any((by.agg(pl.col("system").n_unique())["system"] > 1).any() for by in asked)
