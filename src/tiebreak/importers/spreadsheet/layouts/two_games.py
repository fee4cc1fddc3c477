"""A judge asked in both orders within one row, as MT-bench writes it: `g1_winner` with model_1 shown first, `g2_winner`
with model_2 shown first. Both name the winner itself, whatever the order.
"""

from __future__ import annotations

import re
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded, sided_target
from tiebreak.importers.spreadsheet.layouts.columns import with_rows
from tiebreak.tabular.spreadsheet import Sheet

_GAME: Final = re.compile(r"g(?P<game>[12])_(?P<what>.+)")
_WINNER: Final = "winner"
_ABOUT_THE_ANSWER: Final = (_WINNER, "judgment")
_LEFT: Final = "left"


def with_a_row_per_game(sheet: Sheet, said: frozenset[str]) -> Sheet:
    """The table with two rows in place of each such row."""
    games: dict[str, dict[str, str]] = {"1": {}, "2": {}}
    for column in sheet.columns:
        if (match := _GAME.fullmatch(column)) and folded(column) not in said:
            games[match["game"]][match["what"]] = column
    shared = [what for what in _ABOUT_THE_ANSWER if what in games["1"] and what in games["2"]]
    systems = {target: c for c in sheet.columns if (target := sided_target(c)) in ("system_a", "system_b")}
    if _WINNER not in shared or len(systems) != 2 or {*shared, _LEFT} & set(sheet.columns):
        return sheet
    taken = {games[game][what] for game in games for what in shared}
    kept = [column for column in sheet.columns if column not in taken]
    rows = []
    for place, row in enumerate(sheet.rows):
        cells = dict(zip(sheet.columns, row, strict=True))
        for game, first in (("1", "system_a"), ("2", "system_b")):
            asked = [cells[games[game][what]] for what in shared]
            rows.append((place, [*(cells[column] for column in kept), *asked, cells[systems[first]]]))
    remark = f"{games['1'][_WINNER]} is with {systems['system_a']} shown first, {games['2'][_WINNER]} with "
    return with_rows(sheet, [*kept, *shared, _LEFT], rows, f"{remark}{systems['system_b']} shown first.")
