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
from tiebreak.importers.spreadsheet.numbers import is_measure_name

_NUMBER: Final = re.compile(r"\d+")


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
    found = [column for column in draft.free if key_of(column) in names and _are_checkpoints(draft, column, systems)]
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
    return [column for column in filled if not one_each(draft.keys(systems), draft.keys([column]))][:1]


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


def _are_steps(cells: frozenset[str]) -> bool:
    """Numbers with gaps: 1, 2, 3 count the steps of an answer, the turns of a dialogue or whatever else."""
    found = [_NUMBER.findall(cell) for cell in cells]
    if not all(found):
        return False
    numbers = sorted({int(numbers[-1]) for numbers in found})
    return numbers != list(range(numbers[0], numbers[0] + len(numbers)))
