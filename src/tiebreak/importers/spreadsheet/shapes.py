"""Turns the rows of one understood file into rows of the study's tables."""

from __future__ import annotations

from tiebreak.importers.importer import ItemSource
from tiebreak.importers.spreadsheet.collected import ITEM_FIELDS, REFERENCES, Collected, Detail
from tiebreak.importers.spreadsheet.edits import add_edits
from tiebreak.importers.spreadsheet.error_marks import add_marked, without_marks
from tiebreak.importers.spreadsheet.items import ItemNames
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.measures import add_ratings, add_scores
from tiebreak.importers.spreadsheet.pairs import add_pairs
from tiebreak.importers.spreadsheet.rankings import add_rankings
from tiebreak.importers.spreadsheet.rows import (
    Line,
    cell_of,
    column_of,
    lines_of,
    name_of,
    pair_of,
    sample_of,
    samples_of_pair,
)
from tiebreak.importers.spreadsheet.spans import add_passages
from tiebreak.importers.spreadsheet.trainings import add_trainings
from tiebreak.importers.spreadsheet.winners import WinnerRule


def add_rows(mapping: Mapping, into: Collected, *, source: ItemSource, names: ItemNames, winners: WinnerRule) -> None:
    """Add everything that one file holds; what cannot be read becomes a problem in `into`, nothing is raised."""
    into.key_option, into.system_option = mapping.key_option, mapping.system_option
    lines = list(lines_of(mapping, into, source, names))
    tables = mapping.tables
    _add_items(mapping, lines, into, with_input=source == "input")
    add_trainings(mapping, lines, into)
    if "outputs" in tables:
        _add_outputs(mapping, lines, into)
    if mapping.ranks:
        add_rankings(mapping, lines, into)
    elif "preferences" in tables or "judge_preferences" in tables:
        add_pairs(mapping, lines, into, winners)
    if mapping.has("severity"):
        add_marked(mapping, lines, into)
    elif "ratings" in tables:
        add_ratings(mapping, lines, into)
    if "scores" in tables:
        add_scores(mapping, lines, into)
    if "edits" in tables:
        add_edits(mapping, lines, into)
    if "passages" in tables or "spans" in tables:
        add_passages(mapping, lines, into)


def _add_items(mapping: Mapping, lines: list[Line], into: Collected, *, with_input: bool) -> None:
    reference = mapping.get("reference")
    several = reference.columns if reference is not None and len(reference.columns) > 1 else ()
    targets = [target for target in ITEM_FIELDS if mapping.has(target) and not (several and target == "reference")]
    columns = {target: column for target in targets if (column := column_of(mapping, target)) is not None}
    if several:
        columns[REFERENCES] = several[0]
    if not targets and not several and not with_input:
        return
    for line in lines:
        details: dict[str, Detail] = {target: cell_of(mapping, line.cells, target) for target in targets}
        if several:
            texts = [line.cells[column] for column in several if line.cells[column].strip()]
            details[REFERENCES] = tuple(dict.fromkeys(texts))
        into.add_item(line.item, details, columns, line.place)


def _add_outputs(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    text = mapping.get("text")
    if text is not None and len(text.columns) > 1:
        for line in lines:
            for column in text.columns:
                if line.cells[column].strip():
                    sample = sample_of(mapping, line)
                    into.add_output(line.item, text.name_of(column), line.cells[column], column, line.place, sample)
                else:
                    into.skipped[mapping.sheet.source, f"blank cells in {column}: no output"] += 1
        return
    for line in lines:
        samples = samples_of_pair(mapping, line)
        for system, target in _systems_and_texts(mapping, line, into):
            if mapping.has(target):
                stated = cell_of(mapping, line.cells, target)
                if mapping.has("severity"):
                    stated = without_marks(stated)
                said = samples.get(target.replace("text", "sample"))
                sample = sample_of(mapping, line) if target == "text" else None if said is None else str(said)
                into.add_output(line.item, system, stated, column_of(mapping, target), line.place, sample)


def _systems_and_texts(mapping: Mapping, line: Line, into: Collected) -> list[tuple[str, str]]:
    """The systems of a row and the targets of their texts; what cannot be named becomes a problem."""
    if mapping.has("text"):
        system = name_of(mapping, line, "system", into)
        return [(system, "text")] if system is not None else []
    pair = pair_of(mapping, line, into)
    return list(zip(pair, ("text_a", "text_b"), strict=True)) if pair is not None else []
