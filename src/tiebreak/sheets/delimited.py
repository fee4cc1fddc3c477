"""A sheet as CSV: for programs that do not read workbooks."""

from __future__ import annotations

from tiebreak.live.task_view import Assignment
from tiebreak.sheets.columns import COMMENT, SECONDS, TASK, text_columns
from tiebreak.tabular.delimited import csv_for_spreadsheets


def to_csv(content: Assignment) -> bytes:
    """A CSV file for spreadsheet programs; the question stands in every row."""
    columns = text_columns(content)
    names = [field.name for field in content.fields]
    header = [TASK, *(column.name for column in columns), "question", *names, SECONDS, COMMENT]
    question = _question(content)
    rows = [
        [task.task, *(column.texts[place] for column in columns), question, *map(task.filled.get, names), None, None]
        for place, task in enumerate(content.tasks)
    ]
    return csv_for_spreadsheets([header, *rows])


def _question(content: Assignment) -> str:
    """With the answers to choose from, where there is one field; else with what to write in each."""
    if len(content.fields) == 1 and content.fields[0].choices:
        return f"{content.question} ({', '.join(content.fields[0].choices)})"
    return " ".join([content.question, *(field.told for field in content.fields if field.told)])
