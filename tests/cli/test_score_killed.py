"""`tiebreak score` killed, interrupted, on a Dask cluster that loses a worker: nothing stored is made twice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
from tests.cli.killed_calls import SOURCES, killed_at_calls
from tests.cli.slow_metric import install_slow_metric
from tests.scoring.word_studies import study_of_words

import tiebreak
from tiebreak.data.provenance import read_signatures
from tiebreak.data.readers import read_study
from tiebreak.data.writers import write_study

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals on Windows")


def stored(study: Path) -> set[bytes]:
    """Keys of all texts that are stored, of all metrics."""
    files = (study / ".scoring").glob("metrics/*/*.parquet")
    return {b"%s%s" % (path.parent.name.encode(), key) for path in files for key in pl.read_parquet(path)["key"]}


@pytest.mark.parametrize("every", [13, pytest.param(1, marks=pytest.mark.full)])
def test_killed_anywhere_the_next_run_makes_only_what_is_missing(every: int, tmp_path: Path) -> None:
    write_study(study_of_words(40), tmp_path / "begun" / "study")
    (tmp_path / "begun" / "study" / "study.toml").write_text('title = "words"  # mine\n')
    modules = ["tiebreak.scoring.metrics.sacrebleu", "tiebreak.scoring.metrics.plain", "sacrebleu.metrics"]
    command = "score study --metric chrf --metric length --workers 1"
    with killed_at_calls(command, ["tiebreak.cli.score", *modules]) as run:
        shutil.copytree(tmp_path / "begun", tmp_path / "whole")
        code, calls = run(10**6, tmp_path / "whole")
        assert code == 0
        whole = read_study(tmp_path / "whole" / "study").scores
        assert whole.height == 80
        before = []
        for step in range(1, int(calls) + 1, every):
            folder = tmp_path / str(step)
            shutil.copytree(tmp_path / "begun", folder)
            assert run(step, folder) == (-9, "")
            left = read_study(folder / "study")  # a study at any time: with all scores of the run, or without any
            assert left.scores is None or left.scores.equals(whole)
            known = len(stored(folder / "study"))
            before.append(known)
            result = tiebreak.score(folder / "study", ["chrf", "length"], workers=1)
            assert sum(of.computed for of in result.metrics) == 80 - known
            found = read_study(folder / "study")
            assert found.scores.equals(whole)
            assert set(read_signatures(folder / "study")) == set(whole["signature"])
            assert (folder / "study" / "study.toml").read_text().startswith('title = "words"  # mine\n')
            assert found.settings.higher_is_better == {"chrf": True}
            hidden = [path.name for path in (folder / "study").iterdir() if path.name.startswith(".")]
            assert hidden == [".scoring"]
            shutil.rmtree(folder)
    assert before[0] == 0
    assert max(before) == 80
    assert len(set(before)) >= 3  # killed between chunks, too


def written(folder: Path, outputs: int) -> Path:
    """A study of so many outputs."""
    write_study(study_of_words(outputs), folder)
    return folder


@contextmanager
def running(study: Path, log: Path, *options: str, seconds: float = 0.02) -> Iterator[subprocess.Popen[str]]:
    """`tiebreak score` with the slow metric, in a group of processes of its own."""
    paths = os.pathsep.join([str(install_slow_metric(log.parent / f"{log.name}-package")), SOURCES])
    environment = {**os.environ, "PYTHONPATH": paths, "SLOW_LOG": str(log), "SLOW_SECONDS": str(seconds)}
    command = [sys.executable, "-m", "tiebreak", "score", str(study), "--metric", "slow", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def run_to_the_end(study: Path, log: Path, *options: str) -> None:
    """`tiebreak score` with the slow metric, in no time."""
    with running(study, log, *options, seconds=0) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


def wait_for(look: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < end
        time.sleep(0.05)


def expected(study: Path) -> list[tuple[str, str, float]]:
    outputs = read_study(study).outputs
    rows = outputs.sort("item", "system").select("item", "system", "text").iter_rows()
    return [(item, system, len(text.split()) + len(text) / 1000) for item, system, text in rows]


def scores(study: Path) -> list[tuple[str, str, float]]:
    table = read_study(study).scores
    return list(table.filter(metric="slow").sort("item", "system").select("item", "system", "value").iter_rows())


@pytest.mark.parametrize(
    ("how", "group", "code"),
    [
        pytest.param(signal.SIGKILL, False, -9, id="killed", marks=pytest.mark.full),
        pytest.param(signal.SIGINT, True, 130, id="ctrl-C"),
    ],
)
def test_stopped_while_several_processes_work(how: int, group: bool, code: int, tmp_path: Path) -> None:
    study = written(tmp_path / "study", 600)
    with running(study, tmp_path / "first.log", "--workers", "2") as process:
        wait_for(lambda: len(stored(study)) >= 300)  # both are at work: one that is killed while it starts says so
        (os.killpg if group else os.kill)(process.pid, how)
        out, errors = process.communicate(timeout=20)
    assert process.returncode == code
    assert out == ""
    if how == signal.SIGINT:
        assert "Traceback" not in errors
    assert not (study / "scores.csv").exists()
    known = len(stored(study))
    assert 300 <= known < 600
    made = len(set((tmp_path / "first.log").read_text().splitlines()))
    assert made - known <= 3 * 160  # a chunk of each process, three seconds at most, and the one before is stored
    run_to_the_end(study, tmp_path / "second.log", "--workers", "2")
    second = (tmp_path / "second.log").read_text().splitlines()
    assert len(second) == len(set(second)) == 600 - known
    assert scores(study) == expected(study)


def children(of: int) -> list[int]:
    """Processes that a process has started to work for it."""
    found = subprocess.run(["pgrep", "-P", str(of)], capture_output=True, text=True, check=False).stdout.split()
    commands = {int(pid): Path(f"/proc/{pid}/cmdline").read_text() for pid in found if Path(f"/proc/{pid}").exists()}
    workers = ("spawn_main", "popen_loky")
    return [pid for pid, command in commands.items() if any(name in command for name in workers)]


def test_a_process_that_is_lost_costs_only_its_chunk(tmp_path: Path) -> None:
    study = written(tmp_path / "study", 600)
    with running(study, tmp_path / "first.log", "--workers", "2") as process:
        wait_for(lambda: len(stored(study)) >= 16 and children(process.pid))
        os.kill(children(process.pid)[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in errors
    known = len(stored(study))
    run_to_the_end(study, tmp_path / "second.log", "--workers", "1")
    assert len((tmp_path / "second.log").read_text().splitlines()) == 600 - known
    assert scores(study) == expected(study)


def test_a_dask_cluster_that_loses_a_worker_gives_the_same_scores(tmp_path: Path) -> None:
    study, log = written(tmp_path / "study", 500), tmp_path / "dask.log"
    with running(study, log, "--dask", "local", "--workers", "2") as process:
        wait_for(lambda: len(stored(study)) >= 32)
        workers = children(process.pid)
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=90)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert scores(study) == expected(study)
    twice = {text: times for text, times in Counter(log.read_text().splitlines()).items() if times > 1}
    assert len(twice) <= 2 * 160  # what the lost worker was doing, and no more
    again = written(tmp_path / "again", 500)
    run_to_the_end(again, tmp_path / "here.log", "--workers", "1")
    assert scores(again) == scores(study)


CLUSTER = """
import distributed, sys
if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.readline()
"""


@pytest.mark.full
def test_a_dask_cluster_at_an_address(tmp_path: Path) -> None:
    study = written(tmp_path / "study", 60)
    (tmp_path / "cluster.py").write_text(CLUSTER)
    paths = os.pathsep.join([str(install_slow_metric(tmp_path / "package")), SOURCES])
    environment = {**os.environ, "PYTHONPATH": paths, "SLOW_LOG": str(tmp_path / "cluster.log"), "SLOW_SECONDS": "0"}
    with subprocess.Popen(
        [sys.executable, str(tmp_path / "cluster.py")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    ) as cluster:  # fmt: skip
        address = cluster.stdout.readline().strip()
        with running(study, tmp_path / "own.log", "--dask", address) as process:
            _, errors = process.communicate(timeout=60)
        cluster.stdin.write("\n")
        cluster.stdin.close()
        cluster.wait(timeout=30)
    assert process.returncode == 0, errors
    assert scores(study) == expected(study)
    assert len((tmp_path / "cluster.log").read_text().splitlines()) == 60  # there, and not here
    assert not (tmp_path / "own.log").exists()
