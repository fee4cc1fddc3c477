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
from tiebreak.importers.spreadsheet.header_words import (
    BESIDE_NAMES,
    NUMBERS_OF_CHECKPOINTS,
    RUN_NAMES,
    SURE_CHECKPOINT_NAMES,
    TRAINING_NAMES,
)
from tiebreak.importers.spreadsheet.item_choice import one_each
from tiebreak.importers.spreadsheet.mapping import JOINT
from tiebreak.importers.spreadsheet.model_names import are_models
from tiebreak.importers.spreadsheet.numbers import is_measure_name

_NUMBER: Final = re.compile(r"\d+")
_LAST_NUMBER: Final = re.compile(r"(|.*\D)(\d+)(\D*)", re.DOTALL)


def guess_checkpoints(draft: Draft) -> None:
    """A column called like that, if the checkpoints in it wrote, or were rated, for the same items, or else is a better
    name than that of the file; beside a column of systems the two together, where each of these has several, and with
    the runs between them. Without one, the runs, where a log says of each how it was trained.
    """
    if draft.bound.keys() & {"system_a", "system_b", "text_a", "text_b", "pair"} or draft.stated("system"):
        return
    measured = any(is_measure_name(column) and draft.profiles[column].is_number for column in draft.free)
    if len(draft.columns("text")) > 1 or not (measured or draft.bound.keys() & {"text", "value", "score"}):
        return
    names, systems = BESIDE_NAMES["system"], draft.columns("system")
    if any(key_of(column) in names for column in systems):
        return
    named = [column for column in draft.free if key_of(column) in names]
    found = [c for c in named if _are_checkpoints(draft, c, systems) or _are_called_as_known(draft, c)]
    found = found or [c for c in named if not systems and _is_one_checkpoint(draft, c)]
    if found:
        best = min(found, key=lambda column: names.index(key_of(column)))
        together = [*systems, *_runs(draft, systems, best), best]
    else:
        together = [*systems, *_trainings(draft, systems)]
    if len(together) > len(systems):
        draft.bind("system", together, "content" if len(together) > 1 or not found else "name")
        draft.bound["system"] = replace(draft.bound["system"], joined=len(together) > 1)


def _run_columns(draft: Draft) -> list[str]:
    """Columns that say of every row of which training it is."""
    named = [column for column in draft.free if key_of(column) in RUN_NAMES]
    named.sort(key=lambda column: RUN_NAMES.index(key_of(column)))
    return [column for column in named if draft.profiles[column].filled == len(draft.sheet.rows)]


def _runs(draft: Draft, systems: Sequence[str], checkpoint: str) -> list[str]:
    """The column that says which training a checkpoint is of: checkpoints of two may go by one name, here or in the
    next file. Not where the names of checkpoints have it in them, nor where every row has another.
    """
    found = _run_columns(draft)
    if systems:  # models, which tell them apart unless one of them has several runs
        both = draft.keys([*systems, checkpoint])
        return [column for column in found if not one_each(both, draft.keys([column]))][:1]
    rows, names = len(draft.sheet.rows), draft.sheet.values(checkpoint)
    found = [
        column for column in found
        if any(run.strip() not in name for run, name in zip(draft.sheet.values(column), names, strict=True))
        and (len(set(draft.keys([column, checkpoint]))) < rows or rows <= len(draft.profiles[checkpoint].distinct))
    ]  # fmt: skip
    return found[:1]


def _trainings(draft: Draft, systems: Sequence[str]) -> list[str]:
    """The column of runs that wrote for the same items, where something that a log says of trainings has one value for
    each of them, and others for others. Else runs are samples, or anything.
    """
    told = [c for c in draft.free for names in TRAINING_NAMES.values() if key_of(c) in names]
    return [
        column for column in _run_columns(draft)
        if any(_wrote_for_the_same(draft, column, [*draft.columns(key), *systems]) for key in ("item", "input"))
        and any(
            len(draft.profiles[c].distinct) > 1 and one_each(draft.keys([*systems, column]), draft.sheet.values(c))
            for c in told
        )
    ][:1]  # fmt: skip


def _are_called_as_known(draft: Draft, column: str) -> bool:
    """Whether the study has systems called so, or whose names end so, but for a number: a file may be of one more
    checkpoint.
    """
    if draft.profiles[column].filled < len(draft.sheet.rows):
        return False
    known = {without_number(part) for name in draft.beside.known for part in (name, name.rpartition(JOINT)[2])}
    return {without_number(cell) for cell in draft.profiles[column].distinct} <= known - {None}


def _is_one_checkpoint(draft: Draft, column: str) -> bool:
    """Whether it says of the whole file which checkpoint wrote it, and no other file may have the same."""
    alone = bool(draft.beside.known) or not draft.beside.one_of_several
    named = key_of(column) in SURE_CHECKPOINT_NAMES - NUMBERS_OF_CHECKPOINTS
    whole = draft.profiles[column].filled == len(draft.sheet.rows) and len(draft.profiles[column].distinct) == 1
    return alone and named and whole and draft.beside.role == "plain"


def _are_checkpoints(draft: Draft, column: str, systems: Sequence[str]) -> bool:
    looks = draft.profiles[column]
    if looks.filled < len(draft.sheet.rows):
        return False
    if key_of(column) not in SURE_CHECKPOINT_NAMES:
        of_models = bool(systems) and are_models(draft.profiles[systems[-1]].distinct)
        if not _has_losses(draft, [*systems, column]) and (of_models or not _are_steps(looks.distinct)):
            return False
    return any(_wrote_for_the_same(draft, column, [*draft.columns(key), *systems]) for key in ("item", "input"))


def _has_losses(draft: Draft, keys: Sequence[str]) -> bool:
    """Whether a dev loss stands beside them, one for each."""
    losses = [column for column in draft.free if key_of(column) in TRAINING_NAMES["dev_loss"]]
    return any(
        len(draft.profiles[column].distinct) > 1 and one_each(draft.keys(keys), draft.sheet.values(column))
        for column in losses
    )


def _wrote_for_the_same(draft: Draft, column: str, keys: Sequence[str]) -> bool:
    """Whether rows of one item (and system) are of several checkpoints, with other texts, and each of several items."""
    if not keys:
        return False
    items, checkpoints = draft.keys(keys), draft.keys([column])
    texts = draft.keys(draft.columns("text"))
    of_several = not one_each(items, checkpoints) and not one_each(checkpoints, items)
    return of_several and (not draft.columns("text") or not one_each(items, texts))


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
