"""Outputs as people corrected them: a column of texts beside the outputs, or beside the names of systems."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from tiebreak.importers.spreadsheet.collected import Collected
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, SURE_EDIT_NAMES
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.profile import NOTHING, Profile
from tiebreak.importers.spreadsheet.rows import Line, about_one, cell_of, column_of, name_of, timing, who
from tiebreak.importers.spreadsheet.support_words import are_yes_or_no

_ELSEWHERE: Final = frozenset({"outcome", "system_a", "pair", "ranking", "rank"})
"""With these bound, a column of edited texts is a system's."""

_ALIKE: Final = 0.5  # of 1: how like their outputs edits are on average, at least
_COMPARED: Final = 200  # rows


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
    if len(texts) == 2:
        _part_two_texts(draft, texts)
        return
    found = edited_columns(draft, draft.free)
    if found and "edit" not in draft.bound and (texts or draft.columns("system")):
        draft.bind("edit", found[:1], "name")
    if "edit" in draft.bound and not texts:
        _find_edited(draft)


def _part_two_texts(draft: Draft, texts: Sequence[str]) -> None:
    """One of two columns of texts may be the other one, edited; an edit beside both is of nobody knows which."""
    edited = edited_columns(draft, texts)
    if not draft.guessed("text") or len(edited) != 1 or "edit" in draft.bound:
        draft.release("edit")
        return
    origin = draft.bound["text"].origin
    draft.release("text")
    draft.bind("text", [column for column in texts if column not in edited], origin)
    draft.bind("edit", edited, "name")


def _find_edited(draft: Draft) -> None:
    """What was edited is the column of texts that is most like the edits, if any is like them."""
    from rapidfuzz.fuzz import ratio  # only files with edits wait for it

    columns = draft.columns("edit")
    edits = draft.sheet.values(columns[0]) if columns else []
    alike: dict[str, float] = {}
    for column in (c for c in draft.free if not draft.profiles[c].is_number):
        pairs = [pair for pair in zip(draft.sheet.values(column), edits, strict=True) if all(map(str.strip, pair))]
        if pairs:
            alike[column] = fmean(ratio(*pair) / 100 for pair in pairs[:_COMPARED])
    best = max(alike, key=alike.__getitem__, default=None)
    if best is not None and alike[best] > _ALIKE:
        draft.bind("text", [best], "content")


def edited_columns(draft: Draft, columns: Sequence[str]) -> list[str]:
    """Columns of texts that are called as edits are, the surest name first."""
    names = BESIDE_NAMES["edit"]
    found = [c for c in columns if key_of(c) in names and _holds_texts(draft.profiles[c], key_of(c) in SURE_EDIT_NAMES)]
    return sorted(found, key=lambda column: names.index(key_of(column)))


def _holds_texts(looks: Profile, sure: bool) -> bool:
    """Neither numbers nor times nor yes and no; a few texts that come again and again only by a sure name."""
    told = looks.is_number or looks.timelike == 1 or are_yes_or_no(looks.distinct)
    return looks.filled > 0 and not told and (sure or not looks.repeats_answers)


def add_edits(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    """Add corrected outputs; a blank cell is none, as nobody can tell it from an output that was deleted."""
    for line in lines:
        system = name_of(mapping, line, "system", into)
        text = cell_of(mapping, line.cells, "edit")
        stated = text.strip()
        if not stated or stated.casefold() in NOTHING:
            column = column_of(mapping, "edit")
            why = f"{column} is {stated or 'blank'}: no edit (an output that needs none is its own)"
            into.skipped[mapping.sheet.source, why] += 1
        elif system is not None:
            row = about_one(mapping, line, system) | {"annotator": who(mapping, line, into), "text": text}
            into.add_edit(row | timing(mapping, line, into))
