"""`tiebreak add` as a user meets it: plan, account, question, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from tests.signed_studies import labelled_study, left_out, signed_study
from typer.testing import CliRunner, Result

from tiebreak.adding.add import WhatToDo
from tiebreak.cli.add import UnmatchedChoice
from tiebreak.cli.commands import app
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, UsageError

HEADER = "item,system_a,system_b,annotator,winner\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    votes = [
        {"item": f"q{k}", "system_a": "gpt", "system_b": "llama", "annotator": "ann", "outcome": "a"} for k in range(3)
    ]
    write_study(Study.from_tables(preferences=votes), "study")
    (tmp_path / "more.csv").write_text(HEADER + "q3,gpt,llama,ann,gpt\nq0,gpt,llama,ann,gpt\n", encoding="utf-8")
    (tmp_path / "bad.csv").write_text(HEADER + "q4,gpt,lama,ann,gpt\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(app, ["add", *arguments], input=answer)


def labels(study: str = "study") -> int:
    frame = read_study(study).preferences
    return frame.height


def test_what_is_new_is_added_once() -> None:
    first = run("study", "more.csv", "--yes")
    assert first.exit_code == 0
    assert labels() == 4
    again = run("study", "more.csv", "--yes")
    assert again.exit_code == 0
    assert labels() == 4


def test_good_files_are_taken_beside_bad_ones(here: Path) -> None:
    (here / "broken.jsonl").write_text('{"item": "q5", \n', encoding="utf-8")
    found = run("study", "more.csv", "bad.csv", "broken.jsonl", "--yes", "--json")
    assert found.exit_code == 4
    document = json.loads(found.stdout)
    assert document["written"]
    assert document["rows_added"] == 1
    taken = {file["file"]: file["taken"] for file in document["files"]}
    assert taken == {"more.csv": True, "bad.csv": False, "broken.jsonl": False}
    assert labels() == 4


def test_nothing_is_written_where_no_file_is_good() -> None:
    found = run("study", "bad.csv", "--yes")
    assert found.exit_code == 1
    assert "did you mean llama? Then --value system:lama=llama" in " ".join(found.stdout.split())
    assert labels() == 3
    assert run("study", "bad.csv", "--yes", "--value", "system:lama=llama").exit_code == 0
    assert labels() == 4


def test_a_dry_run_shows_what_would_be_added() -> None:
    dry = run("study", "more.csv", "--dry-run")
    assert dry.exit_code == 0
    assert "Nothing was written (--dry-run)." in dry.stdout
    assert labels() == 3


@pytest.mark.parametrize("more", [("--yes",), ("--dry-run",)])
def test_what_is_open_is_not_taken_unseen(here: Path, more: tuple[str, ...]) -> None:
    (here / "open.csv").write_text("item,model,this,that\nq0,gpt,4,3\nq1,llama,2,5\n", encoding="utf-8")
    found = run("study", "open.csv", *more)
    assert isinstance(found.exception, UsageError)
    assert "column this (4 | 2)" in str(found.exception)


def test_the_recipes_of_the_study_read_next_weeks_file(here: Path) -> None:
    text = "Ticket,First,Second,Better,By\n{},gpt,llama,gpt,ann\n"
    (here / "week1.csv").write_text(text.format("t1"), encoding="utf-8")
    (here / "week2.csv").write_text(text.format("t2"), encoding="utf-8")
    said = ["system_a=First", "system_b=Second", "outcome=Better", "annotator=By"]
    options = [part for one in said for part in ("--map", one)]
    assert CliRunner().invoke(app, ["import", "week1.csv", "weekly", *options]).exit_code == 0
    found = run("weekly", "week2.csv")
    assert found.exit_code == 0, found.output
    assert labels("weekly") == 2


def test_the_last_addition_is_taken_back() -> None:
    assert run("study", "more.csv").exit_code == 0
    undone = run("study", "--undo")
    assert undone.exit_code == 0, undone.output
    assert "Took the last addition to study back: preferences.csv" in undone.stdout
    assert labels() == 3
    assert "there is no addition to take back" in str(run("study", "--undo").exception)
    assert isinstance(run("study", "more.csv", "--undo").exception, UsageError)


@pytest.mark.parametrize(("answer", "after"), [("y\n", 4), ("n\n", 3)])
def test_somebody_at_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch, answer: str, after: int) -> None:
    monkeypatch.setattr("tiebreak.cli.add.stdin_is_terminal", lambda: True)
    found = run("study", "more.csv", answer=answer)
    assert found.exit_code == (0 if after == 4 else 1)
    assert labels() == after


def test_a_watched_study_stays_one(here: Path) -> None:
    assert CliRunner().invoke(app, ["watch", "study", "--items-per-pair", "100"]).exit_code == 0
    ledger = (here / "study" / "looks.sqlite").read_bytes()
    run("study", "more.csv", "--yes")
    assert (here / "study" / "looks.sqlite").read_bytes() == ledger
    shown = CliRunner().invoke(app, ["watch", "study", "--json"])
    assert shown.exit_code == 0
    assert json.loads(shown.stdout)["watch"]["labels"] == 4


def test_a_campaign_and_its_export_take_labels_by_collect(here: Path) -> None:
    campaign = here / "export" / "campaign"
    write_study(read_study("study"), "export")
    campaign.mkdir()
    for name in ("protocol.toml", "events.jsonl"):
        (campaign / name).write_text("", encoding="utf-8")
    found = run("export", "more.csv", "--yes")
    assert isinstance(found.exception, InputError)


def test_what_to_do_with_unmatched_rows_is_named_alike() -> None:
    assert tuple(what.value for what in UnmatchedChoice) == get_args(WhatToDo)


def test_a_watched_study_counts_what_a_look_saw_and_says_so(here: Path) -> None:
    """`compare` would count the two contradicting answers as a tie."""
    assert CliRunner().invoke(app, ["watch", "study", "--items-per-pair", "100"]).exit_code == 0
    (here / "other.csv").write_text(HEADER + "q0,gpt,llama,ann,llama\n", encoding="utf-8")
    found = run("study", "other.csv", "--yes")
    text = "of them with another answer; these count once"
    assert text in " ".join(found.stdout.split())
    shown = json.loads(CliRunner().invoke(app, ["watch", "study", "--json"]).stdout)
    assert text in " ".join(warning["text"] for warning in shown["warnings"])
    (pair,) = shown["results"][0]["pairs"]
    assert (pair["wins"], pair["ties"]) == (3, 0)


def test_what_made_the_rows_is_named_and_what_may_not_prove_anything(here: Path) -> None:
    write_study(labelled_study(), "labelled")
    write_study(signed_study(), "other")
    first = run("labelled", "other/judge_preferences.csv", "--yes")
    said = "What made these rows comes along, from signatures.jsonl beside the file (1"
    assert said in first.stdout
    (here / "labelled" / "signatures.jsonl").unlink()
    again = run("labelled", "other/judge_preferences.csv", "--yes")
    assert said in again.stdout
    assert left_out(read_study("labelled")) == {"learned": (5, 3)}
