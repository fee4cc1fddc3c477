"""Systems of a row by number, each with its rank: `system1Id`, ..., `system5Id` beside `system1rank`, ..., as the
ranking task of WMT wrote them. They become one ranking: `x > y = z`.
"""

from __future__ import annotations

import re
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded, words
from tiebreak.importers.spreadsheet.header_words import SYNONYMS, header_key
from tiebreak.importers.spreadsheet.layouts.columns import with_columns
from tiebreak.importers.spreadsheet.profile import parse_number
from tiebreak.tabular.spreadsheet import Sheet

_SYSTEMS: Final = frozenset({*SYNONYMS["system"], "systemid", "modelid"})
_RANKS: Final = frozenset(
    {"rank", "systemrank", "modelrank", "ranksystem", "rankmodel", "ranking", "rankofsystem", "outputrank"}
)
_SIGNS: Final = re.compile("[>≻=~]")
_NAME: Final = "ranking"
_NO_RANK: Final = -1.0
"""What WMT writes where a system was not ranked."""


def with_rankings(sheet: Sheet, said: frozenset[str]) -> Sheet:
    """The table with such columns as one, unless a rank or a name in them cannot be read."""
    free = [column for column in sheet.columns if folded(column) not in said]
    systems, ranks = _numbered(free, _SYSTEMS), _numbered(free, _RANKS)
    if len(systems) < 2 or systems.keys() != ranks.keys() or _NAME in sheet.columns:
        return sheet
    places = sorted(systems, key=int)
    rows = zip(*(sheet.values(numbered[place]) for numbered in (systems, ranks) for place in places), strict=True)
    cells = [_ranking(row[: len(places)], row[len(places) :]) for row in rows]
    rankings = [cell for cell in cells if cell is not None]
    if len(rankings) < len(cells):
        return sheet
    first, *others = (*systems.values(), *ranks.values(), *_numbers(free, places))
    remark = f"{systems[places[0]]} and {ranks[places[0]]} to {ranks[places[-1]]} are one ranking in each row."
    return with_columns(sheet, {first: {_NAME: rankings}}, others, remark)


def _numbered(columns: list[str], names: frozenset[str]) -> dict[str, str]:
    """The columns that are called so beside a number, by their number."""
    found: dict[str, str] = {}
    for column in columns:
        parts = words(column)
        numbers = [part for part in parts if part.isdigit()]
        if len(numbers) == 1 and header_key("".join(part for part in parts if not part.isdigit())) in names:
            found.setdefault(numbers[0], column)
    return found


def _numbers(columns: list[str], places: list[str]) -> list[str]:
    """Columns that count the systems of each row, which says nothing."""
    counted = _numbered(columns, frozenset({"systemnumber", "modelnumber"}))
    return [counted[place] for place in places if place in counted]


def _ranking(names: tuple[str, ...], ranks: tuple[str, ...]) -> str | None:
    """`x > y = z`; blank where nothing is ranked, None where a cell cannot be read."""
    by_rank: dict[float, list[str]] = {}
    for name, rank in zip(map(str.strip, names), map(str.strip, ranks), strict=True):
        number = parse_number(rank)
        if not rank or not name or number == _NO_RANK:
            continue
        if number is None or _SIGNS.search(name):
            return None
        by_rank.setdefault(number, []).append(name)
    return " > ".join(" = ".join(by_rank[rank]) for rank in sorted(by_rank))
