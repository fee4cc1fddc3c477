"""How the answers of a sheet are understood.

Problems of many rows as few lines: one for each cause, at the first row that has it.

What people write into the column answer: the words of the sheet, those of other tools and languages, their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from tiebreak.campaign import Protocol
from tiebreak.campaign.events import Response
from tiebreak.campaign.kinds import AnswerError, kind_of
from tiebreak.campaign.kinds.preference import FIRST, SECOND, allowed_answers, answer_of
from tiebreak.campaign.kinds.preference import NO_DIFFERENCE as TIE
from tiebreak.errors import Problem, UsageError
from tiebreak.importers.cells import meaning_of, meanings_in, number_in, numbers_are_clear, question_about, side_in
from tiebreak.live.ledger import TaskRecord
from tiebreak.live.texts import StudyTexts
from tiebreak.numbers import counted
from tiebreak.sheets.filled import FilledRow, column_name
from tiebreak.sheets.workbook import TASK


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that is not taken, and why: at least one problem."""

    row: FilledRow
    problems: tuple[Problem, ...]


_MOST_OUTPUTS: Final = 10
_MOST_PASSAGES: Final = 100


def answer_columns(protocol: Protocol) -> tuple[str, ...]:
    """The columns in which answers may stand."""
    fields = kind_of(protocol).fields(protocol, outputs=_MOST_OUTPUTS, passages=_MOST_PASSAGES)
    return tuple(field.name for field in fields)


class AnswerReader:
    """Reads the rows of one sheet of a campaign. `texts`: of the study. `file`: the name of the sheet, for
    messages. `columns`: those in which answers stand. `words`: what `--answer` says of answers, in campaigns whose
    answer is one word.

    Raises:
        UsageError: words for answers of another kind.
    """

    def __init__(
        self, protocol: Protocol, texts: StudyTexts, rows: Sequence[FilledRow], file: str, words: Mapping[str, str]
    ) -> None:
        self.file, self.columns = file, answer_columns(protocol)
        self._texts, self._protocol, self._kind = texts, protocol, kind_of(protocol)
        column = self._kind.answer_column
        if words and not column:
            raise UsageError("--answer says which of two texts an answer means, and people answer something else here")
        cells = [row.cell(column) for row in rows] if column else []
        self._words = words_of(cells, words, ties=self._protocol.labels.ties)

    def is_empty(self, row: FilledRow) -> bool:
        """Whether a row holds no answer: nothing, or a word that stands for it."""
        column = self._kind.answer_column
        return self._kind.is_empty(self._cells(row)) or (bool(column) and self._words.answer(row.cell(column)) == SKIP)

    def read(self, row: FilledRow, record: TaskRecord) -> Response | BadRow:
        """What a row answers to a task, or what is wrong with it."""
        column, cells = self._kind.answer_column, self._cells(row)
        if column:
            answer = self._words.answer(cells[column])
            if answer is None:
                return BadRow(row, (row.problem(self.file, column, self._no_answer(cells[column])),))
            cells[column] = answer
        texts = self._texts.of_task(record.assigned, self._kind)
        try:
            return self._kind.read(self._protocol, record.assigned, texts, cells)
        except AnswerError as error:
            problems = (row.problem(self.file, wrong.field, wrong.message) for wrong in error.problems)
            return BadRow(row, tuple(problems))

    def said(self, response: Response, record: TaskRecord) -> str:
        """An answer in the words of the sheet."""
        return self._kind.said(record.assigned, response)

    def problems_of_formulas(self, row: FilledRow) -> list[Problem]:
        """Cells of the task and of its answers whose value the file does not hold."""
        names, message = (TASK, *self.columns), "a formula whose value the file does not hold; write the value itself"
        return [row.problem(self.file, name, message) for name in names if column_name(name) in row.formulas]

    def _cells(self, row: FilledRow) -> dict[str, str]:
        return {name: row.cell(name) for name in self.columns}

    def _no_answer(self, cell: str) -> str:
        if self._words.question and number_in(cell) is not None:
            return self._words.question
        allowed = ", ".join(allowed_answers(ties=self._protocol.labels.ties))
        cure = meaning_of("--answer", cell, "first|second|tie|skip", "WORDS")
        return f"not an answer; allowed are {allowed}, or nothing; if you know what it means: {cure}"


def by_cause(problems: Iterable[Problem]) -> list[Problem]:
    """One problem for each message and column, with how many more rows have it; they keep their order."""
    groups: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        column = (problem.column or "").partition(" ")[0]
        groups.setdefault((problem.file, column, problem.message), []).append(problem)
    return [
        alike[0]
        if len(alike) == 1
        else replace(alike[0], message=f"{alike[0].message} ({counted(len(alike) - 1, 'more row')} like this)")
        for alike in groups.values()
    ]


SKIP: Final = ""
"""What stands for no answer."""

_MEANINGS: Final = {"first": FIRST, "second": SECOND, "tie": TIE, "skip": SKIP}
_POSITIONS: Final = {"a": FIRST, "b": SECOND, "tie": TIE}
_OPTION_WORDS: Final = {"a": "first", "b": "second", "tie": "tie"}
_SAID: Final = {FIRST: "a", SECOND: "b", TIE: "tie", SKIP: "skip"}


def parse_answers(options: Iterable[str]) -> Mapping[str, str]:
    """`A wins=first`, or several with commas between them, as answers by the word that stands for them.

    Raises:
        UsageError: it does not say what a word means, or two things of one word.
    """
    answers: dict[str, str] = {}
    for option in options:
        try:
            pairs = [(words, _MEANINGS[meaning]) for words, meaning in meanings_in(option, _MEANINGS)]
        except ValueError as error:
            raise _says_nothing(str(error)) from None
        if not pairs or not all(words for words, _ in pairs):
            raise _says_nothing(option.strip())
        for words, answer in pairs:
            if answers.setdefault(_plain(words), answer) != answer:
                raise UsageError(f"--answer says two things of {words!r}; keep one of them")
    return MappingProxyType(answers)


def _says_nothing(part: str) -> UsageError:
    return UsageError(f"--answer {part!r}: write WORD=first, WORD=second, WORD=tie or WORD=skip")


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """How the answers of one sheet are read. `given`: what `--answer` says; `question`: what to ask about bare numbers,
    "" where they mean one thing only.
    """

    given: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    question: str = ""

    def answer(self, cell: str) -> str | None:
        """`FIRST`, `TIE` or `SECOND`, `SKIP` for what is to be left out; None for words that say none of these."""
        plain = _plain(cell)
        if plain in self.given:
            return self.given[plain]
        if self.question and number_in(cell) is not None:
            return None
        known = answer_of(cell)
        if known is not None:
            return known
        position = side_in(cell)
        return None if position is None else _POSITIONS[position]


def words_of(cells: Sequence[str], given: Mapping[str, str], *, ties: bool) -> AnswerWords:
    """How to read these answers, which stand in one sheet. `ties`: it offers three answers, so that a 2 may be the one
    in the middle, unless words or `given` say what a tie is called.
    """
    words = AnswerWords(given)
    numbers = {number for cell in cells if _plain(cell) not in given and (number := number_in(cell)) is not None}
    meanings = {number: _SAID[answer] for word, answer in given.items() if (number := number_in(word)) is not None}
    tie_known = not ties or any(number_in(cell) is None and words.answer(cell) == TIE for cell in cells)
    tie_known |= "tie" in meanings.values()
    if not numbers or (tie_known and numbers_are_clear(numbers, meanings)):
        return words
    return AnswerWords(given, question_about(numbers, "--answer", _OPTION_WORDS))


def _plain(words: str) -> str:
    """As compared: without case and blanks that are too many; 2.0 and +2 are 2."""
    return (number_in(words) or "").removeprefix("+") or " ".join(words.split()).strip(".!").casefold()
