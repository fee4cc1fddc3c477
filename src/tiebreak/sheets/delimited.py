"""A sheet as CSV: for programs that do not read workbooks."""

from __future__ import annotations

from tiebreak.live.answers import allowed_answers
from tiebreak.live.task_view import Assignment
from tiebreak.sheets.columns import ANSWER, COMMENT, SECONDS, TASK, text_columns
from tiebreak.tabular.delimited import csv_for_spreadsheets


def to_csv(content: Assignment) -> bytes:
    """A CSV file for spreadsheet programs; the question stands in every row."""
    columns = text_columns(content)
    question = f"{content.question} ({', '.join(allowed_answers(ties=content.ties))})"
    header = [TASK, *(column.name for column in columns), "question", ANSWER, SECONDS, COMMENT]
    rows = [
        [task.task, *(column.texts[place] for column in columns), question, None, None, None]
        for place, task in enumerate(content.tasks)
    ]
    return csv_for_spreadsheets([header, *rows])
