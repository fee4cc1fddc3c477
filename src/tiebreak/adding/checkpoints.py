"""Which checkpoints of which trainings the systems of a file are, beside what study.toml says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tiebreak.adding.matching import Frames
from tiebreak.data.notices import names_in
from tiebreak.data.study import Study
from tiebreak.data.system_settings import ONLY_RUN, SystemSettings, checkpoints_by_name, in_one_run
from tiebreak.errors import Problem
from tiebreak.importers.importer import Rows
from tiebreak.results.numbers import some_names

_CURE: Final = "correct one of them, or leave the column out (--map ignore=COLUMN)"
_OWN: Final = ("run", "step", "total_steps", "dev_loss")


def new_checkpoints(study: Study, tables: Frames, rows: Rows) -> tuple[dict[str, SystemSettings], list[Problem]]:
    """What the file says of systems of which study.toml says nothing, and what contradicts it. Beside checkpoints, the
    name of a new system may say which it is.

    A checkpoint without a run is of the only one that study.toml has; of which of several, somebody has to say.
    """
    named = set(study.systems).union(*names_in(tables, "system").values())
    told = {name: one for name, one in rows.systems.items() if name in named}
    known = study.settings.systems
    problems = [
        rows.place("system", name, f"study.toml says another {what} of {name} ({before}, and not {now}); {_CURE}")
        for name, one in told.items()
        if name in known
        for what, before, now in _contradictions(known[name], one)
    ]
    new = {name: one for name, one in told.items() if name not in known}
    runs = sorted({one.run for one in known.values() if one.run is not None})
    unsaid = [name for name, one in new.items() if one.run is None]
    if unsaid and len(runs) > 1:
        message = f"a checkpoint of which run? study.toml has {some_names(runs)}: --map run=COLUMN, or run=:NAME"
        problems.append(rows.place("system", unsaid[0], message))
    if any(one.step is not None for one in known.values()):
        called = checkpoints_by_name(sorted(named.difference(study.systems, told, known)))
        new |= {name: one for name, one in called.items() if one.run is not None or len(runs) < 2}
    return in_one_run(new, runs[0] if len(runs) == 1 else ONLY_RUN), problems


def _contradictions(known: SystemSettings, told: SystemSettings) -> list[tuple[str, object, object]]:
    """What both say, and not alike: its name, the study's value and the file's."""
    before, now = _flat(known), _flat(told)
    return [(name, before[name], now[name]) for name in now if name in before and before[name] != now[name]]


def _flat(one: SystemSettings) -> Mapping[str, object]:
    said = {name: getattr(one, name) for name in _OWN}
    return {name: value for name, value in said.items() if value is not None} | dict(one.settings)
