"""Mechanical Turk: the results of a batch, with what was shown (`Input.*`) and answered (`Answer.*`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tiebreak.importers.formats.format import Format, Row, have, objects, text
from tiebreak.importers.recipe import Recipe
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.tabular.documents import Record, flat, text_of
from tiebreak.tabular.headers import Place
from tiebreak.tabular.source import Source

_KEPT: Final = ("HITId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds", "SubmitTime")
_TASK: Final = "taskAnswers"
_parse: Final = json_reader(numbers_as_text=True)


def _rows(sources: Sequence[Source]) -> Iterator[tuple[Place, Row]]:
    for source in sources:
        for place, record in source.placed():
            row = {name: text_of(record.get(name)) for name in _KEPT if name in record}
            if text(record, "Reject"):  # filled in for the upload that rejects; the status changes only then
                row["AssignmentStatus"] = "Rejected"
            shown = {name.partition(".")[2]: text_of(record[name]) for name in record if name.startswith("Input.")}
            answers = _answers(record)
            both = shown.keys() & answers.keys()
            row |= {f"Input.{name}" if name in both else name: cell for name, cell in shown.items()}
            row |= {f"Answer.{name}" if name in both else name: cell for name, cell in answers.items()}
            if any(name.casefold() in ("id", "item", "item_id") for name in row):
                del row["HITId"]
            yield place, row


def _answers(record: Record) -> Row:
    """The answers by question: of a choice, which has a true or false for each option, the options that are true."""
    cells = {name.partition(".")[2]: text_of(record[name]) for name in record if name.startswith("Answer.")}
    try:
        parsed: object = _parse(cells[_TASK]) if cells.get(_TASK) else {}
    except ParsingError:
        parsed = {}
    for part in [parsed] if isinstance(parsed, Mapping) else objects(parsed):
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
