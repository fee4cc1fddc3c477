"""From filled rows to labels: what counts, what is refused, and that nothing is lost or counted twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sheets.sheet_makers import AT, PREFERENCE, small_study, task

from tiebreak.campaign import Protocol
from tiebreak.campaign.events import LabelGiven, TaskAssigned, TaskReturned
from tiebreak.campaign.kinds import Preferred
from tiebreak.campaign.kinds.preference import FIRST, SECOND, answer_of
from tiebreak.campaign.kinds.preference import NO_DIFFERENCE as TIE
from tiebreak.campaign.openings import task_id
from tiebreak.errors import Problem
from tiebreak.live.ledger import TaskLedger
from tiebreak.live.texts import StudyTexts
from tiebreak.settings.protocol import LabelSettings
from tiebreak.sheets.collecting import ChangedAnswer, CollectedSheets, collect_rows
from tiebreak.sheets.filled import FilledRow
from tiebreak.sheets.reading import AnswerReader, parse_answers

LETTERS = {"task": "A", "answer": "F", "seconds": "G", "comment": "H"}
PRINT = "f" * 64


def row(line: int, name: str, answer: str = "", seconds: str = "", comment: str = "") -> FilledRow:
    used = {"task": name, "answer": answer, "seconds": seconds, "comment": comment}
    return FilledRow("Tasks", line, used, LETTERS)


def ledger(*events: TaskAssigned | LabelGiven | TaskReturned) -> TaskLedger:
    found = TaskLedger()
    for event in (*(task(k, left=("zeta-9b", "eta-3b")[k % 2]) for k in range(4)), *events):
        found.add(event)
    return found


def collect(
    rows: Iterable[FilledRow],
    known: TaskLedger | None = None,
    *,
    ties: bool = True,
    words: Mapping[str, str] = MappingProxyType({}),
) -> CollectedSheets:
    at = "2026-05-02T00:00:00Z"
    protocol = Protocol(labels=LabelSettings(ties=ties))
    reader = AnswerReader(protocol, StudyTexts(small_study()), list(rows), "s.xlsx", words)
    return collect_rows(list(rows), known or ledger(), reader, fingerprint=PRINT, at=at)


def test_labels_in_the_order_of_the_tasks_whatever_the_order_of_rows() -> None:
    found = collect(
        [row(9, "T3", "first", "4,5", "clear"), row(3, "t0", "tie"), row(5, "t1"), row(6, "t2", comment="hm")]
    )
    assert found.labels == (
        LabelGiven("2026-05-02T00:00:00Z", "t0", "ann", Preferred("tie")),
        LabelGiven("2026-05-02T00:00:00Z", "t3", "ann", Preferred("a"), 4.5, "clear"),
    )
    assert found.empty == ("t1", "t2")
    assert found.remarks == (("t2", "hm"),)
    assert (found.known, found.changed) == (0, ())


def test_the_first_answer_counts() -> None:
    known = ledger(LabelGiven(AT, "t0", "ann", Preferred("b")), LabelGiven(AT, "t1", "ann", Preferred("tie")))
    found = collect([row(3, "t0", FIRST), row(4, "t1", FIRST), row(5, "t2", TIE)], known)
    assert [label.task for label in found.labels] == ["t2"]
    assert found.known == 1
    assert found.changed == (ChangedAnswer("t1", 4, TIE, FIRST),)
    assert found.empty == ()


def test_an_answer_after_the_task_was_taken_back_is_still_an_answer() -> None:
    found = collect([row(3, "t0", FIRST)], ledger(TaskReturned(AT, "t0", "expired")))
    assert [label.task for label in found.labels] == ["t0"]


def test_a_row_twice_is_one_label_and_of_two_answers_neither_counts() -> None:
    assert len(collect([row(3, "t0", FIRST), row(4, "t0"), row(5, "t0", "A")]).labels) == 1
    found = collect([row(3, "t0", FIRST), row(4, "t0", "tie"), row(5, "t1", FIRST)])
    assert [label.task for label in found.labels] == ["t1"]
    assert [str(problem) for problem in said(found)] == [
        f"s.xlsx#Tasks, row {one}, column answer (F{one}): {answer!r}: row {other} answers the same task with "
        f"{words!r}; keep one of the two"
        for one, answer, other, words in ((3, FIRST, 4, TIE), (4, "tie", 3, FIRST))
    ]


def test_two_answers_on_two_pages_name_the_page() -> None:
    other = FilledRow("More", 3, {"task": "t0", "answer": SECOND}, LETTERS)
    assert [problem.message for problem in said(collect([row(3, "t0", FIRST), other]))] == [
        "row 3 of Tasks answers the same task with 'First text'; keep one of the two",
        "row 3 of More answers the same task with 'Second text'; keep one of the two",
    ]


def test_all_that_does_not_belong_is_named_and_the_rest_counts() -> None:
    issued_elsewhere = task_id(77, PRINT)
    found = collect([
        row(3, "t0", FIRST),
        row(4, "t1", "maybe"),
        row(5, "zz-9", FIRST),
        row(6, issued_elsewhere, FIRST),
        row(7, "", SECOND),
        row(8, "t2", TIE, seconds="1:30"),
        row(9, "remark of mine"),
    ])  # fmt: skip
    assert [(label.task, label.seconds) for label in found.labels] == [("t0", None), ("t2", None)]
    assert (found.no_seconds, found.settled, found.empty) == (1, 0, ())
    assert [(problem.line, problem.column) for problem in said(found)] == [
        (4, "answer (F4)"), (5, "task (A5)"), (6, "task (A6)"), (7, "answer (F7)"),
    ]  # fmt: skip
    text = "\n".join(map(str, said(found)))
    assert "--answer 'maybe=first|second|tie|skip'" in text
    assert not found.is_complete


def said(found: CollectedSheets) -> list[Problem]:
    return [problem for bad in found.bad for problem in bad.problems]


def test_a_formula_without_its_value_is_no_answer_and_no_blank() -> None:
    formulas = {"answer": "=B1"}
    filled = FilledRow("Tasks", 3, {"task": "t0"}, LETTERS, formulas)
    comment = FilledRow("Tasks", 4, {"task": "t1", "answer": FIRST}, LETTERS, {"comment": "=B1", "seconds": "=B2"})
    found = collect([filled, comment])
    assert found.empty == ()
    assert [str(problem) for problem in said(found)] == [
        "s.xlsx#Tasks, row 3, column answer (F3): '=B1': a formula whose value the file does not hold; write the "
        "value itself"
    ]
    assert ([label.task for label in found.labels], found.no_comment, found.no_seconds) == (["t1"], 1, 1)


def test_rows_that_cannot_be_understood_do_not_matter_once_their_task_has_an_answer() -> None:
    found = collect([row(3, "t0", "maybe"), row(4, "t0", FIRST)], ledger(LabelGiven(AT, "t0", "ann", Preferred("b"))))
    assert (found.settled, found.bad, found.known, found.is_complete) == (1, (), 1, True)


def test_whose_tasks_a_sheet_holds() -> None:
    found = collect([row(3, "t0", FIRST), row(4, "t9", "maybe"), row(5, "t1")], ledger(task(9, annotator="bo")))
    assert found.people == {"ann": 2, "bo": 1}


@pytest.mark.parametrize("cell", ["2024-05-17", "0:01:30", "1:30", "1_000", "1,500", "-1", "1e9", "a while", "nan"])
def test_what_is_no_number_of_seconds_is_left_out(cell: str) -> None:
    found = collect([row(3, "t0", FIRST, seconds=cell)])
    assert (found.labels[0].seconds, found.no_seconds, found.is_complete) == (None, 1, True)


def test_words_that_are_said_to_mean_something() -> None:
    words = parse_answers(["A wins=first", "dunno=skip,meh=tie"])
    found = collect([row(3, "t0", "A  WINS."), row(4, "t1", "dunno"), row(5, "t2", "meh")], words=words)
    assert [(label.task, label.response) for label in found.labels] == [
        ("t0", Preferred("b")),
        ("t2", Preferred("tie")),
    ]
    assert (found.empty, found.bad) == (("t1",), ())


def test_the_numbers_of_three_answers_in_a_row_are_not_taken_before_somebody_says_what_they_mean() -> None:
    rows = [row(3 + k, f"t{k}", number) for k, number in enumerate("1232")]
    found = collect(rows)
    assert (found.labels, len(found.bad)) == ((), 4)
    assert "--answer 1=first,2=tie,3=second" in said(found)[0].message
    words = parse_answers(["1=first,2=tie,3=second"])
    assert [label.response.outcome for label in collect(rows, words=words).labels] == ["b", "tie", "a", "tie"]


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["", FIRST, TIE, SECOND, "first", "tie"])), max_size=10
).map(lambda cells: [row(3 + place, f"t{k}", answer) for place, (k, answer) in enumerate(cells)])  # fmt: skip


@given(st.lists(ROWS, max_size=5))
def test_any_sheets_any_number_of_times_give_each_task_its_first_answer_and_no_other(
    sheets: list[list[FilledRow]],
) -> None:
    known, first = ledger(), dict[str, str]()
    for sheet in [*sheets, *sheets]:
        for label in collect(sheet, known).labels:
            known.add(label)
        for name in {filled.task for filled in sheet}:
            cells = {filled.cell("answer") for filled in sheet if filled.task == name}
            answers = {str(answer_of(cell)) for cell in cells if cell}
            if len(answers) == 1:  # of two answers in one sheet neither is taken
                first.setdefault(name, answers.pop())
    assert {
        record.assigned.task: PREFERENCE.said(record.assigned, record.label.response)
        for record in known.labelled
        if record.label is not None
    } == first
    assert len(known.answered) == len(set(known.answered))
