"""Rows of passages, and of what people found in them about an output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.data.schema import YES_OR_NO
from tiebreak.importers.spreadsheet.collected import Collected, Place, Row
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.profile import parse_number
from tiebreak.importers.spreadsheet.rows import (
    Line,
    about_one,
    cell_of,
    column_of,
    name_of,
    timing,
    who,
)
from tiebreak.importers.spreadsheet.support_words import support_in, yes_in

YES_OR_NO_SCALE: Final = (0.0, 1.0)

Said = dict[tuple[object, ...], tuple[bool, Place]]
"""What was said of question or answer, and where first, by the output, the person and the criterion."""


def add_passages(mapping: Mapping, lines: Iterable[Line], into: Collected) -> None:
    """Add passages and what people found in them; what cannot be read becomes a problem in `into`."""
    said: Said = {}
    for line in lines:
        if "spans" not in mapping.tables:
            _add_texts(mapping, line, into)
            continue
        system = name_of(mapping, line, "system", into)
        judged = cell_of(mapping, line.cells, "support").strip()
        if judged or any(cell_of(mapping, line.cells, target).strip() for target in ("passage", "passage_text")):
            passage = _passage(mapping, line, into)
            if system is not None and passage is not None:
                _add_span(mapping, line, system, passage, into)
        for criterion in YES_OR_NO:
            if system is not None and mapping.has(criterion):
                _add_yes_or_no(mapping, line, system, criterion, said, into)


def _add_texts(mapping: Mapping, line: Line, into: Collected) -> None:
    """The passages of a row, of which nobody said anything: one, or a column for each."""
    texts = mapping.get("passage_text")
    if texts is None or len(texts.columns) < 2:
        _passage(mapping, line, into)
        return
    for column in texts.columns:
        text = line.cells[column]
        if text.strip():
            into.add_passage(line.item, into.passage_named(line.item, text), text, column, line.place)


def _passage(mapping: Mapping, line: Line, into: Collected) -> str | None:
    """The name of the row's passage, whose text is added where there is one."""
    text = cell_of(mapping, line.cells, "passage_text")
    if mapping.has("passage"):
        name = name_of(mapping, line, "passage", into)
    elif text.strip():
        name = into.passage_named(line.item, text)
    else:
        into.problem(line.place, column_of(mapping, "passage_text"), "", "blank; every row needs its passage_text")
        return None
    if name is not None and text.strip():
        into.add_passage(line.item, name, text, column_of(mapping, "passage_text"), line.place)
    return name


def _add_span(mapping: Mapping, line: Line, system: str, passage: str, into: Collected) -> None:
    cell, column = cell_of(mapping, line.cells, "support").strip(), column_of(mapping, "support")
    support = support_in(cell)
    if not cell:
        into.skipped[mapping.sheet.source, f"{column} is blank: the passage was not judged"] += 1
    elif support is None:
        message = "not clear; write supports, contradicts or neither (yes is read as supports, no as neither)"
        into.problem(line.place, column, cell, message, cause="support")
    else:
        into.readings[mapping.sheet.source, column or "support", cell, support] += 1
        row = about_one(mapping, line, system) | {"passage": passage, "annotator": who(mapping, line, into)}
        into.add_span(row | {"support": support} | _places(mapping, line, into) | timing(mapping, line, into))


def _add_yes_or_no(
    mapping: Mapping, line: Line, system: str, criterion: str, said: Said, into: Collected
) -> None:  # fmt: skip
    """What a person said of question or answer, which is one rating for all passages of an output."""
    cell, column = cell_of(mapping, line.cells, criterion).strip(), column_of(mapping, criterion)
    answer = yes_in(cell)
    if cell and answer is None:
        into.problem(line.place, column, cell, "not clear; write yes or no, 1 or 0, or nothing", cause="yes or no")
    if answer is None:
        return
    person, of = who(mapping, line, into), about_one(mapping, line, system)
    first, where = said.setdefault((*of.values(), person, criterion), (answer, line.place))
    if where is line.place:
        into.declare_scale(criterion, YES_OR_NO_SCALE, column or criterion, line.place)
        into.add_rating(of | {"annotator": person, "criterion": criterion, "value": float(answer)})
    elif first != answer:
        whose = f"by {person}" if person else "and no column names who answered"
        message = f"another answer than at {where} about the same output, {whose}; it is one for all passages"
        into.problem(line.place, column, cell, message, cause="another answer")


def _places(mapping: Mapping, line: Line, into: Collected) -> Row:
    """Where in the passage: both ends, or nothing."""
    found: Row = {}
    for target in ("start", "end"):
        cell = cell_of(mapping, line.cells, target).strip()
        number = parse_number(cell)
        if number is not None and number >= 0 and number.is_integer():
            found[target] = number
        elif cell:
            message = "not a place in the passage; write a whole number of characters from 0, or nothing"
            into.problem(line.place, column_of(mapping, target), cell, message, cause="place")
            return {}
    wrong = "" if len(found) in (0, 2) else "a span needs its start and its end, or neither"
    if len(found) == 2 and float(str(found["end"])) < float(str(found["start"])):
        wrong = "a span ends before its start"
    if wrong:
        cell = cell_of(mapping, line.cells, "end").strip()
        into.problem(line.place, column_of(mapping, "end") or column_of(mapping, "start"), cell, wrong, cause=wrong)
    return found
