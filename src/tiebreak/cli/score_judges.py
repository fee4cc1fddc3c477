"""The part of `tiebreak score` that runs judges: plans, asks whether to pay, runs with progress, writes, prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from tiebreak.cli.judge_progress import JudgeProgress
from tiebreak.cli.show_judging import show_account, show_plan, total_words
from tiebreak.cli.terminal import console_for_messages, console_for_results, say, stdin_is_terminal
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.places.place import study_to_add_to
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.findings import flips_of, grades_tie
from tiebreak.scoring.judges.judge import Judge, check_installed, find_judge
from tiebreak.scoring.judges.judging import Account, account_of, ask_all, rows_from
from tiebreak.scoring.judges.money import Purse
from tiebreak.scoring.judges.pace import Pace
from tiebreak.scoring.judges.plan import Plan, plan_of, prices_of, work_of
from tiebreak.scoring.judges.providers.registry import provider_of
from tiebreak.scoring.judges.settings import JudgingSettings
from tiebreak.scoring.judges.store import JudgeStore
from tiebreak.scoring.judges.storing import store
from tiebreak.scoring.judges.worth import worth_of

_NOTHING = 1
_IN_PART = 4
_INTERRUPTED = 130


def run_judges(
    path: Path, settings: JudgingSettings, *, yes: bool, dry_run: bool, quiet: bool
) -> tuple[list[dict[str, object]], int]:
    """Ask judges about the study at a path, and put what they say into it; `quiet`: print nothing on standard output.
    An account of each judge, for `--json`, and the exit code.

    Raises:
        UsageError, InputError, TiebreakError: before any call.
    """
    study = study_to_add_to(path)
    config = None if settings.judge_config is None else Path(settings.judge_config)
    judges = [find_judge(name, study, config) for name in dict.fromkeys(settings.judges)]
    store_of_study = JudgeStore.of(path)
    if dry_run:
        askers = [_asker(judge, settings, store_of_study, None) for judge in judges]
        plans = [plan_of(work_of(study, asker.judge, settings), asker) for asker in askers]
        for plan in plans:
            if not quiet:
                show_plan(console_for_results(), plan, study, prompt=True)
        return [_document(plan, study, None) for plan in plans], 0
    for judge in judges:
        check_installed(judge)
        judge.key()
    with store_of_study.alone(_say_waiting):
        return _run(path, judges, settings, store_of_study, yes=yes, quiet=quiet)


def _run(
    path: Path, judges: Sequence[Judge], settings: JudgingSettings, kept: JudgeStore, *, yes: bool, quiet: bool
) -> tuple[list[dict[str, object]], int]:
    study = study_to_add_to(path)  # once more: somebody else may have run judges before it was our turn
    messages = console_for_messages()
    askers = [_asker(judge, settings, kept, settings.spend_at_most) for judge in judges]
    plans = [plan_of(work_of(study, asker.judge, settings), asker) for asker in askers]
    for plan in plans:
        show_plan(messages, plan, study)
    if any(plan.calls for plan in plans):
        _ask_whether_to_pay(plans, study, yes=yes)
    documents, codes, left = [], [], settings.spend_at_most
    for plan, asker in zip(plans, askers, strict=True):
        asker.purse.limit = left
        account, study = _judged(path, plan, asker, study, settings)
        left = None if left is None else max(left - asker.purse.paid - asker.purse.doubtful, 0.0)
        if not quiet:
            show_account(console_for_results(), account, study, path)
        documents.append(_document(plan, study, account))
        codes.append(_code(account))
        if account.interrupted:
            break
    return documents, max(codes, key=(0, _IN_PART, _NOTHING, _INTERRUPTED).index, default=0)


def _asker(judge: Judge, settings: JudgingSettings, kept: JudgeStore, limit: float | None) -> Asker:
    return Asker(
        judge=judge,
        provider=provider_of(judge),
        cache=kept.replies,
        rejected=kept.rejected(judge.endpoint),
        prices=prices_of(judge, settings),
        purse=Purse(limit),
        pace=Pace(judge.settings.connections),
    )


def _judged(path: Path, plan: Plan, asker: Asker, study: Study, settings: JudgingSettings) -> tuple[Account, Study]:
    """The calls of one judge, and the study with what it said."""
    console = console_for_messages()
    progress = JudgeProgress(console, plan, asker, study.settings.currency)
    with progress:
        asked, interrupted = ask_all(asker, plan.work.questions, progress.update, progress.stopping)
    account = account_of(plan, asker, asked.outcomes, asked.gave_up, pending=0, interrupted=interrupted)
    rows = rows_from(plan, asker, asked.outcomes)
    if rows.frame.height or settings.overwrite:
        study = store(path, rows, overwrite=settings.overwrite)
    return account, study


def _ask_whether_to_pay(plans: Sequence[Plan], study: Study, *, yes: bool) -> None:
    """Go on, or leave.

    Raises:
        UsageError: nobody can be asked.
    """
    if yes:
        return
    if not stdin_is_terminal():
        raise UsageError("calls may cost money, and nobody can be asked here: look at --dry-run, then add --yes")
    if not typer.confirm(f"Make {total_words(plans, study)}?", default=False, err=True):
        say(console_for_messages(), "Nothing was asked, and nothing was written.")
        raise typer.Exit(_NOTHING)


def _say_waiting() -> None:
    say(console_for_messages(), "Another tiebreak asks judges about this study: waiting until it is done.")


def _document(plan: Plan, study: Study, account: Account | None) -> dict[str, object]:
    """Everything that is printed, for `--json`."""
    judge = plan.judge
    told: dict[str, object] = {
        "judge": judge.name,
        "model": judge.model,
        "provider": judge.settings.provider,
        "base_url": judge.base_url,
        "criterion": judge.settings.criterion,
        "currency": study.settings.currency,
        "plan": plan.to_dict(),
    }
    if account is None:
        return told
    flips, worth = flips_of(study, judge), worth_of(study, judge)
    return told | {
        **account.to_dict(),
        "flipped": flips.flipped,
        "answered_in_both_orders": flips.both,
        "labels_saved": worth.labels,
        "price_of_labels_saved": worth.price,
        "warnings": [notice.to_dict() for notice in grades_tie(study, judge)],
    }


def _code(account: Account) -> int:
    if account.interrupted:
        return _INTERRUPTED
    if account.nothing:
        return _NOTHING
    return 0 if account.complete else _IN_PART
