"""`tiebreak add`: next week's file into a study, with an account of each file and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from tiebreak.adding.account import FileAccount, NewName, total
from tiebreak.adding.add import add, undo
from tiebreak.cli.import_ import (
    NAMES_SHOWN,
    IgnoreOption,
    ImportFormatOption,
    MapOption,
    RecipeOption,
    ValueOption,
    console_for_import,
    settled,
    show_plans,
    show_readings,
)
from tiebreak.cli.setting_options import argument, option
from tiebreak.cli.terminal import Name, Terminal, console_for_results, stdin_is_terminal, write_json
from tiebreak.data.provenance import SIGNATURES_FILE
from tiebreak.data.writers import stamps_of
from tiebreak.errors import PROBLEMS_SHOWN, InputError, TiebreakError, UsageError
from tiebreak.importers.plans import FilePlan, ReadOptions, plan_files, recipes_in
from tiebreak.numbers import counted, printable, quoted, some_parts
from tiebreak.places.place import study_to_add_to
from tiebreak.records import Notice
from tiebreak.watching.folder import is_watched


class UnmatchedChoice(StrEnum):
    """What becomes of rows about items and systems that the study does not have."""

    refuse = "refuse"
    leave = "leave"
    add = "add"


def add_command(
    study: Annotated[Path, argument("The study folder.", "STUDY")],
    files: Annotated[
        list[str] | None, argument("Files, as tiebreak import takes them; each goes in whole or not at all.", "FILE")
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
        console.say("Nothing was written.")
        raise typer.Exit(1)
    if write:
        addition.write(study, stamps)
        console.say(f"Added to {study}.", style="bold green")
        console.command("watch" if watched else "compare", study, before="Next: ")
    elif dry_run:
        console.say("Nothing was written (--dry-run).")
    else:
        new = "Nothing is new" if all(account.taken for account in accounts) else "Nothing was taken"
        console.say(f"{new}: {study} is as it was.")
    if as_json:
        documents = [account.to_dict() for account in accounts]
        rows = total(accounts) if write else 0
        write_json({"study": str(study), "written": write, "rows_added": rows, "files": documents})
    taken = sum(account.taken for account in accounts)
    if taken < len(accounts):
        raise typer.Exit(4 if taken else 1)


def _undo(study: Path, files: list[str] | None) -> None:
    if files:
        raise UsageError("--undo takes the last addition back, and no files")
    if is_watched(study):
        raise TiebreakError(f"{study} is watched, and a look may have counted what was added: it stays")
    changed = undo(study)
    console_for_results().say(f"Took the last addition to {study} back: {', '.join(changed)}", style="bold green")


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


_BY: Final = {"column": "its item column", "input": "the inputs"}
_COUNTS: Final = {
    "new": "new",
    "known": "known already",
    "again": "answered again",
    "differ": "answered otherwise",
    "completed": "completed",
    "unmatched": "left out",
}
"""Counts of a table's rows, and what stands above each."""


def show_addition(
    console: Terminal, accounts: Sequence[FileAccount], study: str, notices: Sequence[Notice], *, watched: bool
) -> None:
    """What became of each file; `notices`: of the study as it is, or would be, afterwards; `watched`: looks were taken
    at it.
    """
    for account in accounts:
        if account.taken:
            _show_taken(console, account, study, watched=watched)
            continue
        console.say()
        console.say(Text.assemble((account.file, "bold"), ": ", ("nothing of it is taken", "bold red")))
        shown = [str(problem) for problem in account.problems[:PROBLEMS_SHOWN]]
        hidden = account.problem_count - len(shown)
        console.bullets([*shown, *([f"... and {hidden:,} more"] if hidden > 0 else [])], indent=2)
    console.say()
    changes = total(accounts) or any(account.new_signatures or account.new_checkpoints for account in accounts)
    for notice in notices if changes else ():
        console.say(Text.assemble(("warning ", "yellow"), notice.text), hanging=2)


def _show_taken(console: Terminal, account: FileAccount, study: str, *, watched: bool) -> None:
    show_readings(console, account.readings)
    by = "" if account.items_by is None else f": items matched by {_BY[account.items_by]}"
    console.say()
    console.say(Text.assemble((account.file, "bold"), by))
    shown = [name for name in _COUNTS if name in ("new", "known") or any(getattr(t, name) for t in account.tables)]
    columns = [Name("table"), *(_COUNTS[name] for name in shown)]
    rows = [(of.table.replace("_", " "), *(getattr(of, name) for name in shown)) for of in account.tables]
    console.table(columns, rows)
    console.bullets([*_remarks(account, study, watched=watched)], indent=2)


def _remarks(account: FileAccount, study: str, *, watched: bool) -> list[str]:
    found = []
    if account.new_items:
        found.append(f"{counted(account.new_items, 'item')} that {study} did not have.")
    found += _names(account.new_systems, "system")
    found += _names(account.new_people, "person")
    if account.new_signatures:
        told = counted(account.new_signatures, "signature")
        found.append(f"What made these rows comes along, from {SIGNATURES_FILE} beside the file ({told}).")
    if account.new_checkpoints:
        found.append(f"study.toml gets what is known of {counted(account.new_checkpoints, 'checkpoint')}.")
    if account.run_assumed is not None:
        found.append(f"The file names no run: {account.run_assumed}, the only one of study.toml, is taken.")
    if account.lacking:
        name, lines = account.lacking[0]
        more = f" ({counted(len(account.lacking), 'such system')})" if len(account.lacking) > 1 else ""
        found.append(f"study.toml says less of {name} than the file{more}. Write there: {'; '.join(lines)}")
    if any(of.differ for of in account.tables):
        who = "watch keeps a value that a look has seen, and else counts" if watched else "compare counts"
        found.append(
            f"Answers that differ from an earlier one of the same person to the same question are added: {who} "
            "the first where both have a decided_at, else a tie or the mean."
        )
    if any(of.unmatched for of in account.tables):
        found.append(f"Rows about items, systems or samples that {study} does not have are left out.")
    found += [f"Left out: {skipped.reason} ({skipped.count:,})." for skipped in account.skipped]
    return found


def _names(names: Sequence[NewName], what: str) -> list[str]:
    """New names: those that may be misspelt each, the others together."""
    field = "annotator" if what == "person" else what
    near = [
        f"New {what} {of.name} ({counted(of.rows, 'row')}): is it {of.near}? "
        f"Then --value {quoted(f'{field}:{of.name}={of.near}')}."
        for of in names
        if of.near
    ]
    others = [of.name for of in names if not of.near]
    if others:
        near.append(f"New: {counted(len(others), what)} ({some_parts(others, NAMES_SHOWN)}).")
    return near
