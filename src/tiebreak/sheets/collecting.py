"""What a sheet that came back means for the campaign: new labels, and everything else that somebody should know.

A sheet is taken row by row: what can be understood counts, and the rest is handed back to be mended. It may come back
in parts, twice, or after a second sheet has given an item to somebody else; the first answer to a task is the one that
counts, whatever comes later, because an answer that can be changed after looking at verdicts is no evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tiebreak.campaign import State
from tiebreak.campaign.events import Event, LabelGiven, TaskReturned
from tiebreak.campaign.task_ids import task_number
from tiebreak.errors import InputError, Problem
from tiebreak.importers.spreadsheet.winner_numbers import number_in
from tiebreak.importers.spreadsheet.winner_options import meaning_of
from tiebreak.live import LiveCampaign
from tiebreak.live.answers import TIE, allowed_answers, outcome_of, shown_answer
from tiebreak.live.ledger import Ledger, TaskRecord
from tiebreak.sheets.answer_words import SKIP, AnswerWords, words_of
from tiebreak.sheets.causes import by_cause
from tiebreak.sheets.columns import ANSWER, COMMENT, SECONDS, TASK
from tiebreak.sheets.filled import FilledRow, read_filled, seconds_of

_NO_WORDS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A task that had an answer already, and another one in the sheet; in the words of the sheet."""

    task: str
    line: int
    kept: str
    refused: str


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that is not taken, and why: at least one problem."""

    row: FilledRow
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Collected:
    """What a sheet brings. `labels`: new ones, in the order in which their tasks were handed out; `known`: tasks whose
    answer was there already, and is the same; `empty`: tasks in the sheet without an answer; `withdrawn`: tasks whose
    item was withdrawn, with a new answer or none (no `empty` ones); `remarks`: (task, comment) of those without an
    answer, which no label can carry. `bad`: rows that are not taken; `settled`: rows that cannot be understood either,
    about tasks that have an answer by now. Of new labels, `no_seconds`: how many have something else than a number in
    seconds, which is left out; `no_comment`: how many have a comment that is a formula without a value. `people`: whose
    tasks the sheet holds, and how many of each.
    """

    labels: tuple[LabelGiven, ...]
    known: int
    changed: tuple[ChangedAnswer, ...]
    empty: tuple[str, ...]
    withdrawn: int
    remarks: tuple[tuple[str, str], ...]
    bad: tuple[BadRow, ...]
    settled: int
    no_seconds: int
    no_comment: int
    people: Mapping[str, int]

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing in the sheet that was not taken."""
        return not self.bad and not self.changed


@dataclass(frozen=True, slots=True)
class _Answer:
    """A row that has been understood."""

    row: FilledRow
    record: TaskRecord
    answer: str


@dataclass(frozen=True, slots=True)
class _Reader:
    """What is needed to understand a row."""

    ledger: Ledger
    fingerprint: str
    ties: bool
    words: AnswerWords
    file: str


def collect_rows(
    rows: Sequence[FilledRow],
    ledger: Ledger,
    *,
    fingerprint: str,
    ties: bool,
    at: str,
    file: str,
    words: Mapping[str, str] = _NO_WORDS,
) -> Collected:
    """What the rows of a sheet bring. `fingerprint`: of the protocol; `at`: the time that the labels get; `words`: what
    answers mean, beside those that everybody understands.
    """
    reader = _Reader(ledger, fingerprint, ties, words_of([row.answer for row in rows], words, ties=ties), file)
    answers: dict[str, list[_Answer]] = {}
    bad: list[BadRow] = []
    empty: dict[str, str] = {}
    for row in rows:
        understood = _understood(row, reader)
        if isinstance(understood, BadRow):
            bad.append(understood)
        elif understood is not None:
            answers.setdefault(understood.record.assigned.task, []).append(understood)
        elif row.task.lower() in ledger.tasks:
            empty[row.task.lower()] = row.comment or empty.get(row.task.lower(), "")
    single = {task: found[0] for task, found in answers.items() if len({one.answer for one in found}) == 1}
    for found in answers.values():
        bad += _contradicting(found, file)
    for one in bad:
        empty.pop(one.row.task.lower(), None)
    unsettled = [one for one in bad if not _is_answered(one.row, ledger)]
    unsettled.sort(key=lambda one: (one.row.page, one.row.line))
    return _sorted_out(single, empty, ledger, at, unsettled, len(bad) - len(unsettled))


def _is_answered(row: FilledRow, ledger: Ledger) -> bool:
    known = ledger.tasks.get(row.task.lower())
    return known is not None and known.label is not None


def _understood(row: FilledRow, reader: _Reader) -> _Answer | BadRow | None:
    """The row as an answer to a task, or what is wrong with it; None if it holds no answer."""
    problems = [
        row.problem(reader.file, name, "a formula whose value the file does not hold; write the value itself")
        for name in (TASK, ANSWER)
        if name in row.formulas
    ]
    if problems:
        return BadRow(row, tuple(problems))
    answer = reader.words.answer(row.answer) if row.answer else SKIP
    if answer == SKIP:
        return None
    record = reader.ledger.tasks.get(row.task.lower())
    if not row.task:
        message = "an answer without a task; write the task's id, or clear the answer"
        problems.append(row.problem(reader.file, ANSWER, message))
    elif record is None:
        problems.append(row.problem(reader.file, TASK, _unknown_task(row.task, reader.fingerprint)))
    if answer is None or (answer == TIE and not reader.ties):
        problems.append(row.problem(reader.file, ANSWER, _no_answer(row, answer, reader)))
    if problems or record is None or answer is None:
        return BadRow(row, tuple(problems))
    return _Answer(row, record, answer)


def _no_answer(row: FilledRow, answer: str | None, reader: _Reader) -> str:
    allowed = ", ".join(allowed_answers(ties=reader.ties))
    if answer == TIE:
        return f"this campaign has no ties; allowed are {allowed}, or nothing"
    if reader.words.question and number_in(row.answer) is not None:
        return reader.words.question
    cure = meaning_of("--answer", row.answer, "first", "WORDS")
    return f"not an answer; allowed are {allowed}, or nothing; if you know what it means: {cure}"


def _unknown_task(task: str, fingerprint: str) -> str:
    if task_number(task, fingerprint) is None:
        return (
            "not a task of this campaign; is this the sheet of another campaign, or was the id changed? "
            "Correct it, or clear the answer"
        )
    return (
        "a task of this campaign that its log does not know; was the sheet made with another copy of the campaign's "
        "folder? Collect it there"
    )


def _contradicting(found: Sequence[_Answer], file: str) -> list[BadRow]:
    """The rows of one task where these give it more than one answer: nobody can tell which of them is meant."""
    if len({one.answer for one in found}) == 1:
        return []
    rows = []
    for one in found:
        other = next(two for two in found if two.answer != one.answer)
        where = f"row {other.row.line}" + (f" of {other.row.page}" if other.row.page != one.row.page else "")
        message = f"{where} answers the same task with {other.row.answer!r}; keep one of the two"
        rows.append(BadRow(one.row, (one.row.problem(file, ANSWER, message),)))
    return rows


def _sorted_out(
    answers: Mapping[str, _Answer],
    empty: Mapping[str, str],
    ledger: Ledger,
    at: str,
    bad: Sequence[BadRow],
    settled: int,
) -> Collected:
    labels, changed, known = [], [], 0
    no_seconds = no_comment = 0
    for task, record in ledger.tasks.items():  # whatever the order of rows
        found = answers.get(task)
        if found is None:
            continue
        assigned = record.assigned
        outcome = outcome_of(found.answer, assigned)
        if record.label is None:
            seconds, unread = _seconds(found.row)
            no_seconds += unread
            no_comment += COMMENT in found.row.formulas
            labels.append(LabelGiven(at, task, assigned.annotator, outcome, seconds, found.row.comment or None))
        elif record.label.outcome == outcome:
            known += 1
        else:
            kept = shown_answer(record.label.outcome, assigned)
            changed.append(ChangedAnswer(task, found.row.line, kept, found.answer))
    unanswered = [task for task in empty if task not in answers and ledger.tasks[task].label is None]
    remarks = tuple((task, empty[task]) for task in unanswered if empty[task])
    open_ones = tuple(task for task in unanswered if not ledger.is_withdrawn(ledger.tasks[task]))
    gone = len(unanswered) - len(open_ones) + sum(ledger.is_withdrawn(ledger.tasks[label.task]) for label in labels)
    own = {task: None for task in (*answers, *empty, *(one.row.task.lower() for one in bad)) if task in ledger.tasks}
    people = Counter(ledger.tasks[task].assigned.annotator for task in own)
    return Collected(
        tuple(labels), known, tuple(changed), open_ones, gone, remarks,
        tuple(bad), settled, no_seconds, no_comment, MappingProxyType(people),
    )  # fmt: skip


def _seconds(row: FilledRow) -> tuple[float | None, bool]:
    """The seconds of a row, and whether something else stands there."""
    try:
        return seconds_of(row.seconds), SECONDS in row.formulas
    except ValueError:
        return None, True


@dataclass(frozen=True, slots=True)
class CollectedSheet:
    """A sheet that was taken: `late` of its new labels came when they could be evidence no more; `returned`: tasks that
    were given back unanswered.
    """

    content: Collected
    late: int
    returned: int


def collect_sheet(
    campaign: LiveCampaign,
    content: bytes,
    file: str,
    *,
    at: str,
    final: bool = False,
    words: Mapping[str, str] = _NO_WORDS,
) -> CollectedSheet:
    """Take in a sheet; its labels are on the disk when this returns, all of them or none. `file`: its name, for
    messages. `final`: nobody will answer what is empty, so it is asked of others. `words`: as in `collect_rows`.

    Raises:
        InputError: it cannot be read, or holds no task of this campaign; nothing of it was taken.
    """
    rows = read_filled(content, file)
    found: list[Collected] = []

    def decide(state: State, ledger: Ledger) -> Sequence[Event]:
        protocol = state.protocol
        collected = collect_rows(
            rows, ledger, fingerprint=protocol.fingerprint, ties=protocol.labels.ties, at=at, file=file, words=words
        )
        if collected.bad and not collected.people:
            raise InputError(by_cause(problem for bad in collected.bad for problem in bad.problems))
        found.append(collected)
        given_back = [TaskReturned(at, task, "left empty") for task in collected.empty if ledger.tasks[task].is_open]
        return [*collected.labels, *(given_back if final else ())]

    events = campaign.commit(decide)
    late = sum(campaign.ledger.tasks[label.task].late for label in found[-1].labels)
    return CollectedSheet(found[-1], late, sum(isinstance(event, TaskReturned) for event in events))
