"""What a sheet that came back means for the campaign: new labels, and everything else that somebody should know.

A sheet is taken as a whole or not at all. It may come back in parts, twice, or after a second sheet has given an item
to somebody else; the first answer to a task is the one that counts, whatever comes later, because an answer that can be
changed after looking at verdicts is no evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiebreak.campaign import State
from tiebreak.campaign.events import Event, LabelGiven, TaskReturned
from tiebreak.campaign.task_ids import task_number
from tiebreak.errors import InputError, Problem
from tiebreak.live import LiveCampaign
from tiebreak.live.answers import TIE, allowed_answers, answer_of, outcome_of, shown_answer
from tiebreak.live.ledger import Ledger, TaskRecord
from tiebreak.settings.shared import MOST_SECONDS
from tiebreak.sheets.columns import ANSWER, SECONDS, TASK
from tiebreak.sheets.filled import FilledRow, read_filled, seconds_of


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A task that had an answer already, and another one in the sheet; in the words of the sheet."""

    task: str
    line: int
    kept: str
    refused: str


@dataclass(frozen=True, slots=True)
class Collected:
    """What a sheet brings. `labels`: new ones, in the order in which their tasks were handed out; `known`: tasks whose
    answer was there already, and is the same; `empty`: tasks in the sheet without an answer; `withdrawn`: tasks whose
    item was withdrawn, with a new answer or none (no `empty` ones); `remarks`: (task, comment) of those without an
    answer, which no label can carry.
    """

    labels: tuple[LabelGiven, ...]
    known: int
    changed: tuple[ChangedAnswer, ...]
    empty: tuple[str, ...]
    withdrawn: int
    remarks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """A row that has been understood."""

    row: FilledRow
    record: TaskRecord
    answer: str
    seconds: float | None


def collect_rows(
    rows: Sequence[FilledRow], ledger: Ledger, *, fingerprint: str, ties: bool, at: str, file: str
) -> Collected:
    """The labels in the rows of a sheet. `fingerprint`: of the protocol; `at`: the time that the labels get.

    Raises:
        InputError: anything that does not belong, all of it at once.
    """
    problems: list[Problem] = []
    answers: dict[str, _Answer] = {}
    empty: dict[str, str] = {}
    for row in rows:
        if not row.answer:
            if row.task.lower() in ledger.tasks:
                empty[row.task.lower()] = row.comment or empty.get(row.task.lower(), "")
            continue
        answer = _understood(row, ledger, fingerprint, ties, file, problems)
        if answer is None:
            continue
        task = answer.record.assigned.task
        earlier = answers.setdefault(task, answer)
        if earlier.answer != answer.answer:
            message = f"row {earlier.row.line} answers the same task with {earlier.answer!r}; keep one of the two"
            problems.append(row.problem(file, ANSWER, message))
    if problems:
        raise InputError(problems)
    return _sorted_out(answers, empty, ledger, at)


def _understood(
    row: FilledRow, ledger: Ledger, fingerprint: str, ties: bool, file: str, problems: list[Problem]
) -> _Answer | None:
    """The row as an answer to a task; None, and its problems in the list, if it cannot be."""
    before = len(problems)
    record = ledger.tasks.get(row.task.lower())
    if not row.task:
        problems.append(row.problem(file, ANSWER, "an answer without a task; write the task's id, or clear the answer"))
    elif record is None:
        problems.append(row.problem(file, TASK, _unknown_task(row.task, fingerprint)))
    answer = answer_of(row.answer)
    if answer is None or (answer == TIE and not ties):
        allowed = ", ".join(allowed_answers(ties=ties))
        what = "this campaign has no ties" if answer == TIE else "not an answer"
        problems.append(row.problem(file, ANSWER, f"{what}; allowed are {allowed}, or nothing"))
    seconds = None
    try:
        seconds = seconds_of(row.seconds)
    except ValueError:
        message = f"must be a number of seconds from 0 to {MOST_SECONDS:,}, such as 12 or 12.5, or nothing"
        problems.append(row.problem(file, SECONDS, message))
    if len(problems) > before or record is None or answer is None:
        return None
    return _Answer(row, record, answer, seconds)


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


def _sorted_out(answers: dict[str, _Answer], empty: dict[str, str], ledger: Ledger, at: str) -> Collected:
    labels, changed, known = [], [], 0
    for task, record in ledger.tasks.items():  # whatever the order of rows
        found = answers.get(task)
        if found is None:
            continue
        assigned = record.assigned
        outcome = outcome_of(found.answer, assigned)
        if record.label is None:
            comment = found.row.comment or None
            labels.append(LabelGiven(at, task, assigned.annotator, outcome, found.seconds, comment))
        elif record.label.outcome == outcome:
            known += 1
        else:
            kept = shown_answer(record.label.outcome, assigned)
            changed.append(ChangedAnswer(task, found.row.line, kept, found.answer))
    unanswered = [task for task in empty if task not in answers and ledger.tasks[task].label is None]
    remarks = tuple((task, empty[task]) for task in unanswered if empty[task])
    open_ones = tuple(task for task in unanswered if not ledger.is_withdrawn(ledger.tasks[task]))
    gone = len(unanswered) - len(open_ones) + sum(ledger.is_withdrawn(ledger.tasks[label.task]) for label in labels)
    return Collected(tuple(labels), known, tuple(changed), open_ones, gone, remarks)


@dataclass(frozen=True, slots=True)
class CollectedSheet:
    """A sheet that was taken: `late` of its new labels came when they could be evidence no more; `returned`: tasks that
    were given back unanswered.
    """

    content: Collected
    late: int
    returned: int


def collect_sheet(campaign: LiveCampaign, content: bytes, file: str, *, at: str, final: bool = False) -> CollectedSheet:
    """Take in a sheet; its labels are on the disk when this returns. `file`: its name, for messages. `final`: nobody
    will answer what is empty, so it is asked of others.

    Raises:
        InputError: anything in it does not belong; nothing of the sheet was taken.
    """
    rows = read_filled(content, file)
    found: list[Collected] = []

    def decide(state: State, ledger: Ledger) -> Sequence[Event]:
        protocol = state.protocol
        collected = collect_rows(
            rows, ledger, fingerprint=protocol.fingerprint, ties=protocol.labels.ties, at=at, file=file
        )
        found.append(collected)
        given_back = [TaskReturned(at, task, "left empty") for task in collected.empty if ledger.tasks[task].is_open]
        return [*collected.labels, *(given_back if final else ())]

    events = campaign.commit(decide)
    late = sum(campaign.ledger.tasks[label.task].late for label in found[-1].labels)
    return CollectedSheet(found[-1], late, sum(isinstance(event, TaskReturned) for event in events))
