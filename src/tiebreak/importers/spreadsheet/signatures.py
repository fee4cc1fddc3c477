"""What made scores and judgements, in tables that tiebreak wrote: kept with their rows, and with what it stands for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.data.provenance import EVALUATOR, SIGNATURES_FILE, Meaning, not_known, read_signatures
from tiebreak.data.schema import TableName
from tiebreak.importers.spreadsheet.collected import Row
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.rows import Line, cell_of
from tiebreak.tabular.spreadsheet import split_source

KEPT: Final[dict[TableName, dict[str, str]]] = {
    "scores": {"signature": "signature"},
    "judge_preferences": {"signature": "signature", "unscored": "unscored", "judged_texts": "texts"},
}
"""By table: the targets of columns that are kept as they are, and what the study calls them."""


def guess_signature(draft: Draft) -> None:
    """A column `signature` is tiebreak's where the file has all columns of a table of tiebreak that has one, under
    their own names; elsewhere it may be anybody's, and what an evaluator signed is known by how it begins.
    """
    if "signature" not in draft.bound:
        own = [c for c in draft.free if c == "signature" and any(map(draft.is_own_table, KEPT))]
        if found := [*own, *(c for c in draft.free if _is_of_evaluators(draft, c))]:
            draft.bind("signature", found[:1], "name" if own else "content")
    for table, kept in KEPT.items():
        if not draft.is_own_table(table) or "signature" not in draft.bound:
            continue
        for target, column in kept.items():
            if target not in draft.bound and column in draft.free:
                draft.bind(target, [column], "name")


def is_of_evaluators(draft: Draft) -> bool:
    """Whether evaluators made any of the rows."""
    return any(_is_of_evaluators(draft, column) for column in draft.columns("signature"))


def _is_of_evaluators(draft: Draft, column: str) -> bool:
    return any(cell.startswith(EVALUATOR) for cell in draft.profiles[column].distinct)


def kept_of(mapping: Mapping, line: Line, table: TableName) -> Row:
    """What a row of the table says of how it was made, as far as the file has columns for it."""
    targets = {target: column for target, column in KEPT[table].items() if mapping.has(target)}
    return {column: cell_of(mapping, line.cells, target).strip() or None for target, column in targets.items()}


def signatures_of(mappings: Iterable[Mapping]) -> dict[str, Meaning]:
    """What the signatures of files stand for, by the signatures.jsonl beside each.

    Raises:
        InputError: such a file is damaged, or two of them give a signature two meanings.
    """
    found: dict[str, Meaning] = {}
    for mapping in mappings:
        made = _signatures_in(mapping)
        folder = split_source(mapping.sheet.source)[0].parent
        beside = read_signatures(folder) if made else {}
        new = {name: of for name, of in beside.items() if name in made}
        found |= not_known(found, new, str(folder / SIGNATURES_FILE))
    return found


def _signatures_in(mapping: Mapping) -> set[str]:
    binding = mapping.get("signature")
    if binding is None:
        return set()
    cells = mapping.sheet.values(binding.columns[0]) if binding.columns else [binding.constant or ""]
    return {cell.strip() for cell in cells} - {""}
