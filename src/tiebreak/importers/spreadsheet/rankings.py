"""Rankings of several systems: a column of ranks per system, a row per rank, or a cell such as `x > y = z`.

A ranking is a preference for every pair of its systems: the one with the smaller rank won, equal ranks are a tie.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from tiebreak.importers.spreadsheet.collected import Collected, Row
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of, without_owner
from tiebreak.importers.spreadsheet.header_words import (
    ADMINISTRATIVE_NAMES,
    CRITERION_NAMES,
    DETAIL_NAMES,
    SYNONYMS,
    header_key,
    word_set,
)
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.names import why_no_system
from tiebreak.importers.spreadsheet.profile import parse_number
from tiebreak.importers.spreadsheet.rows import Line, cell_of, column_of, name_of, timing, who_and_what
from tiebreak.tabular.spreadsheet import Sheet

_NAMES: Final = frozenset(
    map(
        header_key,
        word_set("rank ranking ranks rang rangfolge rango classement classifica place position 名次 排名 順位"),
    )
)
_NO_SYSTEMS: Final = frozenset().union(*SYNONYMS.values()) | DETAIL_NAMES | ADMINISTRATIVE_NAMES | CRITERION_NAMES
_BETTER: Final = re.compile(r"\s*(>+|≻|=|~)\s*")
_PERMUTATIONS: Final = 0.8
"""Share of rows that must be whole rankings for columns of numbers to be taken for ranks."""


def settle_ranking(draft: Draft) -> None:
    """Bind ranks or rankings, unless somebody's choice between two is there already."""
    _doubt_outcome(draft)
    if draft.bound.keys() & {"outcome", "rank", "ranking", "system_a", "pair"}:
        return
    named = [column for column in draft.sheet.columns if key_of(column) in _NAMES and column in draft.free]
    for column in named:
        cells = draft.profiles[column].distinct
        if cells and all(len(_parse(cell)) > 1 for cell in cells):
            draft.bind("ranking", [column], "name")
            return
        if draft.profiles[column].is_number and draft.columns("system"):
            draft.bind("rank", [column], "name")
            return
    _settle_columns_of_ranks(draft)


def _doubt_outcome(draft: Draft) -> None:
    """`rank` with 1 and 2 looks like who won; beside one system it is that system's rank among two."""
    columns = draft.columns("outcome")
    if draft.guessed("outcome") and draft.columns("system") and len(columns) == 1 and key_of(columns[0]) in _NAMES:
        draft.release("outcome")


def _settle_columns_of_ranks(draft: Draft) -> None:
    if draft.columns("system") or draft.columns("text"):
        return
    columns = [c for c in draft.free if draft.profiles[c].is_number and key_of(c) not in _NO_SYSTEMS]
    columns = [c for c in columns if c not in draft.sheet.renamed and not why_no_system(c, from_header=True)]
    if len(columns) < 2:
        return
    if share_of_rankings(draft.sheet, columns) >= _PERMUTATIONS:
        draft.bind("rank", columns, "content")
        draft.bound["rank"] = replace(draft.bound["rank"], owners=tuple(map(_ranked, columns)))


def _ranked(column: str) -> str:
    """Whose rank it is: `rank_gpt` is that of gpt."""
    return next((rest for word in _NAMES if (rest := without_owner(column, word))), column)


def share_of_rankings(sheet: Sheet, columns: Sequence[str]) -> float:
    """The share of rows, 0 to 1, in which columns hold each rank once."""
    rows = list(zip(*(sheet.values(column) for column in columns), strict=True))
    wanted = {str(rank) for rank in range(1, len(columns) + 1)}
    return sum({cell.strip() for cell in row} == wanted for row in rows) / max(len(rows), 1)


def add_rankings(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    """Add a preference for every pair of every ranking; a rank that is no number becomes a problem."""
    for line, ranks in _rankings(mapping, lines, into):
        for first, second in combinations(sorted(ranks), 2):
            difference = ranks[first] - ranks[second]
            outcome = "tie" if difference == 0 else "a" if difference < 0 else "b"
            row: Row = {"item": line.item, "system_a": first, "system_b": second}
            row |= who_and_what(mapping, line, "", into, several=False) | {"outcome": outcome}
            into.add_preference(row | timing(mapping, line, into))


def _rankings(mapping: Mapping, lines: list[Line], into: Collected) -> Iterator[tuple[Line, dict[str, float]]]:
    binding = mapping.get("rank")
    if binding is None:
        column = column_of(mapping, "ranking")
        for line in lines:
            cell = cell_of(mapping, line.cells, "ranking")
            found = _parse(cell)
            if cell.strip() and len(found) < 2:
                into.problem(line.place, column, cell, "no ranking; write x > y = z, the best first")
            yield line, found
        return
    if len(binding.columns) > 1:
        for line in lines:
            cells = {binding.name_of(column): (column, line.cells[column]) for column in binding.columns}
            yield line, _ranks(mapping, line, cells.items(), into)
        return
    together: dict[tuple[str, ...], tuple[Line, dict[str, float]]] = {}
    for line in lines:
        system = name_of(mapping, line, "system", into)
        who = tuple(cell_of(mapping, line.cells, target).strip() for target in ("annotator", "criterion"))
        _, ranks = together.setdefault((line.item, *who), (line, {}))
        if system is not None:
            ranks |= _ranks(mapping, line, [(system, (binding.columns[0], line.cells[binding.columns[0]]))], into)
    yield from together.values()


def _ranks(
    mapping: Mapping, line: Line, cells: Iterable[tuple[str, tuple[str, str]]], into: Collected
) -> dict[str, float]:
    found = {}
    for system, (column, cell) in cells:
        number = parse_number(cell, mapping.sheet.decimal_comma)
        if number is not None:
            found[system] = number
        elif cell.strip():
            into.problem(line.place, column, cell.strip(), "not a rank; 1 is the best, then 2, 3, ..., or blank")
    return found


def _parse(cell: str) -> dict[str, float]:
    """`x > y = z` as x: 1, y: 2, z: 2; nothing for anything else."""
    parts = _BETTER.split(cell.strip())
    names, signs = parts[::2], parts[1::2]
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        return {}
    ranks, rank = {names[0]: 1.0}, 1.0
    for sign, name in zip(signs, names[1:], strict=True):
        rank += sign not in "=~"
        ranks[name] = rank
    return ranks
