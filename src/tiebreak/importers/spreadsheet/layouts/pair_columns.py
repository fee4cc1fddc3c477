"""A column for each pair of systems, whose cells say who won: `gpt vs llama`, `gpt vs mistral`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded, sided_target, without_owner
from tiebreak.importers.spreadsheet.layouts.columns import with_rows
from tiebreak.importers.spreadsheet.pair_cells import split_pair
from tiebreak.importers.spreadsheet.winners import Names, looks_like_outcomes
from tiebreak.tabular.spreadsheet import Sheet

_SEPARATORS: Final = (" vs. ", " vs ", " versus ", "_vs_", "-vs-")
_COLUMNS: Final = ("system_a", "system_b", "winner")


def with_a_row_per_pair(sheet: Sheet, said: frozenset[str]) -> Sheet:
    """The table with a row for each answer; one such column is a pair, too."""
    pairs: dict[str, tuple[str, str]] = {}
    for column in sheet.columns:
        pair = next((found for separator in _SEPARATORS if (found := split_pair(column, separator))), None)
        if pair is None or folded(column) in said:
            continue
        cells = {cell.strip() for cell in sheet.values(column)} - {""}
        if cells and looks_like_outcomes(cells, Names.of(pair)):
            pairs[column] = pair
    kept = [column for column in sheet.columns if column not in pairs]
    systems = {name for pair in pairs.values() for name in pair}
    if not pairs or set(_COLUMNS) & set(kept) or any(_is_of_systems(column, systems) for column in kept):
        return sheet
    rows = []
    for place, row in enumerate(sheet.rows):
        cells_of = dict(zip(sheet.columns, row, strict=True))
        rows += [(place, [*(cells_of[c] for c in kept), *pair, cells_of[column]]) for column, pair in pairs.items()]
    remark = (
        f"{', '.join(list(pairs)[:3])}{' and so on' if len(pairs) > 3 else ''}: each such column is about one pair."
    )
    return with_rows(sheet, [*kept, *_COLUMNS], rows, remark)


def _is_of_systems(column: str, systems: Collection[str]) -> bool:
    """Whether a column names systems, or holds what one of these wrote, so that the table says who is compared."""
    return sided_target(column) is not None or any(without_owner(column, name) is not None for name in systems)
