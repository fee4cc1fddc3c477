"""Which columns say who won, where no name says it."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of, name_without_number, other_choice, words
from tiebreak.importers.spreadsheet.header_words import BETTER_WORDS, DETAIL_NAMES, SYNONYMS, header_key
from tiebreak.importers.spreadsheet.sides import LONG_TEXT, sided_texts
from tiebreak.importers.spreadsheet.winner_cells import as_position
from tiebreak.importers.spreadsheet.winner_numbers import number_in
from tiebreak.importers.spreadsheet.winners import Names, looks_like_outcomes


def settle_outcomes(draft: Draft) -> None:
    """Without a column called winner: every free column whose cells are all outcomes of the pair."""
    texts = draft.columns("text")
    if "outcome" in draft.bound:
        return
    if draft.bound.keys() & {"system_a", "pair"} or len(texts) == 2:
        named = [c for c in draft.free if key_of(c) in SYNONYMS["outcome"] and _few_answers(draft, c)]
        if named:
            # Its cells may not be understood; each is then a problem, which is better than no outcome.
            draft.bind("outcome", [min(named, key=lambda c: SYNONYMS["outcome"].index(key_of(c)))], "name")
            return
    if draft.bound.keys() >= {"system_a", "system_b"} or "pair" in draft.bound:
        systems = {*draft.values_of("system_a", "system_b"), *sided_texts(draft)}
    elif len(texts) == 2:
        systems = {*texts, *draft.bound["text"].owners}
    else:
        return
    names = Names.of(systems)
    found = [
        column
        for column in draft.free
        if key_of(column) not in DETAIL_NAMES
        and other_choice(column) is None
        and looks_like_outcomes(draft.profiles[column].distinct, names)
        and not _counts_rows(draft, column)
    ]
    # People numbered 1 and 2 look like answers; they are some only where nothing else does.
    found = [column for column in found if key_of(column) not in SYNONYMS["annotator"]] or found
    # Where no column is understood, one that asks which is better is one all the same: its cells are then named.
    found = found or [column for column in draft.free if _asks_who_is_better(draft, column)]
    if found:
        draft.bind("outcome", _with_siblings(draft, found), "content")


def _counts_rows(draft: Draft, column: str) -> bool:
    """1, 2 in a file of two rows are numbers of the rows."""
    cells = [cell.strip() for cell in draft.sheet.values(column)]
    return cells in ([str(i) for i in range(start, start + len(cells))] for start in (0, 1))


def _few_answers(draft: Draft, column: str) -> bool:
    looks = draft.profiles[column]
    return len(looks.distinct) <= max(3, min(12, looks.filled / 3)) and looks.mean_length < LONG_TEXT


def _asks_who_is_better(draft: Draft, column: str) -> bool:
    """`Quelle réponse est la meilleure ?`, answered by a few answers, some of which say who."""
    if not {*map(header_key, words(column))} & BETTER_WORDS or other_choice(column) or not _few_answers(draft, column):
        return False
    told = (cell for cell in draft.profiles[column].distinct if number_in(cell) is None)
    return any(as_position(cell) is not None for cell in told)


def _with_siblings(draft: Draft, found: Sequence[str]) -> list[str]:
    """`annotator1` that only ever says 1 is an outcome too, if `annotator2` beside it says 1, 2 and 0."""
    values = {value for column in found for value in draft.profiles[column].distinct}
    stems = {name_without_number(column) for column in found}
    siblings = [
        c
        for c in draft.free
        if name_without_number(c) in stems and draft.profiles[c].distinct <= values | {"0", "1", "2"}
    ]
    return [column for column in draft.sheet.columns if column in found or column in siblings]
