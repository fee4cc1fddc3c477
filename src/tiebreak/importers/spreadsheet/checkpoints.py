"""Checkpoints of a training as the systems of a file: `checkpoint`, `ckpt` or `step` says which wrote a text, and a
`run` beside it which training that was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, RUN_NAMES, SURE_CHECKPOINT_NAMES
from tiebreak.importers.spreadsheet.item_choice import one_each
from tiebreak.importers.spreadsheet.mapping import JOINT, Binding
from tiebreak.importers.spreadsheet.numbers import is_measure_name

_NUMBER: Final = re.compile(r"\d+")
_LAST_NUMBER: Final = re.compile(r"(|.*\D)(\d+)(\D*)", re.DOTALL)


def guess_checkpoints(draft: Draft) -> None:
    """A column called like that, if the checkpoints in it wrote, or were rated, for the same items; beside a column of
    systems the two together, where each of these has several, and with the runs between them.
    """
    if draft.bound.keys() & {"system_a", "system_b", "text_a", "text_b", "pair"} or draft.stated("system"):
        return
    measured = any(is_measure_name(column) and draft.profiles[column].is_number for column in draft.free)
    if len(draft.columns("text")) > 1 or not (measured or draft.bound.keys() & {"text", "value", "score"}):
        return
    names, systems = BESIDE_NAMES["system"], draft.columns("system")
    named = [column for column in draft.free if key_of(column) in names]
    found = [c for c in named if _are_checkpoints(draft, c, systems) or _are_called_as_known(draft, c)]
    if not found:
        return
    best = min(found, key=lambda column: names.index(key_of(column)))
    owners = [*systems, *_runs(draft, [*systems, best])]
    draft.bind("system", [*owners, best], "content" if owners else "name")
    draft.bound["system"] = replace(draft.bound["system"], joined=bool(owners))


def _runs(draft: Draft, systems: Sequence[str]) -> list[str]:
    """The column that says which training a checkpoint is of, where checkpoints of several go by one name: a mean over
    trainings would be of no system.
    """
    named = [column for column in draft.free if key_of(column) in RUN_NAMES]
    named.sort(key=lambda column: RUN_NAMES.index(key_of(column)))
    filled = [column for column in named if draft.profiles[column].filled == len(draft.sheet.rows)]
    several = [column for column in filled if not one_each(draft.keys(systems), draft.keys([column]))]
    return (several or [column for column in filled if _begin_known_names(draft, [*systems[:-1], column])])[:1]


def _are_called_as_known(draft: Draft, column: str) -> bool:
    """Whether the study has systems whose names end so, but for a number: a file may be of one more checkpoint."""
    if draft.profiles[column].filled < len(draft.sheet.rows):
        return False
    known = {without_number(name.rpartition(JOINT)[2]) for name in draft.beside.known} - {None}
    return {without_number(cell) for cell in draft.profiles[column].distinct} <= known


def _begin_known_names(draft: Draft, owners: Sequence[str]) -> bool:
    """Whether the study has checkpoints of these models and runs."""
    known = {name.rpartition(JOINT)[0] for name in draft.beside.known} - {""}
    key = Binding("system", tuple(owners), joined=True)
    rows = zip(*map(draft.sheet.values, owners), strict=True)
    return {key.cell(dict(zip(owners, row, strict=True))) for row in rows} <= known


def _are_checkpoints(draft: Draft, column: str, systems: Sequence[str]) -> bool:
    cells = draft.profiles[column].distinct
    if draft.profiles[column].filled < len(draft.sheet.rows) or (
        key_of(column) not in SURE_CHECKPOINT_NAMES and not _are_steps(cells)
    ):
        return False
    return any(_wrote_for_the_same(draft, column, [*draft.columns(key), *systems]) for key in ("item", "input"))


def _wrote_for_the_same(draft: Draft, column: str, keys: Sequence[str]) -> bool:
    """Whether rows of one item (and system) are of several checkpoints, with other texts, and each of several items."""
    if not keys:
        return False
    items, checkpoints = draft.keys(keys), draft.keys([column])
    texts = draft.keys(draft.columns("text"))
    of_several = not one_each(items, checkpoints) and not one_each(checkpoints, items)
    return of_several and (not draft.columns("text") or not one_each(items, texts))


def number_of_checkpoint(name: str) -> int | None:
    """Its last number: `ckpt-0500` is 500; None without one."""
    found = _LAST_NUMBER.fullmatch(name.strip())
    return int(found[2]) if found else None


def without_number(name: str) -> str | None:
    """The name of a checkpoint with a mark in place of its last number: `ckpt-0500` is `ckpt-#`; None without one."""
    found = _LAST_NUMBER.fullmatch(name.strip())
    return f"{found[1]}#{found[3]}" if found else None


def _are_steps(cells: frozenset[str]) -> bool:
    """Numbers with gaps: 1, 2, 3 count the steps of an answer, the turns of a dialogue or whatever else."""
    found = [_NUMBER.findall(cell) for cell in cells]
    if not all(found):
        return False
    numbers = sorted({int(numbers[-1]) for numbers in found})
    return numbers != list(range(numbers[0], numbers[0] + len(numbers)))
