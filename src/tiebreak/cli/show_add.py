"""What `tiebreak add` prints: an account of each file, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from tiebreak.adding.account import FileAccount, NewName, total
from tiebreak.cli.show_import import show_readings
from tiebreak.cli.terminal import Name, bullets, say, show_table
from tiebreak.data.provenance import SIGNATURES_FILE
from tiebreak.errors import PROBLEMS_SHOWN
from tiebreak.numbers import counted, quoted
from tiebreak.records import Notice

_NAMES_SHOWN: Final = 8
_BY: Final = {
    "column": "its item column",
    "input": "the inputs",
}


def show_addition(
    console: Console, accounts: Sequence[FileAccount], study: str, notices: Sequence[Notice], *, watched: bool
) -> None:
    """What became of each file; `notices`: of the study as it is, or would be, afterwards; `watched`: looks were taken
    at it.
    """
    for account in accounts:
        if account.taken:
            _show_taken(console, account, study, watched=watched)
        else:
            _show_refused(console, account)
    say(console)
    changes = total(accounts) or any(account.new_signatures or account.new_checkpoints for account in accounts)
    for notice in notices if changes else ():
        say(console, Text.assemble(("warning ", "yellow"), notice.text), hanging=2)


def _show_taken(console: Console, account: FileAccount, study: str, *, watched: bool) -> None:
    show_readings(console, account.readings)
    by = "" if account.items_by is None else f": items matched by {_BY[account.items_by]}"
    say(console)
    say(console, Text.assemble((account.file, "bold"), by))
    headers = {
        "new": "new",
        "known": "known already",
        "again": "answered again",
        "differ": "answered otherwise",
        "completed": "completed",
        "unmatched": "left out",
    }
    shown = [name for name in headers if name in ("new", "known") or any(getattr(t, name) for t in account.tables)]
    columns = [Name("table"), *(headers[name] for name in shown)]
    rows = [(of.table.replace("_", " "), *(getattr(of, name) for name in shown)) for of in account.tables]
    show_table(console, columns, rows)
    bullets(console, [*_remarks(account, study, watched=watched)], indent=2)


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
        more = f" and {len(others) - _NAMES_SHOWN} more" if len(others) > _NAMES_SHOWN else ""
        near.append(
            f"New: {counted(len(others), what) if what != 'person' else _people(others)} "
            f"({', '.join(others[:_NAMES_SHOWN])}{more})."
        )
    return near


def _people(names: Sequence[str]) -> str:
    return "1 person" if len(names) == 1 else f"{len(names):,} people"


def _show_refused(console: Console, account: FileAccount) -> None:
    say(console)
    say(console, Text.assemble((account.file, "bold"), ": ", ("nothing of it is taken", "bold red")))
    shown = [str(problem) for problem in account.problems[:PROBLEMS_SHOWN]]
    hidden = account.problem_count - len(shown)
    bullets(console, [*shown, *([f"... and {hidden:,} more"] if hidden > 0 else [])], indent=2)


def addition_document(accounts: Sequence[FileAccount], study: str, *, written: bool) -> dict[str, object]:
    """Everything that is printed, for `--json`."""
    return {
        "study": study,
        "written": written,
        "rows_added": total(accounts) if written else 0,
        "files": [account.to_dict() for account in accounts],
    }
