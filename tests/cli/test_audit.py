"""`tiebreak audit`: what it prints, one JSON document on request, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.auditing.judged_studies import judged, outputs_of
from tests.cli.campaign_commands import ok, refused
from tests.docs.documents import run_command
from tests.small_studies import pair_votes, scored, study_of

from tiebreak.data.writers import write_study


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    both = judged("wwlt" * 10, left="ant") + judged("wllt" * 10, left="bee")
    bleu = scored({"ant": list(range(40)), "bee": [20] * 40})
    write_study(study_of(pair_votes("wwlt" * 8), judge_preferences=both, scores=bleu), tmp_path / "study")
    return tmp_path


def test_of_several_all_shows_each(folder: Path) -> None:
    rows = [row for k in range(5) for row in judged("wwlt" * 10, judge=f"judge {k}")]
    write_study(study_of(pair_votes("wwlt" * 8), judge_preferences=rows), folder / "many")
    brief, everything = run_command("tiebreak audit many")[1], run_command("tiebreak audit many --all")[1]
    assert "judge 3 (judge)" not in brief
    assert "judge 3 (judge)" in everything


def test_json_is_one_document(folder: Path) -> None:
    code, text = run_command("tiebreak audit study --json --half-width 0.1")
    document = json.loads(text)
    assert code == 0
    asked = {"study", "alpha", "half_width", "target", "raters", "group", "checks"}
    assert set(document) == asked | {"results", "together", "warnings"}
    assert document["half_width"] == 0.1
    assert document["study"] == folder.joinpath("study").name
    assert [found["name"] for found in document["results"]] == ["gpt", "bleu"]
    assert document["results"][1]["replies"] is None


def test_unvalidated_is_no_error(folder: Path) -> None:
    study = study_of(outputs=outputs_of({"ant": ["x"], "bee": ["y"]}), judge_preferences=judged("w"))
    write_study(study, folder / "alone")
    ok("tiebreak audit alone")
    assert "unvalidated" in ok("tiebreak check alone")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("nowhere", 1, "no such folder"),
        ("study --metric bleau", 2, "no metric 'bleau': did you mean bleu?"),
        ("study --systems ant", 2, "name at least two systems"),
        ("labels", 1, "no judge and no metric to audit"),
    ],
)
def test_errors_are_in_words(folder: Path, options: str, code: int, said: str) -> None:
    write_study(study_of(pair_votes("wl")), folder / "labels")
    assert said in refused(f"tiebreak audit {options}", code)
    assert folder.is_dir()


@pytest.mark.parametrize(("ending", "first"), [("csv", "name,kind,"), ("md", "| Judge or metric"), ("tex", "% needs")])
def test_win_rates_are_written_as_a_table(folder: Path, ending: str, first: str) -> None:
    text = ok(f"tiebreak audit study --judge gpt --out rates.{ending}")
    assert f"Wrote rates.{ending}" in text
    written = (folder / f"rates.{ending}").read_text(encoding="utf-8")
    assert written.startswith(first)
    assert "ant" in written
    assert run_command("tiebreak audit study --out rates.txt")[0] == 2
    assert run_command("tiebreak audit study --out study/rates.csv")[0] == 2
