"""Which checkpoint of which training a system is: its run, step, dev loss and hyper-parameters, for study.toml."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Table
from dataclasses import replace
from typing import Any, Final

from tiebreak.data.system_settings import Scalar, SystemSettings, checkpoints_by_name, why_not
from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.checkpoints import number_of_checkpoint, without_number
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
    """The step of the systems of a file and their run, if their names say it or columns beside them do; and then what
    else such columns say of each checkpoint (steps in all, dev loss) or of each run (settings).
    """
    system = draft.bound.get("system")
    if system is None or not (system.columns or draft.stated("system")) or draft.guessed("step"):
        return
    systems = draft.keys(system.columns) if system.columns else [system.constant or ""] * len(draft.sheet.rows)
    owners, checkpoint = system.columns[:-1], system.columns[-1:]
    checkpoint = tuple(column for column in checkpoint if key_of(column) in BESIDE_NAMES["system"])
    step = draft.columns("step") or _step_beside(draft, systems)
    if not step and checkpoint and _numbered(draft, system):
        step = checkpoint
    run = draft.columns("run") or (owners if checkpoint and owners else _named(draft, RUN_NAMES, systems))
    if not step or not (run or checkpoint or not system.columns or draft.stated("run")):
        return
    draft.bind("step", step, "name")
    if run and not draft.stated("run"):
        draft.bind("run", run, "name")
        draft.bound["run"] = replace(draft.bound["run"], joined=len(run) > 1)
    _guess_losses_and_settings(draft, systems, draft.keys(run) if run else [""] * len(systems))


def _guess_losses_and_settings(draft: Draft, systems: Sequence[str], runs: Sequence[str]) -> None:
    for target in ("total_steps", "dev_loss"):
        found = [c for c in _named(draft, TRAINING_NAMES[target], systems) if draft.profiles[c].is_number]
        if found and target not in draft.bound:
            draft.bind(target, found, "name")
    if "setting" not in draft.bound and (settings := _every_named(draft, TRAINING_NAMES["setting"], runs)):
        draft.bind("setting", settings, "name")


def _step_beside(draft: Draft, systems: Sequence[str]) -> tuple[str, ...]:
    """A column of whole numbers that is called like that, with one for each system, and not one for several."""
    found = _named(draft, TRAINING_NAMES["step"], systems)
    looks = [draft.profiles[column] for column in found]
    several = len(set(systems)) > 1
    return found if all(one.is_number and one.whole and (len(one.distinct) > 1) is several for one in looks) else ()


def _numbered(draft: Draft, system: Binding) -> bool:
    """Whether the checkpoints of a run are called alike but for a number: ckpt-500, ckpt-1000."""
    *owners, last = system.columns
    called = [without_number(cell) for cell in draft.sheet.values(last)]
    runs = draft.keys(owners) if owners else [""] * len(called)
    return None not in called and one_each(runs, [f"{name}" for name in called])


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
        called = number_of_checkpoint(cell) if name == "step" else None
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
    return {system: _settings(said) for system, said in collected.trainings.items()}


def systems_called(collected: Collected) -> dict[str, SystemSettings]:
    """The same of systems that are called as checkpoints, where the files say nothing of any, and there are several."""
    found = {} if collected.trainings else checkpoints_by_name(systems_of(collected))
    return found if len(found) > 1 else {}


def _settings(said: Table[str, Told]) -> SystemSettings:
    own: dict[str, Any] = {name: told.value for name, told in said.items() if not name.startswith(_SETTING)}
    settings = {name.removeprefix(_SETTING): told.value for name, told in said.items() if name.startswith(_SETTING)}
    return SystemSettings(**own, settings=settings)
