"""How the answers of a sheet are understood: one reader for each kind of label."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tiebreak.campaign.events import Answered
from tiebreak.errors import Problem
from tiebreak.live.ledger import TaskRecord
from tiebreak.sheets.filled import FilledRow, column_name


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
