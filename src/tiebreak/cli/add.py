"""`tiebreak add`: labels, outputs, scores and judgements of further files into a study that exists."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiebreak.adding.account import FileAccount
from tiebreak.cli.setting_options import with_settings
from tiebreak.cli.show_add import addition_document, show_addition
from tiebreak.cli.show_import import console_for_import, show_files
from tiebreak.cli.terminal import say, say_command, stdin_is_terminal, write_json
from tiebreak.errors import InputError
from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings, of_system
from tiebreak.numbers import printable

if TYPE_CHECKING:
    from tiebreak.data.study import Study
    from tiebreak.importers.importer import Proposal


class UnmatchedChoice(StrEnum):
    """What becomes of rows about items and systems that the study does not have."""

    refuse = "refuse"
    leave = "leave"
    add = "add"


@with_settings(TableSettings)
def add_command(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="The study folder.", show_default=False)],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="Files, as tiebreak import csv takes them; each goes in whole or not at all."
        ),
    ] = None,
    *,
    settings: TableSettings,
    unmatched: Annotated[
        UnmatchedChoice,
        typer.Option(
            help="Rows about items, systems or samples that the study does not have: "
            "refuse (their file), leave (them out), add."
        ),
    ] = UnmatchedChoice.refuse,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; accept what was guessed.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be added and write nothing.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document on stdout; everything else on stderr.")
    ] = False,
) -> None:
    """Add labels, outputs, scores or judgements to a study.

    Files are read as by tiebreak import csv. Rows are matched to the study by item (else by input, else by position)
    and system; what the study has already is told from what is new, and what contradicts it is refused with its file.

    Example: tiebreak add my-study week2.csv

    Example: tiebreak add my-study scores.csv judge.jsonl --yes
    """
    from tiebreak.adding.add import add
    from tiebreak.data.writers import stamps_of
    from tiebreak.places.place import study_to_add_to
    from tiebreak.watching.folder import is_watched

    stamps = stamps_of(study)
    before = study_to_add_to(study)
    console = console_for_import(to_stderr=as_json)
    proposal, unread = _readable(before, files or [], settings)
    show_files(console, proposal.files)
    proposal.refuse_nonsense()
    if yes:  # with --dry-run, too: what it shows is what the same command without it does
        proposal.refuse_unsure(TABLES_IMPORTER.correction)
    addition = add(before, proposal, unmatched.value)
    accounts = [*addition.accounts, *unread]
    write = addition.changes and not dry_run
    watched = is_watched(study)
    show_addition(console, accounts, str(study), addition.study.notices, watched=watched)
    if write and not yes and not _confirmed(proposal, study, to_stderr=as_json):
        say(console, "Nothing was written.")
        raise typer.Exit(1)
    if write:
        addition.write(study, stamps)
        say(console, f"Added to {study}.", style="bold green")
        say_command(console, "watch" if watched else "compare", study, before="Next: ")
    elif dry_run:
        say(console, "Nothing was written (--dry-run).")
    else:
        say(console, f"Nothing is new: {study} is as it was.")
    if as_json:
        write_json(addition_document(accounts, str(study), written=write))
    taken = sum(account.taken for account in accounts)
    if taken < len(accounts):
        raise typer.Exit(4 if taken else 1)


def _readable(study: Study, files: list[str], settings: TableSettings) -> tuple[Proposal, list[FileAccount]]:
    """How the files will be read, and the accounts of those that cannot be.

    Raises:
        UsageError: no file, or an option that cannot be.
        InputError: no file can be read.
    """
    unread: list[FileAccount] = []
    while True:
        try:
            return TABLES_IMPORTER.read(files, settings, study.systems), unread
        except InputError as error:
            named = [*files, *settings.judge_files, *settings.score_files, *(of_system(o) for o in settings.systems)]
            wrong = [file for file in named if any(problem.file == file for problem in error.problems)]
            if not wrong or len(wrong) == len(named):
                raise
            for file in wrong:
                own = tuple(problem for problem in error.problems if problem.file == file)
                unread.append(FileAccount(file, problems=own, problem_count=len(own)))
            files = [file for file in files if file not in wrong]
            settings = replace(
                settings,
                judge_files=[file for file in settings.judge_files if file not in wrong],
                score_files=[file for file in settings.score_files if file not in wrong],
                systems=[option for option in settings.systems if of_system(option) not in wrong],
            )


def _confirmed(proposal: Proposal, study: Path, *, to_stderr: bool) -> bool:
    """Whether somebody at the terminal agrees.

    Raises:
        UsageError: nobody can be asked, and something was guessed.
    """
    if stdin_is_terminal():
        sure = proposal.confidence >= SURE_ENOUGH
        return typer.confirm(f"Add this to {printable(str(study))}?", default=sure, err=to_stderr)
    proposal.refuse_guesses(TABLES_IMPORTER.correction)
    return True
