"""A column of answers for each person, as `--map 'annotator=Anna|Bea'` says it."""

from __future__ import annotations

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.header_notes import bare_name
from tiebreak.importers.spreadsheet.mapping import Binding, map_option
from tiebreak.importers.spreadsheet.paths import inner_names


def settle_columns_of_people(draft: Draft) -> None:
    """Who won in the eyes of each, where rows are about a pair, and else the rating that each gave.

    Raises:
        UsageError: `--map` says of other columns that they are these answers.
    """
    said = draft.bound.get("annotator")
    if said is None or not said.people:
        return
    pair = draft.bound.keys() & {"system_a", "pair", "text_a"} or len(draft.columns("text")) == 2
    target = "outcome" if pair else "value"
    other = draft.bound.get(target)
    if other is not None and draft.stated(target) and other.columns != said.columns:
        raise UsageError(
            f"{draft.sheet.source}: {map_option('annotator', said.columns)} says whose answers these columns are, and "
            f"{map_option(target, other.columns)} that others are the answers; leave one of them out"
        )
    draft.release(target)
    del draft.bound["annotator"]
    names = tuple(map(bare_name, inner_names(said.columns)))
    draft.bound[target] = Binding(target, said.columns, origin="option", people=names)
