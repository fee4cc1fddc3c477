"""Rows of numbers about one system: ratings of people, scores of metrics and of models that rate."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.spreadsheet.collected import Collected
from tiebreak.importers.spreadsheet.fields import key_of
from tiebreak.importers.spreadsheet.header_notes import scale_in
from tiebreak.importers.spreadsheet.header_words import SYNONYMS
from tiebreak.importers.spreadsheet.mapping import Binding, Mapping
from tiebreak.importers.spreadsheet.rows import (
    Line,
    about_one,
    cell_of,
    name_of,
    number_of,
    timing,
    who_and_what,
)
from tiebreak.importers.spreadsheet.signatures import kept_of

DEFAULT_CRITERION: Final = "overall"


def add_ratings(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    """Add people's ratings; what cannot be read becomes a problem in `into`."""
    binding = mapping.get("value")
    if binding is None:
        return
    several = len(binding.columns) > 1 and not binding.measures
    scales = {column: scale_in(column) for column in binding.columns}
    for line in _one_for_all_passages(mapping, lines):
        for column in binding.columns:
            system = _system(mapping, binding, line, column, into)
            value = number_of(mapping, line, column, "rating", into)
            if system is None or value is None:
                continue
            row = about_one(mapping, line, system)
            row |= who_and_what(mapping, line, column, into, several=several)
            row["criterion"] = row.get("criterion") or _criterion(mapping, binding, column)
            row["annotator"] = binding.person_of(column) or row["annotator"]
            row["value"] = value
            row |= timing(mapping, line, into)
            if (scale := scales[column]) is not None:
                into.declare_scale(str(row["criterion"]), scale, column, line.place)
                if not scale[0] <= value <= scale[1]:
                    wrong = "beyond the scale in the column's name; correct the cell, or the name"
                    into.problem(line.place, column, line.cells[column].strip(), wrong)
            into.add_rating(row)


def _one_for_all_passages(mapping: Mapping, lines: list[Line]) -> list[Line]:
    """Of rows with a passage each, those that do not rate the same output alike again."""
    if "spans" not in mapping.tables or not mapping.has("annotator"):
        return lines
    targets = ("system", "sample", "annotator", "criterion", "value")
    columns = [column for target in targets if (of := mapping.get(target)) is not None for column in of.columns]
    seen: dict[tuple[str, ...], Line] = {}
    for line in lines:
        seen.setdefault((line.item, *(line.cells[column].strip() for column in columns)), line)
    return list(seen.values())


def add_scores(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    """Add metrics' scores; the ratings of a judge are scores by the name of the judge."""
    binding = mapping.get("score")
    if binding is None:
        return
    for line in lines:
        for column in binding.columns:
            system = _system(mapping, binding, line, column, into)
            value = number_of(mapping, line, column, "score", into)
            if system is None or value is None:
                continue
            metric, criterion = _metric(mapping, binding, line, column, into)
            if metric is None:
                continue
            row = about_one(mapping, line, system) | {"metric": metric, "value": value}
            if criterion is not None:
                row["criterion"] = criterion
            row |= kept_of(mapping, line, "scores")
            into.add_score(row, column, line.place)


def _metric(
    mapping: Mapping, binding: Binding, line: Line, column: str, into: Collected
) -> tuple[str | None, str | None]:
    """Metric and criterion of a score: a column that names the metric leaves the criterion to the score's column."""
    criterion = cell_of(mapping, line.cells, "criterion").strip() or None
    by = next((target for target in ("metric", "judge") if mapping.has(target)), None)
    if by is None:
        return binding.measure_of(column), criterion if not mapping.has("value") else None
    name = name_of(mapping, line, by, into)
    if criterion is None and (len(binding.columns) > 1 or key_of(column) not in SYNONYMS["value"]):
        measure = binding.measure_of(column)
        criterion = measure if key_of(measure) not in SYNONYMS["value"] else None
    return name, criterion


def _system(mapping: Mapping, binding: Binding, line: Line, column: str, into: Collected) -> str | None:
    return binding.name_of(column) if binding.owners else name_of(mapping, line, "system", into)


def _criterion(mapping: Mapping, binding: Binding, column: str) -> str:
    """`fluency` says what was judged; `rating` does not, nor does the name of a person whose ratings these are."""
    measure = binding.measure_of(column)
    whose = not binding.measures and mapping.several_are == "annotator" and len(binding.columns) > 1
    return DEFAULT_CRITERION if whose or key_of(measure) in SYNONYMS["value"] else measure
