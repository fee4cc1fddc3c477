"""Files and folders that are there completely or not at all, whatever stops the writer."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from tiebreak.data.readers import read_study
from tiebreak.data.writers import write_study
from tiebreak.demo.study import demo_study
from tiebreak.errors import TiebreakError
from tiebreak.files import NEW, OLD, REPLACED, remove_abandoned, workshop, write_bytes

_KILLED_AT = """
import json, os, signal, sys
from pathlib import Path

import tiebreak.live.export, tiebreak.live.folder, tiebreak.places  # once, before all that are killed
from tiebreak.cli.commands import app

known = {name: getattr(os, name) for name in ("fsync", "rename", "mkdir", "rmdir")}

def run(step, what, folder, output):
    calls = 0
    def counted(function):
        def call(*given, **named):
            nonlocal calls
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*given, **named)
        return call
    for name, function in known.items():
        setattr(os, name, counted(function))
    words = {
        "create": ["campaign", "create", str(folder / "demo"), "-o", str(folder / "made")],
        "export": ["campaign", "export", str(folder / "camp"), "-o", str(folder / "made"), "--overwrite"],
    }[what]
    sys.stdout = open(os.devnull, "w")
    try:
        app(words, prog_name="tiebreak", standalone_mode=False)
    except SystemExit:
        pass
    os.write(output, f"finished {calls}".encode())
    os._exit(0)

for line in sys.stdin:
    step, what, folder = json.loads(line)
    reading, writing = os.pipe()
    child = os.fork()  # one interpreter for all: starting one takes a second
    if child == 0:
        run(step, what, Path(folder), writing)
    os.close(writing)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([code, os.read(reading, 100).decode()]), flush=True)
    os.close(reading)
"""


def hidden(folder: Path) -> list[str]:
    """What nobody would see."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study, and a campaign of it with labels."""
    from typer.testing import CliRunner

    from tiebreak.cli.commands import app

    folder, runner = tmp_path_factory.mktemp("killed"), CliRunner()
    write_study(demo_study(items=40).study, folder / "demo")
    for words in (
        ["campaign", "create", str(folder / "demo"), "-o", str(folder / "camp")],
        ["campaign", "sheet", str(folder / "camp"), "--annotator", "ann", "-n", "3", "-o", str(folder / "ann.csv")],
    ):
        assert runner.invoke(app, words).exit_code == 0
    sheet = pl.read_csv(folder / "ann.csv").with_columns(answer=pl.lit("First text"))
    sheet.write_csv(folder / "ann.csv")
    assert runner.invoke(app, ["campaign", "collect", str(folder / "camp"), str(folder / "ann.csv")]).exit_code == 0
    return folder


RunKilled = Callable[[str, Path, int], str]


@pytest.fixture(scope="module")
def run_killed() -> Iterator[RunKilled]:
    """Run a command that kills itself at a call of the system; what it said if it got through."""
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED_AT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        given, said = process.stdin, process.stdout

        def run(what: str, folder: Path, at: int) -> str:
            given.write(json.dumps([at, what, str(folder)]) + "\n")
            given.flush()
            code, words = json.loads(said.readline())
            assert code in (0, -signal.SIGKILL)
            return str(words)

        yield run
        given.close()


@pytest.mark.parametrize("what", ["create", "export"])
def test_a_killed_command_leaves_nothing_hidden_once_it_runs_again(
    prepared: Path, tmp_path: Path, run_killed: RunKilled, what: str
) -> None:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    calls = int(run_killed(what, tmp_path, 10**6).split()[1])
    left = 0
    # The last calls are those that swap folders; each run takes a second, so not every one before them.
    for at in sorted({1, 2, calls // 2, *range(calls - 4, calls + 1)}):
        folder = tmp_path / f"at-{at}"
        shutil.copytree(prepared, folder)
        if what == "export":
            (tmp_path / "made" / "note.txt").write_text("mine", encoding="utf-8")
            shutil.copytree(tmp_path / "made", folder / "made")
        assert run_killed(what, folder, at) == ""
        left += bool(hidden(folder))
        if what == "create":
            shutil.rmtree(folder / "made", ignore_errors=True)
        assert run_killed(what, folder, 10**6).startswith("finished")
        assert hidden(folder) == []
        assert read_study(folder / "made" / ("study" if what == "create" else "")).outputs is not None
        if what == "export":
            assert (folder / "made" / "note.txt").read_text(encoding="utf-8") == "mine"
    assert left > 0, "no run was killed while it had a hidden folder"


def test_what_stepped_aside_for_a_killed_process_comes_back(tmp_path: Path) -> None:
    shop = tmp_path / ".study.writing-abcdefgh"
    (shop / OLD).mkdir(parents=True)
    (shop / OLD / "outputs.csv").write_text("old", encoding="utf-8")
    (shop / NEW).mkdir()
    (shop / "lock").touch()
    remove_abandoned(tmp_path)
    assert (tmp_path / "study" / "outputs.csv").read_text(encoding="utf-8") == "old"
    assert hidden(tmp_path) == []


def test_other_files_of_a_replaced_study_come_back(tmp_path: Path) -> None:
    shop = tmp_path / ".study.writing-abcdefgh"
    (shop / OLD).mkdir(parents=True)
    for name in ("outputs.csv", "note.txt"):
        (shop / OLD / name).write_text("old", encoding="utf-8")
    (shop / REPLACED).write_text("outputs.csv", encoding="utf-8")
    (shop / "lock").touch()
    (tmp_path / "study").mkdir()
    remove_abandoned(tmp_path)
    assert [path.name for path in (tmp_path / "study").iterdir()] == ["note.txt"]
    assert hidden(tmp_path) == []


def test_a_workshop_that_another_has_cleared_without_its_lock_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its lock and the folder itself, others may take it for one that a killed process left."""
    unlink = Path.unlink

    def cleared(path: Path, missing_ok: bool = False) -> None:
        unlink(path, missing_ok)
        if path.name == "lock":
            remove_abandoned(tmp_path)

    monkeypatch.setattr(Path, "unlink", cleared)
    write_bytes(tmp_path / "a.txt", b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_many_writers_at_once_never_take_a_workshop_in_use_for_an_abandoned_one(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from tiebreak.files import write_bytes\n"
        "for _ in range(400): write_bytes(Path(sys.argv[1]), b'whole')"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "a.txt")]) for _ in range(5)]
    assert [writer.wait() for writer in writers] == [0] * 5
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_workshop_in_use_and_hidden_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / ".study.writing-notours").mkdir()
    (tmp_path / ".study.writing-notours" / "mine").touch()
    (tmp_path / ".r.html.bak").touch()
    with workshop(tmp_path / "study") as used:
        remove_abandoned(tmp_path)
        assert used.is_dir()
    assert hidden(tmp_path) == [".r.html.bak", ".study.writing-notours"]


@pytest.mark.parametrize("failing", ["fsync", "mkdir", "rename"])
@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet"])
def test_a_full_disk_names_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, format_: str
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    study = demo_study(items=20).study
    monkeypatch.setattr(os, failing, full)
    with pytest.raises(TiebreakError) as caught:
        write_study(study, tmp_path / "made", format=format_)  # type: ignore[arg-type]
    monkeypatch.undo()
    place = tmp_path / "made" / f"items.{format_}" if failing == "fsync" else tmp_path / "made"
    if failing == "mkdir":  # the hidden folder itself
        assert str(caught.value).startswith(f"cannot write {place}: No space left on device")
    else:
        assert str(caught.value) == f"cannot write {place}: No space left on device; nothing was changed"
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_under_a_table_of_polars_names_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device (os error 28)")

    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    with pytest.raises(TiebreakError, match=r"cannot write .*items\.csv: No space left on device"):
        write_study(demo_study(items=20).study, tmp_path / "made")


def test_a_full_disk_under_a_file_names_it_and_keeps_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    write_bytes(path, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TiebreakError, match=r"cannot write .*report\.html: No space left on device"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert hidden(tmp_path) == []
