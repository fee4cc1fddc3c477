"""`tiebreak campaign collect` killed at any call of the system: no label is lost or counts twice, nothing is hidden."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.campaign_commands import fill, ok, refused, tasks_in

import tiebreak
from tiebreak.live import open_campaign

KILLED = """
import json, os, signal, sys

import tiebreak.cli.campaign.show_collected, tiebreak.sheets.columns, filelock  # once, before all that are killed
from tiebreak.cli.commands import app

CALLS = ("fsync", "rename", "replace", "mkdir", "rmdir", "unlink", "open", "close", "truncate", "ftruncate", "fstat")

def run(step, folder, output):
    calls = 0
    def counted(function):
        def call(*given, **named):
            nonlocal calls
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*given, **named)
        return call
    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    sys.stdout = open(os.devnull, "w")
    try:
        app(["campaign", "collect", "camp", "ann.csv", "bo.csv"], prog_name="tiebreak", standalone_mode=False)
    except SystemExit:
        pass
    os.write(output, str(calls).encode())
    os._exit(0)

for line in sys.stdin:
    step, folder = json.loads(line)
    reading, writing = os.pipe()
    child = os.fork()  # one interpreter for all: starting one takes a second
    if child == 0:
        os.chdir(folder)
        run(step, folder, writing)
    os.close(writing)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([code, os.read(reading, 100).decode()]), flush=True)
    os.close(reading)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork on Windows")
def test_a_collect_that_is_killed_anywhere_is_made_good_by_the_next(
    work: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, answers in (("ann", ["first", "hm", "tie"]), ("bo", ["second", "first", "?"])):
        ok(f"tiebreak campaign sheet camp --annotator {name} -n 3 -o {name}.csv")
        fill(work / f"{name}.csv", answers)
    good = {tasks_in(work / f"{name}.csv")[k] for name, rows in (("ann", (0, 2)), ("bo", (0, 1))) for k in rows}
    paths = os.pathsep.join([str(Path(tiebreak.__file__).parents[1]), str(Path(__file__).parents[2])])
    begun = tmp_path_factory.mktemp("killed")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths},
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None

        def run(step: int, folder: Path) -> tuple[int, str]:
            shutil.copytree(work, folder)
            print(json.dumps([step, str(folder)]), file=process.stdin, flush=True)
            code, said = json.loads(process.stdout.readline() if process.stdout else "")
            return int(code), str(said)

        calls = int(run(10**6, begun / "whole")[1])
        assert calls > 10  # beside those that SQLite makes, which tests/store kills in
        taken = []
        for step in range(1, calls + 1):
            folder = begun / str(step)
            assert run(step, folder) == (-9, "")
            taken.append(len(open_campaign(folder / "camp").ledger.answered))
            monkeypatch.chdir(folder)
            refused("tiebreak campaign collect camp ann.csv bo.csv", 4)
            ledger = open_campaign(folder / "camp").ledger
            assert sorted(ledger.answered) == sorted(good)
            assert {path.name for path in folder.glob("*to-mend*")} == {"ann-to-mend.csv", "bo-to-mend.csv"}
            assert not [path for path in folder.iterdir() if path.name.startswith(".")]
            shutil.rmtree(folder)
        process.stdin.close()
    assert taken == sorted(taken)
    assert {2, 4} <= set(taken) <= {0, 2, 4}  # a sheet's labels all at once
