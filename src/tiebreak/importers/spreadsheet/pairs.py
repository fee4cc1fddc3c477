"""Rows about a pair of systems: preferences of people, and judge preferences of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.importers.spreadsheet.collected import Collected, Row
from tiebreak.importers.spreadsheet.fields import is_left_right, side_of, words
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.profile import parse_number
from tiebreak.importers.spreadsheet.rows import (
    Line,
    cell_of,
    column_of,
    name_of,
    pair_of,
    samples_of_pair,
    timing,
    who_and_what,
)
from tiebreak.importers.spreadsheet.signatures import kept_of
from tiebreak.importers.spreadsheet.winner_cells import Outcome
from tiebreak.importers.spreadsheet.winner_numbers import number_in
from tiebreak.importers.spreadsheet.winners import Contest, Unread, WinnerRule, read_outcomes

PROBABILITIES: Final = ("p_a", "p_tie", "p_b")


@dataclass(frozen=True, slots=True)
class _Asked:
    """One cell to be read: its column, its row, the pair in it; `name`: the person or criterion of the column."""

    column: str
    line: Line
    contest: Contest
    name: str = ""


def add_pairs(mapping: Mapping, lines: list[Line], into: Collected, winners: WinnerRule) -> None:
    """Add what people and models said about pairs; what cannot be read becomes a problem in `into`."""
    paired = [(line, pair) for line in lines if (pair := pair_of(mapping, line, into)) is not None]
    lefts = [_left(mapping, line, pair, into) for line, pair in paired]
    binding = mapping.get("outcome")
    if binding is None:
        for (line, pair), left in zip(paired, lefts, strict=True):
            _add_by_probability(mapping, _Asked("", line, Contest(*pair, "", left)), into)
        return
    # All columns at once: what 1 means in one annotator's column is told by a 2 in another's.
    asked = [
        _Asked(
            column,
            line,
            Contest(*pair, line.cells[column], left, _columns_of_texts(mapping)),
            binding.name_of_answers(column),
        )
        for column in binding.columns
        for (line, pair), left in zip(paired, lefts, strict=True)
    ]
    outcomes = read_outcomes([cell.contest for cell in asked], winners, binding.columns, counted=_are_counted(mapping))
    for cell, outcome in zip(asked, outcomes, strict=True):
        if isinstance(outcome, Unread):
            into.problem(cell.line.place, cell.column, cell.contest.cell.strip(), outcome.reason)
            continue
        _count_reading(mapping, into, cell, outcome)
        if mapping.has("judge"):
            _add_judged(mapping, cell, outcome, into, several=len(binding.columns) > 1)
        elif outcome is not None:
            _add_preferred(mapping, cell, outcome, into, several=len(binding.columns) > 1)


def _columns_of_texts(mapping: Mapping) -> tuple[str, str]:
    """What the columns of the two texts are called; "" where there are none."""
    text = mapping.get("text")
    if text is not None and len(text.columns) == 2:
        return text.columns[0], text.columns[1]
    return column_of(mapping, "text_a") or "", column_of(mapping, "text_b") or ""


def _shows_left(mapping: Mapping) -> Outcome | None:
    """Which of the pair was on the left, if the names of the columns say so."""
    text = mapping.get("text")
    columns = [column_of(mapping, "system_a"), column_of(mapping, "system_b")]
    if not mapping.has("system_a") and text is not None:
        columns = list(text.columns)
    if any(column is None or not is_left_right(column) for column in columns):
        return None
    return side_of(str(columns[0]))[0]


def _are_counted(mapping: Mapping) -> bool:
    """Whether the columns of the pair are called 1 and 2 (`model_1`, `response2`)."""
    text = mapping.get("text")
    pairs = [[column_of(mapping, f"{kind}_{side}") or "" for side in "ab"] for kind in ("system", "text")]
    pairs.append(list(text.columns) if text is not None else [])
    return any([words(column)[-1:] for column in pair] == [["1"], ["2"]] for pair in pairs)


def _left(mapping: Mapping, line: Line, pair: tuple[str, str], into: Collected) -> Outcome | None:
    if not mapping.has("left"):
        return _shows_left(mapping)
    said = cell_of(mapping, line.cells, "left").strip()
    if not said:
        return None
    if said in pair:
        return "a" if said == pair[0] else "b"
    into.problem(
        line.place, column_of(mapping, "left"), said, f"not one of the row's pair ({pair[0]}, {pair[1]}), or blank"
    )
    return None


def _base(mapping: Mapping, cell: _Asked) -> Row:
    contest = cell.contest
    row: Row = {"item": cell.line.item, "system_a": contest.system_a, "system_b": contest.system_b}
    row |= samples_of_pair(mapping, cell.line)
    if mapping.has("left") or contest.left is not None:
        row["left"] = {None: None, "a": contest.system_a, "b": contest.system_b, "tie": None}[contest.left]
    return row


def _add_preferred(mapping: Mapping, cell: _Asked, outcome: Outcome, into: Collected, *, several: bool) -> None:
    row = _base(mapping, cell) | who_and_what(mapping, cell.line, cell.name, into, several=several)
    row |= {"outcome": outcome} | timing(mapping, cell.line, into)
    into.add_preference(row)


def _add_judged(mapping: Mapping, cell: _Asked, outcome: Outcome | None, into: Collected, *, several: bool) -> None:
    """A model's choice; one that is blank or skipped is kept without an outcome."""
    judge = name_of(mapping, cell.line, "judge", into)
    if judge is None:
        return
    row = _base(mapping, cell) | {"judge": judge, "outcome": outcome}
    criterion = cell_of(mapping, cell.line.cells, "criterion").strip() or None
    if several or mapping.has("criterion"):
        row["criterion"] = cell.name if several else criterion
    if mapping.has("reply"):
        row["reply"] = cell_of(mapping, cell.line.cells, "reply")
    row |= _probabilities(mapping, cell.line, into)
    into.add_judged(row | kept_of(mapping, cell.line, "judge_preferences"))


def _probabilities(mapping: Mapping, line: Line, into: Collected) -> Row:
    row: Row = {}
    for target in PROBABILITIES:
        if not mapping.has(target):
            continue
        cell = cell_of(mapping, line.cells, target).strip()
        number = parse_number(cell, mapping.sheet.decimal_comma)
        if cell and (number is None or not 0 <= number <= 1):
            into.problem(line.place, column_of(mapping, target), cell, "not a probability from 0 to 1, or blank")
        row[target] = number
    return row


def _add_by_probability(mapping: Mapping, cell: _Asked, into: Collected) -> None:
    """Without an outcome the most probable one is taken; two that are equally probable leave it open."""
    found = _probabilities(mapping, cell.line, into)
    chances = [(found.get(target), outcome) for target, outcome in zip(PROBABILITIES, _OUTCOMES, strict=True)]
    known = sorted(((float(str(p)), outcome) for p, outcome in chances if p is not None), reverse=True)
    clear = bool(known) and (len(known) == 1 or known[0][0] > known[1][0])
    _add_judged(mapping, cell, known[0][1] if clear else ("tie" if known else None), into, several=False)


_OUTCOMES: Final[Sequence[Outcome]] = ("a", "tie", "b")


def _count_reading(mapping: Mapping, into: Collected, asked: _Asked, outcome: Outcome | None) -> None:
    contest, column = asked.contest, asked.column
    cell = contest.cell.strip()
    kept = mapping.has("judge")  # without an outcome too: a reply that says nothing is one
    meaning = (
        ("no outcome" if kept else "skipped")
        if outcome is None
        else {"a": "system_a", "b": "system_b", "tie": "tie"}[outcome]
    )
    if outcome in ("a", "b") and cell in (contest.system_a, contest.system_b):
        # One line for all names: a study may have dozens of systems.
        cell, meaning = "the name of a system", "that system"
    elif "." in (number_in(cell) or "") and outcome is not None:
        cell = {"a": "1 to 1.5", "tie": "1.5", "b": "1.5 to 2"}[outcome]  # of a scale, where each cell is another
    into.readings[mapping.sheet.source, column, cell or "blank", meaning] += 1
    if outcome is None and not kept:
        reason = f"{column} is blank: not labelled" if not cell else f"{column} is {cell}: --winner says skip"
        into.skipped[mapping.sheet.source, reason] += 1
