"""What a sheet that came back means for the campaign: new labels, and everything else that somebody should know.

A sheet is taken row by row: what can be understood counts, and the rest is handed back to be mended. It may come back
in parts, twice, or after a second sheet has given an item to somebody else; the first answer to a task is the one that
counts, whatever comes later, because an answer that can be changed after looking at verdicts is no evidence.

Finds the task of rows that came back without their ids: by the texts that they show, where only one task shows them.

The same texts may have been shown to several people. They are told apart by the whole sheet: it is that of the one
person who has tasks for all of its rows. A row that may still be of two tasks keeps no id, and is handed back.

The rows of a sheet that were not taken, as a sheet to be mended and collected again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from tiebreak.campaign import State
from tiebreak.campaign.events import Event, LabelGiven, Response, TaskAssigned, TaskReturned
from tiebreak.campaign.openings import task_number
from tiebreak.errors import InputError
from tiebreak.live import LiveCampaign
from tiebreak.live.ledger import TaskLedger, TaskRecord
from tiebreak.live.task_view import assignment_of
from tiebreak.sheets.filled import FilledRow, column_name, read_filled, renamed_columns, seconds_of
from tiebreak.sheets.reading import AnswerReader, BadRow, answer_columns, by_cause
from tiebreak.sheets.workbook import COMMENT, SECONDS, TASK, saved, text_columns, write_text
from tiebreak.tabular.delimited import csv_for_spreadsheets

_NO_WORDS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A task that had an answer already, and another one in the sheet; in the words of the sheet."""

    task: str
    line: int
    kept: str
    refused: str


@dataclass(frozen=True, slots=True)
class CollectedSheets:
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
    response: Response


def collect_rows(
    rows: Sequence[FilledRow], ledger: TaskLedger, reader: AnswerReader, *, fingerprint: str, at: str
) -> CollectedSheets:
    """What the rows of a sheet bring. `fingerprint`: of the protocol; `at`: the time that the labels get."""
    answers: dict[str, list[_Answer]] = {}
    bad: list[BadRow] = []
    empty: dict[str, str] = {}
    for row in rows:
        understood = _understood(row, ledger, reader, fingerprint)
        if isinstance(understood, BadRow):
            bad.append(understood)
        elif understood is not None:
            answers.setdefault(understood.record.assigned.task, []).append(understood)
        elif row.task.lower() in ledger.tasks:
            empty[row.task.lower()] = row.comment or empty.get(row.task.lower(), "")
    single = {task: answers_of_task[0] for task, answers_of_task in answers.items() if _agree(answers_of_task)}
    for answers_of_task in answers.values():
        bad += _contradicting(answers_of_task, reader)
    for refused in bad:
        empty.pop(refused.row.task.lower(), None)
    unsettled = [refused for refused in bad if not _is_answered(refused.row, ledger)]
    unsettled.sort(key=lambda refused: (refused.row.page, refused.row.line))
    return _sorted_out(single, empty, ledger, reader, at, unsettled, len(bad) - len(unsettled))


def _is_answered(row: FilledRow, ledger: TaskLedger) -> bool:
    known = ledger.tasks.get(row.task.lower())
    return known is not None and known.answer is not None


def _understood(row: FilledRow, ledger: TaskLedger, reader: AnswerReader, fingerprint: str) -> _Answer | BadRow | None:
    """The row as an answer to a task, or what is wrong with it; None if it holds no answer."""
    if problems := reader.problems_of_formulas(row):
        return BadRow(row, tuple(problems))
    if reader.is_empty(row):
        return None
    record = ledger.tasks.get(row.task.lower())
    if record is None:
        column = TASK if row.task else reader.columns[0]
        return BadRow(row, (row.problem(reader.file, column, _unknown_task(row.task, fingerprint)),))
    response = reader.read(row, record)
    return response if isinstance(response, BadRow) else _Answer(row, record, response)


def _unknown_task(task: str, fingerprint: str) -> str:
    if not task:
        return (
            "an answer without a task, whose texts are not those of one task alone; write the task's id, or clear the "
            "answer"
        )
    if task_number(task, fingerprint) is None:
        return (
            "not a task of this campaign; is this the sheet of another campaign, or was the id changed? "
            "Correct it, or clear the answer"
        )
    return (
        "a task of this campaign that its log does not know; was the sheet made with another copy of the campaign's "
        "folder? Collect it there"
    )


def _agree(answers: Sequence[_Answer]) -> bool:
    return all(answer.response == answers[0].response for answer in answers)


def _contradicting(answers: Sequence[_Answer], reader: AnswerReader) -> list[BadRow]:
    """The rows of one task where these give it more than one answer: nobody can tell which of them is meant."""
    if _agree(answers):
        return []
    rows = []
    for answer in answers:
        other = next(two for two in answers if two.response != answer.response)
        where = f"row {other.row.line}" + (f" of {other.row.page}" if other.row.page != answer.row.page else "")
        message = (
            f"{where} answers the same task with {reader.said(other.response, other.record)!r}; keep one of the two"
        )
        rows.append(BadRow(answer.row, (answer.row.problem(reader.file, reader.columns[0], message),)))
    return rows


def _sorted_out(
    answers: Mapping[str, _Answer],
    empty: Mapping[str, str],
    ledger: TaskLedger,
    reader: AnswerReader,
    at: str,
    bad: Sequence[BadRow],
    settled: int,
) -> CollectedSheets:
    labels: list[LabelGiven] = []
    changed, known = [], 0
    no_seconds = no_comment = 0
    for task, record in ledger.tasks.items():  # whatever the order of rows
        answer = answers.get(task)
        if answer is None:
            continue
        if record.answer is None:
            seconds, unread = _seconds(answer.row)
            no_seconds += unread
            no_comment += COMMENT in answer.row.formulas
            comment = answer.row.comment or None
            labels.append(LabelGiven(at, task, record.assigned.annotator, answer.response, seconds, comment))
            continue
        kept = record.answer.response
        if kept == answer.response:
            known += 1
        else:
            words = reader.said(kept, record), reader.said(answer.response, record)
            changed.append(ChangedAnswer(task, answer.row.line, *words))
    unanswered = [task for task in empty if task not in answers and ledger.tasks[task].answer is None]
    remarks = tuple((task, empty[task]) for task in unanswered if empty[task])
    open_ones = tuple(task for task in unanswered if not ledger.is_withdrawn(ledger.tasks[task]))
    gone = len(unanswered) - len(open_ones) + sum(ledger.is_withdrawn(ledger.tasks[label.task]) for label in labels)
    own = {task: None for task in (*answers, *empty, *(row.row.task.lower() for row in bad)) if task in ledger.tasks}
    people = Counter(ledger.tasks[task].assigned.annotator for task in own)
    return CollectedSheets(
        tuple(labels), known, tuple(changed), open_ones, gone, remarks,
        tuple(bad), settled, no_seconds, no_comment, MappingProxyType(people),
    )  # fmt: skip


def _seconds(row: FilledRow) -> tuple[float | None, bool]:
    """The seconds of a row, and whether something else stands there."""
    try:
        return seconds_of(row.cell(SECONDS)), SECONDS in row.formulas
    except ValueError:
        return None, True


@dataclass(frozen=True, slots=True)
class CollectedSheet:
    """A sheet that was taken: `late` of its new labels came when they could be evidence no more; `returned`: tasks that
    were given back unanswered.
    """

    content: CollectedSheets
    late: int
    returned: int


def collect_sheet(
    campaign: LiveCampaign,
    content: bytes,
    file: str,
    *,
    at: str,
    words: Mapping[str, str] = _NO_WORDS,
    columns: Sequence[str] = (),
) -> CollectedSheet:
    """Take in a sheet; its labels are on the disk when this returns, all of them or none. `file`: its name, for
    messages. `words`: what answers mean, beside those that everybody understands; `columns`: NAME=COLUMN of columns
    with another name. Tasks whose row is empty or cannot be understood come back at once, and are asked of whoever
    comes next; an answer that arrives later still counts where nobody was asked in its stead.

    Raises:
        InputError: it cannot be read, or holds no task of this campaign; nothing of it was taken.
    """
    answers = answer_columns(campaign.protocol)
    rows = with_tasks(read_filled(content, file, answers, renamed_columns(columns, answers)), campaign)
    reader = AnswerReader(campaign.protocol, campaign.texts, rows, file, words)
    collections: list[CollectedSheets] = []

    def decide(state: State, ledger: TaskLedger) -> Sequence[Event]:
        collected = collect_rows(rows, ledger, reader, fingerprint=state.protocol.fingerprint, at=at)
        if collected.bad and not collected.people:
            raise InputError(by_cause(problem for bad in collected.bad for problem in bad.problems))
        collections.append(collected)
        back = dict.fromkeys(collected.empty, "left empty")
        back |= {bad.row.task.lower(): "not understood" for bad in collected.bad}
        known = {task: why for task, why in back.items() if task in ledger.tasks and ledger.tasks[task].is_open}
        return [*collected.labels, *(TaskReturned(at, task, why) for task, why in known.items())]

    events = campaign.commit(decide)
    late = sum(campaign.ledger.tasks[label.task].late for label in collections[-1].labels)
    return CollectedSheet(collections[-1], late, sum(isinstance(event, TaskReturned) for event in events))


Shown = frozenset[tuple[str, str]]
"""Columns of texts, and what stands in them; those that are empty are left out."""


def with_tasks(rows: Sequence[FilledRow], campaign: LiveCampaign) -> tuple[FilledRow, ...]:
    """The rows, those without a task with the one that they show."""
    if all(row.task for row in rows):
        return tuple(rows)
    shown, columns = _shown_by_tasks(campaign)
    tasks_of_row = [[] if row.task else shown.get(_texts(row, columns), []) for row in rows]
    people = [{task.annotator for task in tasks} for tasks in tasks_of_row if tasks]
    common = set.intersection(*people) if people else set()
    known = {row.task.lower() for row in rows if row.task}
    return tuple(
        row
        if row.task
        else _with(row, [task.task for task in tasks if task.annotator in common and task.task not in known])
        for row, tasks in zip(rows, tasks_of_row, strict=True)
    )


def _shown_by_tasks(campaign: LiveCampaign) -> tuple[dict[Shown, list[TaskAssigned]], set[str]]:
    """The tasks that show some texts, and all columns of texts that any sheet has."""
    of_people: dict[str, list[TaskAssigned]] = defaultdict(list)
    for record in campaign.ledger.tasks.values():
        of_people[record.assigned.annotator].append(record.assigned)
    tasks_by_texts: dict[Shown, list[TaskAssigned]] = defaultdict(list)
    names: set[str] = set()
    for annotator, tasks in of_people.items():
        columns = text_columns(assignment_of(campaign, annotator, tasks))
        names |= {column_name(column.name) for column in columns}
        for place, task in enumerate(tasks):
            texts = {column_name(column.name): _plain(column.texts[place]) for column in columns}
            tasks_by_texts[frozenset((name, text) for name, text in texts.items() if text)].append(task)
    return tasks_by_texts, names


def _texts(row: FilledRow, columns: set[str]) -> Shown:
    cells = zip(map(column_name, row.header), map(_plain, row.cells), strict=False)
    return frozenset((name, text) for name, text in cells if name in columns and text)


def _plain(text: str) -> str:
    """As it is compared: programs change blanks and the ends of lines."""
    return " ".join(text.split())


def _with(row: FilledRow, tasks: Sequence[str]) -> FilledRow:
    return replace(row, used=MappingProxyType({**row.used, TASK: tasks[0]})) if len(tasks) == 1 else row


WHAT_TO_MEND = "what to mend"


def sheet_to_mend(bad: Sequence[BadRow], ending: str) -> bytes:
    """The rows as they stand in the sheet, under its columns, and before each what is wrong with it. `ending`: .xlsx or
    .csv.
    """
    columns = list(
        dict.fromkeys(
            name for bad_row in bad for name in bad_row.row.header if name.strip(" ") not in ("", WHAT_TO_MEND)
        )
    )
    table = [[WHAT_TO_MEND, *columns]]
    for bad_row in bad:
        cells = dict(zip(reversed(bad_row.row.header), reversed(_whole(bad_row.row)), strict=True))
        what = "; ".join(f"{problem.column}: {problem.message}" for problem in bad_row.problems)
        table.append([f"row {bad_row.row.line}: {what}", *(cells.get(name, "") for name in columns)])
    return csv_for_spreadsheets(table) if ending == ".csv" else _workbook(table)


def holds_rows(earlier: bytes, content: bytes, answers: Sequence[str]) -> bool:
    """Whether an earlier sheet to mend has all rows of this one, mended by now or not. `answers`: the columns in which
    answers stand.

    Raises:
        InputError: it is no sheet.
    """
    now, before = (set(map(_which, read_filled(sheet, "", answers))) for sheet in (content, earlier))
    return now <= before


def _which(row: FilledRow) -> tuple[str, ...]:
    return (row.task.lower(),) if row.task else tuple(row.used.values())


def _whole(row: FilledRow) -> list[str]:
    """A cell for each column; formulas without a value as they were written, as texts."""
    cells = [*row.cells, *[""] * (len(row.header) - len(row.cells))]
    return [cell or row.formulas.get(column_name(name), "") for name, cell in zip(row.header, cells, strict=False)]


def _workbook(table: Sequence[Sequence[str]]) -> bytes:
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font

    book = Workbook()
    book.properties.creator = "tiebreak"
    page = book.active
    page.title = "To mend"
    for row, cells in enumerate(table, 1):
        for column, text in enumerate(cells, 1):
            if text:
                cell = write_text(page, row, column, text)
                cell.alignment = Alignment(wrap_text=row > 1, vertical="top")
                cell.font = Font(bold=row == 1)
    page.column_dimensions["A"].width = 60
    page.freeze_panes = "B2"
    return saved(book)
