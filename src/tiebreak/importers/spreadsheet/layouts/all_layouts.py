"""All layouts, in the order in which a table is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded
from tiebreak.importers.spreadsheet.layouts.last_answers import with_last_answers
from tiebreak.importers.spreadsheet.layouts.listed_cells import with_listed_cells
from tiebreak.importers.spreadsheet.layouts.listed_samples import with_samples_in_rows
from tiebreak.importers.spreadsheet.layouts.numbered_ranks import with_rankings
from tiebreak.importers.spreadsheet.layouts.pair_columns import with_a_row_per_pair
from tiebreak.importers.spreadsheet.layouts.scales import with_numbers_of_scales
from tiebreak.importers.spreadsheet.layouts.survey import with_a_row_per_answer
from tiebreak.importers.spreadsheet.layouts.ticks import with_ticked_answers
from tiebreak.importers.spreadsheet.layouts.turns import with_joined_turns
from tiebreak.importers.spreadsheet.layouts.two_games import with_a_row_per_game
from tiebreak.tabular.spreadsheet import Sheet

Layout = Callable[[Sheet, frozenset[str]], Sheet]
"""The table with columns that `said` (folded names) leaves alone; the same table where it has not this layout."""

_LAYOUTS: Final[tuple[Layout, ...]] = (
    with_listed_cells,
    with_last_answers,
    with_joined_turns,
    with_samples_in_rows,
    with_ticked_answers,
    with_numbers_of_scales,
    with_rankings,
    with_a_row_per_pair,
    with_a_row_per_game,
    with_a_row_per_answer,
)


def laid_out(sheet: Sheet, named: Iterable[str] = ()) -> Sheet:
    """The table as the guess understands it; columns that the user has `named` stay as they are."""
    said = frozenset(map(folded, named))
    for layout in _LAYOUTS:
        sheet = layout(sheet, said)
    return sheet
