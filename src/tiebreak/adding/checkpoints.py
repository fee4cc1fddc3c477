"""Which checkpoints of which trainings the systems of a file are, beside what study.toml says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tiebreak.adding.matching import Frames
from tiebreak.data.notices import names_in
from tiebreak.data.study import Study
from tiebreak.data.systems import ONLY_RUN, SystemSettings, checkpoints_by_name, in_one_run, step_of_checkpoint
from tiebreak.errors import Problem
from tiebreak.importers.reading import ImportedRows
from tiebreak.numbers import some_names
from tiebreak.settings.toml_file import table_lines

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
