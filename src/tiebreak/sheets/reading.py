"""How the answers of a sheet are understood: one reader for each kind of label.

Problems of many rows as few lines: one for each cause, at the first row that has it.

A sheet as CSV: for programs that do not read workbooks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from tiebreak.campaign.events import Answered
from tiebreak.errors import Problem
from tiebreak.live.ledger import TaskRecord
from tiebreak.live.task_view import Assignment
from tiebreak.numbers import counted
from tiebreak.sheets.columns import COMMENT, SECONDS, TASK, text_columns
from tiebreak.sheets.filled import FilledRow, column_name
from tiebreak.tabular.delimited import csv_for_spreadsheets


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that holds an answer which nobody can take, and why."""

    problems: tuple[Problem, ...]


class AnswerReader(ABC):
    """Reads the rows of one sheet. What a row answers is a value that equals another where the answers are the same.

    `file`: the name of the sheet, for messages. `columns`: those in which the answers stand.
    """

    file: str
    columns: tuple[str, ...]

    @abstractmethod
    def is_empty(self, row: FilledRow) -> bool:
        """Whether a row holds no answer."""

    @abstractmethod
    def read(self, row: FilledRow, record: TaskRecord | None) -> Hashable | Unreadable:
        """What a row answers to a task (None: it is not known), or what is wrong with it."""

    @abstractmethod
    def event(
        self, at: str, record: TaskRecord, answer: Hashable, seconds: float | None, comment: str | None
    ) -> Answered:
        """The label that an answer becomes."""

    @abstractmethod
    def answer_of(self, label: Answered, record: TaskRecord) -> Hashable:
        """What a label that is known answered."""

    @abstractmethod
    def said(self, answer: Hashable) -> str:
        """An answer in the words of the sheet."""

    def problems_of_formulas(self, row: FilledRow, needed: Sequence[str]) -> list[Problem]:
        """Cells whose value the file does not hold."""
        message = "a formula whose value the file does not hold; write the value itself"
        return [row.problem(self.file, name, message) for name in needed if column_name(name) in row.formulas]


def by_cause(problems: Iterable[Problem]) -> list[Problem]:
    """One problem for each message and column, with how many more rows have it; they keep their order."""
    groups: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        column = (problem.column or "").partition(" ")[0]
        groups.setdefault((problem.file, column, problem.message), []).append(problem)
    return [
        found[0]
        if len(found) == 1
        else replace(found[0], message=f"{found[0].message} ({counted(len(found) - 1, 'more row')} like this)")
        for found in groups.values()
    ]


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
