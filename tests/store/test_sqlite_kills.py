"""A writer that is killed, or whose disk fails: what was acknowledged stays, and the rest is all or nothing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tiebreak.errors import TiebreakError
from tiebreak.store import SqliteStore

WRITER = """
import os, signal, sys
from pathlib import Path
from tiebreak.store import SqliteStore
connected = SqliteStore._connected
instructions = int(sys.argv[2])
def killed(self, *, writing):
    connection = connected(self, writing=writing)
    if instructions and writing:
        connection.set_progress_handler(lambda: os.kill(os.getpid(), signal.SIGKILL), instructions)
    return connection
store = SqliteStore(Path(sys.argv[1]))
length = len(store.read())
SqliteStore._connected = killed
while True:
    size = 1 + (length * 7) % 5
    events = [{"batch": length, "size": size, "texts": {"t": "x" * (length % 3000)}} for _ in range(size)]
    length = store.append(events, expected_length=length)
    sys.stdout.write(f"{length}\\n")
    sys.stdout.flush()
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    SqliteStore.create(tmp_path / "events.sqlite")
    return tmp_path / "events.sqlite"


def check_whole(log: Path, acknowledged: int) -> None:
    """The log has all that was acknowledged, and every batch as a whole."""
    events = SqliteStore(log).read()
    assert len(events) >= acknowledged
    place = 0
    while place < len(events):
        size = events[place]["size"]
        assert [event["batch"] for event in events[place : place + size]] == [place] * size
        place += size
    assert place == len(events)


def test_a_writer_killed_at_any_moment(log: Path) -> None:
    rng = random.Random(20260501)
    for _ in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(log), "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        assert first, process.stderr.read()
        time.sleep(rng.uniform(0.0, 0.03))
        os.kill(process.pid, signal.SIGKILL)
        acknowledged = int(([first, *process.stdout.readlines()])[-1])
        process.wait(timeout=30)
        process.stderr.close()
        process.stdout.close()
        check_whole(log, acknowledged)


def test_a_writer_killed_inside_a_batch(log: Path) -> None:
    """After so many instructions of a statement, which is in the middle of it."""
    SqliteStore(log).append([{"batch": 0, "size": 1}], expected_length=0)
    for instructions in (1, 4, 8, 16, 24, 32):
        done = subprocess.run(
            [sys.executable, "-c", WRITER, str(log), str(instructions)], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == -signal.SIGKILL
        check_whole(log, int(done.stdout.split()[-1]) if done.stdout else 1)


def test_a_full_disk_leaves_the_log_as_it_was(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(log)
    store.append([{"a": 1}], expected_length=0)
    connected = SqliteStore._connected

    def no_space(self: SqliteStore, *, writing: bool) -> object:
        connection = connected(self, writing=writing)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    monkeypatch.setattr(SqliteStore, "_connected", no_space)
    with pytest.raises(TiebreakError, match=r"cannot write .*events.sqlite: database or disk is full; nothing was"):
        store.append([{"a": 2, "texts": {"t": "x" * 100_000}}], expected_length=1)
    monkeypatch.undo()
    assert store.append([{"a": 3}], expected_length=1) == 2
    assert SqliteStore(log).read() == ({"a": 1}, {"a": 3})


FULL = """
import resource, signal, sys
from pathlib import Path
from tiebreak.store import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    store.append([{"a": 2, "texts": {"t": "x" * 20_000}}], expected_length=1)
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("size", [0, 4096, 8192, 20_000])
def test_a_disk_that_fails_in_the_middle_of_a_file(log: Path, size: int) -> None:
    SqliteStore(log).append([{"a": 1}], expected_length=0)
    done = subprocess.run([sys.executable, "-c", FULL, str(log), str(size)], capture_output=True, text=True, timeout=60)
    assert "TiebreakError cannot write" in done.stdout, done.stderr
    assert SqliteStore(log).read() == ({"a": 1},)
    assert SqliteStore(log).append([{"a": 3}], expected_length=1) == 2
