"""Who labelled, where no column says it and each person has a sheet or a file of answers to the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import words
from tiebreak.importers.spreadsheet.header_words import GENERIC_FILES, header_key
from tiebreak.importers.spreadsheet.mapping import Binding
from tiebreak.importers.spreadsheet.mapping import Mapping as Understood
from tiebreak.importers.spreadsheet.names import why_no_person
from tiebreak.tabular.spreadsheet import Sheet

_LABELS: Final = frozenset({"outcome", "value", "rank", "ranking"})
_ANSWERERS: Final = frozenset({"annotator", "judge"})
_ASKED: Final = ("item", "input", "system", "system_a", "system_b", "pair", "sample", "criterion")
_AGAIN: Final = 0.5
"""Share of the questions that several people must have been asked."""

_PLACES: Final = GENERIC_FILES | {"batch", "part", "week", "round", "day", "block", "run", "tabelle", "feuille", "hoja"}
"""What sheets and files are called that are nobody's."""


def guess_people_by_sheet(draft: Draft) -> None:
    """The name of the sheet, where sheets ask the same questions and are called as people are."""
    part = draft.sheet.part_column
    taken = {column for binding in draft.bound.values() for column in binding.columns}
    if not draft.sheet.sources or not _LABELS & draft.bound.keys() or draft.bound.keys() & _ANSWERERS or part in taken:
        return
    by_sheet: dict[str, list[str]] = {}
    for sheet, question in zip(draft.sheet.values(part), _questions(draft.sheet, draft.bound), strict=True):
        by_sheet.setdefault(sheet, []).append(question)
    if _each_is_a_person(by_sheet):
        draft.bind("annotator", [part], "content")


def name_people_by_file(mappings: Sequence[Understood]) -> list[Understood]:
    """The name of the file, where several files of labels that name nobody ask the same questions."""
    nameless = [mapping for mapping in mappings if _names_nobody(mapping)]
    by_file = {m.sheet.stem: _questions(m.sheet, {b.target: b for b in m.bindings}) for m in nameless}
    if len(by_file) < len(nameless) or not _each_is_a_person(by_file):
        return list(mappings)
    return [_by(mapping, mapping.sheet.stem) if mapping in nameless else mapping for mapping in mappings]


def _by(mapping: Understood, person: str) -> Understood:
    named = Binding("annotator", constant=person, origin="file name")
    return replace(mapping, bindings=(*mapping.bindings, named))


def _names_nobody(mapping: Understood) -> bool:
    named = mapping.several_are == "annotator" or any(binding.people for binding in mapping.bindings)
    answered = {"preferences", "ratings"} & set(mapping.tables)
    return bool(answered) and not named and not any(map(mapping.has, _ANSWERERS))


def _questions(sheet: Sheet, bindings: Mapping[str, Binding]) -> list[str]:
    """What each row asks: about which item, of which systems."""
    asked = [bindings[target] for target in _ASKED if target in bindings]
    rows = (dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows)
    return ["\x1f".join(binding.cell(cells).strip() for binding in asked) for cells in rows]


def _each_is_a_person(parts: Mapping[str, Sequence[str]]) -> bool:
    """Whether half of all questions are asked in two parts or more, none twice in one, and no name is a place's."""
    if any(len(set(asked)) < len(asked) for asked in parts.values()) or any(map(_is_no_person, parts)):
        return False
    times = Counter(question for asked in parts.values() for question in asked)
    again = sum(count > 1 for count in times.values())
    return again > 0 and again >= _AGAIN * len(times)


def _is_no_person(name: str) -> bool:
    """`Sheet1`, `batch 2`, `votes`."""
    return bool(why_no_person(name)) or {header_key(word) for word in words(name) if not word.isdigit()} <= _PLACES
