"""Mechanical Turk: results of batches."""

from __future__ import annotations

import json
from pathlib import Path

from tests.importers.made import cells_of, read_as, rows_of, save

from tiebreak.importers.reading import Imported

FIXED = (
    "HITId", "HITTypeId", "Title", "Reward", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime",
    "ApprovalTime", "WorkTimeInSeconds", "LifetimeApprovalRate",
)  # fmt: skip
MODELS = {"Input.model_a": "north", "Input.model_b": "south"}


def row(hit: str, worker: str, status: str, **answers: str) -> dict[str, str]:
    at = "Mon Jun 21 09:26:33 PDT 2021"
    fixed = (hit, "T1", "Which is better?", "$0.10", f"{hit}{worker}", worker, status, at, at, "", "31", "100% (1/1)")
    texts = {"Input.prompt": f"Greet {hit}.", "Input.response_a": f"Hi {hit}", "Input.response_b": f"Hello {hit}"}
    return {**dict(zip(FIXED, fixed, strict=True)), **texts, **MODELS, **answers, "Approve": "", "Reject": ""}


def read(tmp_path: Path, rows: list[dict[str, str]]) -> Imported:
    return read_as("mturk", save(tmp_path, "Batch_1_batch_results.csv", rows))


def test_rejected_assignments_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [
        row("H1", "W1", "Approved", **{"Answer.preference": "A"}),
        row("H1", "W2", "Rejected", **{"Answer.preference": "B"}),
        row("H2", "W1", "Submitted", **{"Answer.preference": "tie"}),
        row("H2", "W3", "Submitted", **{"Answer.preference": "B"}) | {"Reject": "did not read"},
    ]
    done = read(tmp_path, rows)
    columns = ("item", "system_a", "system_b", "annotator", "outcome", "seconds", "decided_at")
    assert rows_of(done.study.preferences, *columns) == [
        ("H1", "north", "south", "W1", "a", 31.0, "2021-06-21T09:26:33-07:00"),
        ("H2", "north", "south", "W1", "tie", 31.0, "2021-06-21T09:26:33-07:00"),
    ]
    assert [of.count for of in done.skipped] == [2]
    assert done.study.outputs.height == 4


def test_a_choice_with_a_column_for_each_option(tmp_path: Path) -> None:
    rows = [
        row("H1", "W1", "Approved", **{"Answer.preference.A": "true", "Answer.preference.B": "false"}),
        row("H2", "W1", "Approved", **{"Answer.preference.A": "false", "Answer.preference.B": "true"}),
    ]
    study = read(tmp_path, rows).study
    assert cells_of(study.preferences, "outcome") == ["a", "b"]


def test_the_answers_of_crowd_elements(tmp_path: Path) -> None:
    told = [{"preference": {"A": False, "B": True}}], [{"preference": {"label": "A"}}]
    rows = [row(f"H{n}", "W1", "Approved", **{"Answer.taskAnswers": json.dumps(of)}) for n, of in enumerate(told)]
    study = read(tmp_path, rows).study
    assert cells_of(study.preferences, "outcome") == ["b", "a"]


def test_items_are_those_that_were_shown_and_not_those_of_the_platform(tmp_path: Path) -> None:
    study = read(tmp_path, [row("H1", "W1", "Approved", **{"Input.doc_id": "d7", "Answer.preference": "A"})]).study
    assert cells_of(study.preferences, "item") == ["d7"]
