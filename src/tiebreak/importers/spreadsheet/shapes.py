"""Turns the rows of one understood file into rows of the study's tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tiebreak.importers.spreadsheet.collected import ITEM_FIELDS, Collected, Place, Row
from tiebreak.importers.spreadsheet.fields import SYNONYMS, folded, is_left_right
from tiebreak.importers.spreadsheet.items import ItemNames, ItemSource
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.profile import parse_number, parse_time
from tiebreak.importers.spreadsheet.winners import Contest, Outcome, Unread, WinnerRule, read_outcomes

DEFAULT_CRITERION = "overall"


@dataclass(frozen=True, slots=True)
class Line:
    """One row with its item."""

    item: str
    cells: dict[str, str]
    place: Place


def add_rows(mapping: Mapping, into: Collected, *, source: ItemSource, names: ItemNames, winners: WinnerRule) -> None:
    """Add everything that one file holds; what cannot be read becomes a problem in `into`, nothing is raised."""
    lines = list(_lines(mapping, into, source, names))
    tables = mapping.tables
    _add_items(mapping, lines, into, with_input=source == "input")
    if "outputs" in tables:
        _add_outputs(mapping, lines, into)
    if "preferences" in tables:
        _add_preferences(mapping, lines, into, winners)
    if "ratings" in tables:
        _add_ratings(mapping, lines, into)
    if "scores" in tables:
        _add_scores(mapping, lines, into)


def _lines(mapping: Mapping, into: Collected, source: ItemSource, names: ItemNames) -> Iterator[Line]:
    sheet = mapping.sheet
    for number, (line, row) in enumerate(zip(sheet.lines, sheet.rows, strict=True)):
        place = Place(sheet.source, line)
        cells = dict(zip(sheet.columns, row, strict=True))
        if source == "position":
            yield Line(names.name(number), cells, place)
            continue
        target = "item" if source == "column" else "input"
        stated = _cell(mapping, cells, target)
        if not stated.strip():
            into.problem(place, _column(mapping, target), "", f"blank; every row needs its {target}")
            continue
        made = "" if source == "column" else names.name((stated, _cell(mapping, cells, "context")))
        yield Line(made or stated.strip(), cells, place)


def _column(mapping: Mapping, target: str) -> str | None:
    binding = mapping.get(target)
    return binding.columns[0] if binding is not None and binding.columns else None


def _cell(mapping: Mapping, cells: dict[str, str], target: str) -> str:
    """The cell of a target with one column, or its constant; "" if it is not mapped."""
    binding = mapping.get(target)
    if binding is None:
        return ""
    return cells[binding.columns[0]] if binding.columns else binding.constant or ""


def _name(mapping: Mapping, line: Line, target: str, into: Collected) -> str | None:
    """A cell that must name something; blank is a problem."""
    name = _cell(mapping, line.cells, target).strip()
    if name:
        return name
    into.problem(line.place, _column(mapping, target), "", f"blank; every row needs its {target}")
    return None


def _add_items(mapping: Mapping, lines: list[Line], into: Collected, *, with_input: bool) -> None:
    targets = [target for target in ITEM_FIELDS if mapping.has(target)]
    columns = {target: column for target in targets if (column := _column(mapping, target)) is not None}
    if not targets and not with_input:
        return
    for line in lines:
        details = {target: _cell(mapping, line.cells, target) for target in targets}
        into.add_item(line.item, details, columns, line.place)


def _add_outputs(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    text = mapping.get("text")
    if text is not None and len(text.columns) > 1:
        for line in lines:
            for column in text.columns:
                if line.cells[column].strip():
                    into.add_output(line.item, column, line.cells[column], column, line.place)
                else:
                    into.skipped[mapping.sheet.source, f"blank cells in {column}: no output"] += 1
        return
    pairs = [("system", "text")] if text is not None else [("system_a", "text_a"), ("system_b", "text_b")]
    for line in lines:
        for system_target, text_target in pairs:
            if not mapping.has(text_target):
                continue
            system = _name(mapping, line, system_target, into)
            if system is not None:
                stated = _cell(mapping, line.cells, text_target)
                into.add_output(line.item, system, stated, _column(mapping, text_target), line.place)


def _pair(mapping: Mapping, line: Line, into: Collected) -> tuple[str, str] | None:
    text = mapping.get("text")
    if not mapping.has("system_a") and text is not None:
        return text.columns[0], text.columns[1]
    first, second = (_name(mapping, line, target, into) for target in ("system_a", "system_b"))
    if first is None or second is None:
        return None
    if first == second:
        into.problem(line.place, _column(mapping, "system_b"), second, "the same system twice; a pair needs two")
        return None
    return first, second


def _shows_left(mapping: Mapping) -> Outcome | None:
    """Which of the pair was on the left, if the names of the columns say so."""
    text = mapping.get("text")
    columns = [_column(mapping, "system_a"), _column(mapping, "system_b")]
    if not mapping.has("system_a") and text is not None:
        columns = list(text.columns)
    if any(column is None or not is_left_right(column) for column in columns):
        return None
    return "a" if "left" in folded(str(columns[0])) else "b"


def _left(mapping: Mapping, line: Line, pair: tuple[str, str], into: Collected) -> Outcome | None:
    if not mapping.has("left"):
        return _shows_left(mapping)
    said = _cell(mapping, line.cells, "left").strip()
    if not said:
        return None
    if said in pair:
        return "a" if said == pair[0] else "b"
    into.problem(
        line.place, _column(mapping, "left"), said, f"not one of the row's pair ({pair[0]}, {pair[1]}), or blank"
    )
    return None


def _add_preferences(mapping: Mapping, lines: list[Line], into: Collected, winners: WinnerRule) -> None:
    binding = mapping.get("outcome")
    if binding is None:
        return
    shown = mapping.has("left") or _shows_left(mapping) is not None
    paired = [(line, pair) for line in lines if (pair := _pair(mapping, line, into)) is not None]
    lefts = [_left(mapping, line, pair, into) for line, pair in paired]
    # All columns at once: what 1 means in one annotator's column is told by a 2 in another's.
    asked = [
        (column, line, Contest(*pair, line.cells[column], left))
        for column in binding.columns
        for (line, pair), left in zip(paired, lefts, strict=True)
    ]
    outcomes = read_outcomes([contest for _, _, contest in asked], winners)
    for (column, line, contest), outcome in zip(asked, outcomes, strict=True):
        if isinstance(outcome, Unread):
            into.problem(line.place, column, contest.cell.strip(), outcome.reason)
            continue
        _count_reading(mapping, into, column, contest, outcome)
        if outcome is None:
            continue
        row: Row = {"item": line.item, "system_a": contest.system_a, "system_b": contest.system_b}
        row |= _who_and_what(mapping, line, column, into, several=len(binding.columns) > 1)
        row["outcome"] = outcome
        if shown:
            row["left"] = _system_on_left(contest)
        row |= _timing(mapping, line, into)
        into.add_preference(row, _column(mapping, "annotator") or column, line.place)


def _system_on_left(contest: Contest) -> str | None:
    return {None: None, "a": contest.system_a, "b": contest.system_b}[contest.left]


def _count_reading(mapping: Mapping, into: Collected, column: str, contest: Contest, outcome: Outcome | None) -> None:
    cell = contest.cell.strip()
    meaning = "skipped" if outcome is None else {"a": "system_a", "b": "system_b", "tie": "tie"}[outcome]
    if outcome in ("a", "b") and cell in (contest.system_a, contest.system_b):
        # One line for all names: a study may have dozens of systems.
        cell, meaning = "the name of a system", "that system"
    into.readings[mapping.sheet.source, column, cell or "blank", meaning] += 1
    if outcome is None:
        reason = (
            f"{column} is blank: not labelled"
            if not contest.cell.strip()
            else f"{column} is {cell}: --winner says skip"
        )
        into.skipped[mapping.sheet.source, reason] += 1


def _who_and_what(mapping: Mapping, line: Line, column: str, into: Collected, *, several: bool) -> Row:
    """Annotator (None: nobody named) and criterion of a label; the column's own name says one of them if there are
    several columns."""
    row: Row = {"annotator": None}
    if mapping.has("annotator"):
        row["annotator"] = _name(mapping, line, "annotator", into)
    criterion = _cell(mapping, line.cells, "criterion").strip() or None
    if several and mapping.several_are == "annotator":
        row["annotator"] = column
    elif several:
        criterion = column
    if several or mapping.has("criterion"):
        row["criterion"] = criterion
    return row


def _timing(mapping: Mapping, line: Line, into: Collected) -> Row:
    row: Row = {}
    if mapping.has("seconds"):
        cell = _cell(mapping, line.cells, "seconds").strip()
        seconds = parse_number(cell, mapping.sheet.decimal_comma)
        if cell and (seconds is None or seconds < 0):
            into.problem(line.place, _column(mapping, "seconds"), cell, "not a number of seconds, 0 or more")
        row["seconds"] = seconds
    if mapping.has("decided_at"):
        cell = _cell(mapping, line.cells, "decided_at").strip()
        row["decided_at"] = parse_time(cell) if cell else None
        if cell and row["decided_at"] is None:
            into.problem(
                line.place,
                _column(mapping, "decided_at"),
                cell,
                "not a time in ISO 8601, such as 2024-05-17T08:38:20; leave the column out with --map ignore=COLUMN",
            )
    return row


def _number(mapping: Mapping, line: Line, column: str, what: str, into: Collected) -> float | None:
    cell = line.cells[column].strip()
    if not cell:
        into.skipped[mapping.sheet.source, f"{column} is blank: no {what}"] += 1
        return None
    number = parse_number(cell, mapping.sheet.decimal_comma)
    if number is None:
        into.problem(line.place, column, cell, f"not a number; a {what} is a finite number such as 4 or 3.5, or blank")
    return number


def _add_ratings(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    binding = mapping.get("value")
    if binding is None:
        return
    for line in lines:
        system = _name(mapping, line, "system", into)
        for column in binding.columns:
            value = _number(mapping, line, column, "rating", into)
            if system is None or value is None:
                continue
            row: Row = {"item": line.item, "system": system}
            row |= _who_and_what(mapping, line, column, into, several=len(binding.columns) > 1)
            row["criterion"] = row.get("criterion") or _only_criterion(column)
            row["value"] = value
            row |= _timing(mapping, line, into)
            into.add_rating(row, _column(mapping, "annotator") or column, line.place)


def _only_criterion(column: str) -> str:
    """`fluency` says what was judged; `rating` does not."""
    return DEFAULT_CRITERION if folded(column) in SYNONYMS["value"] else column


def _add_scores(mapping: Mapping, lines: list[Line], into: Collected) -> None:
    binding = mapping.get("score")
    if binding is None:
        return
    for line in lines:
        system = _name(mapping, line, "system", into)
        for column in binding.columns:
            value = _number(mapping, line, column, "score", into)
            if system is None or value is None:
                continue
            metric = _name(mapping, line, "metric", into) if mapping.has("metric") else column
            if metric is None:
                continue
            row: Row = {"item": line.item, "system": system, "metric": metric, "value": value}
            if mapping.has("criterion") and not mapping.has("value"):
                row["criterion"] = _cell(mapping, line.cells, "criterion").strip() or None
            into.add_score(row, column, line.place)
