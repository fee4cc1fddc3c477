"""Rows that whoever collected them has refused or thrown away: rejected work, cancelled and discarded answers."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.spreadsheet.fields import key_of
from tiebreak.importers.spreadsheet.header_words import word_set
from tiebreak.importers.spreadsheet.mapping import Mapping, map_option

_REFUSED: Final = word_set("rejected returned discarded timed-out timed_out cancelled draft")
_STATES: Final = _REFUSED | word_set(
    "submitted approved accepted completed complete finished pending active awaiting_review"
)
_YES: Final = word_set("true yes 1")


def reasons_to_refuse(mapping: Mapping) -> dict[tuple[int, str], str]:
    """Why rows with labels do not count, by the place and the cell of a column that says what became of them:
    Mechanical Turk's AssignmentStatus, the status of Prolific and Argilla, Label Studio's was_cancelled.

    A column of `--map ignore=` says nothing.
    """
    if not mapping.has_labels:
        return {}
    used = {column for binding in mapping.bindings for column in binding.columns}
    found: dict[tuple[int, str], str] = {}
    for place, column in enumerate(mapping.sheet.columns):
        key = key_of(column)
        if column in used or key not in ("assignmentstatus", "status", "wascancelled"):
            continue
        cells = {row[place] for row in mapping.sheet.rows}
        if key != "wascancelled" and not {_plain(cell) for cell in cells} <= _STATES | {""}:
            continue
        for cell in cells:
            if _plain(cell) in (_YES if key == "wascancelled" else _REFUSED):
                cure = map_option("ignore", [column])
                found[place, cell] = f"{column} is {cell.strip()}; {cure} counts such rows too"
    return found


def _plain(cell: str) -> str:
    return "_".join(cell.casefold().split())
