"""A list of texts beside the system that wrote them all, as `generations` of one checkpoint: a row for each text."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.spreadsheet.fields import TEXT_WORDS, folded, key_of
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, SYNONYMS
from tiebreak.importers.spreadsheet.layouts.columns import with_rows
from tiebreak.importers.spreadsheet.paths import list_of, singular
from tiebreak.tabular.spreadsheet import Sheet

SAMPLE: Final = "sample"
_TEXTS: Final = frozenset({*SYNONYMS["text"], *TEXT_WORDS})
_LISTS: Final = _TEXTS | {"sample", "continuation"}
_SAID: Final = frozenset({"text", "content", "output", "generatedtext"})
_SYSTEMS: Final = frozenset({*SYNONYMS["system"], *BESIDE_NAMES["system"]})
_ANSWERS: Final = frozenset(
    {*SYNONYMS["outcome"], *SYNONYMS["value"], *SYNONYMS["annotator"], *SYNONYMS["judge"]} - {"label"}
)


def with_samples_in_rows(sheet: Sheet, said: frozenset[str]) -> Sheet:
    """The table with each text of the list in a row of its own, and its place in the list as the sample.

    Not where an answer stands beside them, which would be about one of them, or about two.
    """
    lists: dict[str, list[str]] = {}
    for column in sheet.columns:
        name = list_of(column, _SAID)
        if name is not None and singular(name.rpartition(".")[2]) in _LISTS and folded(column) not in said:
            lists.setdefault(name, []).append(column)
    keys = {key_of(column) for column in sheet.columns if list_of(column, _SAID) not in lists}
    if sheet.unit == "row" or not keys & _SYSTEMS or keys & (_ANSWERS | _TEXTS) or SAMPLE in sheet.columns:
        return sheet
    if len(lists) != 1:
        return sheet
    ((name, texts),) = lists.items()
    if len(texts) < 2 or name in sheet.columns:
        return sheet
    places = [sheet.columns.index(column) for column in texts]
    others = [place for place in range(len(sheet.columns)) if place not in places]
    rows = [
        (number, (*(row[place] for place in others), row[place], str(sample)))
        for number, row in enumerate(sheet.rows)
        for sample, place in enumerate(places, 1)
        if row[place]
    ]
    text = name if singular(name.rpartition(".")[2]) in _TEXTS else "output"
    columns = (*(sheet.columns[place] for place in others), text, SAMPLE)
    blank = len(sheet.rows) * len(texts) - len(rows)  # shorter lists, or texts without a character: nobody can tell
    but = f"; {blank:,} blank or missing ones are left out" if blank else ""
    return with_rows(sheet, columns, rows, f"Each text in {name} is a sample, called by its place there{but}.")
