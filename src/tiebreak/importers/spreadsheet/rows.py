"""The rows of one understood file: which item each is about, its cells by target, who labelled it and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tiebreak.importers.importer import ItemSource
from tiebreak.importers.spreadsheet.collected import Collected, Place, Row
from tiebreak.importers.spreadsheet.header_notes import SECONDS, time_unit
from tiebreak.importers.spreadsheet.items import ItemNames
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.pair_cells import split_pair
from tiebreak.importers.spreadsheet.profile import (
    NOTHING,
    graded,
    may_be_two_numbers,
    parse_clock,
    parse_number,
    parse_time,
)
from tiebreak.importers.spreadsheet.refused import reasons_to_refuse

_MICROSECONDS: Final = 6  # decimals


@dataclass(frozen=True, slots=True)
class Line:
    """One row with its item."""

    item: str
    cells: dict[str, str]
    place: Place


def lines_of(mapping: Mapping, into: Collected, source: ItemSource, names: ItemNames) -> Iterator[Line]:
    """The rows with their items; a row without one is a problem.

    A row that is an exact copy of another is left out, with a count, where somebody is named who answered: without a
    name two equal rows may be two people's.
    """
    sheet = mapping.sheet
    told_apart = source != "position" and mapping.has_labels and (mapping.has("annotator") or mapping.has("judge"))
    refused = reasons_to_refuse(mapping)
    seen: set[tuple[str, ...]] = set()
    for number, (line, row) in enumerate(zip(sheet.lines, sheet.rows, strict=True)):
        if why := next((why for (place, cell), why in refused.items() if row[place] == cell), None):
            into.skipped[sheet.source, why] += 1
            continue
        if told_apart and row in seen:
            into.skipped[sheet.source, "exact copies of other rows"] += 1
            continue
        seen.add(row)
        place = Place(sheet.source_of(number), line, sheet.unit)
        cells = dict(zip(sheet.columns, row, strict=True))
        if source == "position":
            yield Line(names.name(number), cells, place)
            continue
        target = "item" if source == "column" else "input"
        stated = cell_of(mapping, cells, target)
        if not stated.strip():
            into.problem(place, column_of(mapping, target), "", f"blank; every row needs its {target}")
            continue
        made = "" if source == "column" else names.name((stated, cell_of(mapping, cells, "context")))
        yield Line(made or stated.strip(), cells, place)


def column_of(mapping: Mapping, target: str) -> str | None:
    """The first column of a target; None if it has none."""
    binding = mapping.get(target)
    return binding.columns[0] if binding is not None and binding.columns else None


def cell_of(mapping: Mapping, cells: dict[str, str], target: str) -> str:
    """The cell of a target, or its constant; "" if it is not mapped."""
    binding = mapping.get(target)
    if binding is None:
        return ""
    return binding.cell(cells)


def name_of(mapping: Mapping, line: Line, target: str, into: Collected) -> str | None:
    """A cell that must name something; blank is a problem."""
    name = cell_of(mapping, line.cells, target).strip()
    if name:
        return name
    into.problem(line.place, column_of(mapping, target), "", f"blank; every row needs its {target}")
    return None


def pair_of(mapping: Mapping, line: Line, into: Collected) -> tuple[str, str] | None:
    """The two systems of a row; None, with a problem, where they are not two."""
    text = mapping.get("text")
    if mapping.has("pair"):
        cell = cell_of(mapping, line.cells, "pair")
        found = split_pair(cell, mapping.pair_separator)
        if found is None:
            message = "not two systems; write x vs y, or map system_a and system_b"
            into.problem(line.place, column_of(mapping, "pair"), cell, message)
            return None
        first, second = found
    elif not mapping.has("system_a") and text is not None:
        return text.name_of(text.columns[0]), text.name_of(text.columns[1])
    else:
        named = [name_of(mapping, line, target, into) for target in ("system_a", "system_b")]
        if named[0] is None or named[1] is None:
            return None
        first, second = named[0], named[1]
    if first == second:
        column = column_of(mapping, "pair") or column_of(mapping, "system_b")
        into.problem(line.place, column, second, "the same system twice; a pair needs two", cause="the same system")
        return None
    return first, second


def number_of(mapping: Mapping, line: Line, column: str, what: str, into: Collected) -> float | None:
    """A cell as a number; None, with a count, where it is blank, and None, with a problem, where it is none."""
    cell = line.cells[column].strip()
    if not cell or cell.casefold() in NOTHING:
        into.skipped[mapping.sheet.source, f"{column} is {cell or 'blank'}: no {what}"] += 1
        return None
    number = parse_number(cell, mapping.sheet.decimal_comma)
    if number is None:
        number = graded(cell)
    if number is None:
        wrong = f"not a number; a {what} is a finite number such as 4 or 3.5, or blank"
        if may_be_two_numbers(cell):
            wrong = "the comma may part thousands or be a decimal comma; write 1500 or 1.5 where it says 1,500"
        into.problem(line.place, column, cell, wrong)
    return number


def who_and_what(mapping: Mapping, line: Line, column: str, into: Collected, *, several: bool) -> Row:
    """Annotator (None: nobody named) and criterion of a label; the column's own name says one of them if there are
    several columns."""
    row: Row = {"annotator": who(mapping, line, into)}
    criterion = cell_of(mapping, line.cells, "criterion").strip() or None
    if several and mapping.several_are == "annotator":
        row["annotator"] = column
    elif several:
        criterion = column
    if several or mapping.has("criterion"):
        row["criterion"] = criterion
    return row


def sample_of(mapping: Mapping, line: Line) -> str | None:
    """Which of several outputs of the row's system it is about; None where it has one."""
    return cell_of(mapping, line.cells, "sample").strip() or None


def samples_of_pair(mapping: Mapping, line: Line) -> Row:
    """The same of both systems of a pair, as far as the file says it; one column may say it of both."""
    both = sample_of(mapping, line)
    found = {target: cell_of(mapping, line.cells, target).strip() or both for target in ("sample_a", "sample_b")}
    return {target: sample for target, sample in found.items() if sample}


def about_one(mapping: Mapping, line: Line, system: str) -> Row:
    """Item, system and sample of a row about one output."""
    row: Row = {"item": line.item, "system": system}
    sample = sample_of(mapping, line)
    return row if sample is None else row | {"sample": sample}


def who(mapping: Mapping, line: Line, into: Collected) -> str | None:
    """The annotator of a row; None where nobody is named."""
    return name_of(mapping, line, "annotator", into) if mapping.has("annotator") else None


def _seconds(mapping: Mapping, line: Line, into: Collected) -> float | None:
    """The time of a label in seconds, whatever unit the column's name says."""
    column = column_of(mapping, "seconds") or ""
    cell = cell_of(mapping, line.cells, "seconds").strip()
    if not cell or cell.casefold() in NOTHING:
        return None
    clock = parse_clock(cell)
    if clock is not None:
        return clock
    number, unit = parse_number(cell, mapping.sheet.decimal_comma), time_unit(column) or SECONDS
    if number is None or number < 0:
        into.problem(line.place, column, cell, f"not a number of {unit.name}, 0 or more", cause="seconds")
        return None
    return number if unit is SECONDS else round(number * unit.seconds, _MICROSECONDS)


def timing(mapping: Mapping, line: Line, into: Collected) -> Row:
    """Seconds and time of a label, as far as the file has them."""
    row: Row = {}
    if mapping.has("seconds"):
        row["seconds"] = _seconds(mapping, line, into)
    if mapping.has("decided_at"):
        cell = cell_of(mapping, line.cells, "decided_at").strip()
        row["decided_at"] = parse_time(cell) if cell else None
        if cell and row["decided_at"] is None:
            into.problem(
                line.place,
                column_of(mapping, "decided_at"),
                cell,
                "not a time in ISO 8601, such as 2024-05-17T08:38:20; leave the column out with --map ignore=COLUMN",
            )
    return row
