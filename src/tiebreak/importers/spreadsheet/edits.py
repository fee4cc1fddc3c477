"""Outputs as people corrected them: a column of texts beside the outputs, or beside the names of systems."""

from __future__ import annotations

import re
from collections.abc import Mapping as Names
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.collected import Collected
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of, without_owner
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, SURE_EDIT_NAMES, header_key
from tiebreak.importers.spreadsheet.mapping import Binding, Mapping
from tiebreak.importers.spreadsheet.profile import NOTHING, Profile
from tiebreak.importers.spreadsheet.rows import Line, about_one, name_of, timing, who
from tiebreak.importers.spreadsheet.support_words import are_yes_or_no

_ELSEWHERE: Final = frozenset({"outcome", "system_a", "pair", "ranking", "rank"})
"""With these bound, a column of edited texts is a system's."""

_ALIKE: Final = 0.5  # of 1: how like their outputs edits are on average, at least
_BETWEEN: Final = re.compile(r"[ _\-.:/()\[\]]+")
_COMPARED: Final = 200  # rows


def guess_edit(draft: Draft) -> None:
    """A column that is surely called as edits are is no system's text, before texts are looked for."""
    if _guess_edit_of_each_system(draft):
        return
    found = [column for column in edited_columns(draft, draft.free) if key_of(column) in SURE_EDIT_NAMES]
    if found and "edit" not in draft.bound and not draft.bound.keys() & _ELSEWHERE:
        draft.bind("edit", found[:1], "name")


def _guess_edit_of_each_system(draft: Draft) -> bool:
    """`DeepL post-edited` beside `DeepL`, and the same of other systems; also where `--map` names several columns."""
    said = draft.bound.get("edit")
    columns = said.columns if said is not None else draft.free
    owners = {column: owner for column in columns if (owner := _owner_of_edit(column))}
    texts = [column for column in draft.sheet.columns if column not in owners]
    owned = {
        column: owner
        for column, owner in owners.items()
        if any(without_owner(text, owner) is not None for text in texts) and not draft.profiles[column].is_number
    }
    if not owned or len(set(owned.values())) < len(owned):
        return False
    if said is None:
        draft.bind("edit", list(owned), "name")
    draft.bound["edit"] = replace(draft.bound["edit"], columns=tuple(owned), owners=tuple(owned.values()))
    return True


def _owner_of_edit(column: str) -> str | None:
    """Whose output a column of edits corrects: `DeepL post-edited`, `edited (DeepL)`, `deepl_pe`."""
    cuts = [match.span() for match in _BETWEEN.finditer(column)]
    for start, end in cuts:
        if header_key(column[end:]) in BESIDE_NAMES["edit"]:
            return column[:start]
    for start, end in reversed(cuts):
        if header_key(column[:start]) in BESIDE_NAMES["edit"]:
            return column[end:].strip(" ()[]") or None
    return None


def settle_edit(draft: Draft) -> None:
    """Edits stand beside one column of outputs, or beside a column of systems; `corrected` is one only there."""
    texts = draft.columns("text")
    if "edit" in draft.bound and draft.bound["edit"].owners:
        _settle_owners(draft)
        return
    if len(draft.columns("edit")) > 1:
        raise UsageError(_unknown_owners(draft))
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


def _settle_owners(draft: Draft) -> None:
    """The systems as their columns of texts name them: `output_gpt_edited` is of gpt where `output_gpt` is.

    Raises:
        UsageError: the user named a column of edits, and no column of texts is called like it.
    """
    edit = draft.bound["edit"]
    if "text" not in draft.bound and len(edit.owners) == 1:
        edited = [c for c in draft.free if without_owner(c, edit.owners[0]) is not None]
        if edited:
            draft.bind("text", edited[:1], "name")
    text = draft.bound.get("text")
    names = {column: text.name_of(column) for column in text.columns} if text is not None else {}
    found = [_system_of(owner, names) for owner in edit.owners]
    systems = tuple(name for name in found if name is not None)
    if len(systems) < len(found) or draft.bound.keys() & {"system_a", "pair"}:
        if not draft.guessed("edit"):
            raise UsageError(_unknown_owners(draft))
        draft.release("edit")
    elif len(names) > 1:
        draft.bound["edit"] = replace(edit, owners=systems)
    else:
        draft.bound["edit"] = replace(edit, owners=())
        draft.bound.setdefault("system", Binding("system", constant=systems[0]))


def _system_of(owner: str, names: Names[str, str]) -> str | None:
    """The system of the only column of texts that is called so."""
    exact = [name for column, name in names.items() if owner in (column, name)]
    found = exact or [name for column, name in names.items() if without_owner(column, owner) is not None]
    return found[0] if len(found) == 1 else None


def _unknown_owners(draft: Draft) -> str:
    return (
        f"{draft.sheet.source}: --map edit={'|'.join(draft.columns('edit'))}: these names do not say whose outputs "
        "were corrected; call each as the column of its outputs, with a word for edits (DeepL edited)"
    )


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
    binding = mapping.get("edit")
    for line, column in ((line, column) for line in lines for column in (binding.columns if binding else ())):
        owned = binding is not None and binding.owners
        system = binding.name_of(column) if binding is not None and owned else name_of(mapping, line, "system", into)
        text = line.cells[column]
        stated = text.strip()
        if not stated or stated.casefold() in NOTHING:
            why = f"{column} is {stated or 'blank'}: no edit (an output that needs none is its own)"
            into.skipped[mapping.sheet.source, why] += 1
        elif system is not None:
            row = about_one(mapping, line, system) | {"annotator": who(mapping, line, into), "text": text}
            into.add_edit(row | timing(mapping, line, into))
