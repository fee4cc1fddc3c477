"""Adds the rows of files to a study: every file as a whole or not at all, and the study's own rows as they are.

Which checkpoints of which trainings the systems of a file are, beside what study.toml says.

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
from tiebreak.data.notices import names_in
from tiebreak.data.provenance import SIGNATURES_FILE, Meaning, not_known
from tiebreak.data.schema import SETTINGS_FILE, TABLES, TableName
from tiebreak.data.settings import ONLY_RUN, SystemSettings, checkpoints_by_name, in_one_run, step_of_checkpoint
from tiebreak.data.study import Study
from tiebreak.data.writers import Stamp, replace_tables, stamps_of
from tiebreak.errors import InputError, Problem, TiebreakError
from tiebreak.files import one_writer, write_synced, writing
from tiebreak.importers.plans import FilePlan
from tiebreak.importers.reading import ImportedRows, rows_of
from tiebreak.numbers import counted, some_names
from tiebreak.settings.toml_file import table_lines

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
        tables |= {table: tables[table].filter(~wrong) for table, wrong in strange.items()}
    checkpoints, contradictions = checkpoints_of(study, tables, rows)
    problems += contradictions
    accounts: list[TableAccount] = []
    frames: Frames = {}
    for table in (name for name in TABLES if name in tables):
        merged, counts, wrong = merge(study.tables_as_read.get(table), tables[table], table, rows.place)
        problems += wrong
        accounts.append(replace(counts, unmatched=left_out.get(table, 0)))
        if counts.changes:
            frames[table] = merged
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


_CURE: Final = "correct one of them, or leave the column out (--ignore COLUMN)"
_SAY_RUN: Final = "--map run=COLUMN, or run=:NAME"
_OWN: Final = ("run", "step", "total_steps", "dev_loss")


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """`new`: what study.toml is to say of systems of which it says nothing; `lacking`: lines that it could say of those
    that it has, by system; `run`: the name of the run that was taken for granted, None where none was.
    """

    new: Mapping[str, SystemSettings]
    lacking: Mapping[str, Sequence[str]]
    run: str | None


def checkpoints_of(study: Study, tables: Frames, rows: ImportedRows) -> tuple[Checkpoints, list[Problem]]:
    """What the file says of systems as checkpoints, and what contradicts study.toml. Beside checkpoints, the name of a
    new system may say which it is.

    A checkpoint without a run is of the only one that study.toml has, unless that has another of this step; of which of
    several, somebody has to say.
    """
    named = set(study.systems).union(*names_in(tables, "system").values())
    stated = {name: checkpoint for name, checkpoint in rows.systems.items() if name in named}
    known = study.settings.systems
    both = {name: checkpoint for name, checkpoint in stated.items() if name in known}
    problems = [
        rows.place("system", name, f"study.toml says another {what} of {name} ({before}, and not {now}); {_CURE}")
        for name, checkpoint in both.items()
        for what, before, now in _contradictions(name, known[name], checkpoint)
    ]
    lacking = {name: lines for name, checkpoint in both.items() if (lines := _lacking(known[name], checkpoint))}
    new = {name: checkpoint for name, checkpoint in stated.items() if name not in known}
    runs = sorted({checkpoint.run for checkpoint in known.values() if checkpoint.run is not None})
    unsaid = [name for name, checkpoint in new.items() if checkpoint.run is None and checkpoint.step is not None]
    if any(checkpoint.run is not None for checkpoint in stated.values()):
        unsaid = []  # the others may be of none, as a base model is
    of_one = runs[0] if len(runs) == 1 else ONLY_RUN
    made = in_one_run(new, of_one) if unsaid else dict(new)
    problems += _of_which_run(unsaid, made, known, runs, rows)
    called = _called(sorted(named.difference(study.systems, stated, known)), known, of_one if len(runs) < 2 else None)
    assumed = [*unsaid, *(name for name, checkpoint in called.items() if checkpoint.run is None)]
    made |= {name: replace(checkpoint, run=checkpoint.run or of_one) for name, checkpoint in called.items()}
    taken = of_one if assumed and runs and not problems else None
    return Checkpoints(made, lacking, taken), problems


def _called(names: Sequence[str], known: Mapping[str, SystemSettings], run: str | None) -> dict[str, SystemSettings]:
    """Which checkpoints systems are by their names alone, where study.toml has others; not those of which nothing says
    the run, or of which it has another of that step. `run`: that of names without one.
    """
    there = {(checkpoint.run, checkpoint.step) for checkpoint in known.values() if checkpoint.step is not None}
    if not there:
        return {}
    return {
        name: checkpoint
        for name, checkpoint in checkpoints_by_name(names).items()
        if (checkpoint.run or run) is not None and (checkpoint.run or run, checkpoint.step) not in there
    }


def _of_which_run(
    unsaid: Sequence[str],
    made: Mapping[str, SystemSettings],
    known: Mapping[str, SystemSettings],
    runs: Sequence[str],
    rows: ImportedRows,
) -> list[Problem]:
    """That somebody has to say it, where there are several, or the only one has another checkpoint of that step."""
    if unsaid and len(runs) > 1:
        message = f"a checkpoint of which run? study.toml has {some_names(runs)}: {_SAY_RUN}"
        return [rows.place("system", unsaid[0], message)]
    there = {(checkpoint.run, checkpoint.step): name for name, checkpoint in known.items()}
    for name in unsaid:
        run, step = made[name].run, made[name].step
        if (run, step) in there:
            message = f"of which run is it? study.toml has {there[run, step]} at step {step:,} of {run}: {_SAY_RUN}"
            return [rows.place("system", name, message)]
    return []


def _contradictions(name: str, known: SystemSettings, stated: SystemSettings) -> list[tuple[str, object, object]]:
    """What both say, and not alike: its name, the study's value and the file's. What only the name of the system says
    contradicts nothing: by hand somebody knew better.
    """
    before, now = _flat(known), _flat(stated)
    called = {"step": step_of_checkpoint(name.rpartition("/")[2]), "run": name.rpartition("/")[0] or None}
    return [
        (what, before[what], now[what])
        for what in now
        if what in before and before[what] != now[what] and now[what] != called.get(what)
    ]


def _lacking(known: SystemSettings, stated: SystemSettings) -> list[str]:
    """The lines that study.toml could say of a system that it has."""
    before, now = _flat(known), _flat(stated)
    more = {what: value for what, value in now.items() if what not in before}
    own = {what: more.pop(what) for what in _OWN if what in more}
    return table_lines("", SystemSettings(**own, settings=more))[2:]  # type: ignore[arg-type]


def _flat(checkpoint: SystemSettings) -> Mapping[str, object]:
    values = {name: getattr(checkpoint, name) for name in _OWN}
    return {name: value for name, value in values.items() if value is not None} | dict(checkpoint.settings)


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
