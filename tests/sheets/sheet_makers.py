"""Sheets for tests: a small study, its tasks, and what people do to a sheet before they send it back."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from types import MappingProxyType

import openpyxl
from openpyxl.worksheet.worksheet import Worksheet

from tiebreak.campaign import Protocol
from tiebreak.campaign.events import TaskAssigned
from tiebreak.campaign.kinds import LABEL_KINDS, AnswerField
from tiebreak.data.study import Study

AT = "2026-05-01T09:30:00Z"
PREFERENCE = LABEL_KINDS["preference"]


def fields_of(protocol: Protocol | None = None) -> tuple[AnswerField, ...]:
    """The fields of a comparison of two texts."""
    return PREFERENCE.fields(protocol or Protocol(), outputs=2, passages=0)


def small_study(items: int = 6) -> Study:
    """Two systems with telling names, and texts that do not tell them."""
    names = [f"i{k}" for k in range(items)]
    return Study.from_tables(
        items=[{"item": name, "input": f"question {name}", "reference": f"reference {name}"} for name in names],
        outputs=[
            {"item": name, "system": system, "text": f"{kind} text on {name}"}
            for name in names
            for system, kind in (("zeta-9b", "long"), ("eta-3b", "short"))
        ],
        name="zeta-against-eta",
    )


def task(number: int, *, left: str = "zeta-9b", annotator: str = "ann", item: str | None = None) -> TaskAssigned:
    """A task on item `number`, eta-3b against zeta-9b."""
    systems = ("eta-3b", "zeta-9b")
    shown = systems if left == "eta-3b" else systems[::-1]
    return TaskAssigned(AT, f"t{number}", annotator, systems, item or f"i{number}", shown)


def page_of(content: bytes, name: str = "Tasks") -> tuple[openpyxl.Workbook, Worksheet]:
    """The workbook and one of its pages."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    return book, book[name]


def saved(book: openpyxl.Workbook) -> bytes:
    """The workbook as bytes."""
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def fill_workbook(content: bytes, answers: Mapping[str, str], *, extra: Mapping[str, object] | None = None) -> bytes:
    """A workbook with these answers by task, and `extra` cells by address."""
    book, page = page_of(content)
    header = [cell.value for cell in page[2]]
    column = header.index("answer") + 1
    for row in range(3, page.max_row + 1):
        if page.cell(row, 1).value in answers:
            page.cell(row, column).value = answers[page.cell(row, 1).value]
    for address, value in (extra or {}).items():
        page[address] = value
    return saved(book)


def fill_csv(
    content: bytes,
    answers: Mapping[str, str],
    *,
    encoding: str = "utf-8",
    dialect: Callable[[list[list[str]]], str] | None = None,
    comments: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """A CSV sheet with these answers by task, and comments, saved in another encoding or shape."""
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    column = rows[0].index("answer")
    for row in rows[1:]:
        row[column] = answers.get(row[0], "")
        if row[0] in comments:
            row[rows[0].index("comment")] = comments[row[0]]
    return (dialect or csv_with(","))(rows).encode(encoding)


def csv_with(delimiter: str, newline: str = "\r\n") -> Callable[[list[list[str]]], str]:
    """Writes rows with this delimiter and line end."""

    def write(rows: list[list[str]]) -> str:
        stream = io.StringIO(newline="")
        csv.writer(stream, delimiter=delimiter, lineterminator=newline).writerows(rows)
        return stream.getvalue()

    return write
