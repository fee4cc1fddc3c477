"""Samples, edits, passages, spans and times of files, into a study that exists."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.adding.test_add import account_of, added, only, study

from tiebreak.adding.account import TableAccount
from tiebreak.data.study import Study

SAMPLES = [
    {"item": "q1", "system": system, "text": f"{system} says {sample}", "sample": sample}
    for system in ("gpt", "llama")
    for sample in "12"
]


def sampled() -> Study:
    return study(outputs=SAMPLES, preferences=None)


def test_edits_are_new_known_or_other_ones(tmp_path: Path) -> None:
    edits = [{"item": "q1", "system": "gpt", "annotator": "ann", "text": "Lima."}]
    file = (
        "item,system,annotator,corrected,seconds\n"
        "q1,gpt,ann,Lima.,12\n"  # at another time than the one that is there, which has none
        "q1,gpt,bo,It is Lima.,30\nq2,gpt,ann,,1\n"
    )
    found = added(study(edits=edits), {"edits.csv": file}, tmp_path)
    assert account_of(only(found), "edits") == TableAccount("edits", new=1, again=1)
    assert found.changed["edits"]["seconds"].to_list() == [None, 12.0, 30.0]
    assert [skipped.reason for skipped in only(found).skipped] == ["corrected is blank: no edit"]
    assert not added(found.study, {"edits.csv": file}, tmp_path).changed


def test_passages_and_spans(tmp_path: Path) -> None:
    passages = "item,passage_id,passage\nq1,p1,Lima is the capital of Peru.\nq1,p2,Cusco is old.\n"
    spans = "item,system,passage_id,support,annotator\nq1,gpt,p1,supports,ann\nq1,gpt,p2,neither,ann\n"
    found = added(study(), {"passages.csv": passages, "spans.csv": spans}, tmp_path)
    assert [account.taken for account in found.accounts] == [True, True]
    assert (found.study.passages is not None, found.study.notices) == (True, ())
    assert not added(found.study, {"passages.csv": passages, "spans.csv": spans}, tmp_path).changed
    other = {"other.csv": passages.replace("is old", "is high up")}
    (problem,) = only(added(found.study, other, tmp_path)).problems
    assert (problem.line, problem.value) == (2, "q1")
    assert "another text of passage p2 for this item" in problem.message


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("edits.csv", "item,system,annotator,edit\nq9,gpt,ann,Lima.\n"),
        ("spans.csv", "item,system,passage_id,support,annotator\nq9,gpt,p1,supports,ann\n"),
        ("passages.csv", "item,passage_id,passage\nq9,p1,Lima is the capital of Peru.\n"),
    ],
)
def test_rows_about_an_item_that_is_not_there(name: str, text: str, tmp_path: Path) -> None:
    account = only(added(study(), {name: text}, tmp_path))
    assert not account.taken


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("item,system,annotator,fluency\nq1,gpt,ann,4\n", "names none of them (1 row): --map sample=COLUMN names them"),
        ("item,system,sample,annotator,fluency\nq1,gpt,1,ann,4\nq1,gpt,7,ann,4\n", "names 7 (1 row): mend the file"),
        ("item,system_a,system_b,annotator,winner\nq1,gpt,llama,ann,gpt\n", "--map sample_a=COLUMN names them"),
        ("item,system,annotator,edit\nq1,llama,ann,Lima.\n", "several outputs of llama for this item (samples 1, 2)"),
        ("item,system,output\nq1,gpt,Lima.\n", "and the file names none of them"),
    ],
)
def test_rows_about_no_sample_that_is_there(rows: str, said: str, tmp_path: Path) -> None:
    found = added(sampled(), {"more.csv": rows}, tmp_path)
    assert not found.changed
    assert said in str(only(found).problems[0])


def test_samples_are_matched(tmp_path: Path) -> None:
    rows = "item,system,sample,annotator,fluency\nq1,gpt,1,ann,4\nq1,gpt,2,ann,3\nq1,llama,1,ann,4\nq1,llama,2,ann,2\n"
    found = added(sampled(), {"more.csv": rows}, tmp_path)
    assert account_of(only(found), "ratings") == TableAccount("ratings", new=4)
    assert found.study.notices == ()
    lost = added(sampled(), {"more.csv": rows + "q1,llama,9,ann,2\n"}, tmp_path, "leave")
    assert account_of(only(lost), "ratings") == TableAccount("ratings", new=4, unmatched=1)


def test_a_file_may_bring_samples_and_what_is_said_of_them(tmp_path: Path) -> None:
    rows = "item,system,sample,annotator,fluency,output\nq1,gpt,3,ann,4,Lima\nq1,gpt,4,ann,3,Quito\n"
    found = added(sampled(), {"more.csv": rows}, tmp_path)
    assert account_of(only(found), "outputs") == TableAccount("outputs", new=2)
    assert account_of(only(found), "ratings") == TableAccount("ratings", new=2)
