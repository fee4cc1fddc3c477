"""What the tests of the commands share."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.campaign_commands import CREATE, fill, ok
from tests.sheets.sheet_makers import csv_with, small_study

from tiebreak.cli import main
from tiebreak.data.writers import write_study


@pytest.fixture(autouse=True)
def a_wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """120 columns, whatever the terminal that runs the tests has."""
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study in it, and a campaign on it; made once, to be copied."""
    folder = tmp_path_factory.mktemp("begun")
    write_study(small_study(60), folder / "study")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        ok(f"{CREATE} --price 0.1 --seed 3")
    return folder


@pytest.fixture(scope="session")
def half_labelled(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, of which ann has answered twelve tasks and has eight more; made once, to be copied."""
    folder = tmp_path_factory.mktemp("half") / "work"
    shutil.copytree(begun, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        ok("tiebreak campaign sheet camp --annotator ann -n 20 -o ann.csv")
        fill(folder / "ann.csv", ["First text"] * 12)
        rows = list(csv.reader(io.StringIO((folder / "ann.csv").read_bytes().decode("utf-8-sig"), newline="")))
        (folder / "part.csv").write_text(
            csv_with(",")(rows[:13]), encoding="utf-8"
        )  # a row that is not there stays out
        ok("tiebreak campaign collect camp part.csv")
        (folder / "part.csv").unlink()
    return folder


@pytest.fixture
def work(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own with a study in it, and a campaign on it."""
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def half(half_labelled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, of which ann has answered twelve tasks and has eight more."""
    shutil.copytree(half_labelled, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@dataclass(frozen=True)
class Ran:
    code: int
    stdout: str
    stderr: str


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `tiebreak ARGUMENTS` in an empty folder, errors and all."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr("sys.argv", ["tiebreak", *arguments])
        with pytest.raises(SystemExit) as left:
            main.run()
        code = left.value.code
        return Ran(code if isinstance(code, int) else 0, *capsys.readouterr())

    return invoke
