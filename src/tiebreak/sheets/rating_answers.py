"""Answers about one text: ratings, edits, and what passages say of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final, cast

from rapidfuzz.distance import Levenshtein

from tiebreak.campaign import Protocol
from tiebreak.campaign.events import Answered, OutputRated, Span
from tiebreak.campaign.kinds.correctness import QUESTIONS, SURE, is_plausible
from tiebreak.campaign.kinds.rating_with_edit import lacking_on
from tiebreak.data.schema import SUPPORTS
from tiebreak.data.study import Study
from tiebreak.errors import Problem
from tiebreak.live.fields import EDIT, NO, YES, fields_of, passage_field, words_field
from tiebreak.live.ledger import TaskRecord
from tiebreak.live.task_view import outputs_of, passages_of
from tiebreak.numbers import plain
from tiebreak.settings.protocol import RatedCriterion
from tiebreak.sheets.filled import FilledRow
from tiebreak.sheets.reading import AnswerReader, Unreadable

_YES: Final = (YES, "y", "true", "1", "1.0")
_NO: Final = (NO, "n", "false", "0", "0.0")
_MOST_PASSAGES: Final = 100


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """`values` by name, `edit` (None: the text was left as it is) and `spans`, in the order of their fields."""

    values: tuple[tuple[str, float], ...]
    edit: str | None = None
    spans: tuple[Span, ...] = ()


def rating_columns(protocol: Protocol) -> tuple[str, ...]:
    """The columns in which answers may stand."""
    passages = _MOST_PASSAGES if protocol.labels.kind == "correctness" else 0
    return tuple(field.name for field in fields_of(protocol, passages))


class RatingReader(AnswerReader):
    """Reads ratings, edits and judgements of passages; `study` has the texts that they are about."""

    def __init__(self, protocol: Protocol, study: Study, file: str) -> None:
        self.file, self._protocol, self._study = file, protocol, study
        self.columns = rating_columns(protocol)
        self._asked = tuple(name for name in self.columns if name != EDIT)  # an edit begins with the text itself

    def is_empty(self, row: FilledRow) -> bool:
        """No rating and no judgement, whatever stands in the column for edits."""
        return not any(row.cell(name) for name in self._asked)

    def read(self, row: FilledRow, record: TaskRecord | None) -> Hashable | Unreadable:
        """By the kind of label."""
        if self._protocol.labels.kind == "correctness":
            return self._correctness(row, record)
        values: dict[str, float] = {}
        problems: list[Problem] = []
        for of in self._protocol.ratings.criteria:
            value = _number(row.cell(of.name))
            wrong = self._wrong_rating(of, row.cell(of.name), value)
            if wrong:
                problems.append(row.problem(self.file, of.name, wrong))
            elif value is not None:
                values[of.name] = value
        if problems:
            return Unreadable(tuple(problems))
        edit = self._edit(row, record)
        lacking = lacking_on(self._protocol, values) if self._protocol.labels.kind == "rating+edit" else ""
        if lacking and edit is None and record is not None:
            below = plain(self._protocol.ratings.edit_below or 0.0)
            message = f"{lacking} is rated below {below}, so that the text must be changed until it is good"
            return Unreadable((row.problem(self.file, EDIT, message),))
        return RatedAnswer(tuple(values.items()), edit)

    def event(
        self, at: str, record: TaskRecord, answer: Hashable, seconds: float | None, comment: str | None
    ) -> Answered:
        """With how many characters an edit changes."""
        of, found = record.assigned, cast(RatedAnswer, answer)
        size = None if found.edit is None else Levenshtein.distance(self._text(record), found.edit)
        return OutputRated(
            at, of.task, of.annotator, dict(found.values), found.edit, size, found.spans, seconds, comment
        )

    def answer_of(self, label: Answered, record: TaskRecord) -> Hashable:  # noqa: ARG002
        """Its values, edit and spans."""
        known = cast(OutputRated, label)
        names = [name for name, _ in sorted(known.values.items(), key=lambda of: self.columns.index(of[0]))]
        return RatedAnswer(tuple((name, known.values[name]) for name in names), known.edit, known.spans)

    def said(self, answer: Hashable) -> str:
        """ "fluency 4, coherence 2, edited"."""
        found = cast(RatedAnswer, answer)
        parts = [f"{name} {plain(value)}" for name, value in found.values]
        parts += [f"{span.passage} {span.support}" for span in found.spans]
        return ", ".join([*parts, *(["edited"] if found.edit is not None else [])])

    # ---- ratings and edits -------------------------------------------------------------------------------------

    def _wrong_rating(self, of: RatedCriterion, cell: str, value: float | None) -> str:
        whole = self._protocol.ratings.whole
        allowed = f"{'a whole number' if whole else 'a number'} from {plain(of.low)} to {plain(of.high)}"
        if not cell:
            return f"is empty, and other columns of the row are not; write {allowed}"
        if value is None or not of.low <= value <= of.high or (whole and not value.is_integer()):
            return f"not a rating; write {allowed}"
        return ""

    def _edit(self, row: FilledRow, record: TaskRecord | None) -> str | None:
        """The edited text, None where it is the one that was shown (blanks and line breaks aside)."""
        if self._protocol.labels.kind != "rating+edit" or record is None:
            return None
        edit = row.cell(EDIT)
        return None if not edit or edit.split() == self._text(record).split() else edit

    def _text(self, record: TaskRecord) -> str:
        of = record.assigned
        return outputs_of(self._study, {of.item}).get((of.item, of.systems[0]), "")

    # ---- passages ----------------------------------------------------------------------------------------------

    def _correctness(self, row: FilledRow, record: TaskRecord | None) -> Hashable | Unreadable:
        values: dict[str, float] = {}
        problems: list[Problem] = []
        for name in QUESTIONS:
            answer = _yes_or_no(row.cell(name))
            if answer is None:
                message = f"write {YES} or {NO}" if row.cell(name) else f"is empty; write {YES} or {NO}"
                problems.append(row.problem(self.file, name, message))
            else:
                values[name] = float(answer)
        if values.get(SURE) == 0.0:
            problems.append(row.problem(self.file, SURE, f"check the answers of this row again, then write {YES}"))
        spans: list[Span] = []
        if is_plausible(values) and record is not None:
            passages = passages_of(self._study, {record.assigned.item}).get(record.assigned.item, [])
            for found in self._judged(row, passages):
                if isinstance(found, Problem):
                    problems.append(found)
                else:
                    spans.append(found)
        if problems:
            return Unreadable(tuple(problems))
        return RatedAnswer(tuple(values.items()), None, tuple(spans))

    def _judged(self, row: FilledRow, passages: list[tuple[str, str]]) -> Iterator[Span | Problem]:
        for number, (name, text) in enumerate(passages, 1):
            written = row.cell(passage_field(number)).casefold()
            support = next((known for known in SUPPORTS if known == written), None)
            if support is None:
                message = f"write one of {', '.join(SUPPORTS)}"
                yield row.problem(self.file, passage_field(number), message if written else f"is empty; {message}")
                continue
            words = row.cell(words_field(number))
            place = _place_of(words, text)
            if words and place is None:
                message = f"these words do not stand in passage {number}; copy them as they stand there"
                yield row.problem(self.file, words_field(number), message)
                continue
            yield Span(name, support, *(place or (None, None)))


def _number(cell: str) -> float | None:
    """A number with a point or a comma; None for anything else."""
    try:
        return float(cell.replace(",", ".")) if "_" not in cell else None
    except ValueError:
        return None


def _yes_or_no(cell: str) -> bool | None:
    word = cell.casefold()
    return True if word in _YES else False if word in _NO else None


def _place_of(words: str, text: str) -> tuple[int, int] | None:
    """Where words stand in a text, in code points, however they are spaced; None where they do not."""
    parts = words.split()
    if not parts:
        return None
    start = 0
    while (start := text.find(parts[0], start)) >= 0:
        end = start
        for part in parts:
            blanks = len(text[end:]) - len(text[end:].lstrip())
            begin = end if part is parts[0] else end + blanks
            if not text.startswith(part, begin):
                break
            end = begin + len(part)
        else:
            return start, end
        start += 1
    return None
