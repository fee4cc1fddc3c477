"""Adds the rows of files to a study: every file as a whole or not at all, and the study's own rows as they are.

Takes the last addition back: the folder keeps the tables as they were before it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import polars as pl

from tiebreak.adding.account import FileAccount, TableAccount
from tiebreak.adding.checkpoints import checkpoints_of
from tiebreak.adding.matching import (
    Frames,
    merge,
    misspelt_systems,
    new_items,
    new_names,
    unmatched,
    unnamed_outputs,
    with_names_of,
    without_criterion,
)
from tiebreak.data.provenance import SIGNATURES_FILE, Meaning, not_known
from tiebreak.data.schema import SETTINGS_FILE, TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.data.systems import SystemSettings
from tiebreak.data.writers import Stamp, replace_tables, stamps_of
from tiebreak.errors import InputError, TiebreakError
from tiebreak.files import one_writer, write_synced, writing
from tiebreak.importers.plans import FilePlan
from tiebreak.importers.reading import ImportedRows, rows_of
from tiebreak.numbers import counted

WhatToDo = Literal["refuse", "leave", "add"]
"""What becomes of rows about items, systems and samples that the study does not have: their file is refused, they are
left out, or they are added."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A study with the rows of files, not written yet; `changed`: its tables that are other ones now, as they will be
    written; `signatures`: what those of new rows stand for, `systems`: which checkpoints of trainings they are, as far
    as it did not know. `accounts`: what became of each file.
    """

    study: Study
    changed: Mapping[TableName, pl.DataFrame]
    signatures: Mapping[str, Meaning]
    systems: Mapping[str, SystemSettings]
    accounts: tuple[FileAccount, ...]

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.changed or self.signatures or self.systems)

    def write(self, path: Path, read: Mapping[str, Stamp]) -> None:
        """Into the folder that the study was read from, which keeps what was there to bring it back. `read`: its stamps
        by then.

        Raises:
            TiebreakError: somebody has changed the folder since, or it cannot be written. Nothing was changed.
        """
        if self.changes:
            with keeping_what_was(path):
                replace_tables(path, self.changed, read, self.signatures, self.systems)


def add(study: Study, plans: Sequence[FilePlan], what_to_do: WhatToDo = "refuse") -> Addition:
    """The study with the rows of files, those with outputs first, as the others may be about them.

    Nothing of a file is taken if any of it cannot be: its account then has the problems.
    """
    now, accounts = study, []
    changed, signatures, systems = dict[TableName, pl.DataFrame](), dict[str, Meaning](), dict[str, SystemSettings]()
    for plan in sorted(plans, key=lambda plan: plan.format is None and "text" not in plan.recipe.fields):
        file = plan.file
        try:
            rows = rows_of(plan)
            account, frames, checkpoints = _added(now, file, rows, what_to_do)
            new = not_known(now.signatures, rows.signatures, f"{study.path or study.name}/{SIGNATURES_FILE}")
            if frames or new or checkpoints:
                now = _with_tables(now, frames, {**now.signatures, **new}, {**now.settings.systems, **checkpoints})
        except InputError as error:
            accounts.append(FileAccount(file, problems=error.problems, problem_count=error.total))
            continue
        changed |= frames
        signatures |= new
        systems |= checkpoints
        accounts.append(replace(account, new_signatures=len(new), new_checkpoints=len(checkpoints)))
    return Addition(now, changed, signatures, systems, tuple(accounts))


def _added(
    study: Study, file: str, rows: ImportedRows, what_to_do: WhatToDo
) -> tuple[FileAccount, Frames, dict[str, SystemSettings]]:
    """What becomes of the rows of a file, the study's tables that change, and checkpoints that it did not know.

    Raises:
        InputError: all that keeps the file from being taken.
    """
    if rows.unnamed:
        message = (
            f"{counted(rows.unnamed, 'label')} by nobody who is named, which cannot be told from labels that are "
            "there; say who gave them: --map annotator=COLUMN, or --map annotator=:NAME for one person"
        )
        raise InputError([rows.place("annotator", "", message)])
    tables = with_names_of(study, rows)
    strange, reasons = unmatched(study, tables, rows)
    problems = misspelt_systems(study, tables, rows) + without_criterion(study, tables, rows)
    problems += unnamed_outputs(study, tables, rows)
    problems += reasons if what_to_do == "refuse" else ()
    left_out: dict[TableName, int] = {}
    if what_to_do == "leave":
        left_out = {table: int(wrong.sum()) for table, wrong in strange.items()}
        tables = {
            table: frame.filter(~strange[table]) if table in strange else frame for table, frame in tables.items()
        }
    checkpoints, contradictions = checkpoints_of(study, tables, rows)
    problems += contradictions
    accounts: list[TableAccount] = []
    frames: Frames = {}
    for table in (name for name in TABLES if name in tables):
        merged = merge(study.tables_as_read.get(table), tables[table], table, rows.place)
        problems += merged.problems
        accounts.append(replace(merged.account, unmatched=left_out.get(table, 0)))
        if merged.account.changes:
            frames[table] = merged.frame
    if problems:
        raise InputError(problems)
    account = FileAccount(
        file=file,
        items_by=rows.items_by,
        tables=tuple(accounts),
        new_items=new_items(study, tables),
        new_systems=new_names(tables, study.systems, "system", "system_a", "system_b"),
        new_people=new_names(tables, study.annotators, "annotator"),
        run_assumed=checkpoints.run,
        lacking=tuple((name, tuple(lines)) for name, lines in checkpoints.lacking.items()),
        readings=rows.readings,
        skipped=rows.skipped,
    )
    return account, frames, dict(checkpoints.new)


def _with_tables(
    study: Study, frames: Frames, signatures: Mapping[str, Meaning], systems: Mapping[str, SystemSettings]
) -> Study:
    """The study with other tables in place of its own, and with what signatures stand for and which checkpoints its
    systems are, checked as files are.

    Raises:
        InputError: the tables are no study: what two files say cannot both be.
    """
    settings = replace(study.settings, systems=systems)
    made = Study.from_tables(**(study.tables_as_read | frames), settings=settings, name=study.name)
    return replace(made, path=study.path).with_signatures(signatures)


_KEPT: Final = ".before-add"
_AFTER: Final = "after.json"
_NEW: Final = ".new"


@contextmanager
def keeping_what_was(study: Path) -> Iterator[None]:
    """While rows are added: what is there is kept, and afterwards it is what `undo` brings back.

    Raises:
        TiebreakError: it cannot be written. Nothing was changed.
    """
    kept, fresh = study / _KEPT, study / f"{_KEPT}.new"
    with writing(fresh):
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        for name in _files(study):
            shutil.copy2(study / name, fresh / name)
    try:
        yield
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    with suppress(OSError):  # what was added stays; without room for this it cannot be taken back
        write_synced(fresh / _AFTER, json.dumps(_state(study)).encode())
        if kept.exists():
            kept.replace(study / f"{_KEPT}.old")
        fresh.replace(kept)
    shutil.rmtree(study / f"{_KEPT}.old", ignore_errors=True)
    shutil.rmtree(fresh, ignore_errors=True)


def undo(study: Path) -> list[str]:
    """Bring the tables back as they were before the last addition; the names of those that changed.

    Raises:
        TiebreakError: nothing was added, or the study was changed since.
    """
    kept = study / _KEPT
    if not (kept / _AFTER).is_file():
        raise TiebreakError(f"{study}: there is no addition to take back")
    with one_writer(study), writing(study, after="run it again"):
        after = json.loads((kept / _AFTER).read_text("utf-8"))
        before = {path.name for path in kept.iterdir() if path.name != _AFTER and not path.name.endswith(_NEW)}
        names = sorted(before | set(_files(study)))
        changed = [name for name in names if not _is_same(study / name, kept / name)]
        state = _state(study)  # an undo that was killed has brought some back already
        if any(state.get(name) != after.get(name) for name in changed):
            raise TiebreakError(f"{study} was changed after the last addition, which can no longer be taken back")
        for name in changed:
            if name in before:
                shutil.copy2(kept / name, kept / f"{name}{_NEW}")
                (kept / f"{name}{_NEW}").replace(study / name)
            else:
                (study / name).unlink()
        shutil.rmtree(kept)
    return changed


def _files(study: Path) -> list[str]:
    return [*stamps_of(study), *(name for name in (SETTINGS_FILE, SIGNATURES_FILE) if (study / name).is_file())]


def _state(study: Path) -> dict[str, list[int]]:
    status_of = {name: (study / name).stat() for name in _files(study)}
    return {name: [status.st_mtime_ns, status.st_size] for name, status in status_of.items()}


def _is_same(first: Path, other: Path) -> bool:
    return first.is_file() and other.is_file() and first.read_bytes() == other.read_bytes()
