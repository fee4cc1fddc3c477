"""Which checkpoint of which training a system is: its run, step, dev loss and hyper-parameters, for study.toml."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Table
from dataclasses import replace
from typing import Any, Final

from tiebreak.data.study_toml import Scalar, SystemSettings, checkpoints_by_name, step_of_checkpoint, why_not
from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.collected import Collected, Told, systems_of
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import OF_TRAININGS, key_of
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, RUN_NAMES, TRAINING_NAMES
from tiebreak.importers.spreadsheet.item_choice import one_each
from tiebreak.importers.spreadsheet.mapping import Binding, Mapping
from tiebreak.importers.spreadsheet.profile import NOTHING, parse_number
from tiebreak.importers.spreadsheet.rows import Line, cell_of

_SETTING: Final = "setting "
_TRUTHS: Final = {"true": True, "false": False}


def guess_training(draft: Draft) -> None:
    """The run and the step of the systems of a file, if their names say it or columns beside them do; and then what
    else such columns say of each checkpoint (steps in all, dev loss) or of each run (settings). A run with one system
    needs no step.
    """
    system = draft.bound.get("system")
    if system is None or not (system.columns or draft.stated("system")) or draft.guessed("step"):
        return
    systems = draft.keys(system.columns) if system.columns else [system.constant or ""] * len(draft.sheet.rows)
    checkpoint = tuple(column for column in system.columns[-1:] if key_of(column) in BESIDE_NAMES["system"])
    run = draft.columns("run") or _run_of(draft, system, systems)
    if not (run or checkpoint or not system.columns or draft.stated("run")):
        return
    runs = draft.keys(run) if run else [""] * len(systems)
    step = draft.columns("step") or _step_beside(draft, systems, runs)
    if not step and checkpoint and _numbered(draft, checkpoint[0]):
        step = checkpoint
    losses = {target: _number_of_each(draft, target, systems) for target in ("total_steps", "dev_loss")}
    settings = _every_named(draft, TRAINING_NAMES["setting"], runs)
    alone = bool(run) and one_each(runs, systems) and bool(settings or losses["dev_loss"])
    if not (step or alone):
        return
    if step:
        draft.bind("step", step, "name")
    if run and not draft.stated("run"):
        draft.bind("run", run, "name")
        draft.bound["run"] = replace(draft.bound["run"], joined=len(run) > 1)
    for target, columns in (*losses.items(), ("setting", settings)):
        if columns and target not in draft.bound:
            draft.bind(target, columns, "name")


def _run_of(draft: Draft, system: Binding, systems: Sequence[str]) -> tuple[str, ...]:
    """The columns that name the run of a system: those of its name before the checkpoint, or one beside it."""
    *owners, last = system.columns or ("",)
    if owners and key_of(last) in BESIDE_NAMES["system"]:
        return tuple(owners)
    return system.columns if key_of(last) in RUN_NAMES else _named(draft, RUN_NAMES, systems)


def _number_of_each(draft: Draft, target: str, systems: Sequence[str]) -> list[str]:
    found = _named(draft, TRAINING_NAMES[target], systems)
    return [column for column in found if draft.profiles[column].is_number]


def _step_beside(draft: Draft, systems: Sequence[str], runs: Sequence[str]) -> tuple[str, ...]:
    """A column of whole numbers that is called like that, with one for each system, and another for each of a run."""
    found = _named(draft, TRAINING_NAMES["step"], systems)
    for column in found:
        looks = draft.profiles[column]
        said = [(f"{run}\x1f{cell.strip()}", system) for run, cell, system in
                zip(runs, draft.sheet.values(column), systems, strict=True) if _says(cell)]  # fmt: skip
        if not (looks.is_number and looks.whole and one_each(*zip(*said, strict=True))):
            return ()
    return found


def _numbered(draft: Draft, checkpoint: str) -> bool:
    """Whether the names of checkpoints say their steps."""
    return all(step_of_checkpoint(cell) is not None for cell in draft.profiles[checkpoint].distinct)


def _named(draft: Draft, names: Sequence[str], keys: Sequence[str]) -> tuple[str, ...]:
    """The free column of the first of these names that has one value for each key."""
    return tuple(sorted(_every_named(draft, names, keys), key=lambda column: names.index(key_of(column)))[:1])


def _every_named(draft: Draft, names: Sequence[str], keys: Sequence[str]) -> list[str]:
    """The free columns of these names that have one value for each key, wherever they say anything."""
    found = []
    for column in (column for column in draft.free if key_of(column) in names):
        said = [(key, cell) for key, cell in zip(keys, draft.sheet.values(column), strict=True) if _says(cell)]
        if said and one_each(*zip(*said, strict=True)):
            found.append(column)
    return found


def _says(cell: str) -> bool:
    return bool(cell.strip()) and cell.strip().casefold() not in NOTHING


def add_trainings(mapping: Mapping, lines: Sequence[Line], into: Collected) -> None:
    """State what the rows say of their systems as checkpoints; what cannot be so is a problem."""
    bound = [binding for target in OF_TRAININGS if (binding := mapping.get(target)) is not None]
    if not bound:
        return
    seen = set()
    for line in lines:
        system = cell_of(mapping, line.cells, "system").strip()
        said = tuple(_cells(bound, line.cells))
        if not system or (system, said) in seen:
            continue
        seen.add((system, said))
        for name, column, cell in said:
            value = _value(name, cell.strip(), decimal_comma=mapping.sheet.decimal_comma)
            wrong = None if name.startswith(_SETTING) else why_not(name, value)
            if wrong is not None:
                into.problem(line.place, column, cell, f"{name} {wrong}, or blank")
            else:
                into.tell(system, name, Told(value, cell, column, line.place))
    _refuse_later_steps(into)


def _cells(bound: Sequence[Binding], cells: dict[str, str]) -> Iterator[tuple[str, str | None, str]]:
    """What is said in a row: what it is called, its column, and the cell."""
    for binding in bound:
        if binding.target == "setting":
            yield from ((_SETTING + name, name, cells[name]) for name in binding.columns if _says(cells[name]))
        elif _says(cell := binding.cell(cells)):
            yield binding.target, binding.columns[0] if binding.columns else None, cell


def _value(name: str, cell: str, *, decimal_comma: bool) -> Scalar:
    """A cell as what it says; one that cannot be read stays a text."""
    if name == "run":
        return cell
    number = parse_number(cell, decimal_comma)
    if number is None:
        called = step_of_checkpoint(cell) if name == "step" else None
        return _TRUTHS.get(cell.casefold(), cell) if called is None else called
    return int(number) if name != "dev_loss" and number.is_integer() else number


def _refuse_later_steps(into: Collected) -> None:
    for said in into.trainings.values():
        try:
            _settings(said)
        except UsageError as error:
            step = said["step"]
            into.problem(step.place, step.column, step.cell, str(error))


def systems_told(collected: Collected) -> dict[str, SystemSettings]:
    """What study.toml is to say of each system of which the files say which checkpoint it is; without a run where they
    name none.
    """
    told = {name: _settings(said) for name, said in collected.trainings.items() if said.keys() & {"run", "step"}}
    named = {name: one.run for name, one in checkpoints_by_name(told).items()}
    return {name: replace(one, run=one.run or named.get(name)) for name, one in told.items()}


def systems_called(collected: Collected) -> dict[str, SystemSettings]:
    """The same of systems that are called as checkpoints, where the files say nothing of any, and there are several."""
    found = {} if collected.trainings else checkpoints_by_name(systems_of(collected))
    return found if len(found) > 1 else {}


def _settings(said: Table[str, Told]) -> SystemSettings:
    own: dict[str, Any] = {name: told.value for name, told in said.items() if not name.startswith(_SETTING)}
    settings = {name.removeprefix(_SETTING): told.value for name, told in said.items() if name.startswith(_SETTING)}
    return SystemSettings(**own, settings=settings)
