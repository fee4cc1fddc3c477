"""`--map outcome=:a`: one answer for every row of the files whose columns `--map` names, as of chosen and rejected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded
from tiebreak.importers.spreadsheet.mapping import Binding
from tiebreak.tabular.spreadsheet import Sheet

COLUMN: Final = "every row"


def with_said_outcome(sheets: Sequence[Sheet], given: Sequence[Binding]) -> tuple[list[Sheet], list[Binding]]:
    """The tables with a column of that answer, and what is said with its name in place of the answer."""
    said = next((binding for binding in given if binding.target == "outcome" and binding.constant is not None), None)
    if said is None:
        return [*sheets], [*given]
    named = {folded(column) for binding in given for column in binding.columns}
    found = [
        replace(sheet, columns=(*sheet.columns, COLUMN), rows=tuple((*row, said.constant or "") for row in sheet.rows))
        if not named or named & {*map(folded, sheet.columns)}
        else sheet
        for sheet in sheets
    ]
    column = replace(said, constant=None, columns=(COLUMN,))
    return found, [column if binding is said else binding for binding in given]
