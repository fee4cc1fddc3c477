"""Mechanical Turk: the results of a batch, with what was shown (`Input.*`) and answered (`Answer.*`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tiebreak.importers.entries import FIELDS
from tiebreak.importers.formats.format import Format, Row, Rows, have, objects, parsed, placed, text
from tiebreak.importers.recipe import Recipe
from tiebreak.tabular.documents import flat, text_of
from tiebreak.tabular.source import Record, Sources

_KEPT: Final = ("HITId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds", "SubmitTime")
_TASK: Final = "taskAnswers"


def _rows(sources: Sources) -> Rows:
    for place, record in placed(sources):
        row = {name: text_of(record.get(name)) for name in _KEPT if name in record}
        if text(record, "Reject"):  # filled in for the upload that rejects; the status changes only then
            row["AssignmentStatus"] = "Rejected"
        parts = {"Input": _after("Input.", record), "Answer": _answers(_after("Answer.", record))}
        both = parts["Input"].keys() & parts["Answer"].keys()
        for part, cells in parts.items():
            row |= {f"{part}.{name}" if name in both else name: cell for name, cell in cells.items()}
        if any(name.casefold().replace("_", "") in FIELDS["item"].names for name in row if name != "HITId"):
            del row["HITId"]
        yield place, row


def _after(start: str, record: Record) -> Row:
    """What the columns hold whose names begin so, by the rest of their names."""
    return {name.removeprefix(start): text_of(record[name]) for name in record if name.startswith(start)}


def _answers(cells: Row) -> Row:
    """The answers by question: of a choice, which has a true or false for each option, the options that are true."""
    answers = parsed(cells.get(_TASK))
    for part in [answers] if isinstance(answers, Mapping) else objects(answers):
        cells = {name: cell for name, cell in cells.items() if name != _TASK} | flat(part)
    row: Row = {}
    for name, cell in cells.items():
        question, _, option = name.rpartition(".")
        if question and cell.casefold() in ("true", "false"):
            chosen = [row[question]] if row.get(question) else []
            row[question] = ", ".join([*chosen, option] if cell.casefold() == "true" else chosen)
        else:
            row[name.removesuffix(".label")] = cell
    return row


FORMAT: Final = Format(
    "mturk",
    "Mechanical Turk batches",
    lambda source: have(source, "HITId", "WorkerId", "AssignmentStatus"),
    rows=_rows,
    recipe=Recipe(
        fields={"annotator": "WorkerId", "seconds": "WorkTimeInSeconds", "decided_at": "SubmitTime"},
        skip={"AssignmentStatus": ["Rejected"]},
    ),
)
