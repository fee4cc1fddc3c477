"""Answers about two texts: first, second, or no difference."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import cast

from tiebreak.campaign.events import Answered, LabelGiven
from tiebreak.importers.spreadsheet.winner_numbers import number_in
from tiebreak.importers.spreadsheet.winner_options import meaning_of
from tiebreak.live.answers import TIE, allowed_answers, outcome_of, shown_answer
from tiebreak.live.fields import ANSWER
from tiebreak.live.ledger import TaskRecord
from tiebreak.sheets.answer_words import SKIP, words_of
from tiebreak.sheets.filled import FilledRow
from tiebreak.sheets.reading import AnswerReader, Unreadable


class PreferenceReader(AnswerReader):
    """An answer is `FIRST`, `TIE` or `SECOND`. `ties`: whether there are any; `words`: what answers mean, beside those
    that everybody understands.
    """

    columns = (ANSWER,)

    def __init__(self, rows: Sequence[FilledRow], file: str, *, ties: bool, words: Mapping[str, str]) -> None:
        self.file, self._ties = file, ties
        self._words = words_of([row.cell(ANSWER) for row in rows], words, ties=ties)

    def is_empty(self, row: FilledRow) -> bool:
        """Nothing, or a word that stands for it."""
        return not row.cell(ANSWER) or self._words.answer(row.cell(ANSWER)) == SKIP

    def read(self, row: FilledRow, record: TaskRecord | None) -> Hashable | Unreadable:  # noqa: ARG002
        """By the words of the sheet."""
        answer = self._words.answer(row.cell(ANSWER))
        if answer is None or (answer == TIE and not self._ties):
            return Unreadable((row.problem(self.file, ANSWER, self._no_answer(row, answer)),))
        return answer

    def event(
        self, at: str, record: TaskRecord, answer: Hashable, seconds: float | None, comment: str | None
    ) -> Answered:
        """Relative to the systems, from the side on which each text was shown."""
        of = record.assigned
        return LabelGiven(at, of.task, of.annotator, outcome_of(str(answer), of), seconds, comment)

    def answer_of(self, label: Answered, record: TaskRecord) -> Hashable:
        """In the words of the sheet."""
        return shown_answer(cast(LabelGiven, label).outcome, record.assigned)

    def said(self, answer: Hashable) -> str:
        """As it is."""
        return str(answer)

    def _no_answer(self, row: FilledRow, answer: str | None) -> str:
        allowed = ", ".join(allowed_answers(ties=self._ties))
        if answer == TIE:
            return f"this campaign has no ties; allowed are {allowed}, or nothing"
        if self._words.question and number_in(row.cell(ANSWER)) is not None:
            return self._words.question
        cure = meaning_of("--answer", row.cell(ANSWER), "first", "WORDS")
        return f"not an answer; allowed are {allowed}, or nothing; if you know what it means: {cure}"
