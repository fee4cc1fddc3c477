"""`tiebreak demo`: the study it writes, the verdicts against the truth, and what it will not overwrite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tiebreak.cli.commands import app
from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.errors import UsageError


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["demo", *arguments])


def test_the_default_demo_is_right_about_every_pair() -> None:
    result = run()
    assert result.exit_code == 0, result.output
    assert "WRONG" not in result.stdout
    assert result.stdout.count("equally good, and rightly undecided") == 1
    study = read_study("tiebreak-demo")
    assert study.systems == ("aspen", "birch", "cedar", "maple")
    written = json.loads(Path("tiebreak-demo/truth.json").read_text(encoding="utf-8"))
    for pair, known in zip(compare(study).results[0].pairs, written["pairs"], strict=True):
        assert (pair.system_a, pair.system_b) == (known["system_a"], known["system_b"])
        assert (pair.winner or "equal") == known["better"]
        assert pair.difference.low <= known["difference"]["inputs"] <= pair.difference.high


def test_the_verdicts_shown_are_those_of_the_files_written() -> None:
    document = json.loads(run("d", "--number-of-items", "60", "--json").stdout)
    again = compare(read_study("d")).to_dict()
    assert document["comparison"]["results"] == json.loads(json.dumps(again))["results"]
    assert document["folder"] == "d"
    assert [check["right"] for check in document["truth"]] == [
        None if pair["verdict"] == "undecided" else True for pair in again["results"][0]["pairs"]  # type: ignore[index]
    ]  # fmt: skip


@pytest.mark.parametrize("seed", [2, 3, 4, 5, 6, 7])
def test_no_verdict_is_wrong_with_other_seeds(seed: int) -> None:
    document = json.loads(run("d", "--seed", str(seed), "--json").stdout)
    assert all(check["right"] is not False for check in document["truth"])
    assert sum(check["right"] is True for check in document["truth"]) >= 4


def test_a_demo_may_be_written_again_and_again() -> None:
    assert run("d", "--number-of-items", "20").exit_code == 0
    first = {path.name: path.read_bytes() for path in Path("d").iterdir()}
    assert run("d", "--number-of-items", "20").exit_code == 0
    assert {path.name: path.read_bytes() for path in Path("d").iterdir()} == first
    assert run("d", "--number-of-items", "25", "--seed", "9").exit_code == 0
    study = read_study("d")
    assert study.items.height == 25
    assert json.loads(Path("d/truth.json").read_text())["seed"] == 9


def test_a_folder_with_other_things_is_left_alone() -> None:
    Path("mine").mkdir()
    Path("mine/preferences.csv").write_text("precious")
    result = run("mine")
    assert isinstance(result.exception, UsageError)
    assert [path.name for path in Path("mine").iterdir()] == ["preferences.csv"]
    assert Path("mine/preferences.csv").read_text() == "precious"
    Path("file").write_text("x")
    result = run("file")
    assert isinstance(result.exception, UsageError)


@pytest.mark.parametrize("arguments", [["--number-of-items", "0"], ["--number-of-items", "200000"], ["--seed", "-1"]])
def test_impossible_numbers_write_nothing(arguments: list[str]) -> None:
    result = run("d", *arguments)
    assert isinstance(result.exception, UsageError)
    assert not Path("d").exists()
