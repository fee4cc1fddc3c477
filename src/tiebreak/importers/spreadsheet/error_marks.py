"""Marked errors (MQM): a row for each error of a translation, with its severity, as ratings of the whole.

The rating is minus the sum of the weights of Freitag et al. (2021, "Experts, Errors, and Context"): 25 for what is no
translation, 5 for a major error, 1 for a minor one, 0.1 for a minor one of punctuation, 0 without an error. A critical
error, which they do not have, weighs as much as no translation.
"""

from __future__ import annotations

import re
from typing import Final

from tiebreak.importers.spreadsheet.collected import Collected, Row
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.header_words import header_key
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.rows import Line, cell_of, column_of, name_of

CRITERION: Final = "mqm"

_WEIGHTS: Final = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "noerror": 0.0, "critical": 25.0}
_MARK: Final = re.compile(r"</?v>")


def settle_severity(draft: Draft) -> None:
    """A column called `severity` whose cells are those of MQM."""
    if "severity" in draft.bound or not draft.columns("system"):
        return
    for column in draft.free:
        cells = {header_key(cell) for cell in draft.profiles[column].distinct}
        if header_key(column) == "severity" and cells and cells <= _WEIGHTS.keys():
            draft.bind("severity", [column], "name")
            draft.release("criterion")  # the category of an error is none
            return


def without_marks(text: str) -> str:
    """The text without the tags around an error."""
    return _MARK.sub("", text)


def add_marked(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    """Add one rating for each system, item and person who marked its errors."""
    category = next((c for c in mapping.sheet.columns if header_key(c) == "category"), None)
    found: dict[tuple[str, str, str | None], float] = {}
    for line in lines:
        system = name_of(mapping, line, "system", into)
        person = name_of(mapping, line, "annotator", into) if mapping.has("annotator") else None
        cell = cell_of(mapping, line.cells, "severity").strip()
        weight = _WEIGHTS.get(header_key(cell))
        if weight is None:
            known = "no-error, neutral, minor, major or critical"
            into.problem(line.place, column_of(mapping, "severity"), cell, f"not a severity; {known}")
        elif system is not None:
            kind = header_key(line.cells[category]) if category is not None else ""
            key = (line.item, system, person)
            found[key] = found.get(key, 0.0) - _weight(weight, kind)
    for (item, system, person), value in found.items():
        row: Row = {"item": item, "system": system, "annotator": person, "criterion": CRITERION, "value": value or 0.0}
        into.add_rating(row)


def _weight(weight: float, category: str) -> float:
    if category.startswith("nontranslation"):
        return 25.0
    return 0.1 if weight == 1.0 and category.endswith("punctuation") else weight
