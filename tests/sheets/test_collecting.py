"""From filled rows to labels: what counts, what is refused, and that nothing is lost or counted twice."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sheets.sheet_makers import AT, task

from tiebreak.campaign.events import LabelGiven, TaskAssigned, TaskReturned
from tiebreak.campaign.task_ids import task_id
from tiebreak.errors import InputError
from tiebreak.live.answers import FIRST, SECOND, TIE, answer_of, shown_answer
from tiebreak.live.ledger import Ledger
from tiebreak.sheets.collecting import ChangedAnswer, Collected, collect_rows
from tiebreak.sheets.filled import FilledRow

LETTERS = {"task": "A", "answer": "F", "seconds": "G", "comment": "H"}
PRINT = "f" * 64


def row(line: int, name: str, answer: str = "", seconds: str = "", comment: str = "") -> FilledRow:
    return FilledRow("Tasks", line, name, answer, seconds, comment, LETTERS)


def ledger(*events: TaskAssigned | LabelGiven | TaskReturned) -> Ledger:
    found = Ledger()
    for event in (*(task(k, left=("zeta-9b", "eta-3b")[k % 2]) for k in range(4)), *events):
        found.add(event)
    return found


def collect(rows: Iterable[FilledRow], known: Ledger | None = None, *, ties: bool = True) -> Collected:
    return collect_rows(
        list(rows), known or ledger(), fingerprint=PRINT, ties=ties, at="2026-05-02T00:00:00Z", file="s.xlsx"
    )


def test_labels_in_the_order_of_the_tasks_whatever_the_order_of_rows() -> None:
    found = collect([row(9, "T3", "1", "4,5", "clear"), row(3, "t0", "tie"), row(5, "t1"), row(6, "t2", comment="hm")])
    assert found.labels == (
        LabelGiven("2026-05-02T00:00:00Z", "t0", "ann", "tie"),
        LabelGiven("2026-05-02T00:00:00Z", "t3", "ann", "a", 4.5, "clear"),
    )
    assert found.empty == ("t1", "t2")
    assert found.remarks == (("t2", "hm"),)
    assert (found.known, found.changed) == (0, ())


def test_the_first_answer_counts() -> None:
    known = ledger(LabelGiven(AT, "t0", "ann", "b"), LabelGiven(AT, "t1", "ann", "tie"))
    found = collect([row(3, "t0", FIRST), row(4, "t1", FIRST), row(5, "t2", TIE)], known)
    assert [label.task for label in found.labels] == ["t2"]
    assert found.known == 1
    assert found.changed == (ChangedAnswer("t1", 4, TIE, FIRST),)
    assert found.empty == ()


def test_an_answer_after_the_task_was_taken_back_is_still_an_answer() -> None:
    found = collect([row(3, "t0", FIRST)], ledger(TaskReturned(AT, "t0", "expired")))
    assert [label.task for label in found.labels] == ["t0"]


def test_a_row_twice_is_one_label_and_two_answers_are_a_problem() -> None:
    assert len(collect([row(3, "t0", FIRST), row(4, "t0"), row(5, "t0", "1")]).labels) == 1
    with pytest.raises(InputError, match=r"line 4, column answer \(F4\): 'tie': row 3 answers the same task"):
        collect([row(3, "t0", FIRST), row(4, "t0", "tie")])


def test_all_that_does_not_belong_is_named_at_once() -> None:
    issued_elsewhere = task_id(77, PRINT)
    with pytest.raises(InputError) as caught:
        collect([
            row(3, "t0", FIRST),
            row(4, "t1", "maybe"),
            row(5, "zz-9", FIRST),
            row(6, issued_elsewhere, FIRST),
            row(7, "", SECOND),
            row(8, "t2", TIE, seconds="long"),
            row(9, "remark of mine"),
        ])  # fmt: skip
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [
        (4, "answer (F4)"), (5, "task (A5)"), (6, "task (A6)"), (7, "answer (F7)"), (8, "seconds (G8)"),
    ]  # fmt: skip
    text = str(caught.value)
    assert "allowed are First text, No difference, Second text, or nothing" in text
    assert "'zz-9': not a task of this campaign" in text
    assert f"{issued_elsewhere!r}: a task of this campaign that its log does not know" in text
    assert "an answer without a task" in text


def test_ties_where_there_are_none() -> None:
    with pytest.raises(InputError, match="this campaign has no ties; allowed are First text, Second text, or nothing"):
        collect([row(3, "t0", "tie")], ties=False)


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["", FIRST, TIE, SECOND, "1", "tie"])), max_size=10
).map(lambda cells: [row(3 + place, f"t{k}", answer) for place, (k, answer) in enumerate(cells)])  # fmt: skip


@given(st.lists(ROWS, max_size=5))
def test_any_sheets_any_number_of_times_give_each_task_its_first_answer_and_no_other(
    sheets: list[list[FilledRow]],
) -> None:
    known, first = ledger(), dict[str, str]()
    for sheet in [*sheets, *sheets]:
        try:
            found = collect(sheet, known)
        except InputError:
            continue  # two answers in one sheet: nothing of it is taken
        for label in found.labels:
            known.add(label)
        for filled in sheet:
            if filled.answer:
                first.setdefault(filled.task, str(answer_of(filled.answer)))
    assert {
        record.assigned.task: shown_answer(record.label.outcome, record.assigned)
        for record in known.labelled
        if record.label is not None
    } == first
    assert len(known.answered) == len(set(known.answered))
