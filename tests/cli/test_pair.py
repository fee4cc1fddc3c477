"""`tiebreak pair`: the report, the study it writes, the JSON document, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.docs.documents import run_command
from typer.testing import CliRunner, Result

from tiebreak.cli.commands import app
from tiebreak.cli.pair import parse_tolerance
from tiebreak.data.readers import read_study
from tiebreak.errors import UsageError
from tiebreak.kernels.length_matching import LengthTolerance


@pytest.fixture(autouse=True)
def _two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    rows = [f"{'w ' * (k % 5 + 2)}{k},{'past' if k % 2 else 'present'}" for k in range(40)]
    Path("old.csv").write_text("text,tense\n" + "\n".join([*rows, rows[0]]) + "\n", encoding="utf-8")
    lines = [{"text": f"{'v ' * (k % 5 + 3)}{k}", "tense": "past" if k % 3 else "future"} for k in range(30)]
    Path("[new].jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["pair", *arguments])


def test_it_reports_what_was_dropped_and_writes_the_study() -> None:
    result = run(
        "old.csv", "[new].jsonl", "-o", "study", "--match", "tense", "--sample", "10", "--length-tolerance", "1"
    )
    assert result.exit_code == 0, result.output
    cells = [re.split(r"\s{2,}", line.strip()) for line in result.stdout.splitlines()]
    rows = {row[0]: row[1:] for row in cells}
    assert rows["texts read"] == ["41", "30"]
    assert rows["repeats of an earlier text"] == ["-1", "0"]
    assert rows["no partner with these attributes"] == ["-20", "-10"]
    assert rows["sampled"] == ["10", "10"]
    assert "[new]" in result.stdout  # a name is no markup
    study = read_study("study")
    assert study.systems == ("[new]", "old")
    assert study.items.height == 10


def test_json_is_the_same_account_and_dry_run_writes_nothing() -> None:
    arguments = ("old.csv", "[new].jsonl", "-o", "study", "--match", "tense", "--sample", "10", "--json")
    dry = json.loads(run(*arguments, "--dry-run").stdout)
    assert not Path("study").exists()
    document = json.loads(run(*arguments).stdout)
    assert (dry["written"], document["written"], dry["next"]) == (False, True, None)
    assert {**dry, "written": True, "next": document["next"]} == document
    assert document["items"] == read_study("study").items.height == 10  # type: ignore[union-attr]
    side = document["pairs"][0]["sides"][0]
    assert side["unmatched_attributes"] + side["too_far"] + side["left_over"] + side["paired"] == 40
    assert document["settings"] == {
        "match": ["tense"],
        "length_tolerance": 0.2,
        "relative": True,
        "length_in": "words",
        "sample": 10,
        "seed": 0,
    }


def test_the_seed_decides() -> None:
    for folder, seed in (("one", "1"), ("again", "1"), ("other", "2")):
        assert run("old.csv", "[new].jsonl", "-o", folder, "--seed", seed).exit_code == 0
    one, again, other = (Path(folder, "outputs.csv").read_bytes() for folder in ("one", "again", "other"))
    assert one == again != other


def test_bad_use_is_exit_2_and_bad_input_exit_1_and_nothing_is_written() -> None:
    Path("full").mkdir()
    Path("full/file").touch()
    Path("broken.csv").write_text('text\n"open\n', encoding="utf-8")
    for arguments, code, words in (
        ("old.csv -o study", 2, "at least two systems"),
        ("old.csv broken.csv -o study", 1, "broken.csv, line 2: the quoting is broken"),
        ("old.csv '[new].jsonl' -o full", 2, "full is not empty; name a new folder"),
        ("old.csv '[new].jsonl' -o old.csv", 2, "old.csv is a file; --out names the study folder"),
        ("old.csv '[new].jsonl' -o study --sample 0", 2, "sample is 0, but must be a whole number from 1"),
    ):
        assert (found := run_command(f"tiebreak pair {arguments}"))[0] == code, found
        assert words in found[1]
        assert not Path("study").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20%", LengthTolerance(0.2, relative=True)),
        ("0%", LengthTolerance(0.0, relative=True)),
        ("12.5%", LengthTolerance(0.125, relative=True)),
        ("3", LengthTolerance(3, relative=False)),
        ("0", LengthTolerance(0, relative=False)),
    ],
)
def test_tolerances_are_read(text: str, expected: LengthTolerance) -> None:
    assert parse_tolerance(text) == expected


@pytest.mark.parametrize("text", ["", "%", "100%", "-1", "0.2", "nan", "nan%", "three", "1e3", "3 %%"])
def test_tolerances_that_cannot_be(text: str) -> None:
    with pytest.raises(UsageError, match="write a share of the longer text"):
        parse_tolerance(text)
