"""What is wrong with a workbook."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A cell: `page` names its sheet; `row` from 1, `column` from 0."""

    page: str
    row: int
    column: int


class WorkbookError(Exception):
    """A workbook, or one of its cells, that cannot be read; the text says why and what to do."""

    def __init__(self, message: str, place: Place | None = None, value: str | None = None) -> None:
        super().__init__(message)
        self.message, self.place, self.value = message, place, value


SAVE_AGAIN = "open it in a spreadsheet program and save it again as .xlsx"
"""What helps with most damage."""
