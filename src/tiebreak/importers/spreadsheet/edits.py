"""Outputs as people corrected them: a column of texts beside the outputs, or beside the names of systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.importers.spreadsheet.collected import Collected
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, SURE_EDIT_NAMES
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.rows import Line, about_one, cell_of, column_of, name_of, timing, who

_ELSEWHERE: Final = frozenset({"outcome", "system_a", "pair", "ranking", "rank"})
"""With these bound, a column of edited texts is a system's."""


def guess_edit(draft: Draft) -> None:
    """A column that is surely called as edits are is no system's text, before texts are looked for."""
    found = [column for column in edited_columns(draft, draft.free) if key_of(column) in SURE_EDIT_NAMES]
    if found and "edit" not in draft.bound and not draft.bound.keys() & _ELSEWHERE:
        draft.bind("edit", found[:1], "name")


def settle_edit(draft: Draft) -> None:
    """Edits stand beside one column of outputs, or beside a column of systems; `corrected` is one only there."""
    texts = draft.columns("text")
    if draft.bound.keys() & _ELSEWHERE or len(texts) > 2:
        draft.release("edit")
        return
    others = [column for column in texts if column not in edited_columns(draft, texts)]
    if len(texts) == 2:
        if draft.guessed("text") and len(others) == 1 and "edit" not in draft.bound:
            edit, origin = next(column for column in texts if column not in others), draft.bound["text"].origin
            draft.release("text")
            draft.bind("text", others, origin)
            draft.bind("edit", [edit], "name")
        else:
            draft.release("edit")
        return
    found = edited_columns(draft, draft.free)
    if found and "edit" not in draft.bound and (texts or draft.columns("system")):
        draft.bind("edit", found[:1], "name")


def edited_columns(draft: Draft, columns: Sequence[str]) -> list[str]:
    """Columns of texts that are called as edits are, the surest name first."""
    names = BESIDE_NAMES["edit"]
    looks = draft.profiles
    found = [
        c for c in columns if key_of(c) in names and not looks[c].is_number and not looks[c].repeats_answers
        and looks[c].timelike < 1
    ]  # fmt: skip
    return sorted(found, key=lambda column: names.index(key_of(column)))


def add_edits(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    """Add corrected outputs; a blank cell is none, as nobody can tell it from an output that was deleted."""
    for line in lines:
        system = name_of(mapping, line, "system", into)
        text = cell_of(mapping, line.cells, "edit")
        if not text.strip():
            why = f"{column_of(mapping, 'edit')} is blank: no edit (an output that needs none is its own)"
            into.skipped[mapping.sheet.source, why] += 1
        elif system is not None:
            row = about_one(mapping, line, system) | {"annotator": who(mapping, line, into), "text": text}
            into.add_edit(row | timing(mapping, line, into))
