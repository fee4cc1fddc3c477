"""`tiebreak add`: labels, outputs, scores and judgements of further files into a study that exists."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tiebreak.adding.account import FileAccount
from tiebreak.adding.add import add, undo
from tiebreak.cli.import_options import (
    IgnoreOption,
    ImportFormatOption,
    MapOption,
    RecipeOption,
    ValueOption,
    settled,
)
from tiebreak.cli.setting_options import argument, option
from tiebreak.cli.show_add import addition_document, show_addition
from tiebreak.cli.show_import import console_for_import, show_plans
from tiebreak.cli.terminal import console_for_results, say, say_command, stdin_is_terminal, write_json
from tiebreak.data.writers import stamps_of
from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.importers.plans import FilePlan, ReadOptions, plan_files, recipes_in
from tiebreak.numbers import printable
from tiebreak.places.place import study_to_add_to
from tiebreak.watching.folder import is_watched


class UnmatchedChoice(StrEnum):
    """What becomes of rows about items and systems that the study does not have."""

    refuse = "refuse"
    leave = "leave"
    add = "add"


def add_command(
    study: Annotated[Path, argument("The study folder.", "STUDY")],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Files, as tiebreak import takes them; each goes in whole or not at all."),
    ] = None,
    *,
    recipe: RecipeOption = None,
    map_: MapOption = None,
    ignore: IgnoreOption = None,
    value: ValueOption = None,
    format_: ImportFormatOption = None,
    unmatched: Annotated[
        UnmatchedChoice,
        typer.Option(
            help="Rows about items, systems or samples that the study does not have: "
            "refuse (their file), leave (them out), add."
        ),
    ] = UnmatchedChoice.refuse,
    undo: Annotated[bool, option("Take the last addition back.", "", "--undo")] = False,
    yes: Annotated[bool, option("Do not ask.", "", "--yes", "-y")] = False,
    dry_run: Annotated[bool, option("Show the plan and write nothing.", "", "--dry-run")] = False,
    as_json: Annotated[bool, option("One JSON document on stdout; everything else on stderr.", "", "--json")] = False,
) -> None:
    """Add labels, outputs, scores or judgements to a study.

    Files are read as by tiebreak import, and by the recipes that the study keeps. Rows are matched to the study by item
    (else by input) and system; what the study has already is told from what is new, and what contradicts it is refused
    with its file.

    Example: tiebreak add my-study week2.csv

    Example: tiebreak add my-study --undo
    """
    if undo:
        _undo(study, files)
        return
    stamps = stamps_of(study)
    before = study_to_add_to(study)
    console = console_for_import(to_stderr=as_json)
    options = ReadOptions(recipe or (), recipes_in(study), format_, map_ or (), ignore or (), value or ())
    plans, unread = _readable(files or [], options)
    show_plans(console, plans)
    plans = settled(console, plans, silent=yes or dry_run, to_stderr=as_json)
    addition = add(before, plans, unmatched.value)
    accounts = [*addition.accounts, *unread]
    write = addition.changes and not dry_run
    watched = is_watched(study)
    show_addition(console, accounts, str(study), addition.study.notices, watched=watched)
    asked = write and not yes and stdin_is_terminal()
    if asked and not typer.confirm(f"Add this to {printable(str(study))}?", default=True, err=as_json):
        say(console, "Nothing was written.")
        raise typer.Exit(1)
    if write:
        addition.write(study, stamps)
        say(console, f"Added to {study}.", style="bold green")
        say_command(console, "watch" if watched else "compare", study, before="Next: ")
    elif dry_run:
        say(console, "Nothing was written (--dry-run).")
    else:
        new = "Nothing is new" if all(account.taken for account in accounts) else "Nothing was taken"
        say(console, f"{new}: {study} is as it was.")
    if as_json:
        write_json(addition_document(accounts, str(study), written=write))
    taken = sum(account.taken for account in accounts)
    if taken < len(accounts):
        raise typer.Exit(4 if taken else 1)


def _undo(study: Path, files: list[str] | None) -> None:
    if files:
        raise UsageError("--undo takes the last addition back, and no files")
    if is_watched(study):
        raise TiebreakError(f"{study} is watched, and a look may have counted what was added: it stays")
    changed = undo(study)
    say(console_for_results(), f"Took the last addition to {study} back: {', '.join(changed)}", style="bold green")


def _readable(files: list[str], options: ReadOptions) -> tuple[tuple[FilePlan, ...], list[FileAccount]]:
    """How the files will be read, and the accounts of those that cannot be.

    Raises:
        UsageError: no file, or an option that cannot be.
        InputError: no file can be read.
    """
    unread: list[FileAccount] = []
    while True:
        try:
            return plan_files(files, options), unread
        except InputError as error:
            wrong = [file for file in files if any(problem.file == file for problem in error.problems)]
            if not wrong or len(wrong) == len(files):
                raise
            for file in wrong:
                own = tuple(problem for problem in error.problems if problem.file == file)
                unread.append(FileAccount(file, problems=own, problem_count=len(own)))
            files = [file for file in files if file not in wrong]
