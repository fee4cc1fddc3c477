"""Processes that nobody waits for any more end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_PARENT = """
import os, sys, time
from pathlib import Path
from tiebreak.simulate.engines.parallel import in_chunks

folder = Path(sys.argv[1])

def task(size, rng):
    (folder / str(os.getpid())).touch()
    time.sleep(120)

in_chunks(task, 4, 1, chunk=1, workers=2, prefer="processes")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_workers_end_within_five_seconds_of_their_parent(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT, str(tmp_path)])
    try:
        workers = _wait_for(lambda: [int(path.name) for path in tmp_path.iterdir()], 2, seconds=60)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    end = time.monotonic() + 5
    while any(map(_runs, workers)) and time.monotonic() < end:
        time.sleep(0.1)
    left = [pid for pid in workers if _runs(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


def _wait_for(look, count: int, *, seconds: float) -> list[int]:  # type: ignore[no-untyped-def]
    end = time.monotonic() + seconds
    while len(found := look()) < count:
        assert time.monotonic() < end, "the workers did not begin"
        time.sleep(0.1)
    return list(found)


def _runs(pid: int) -> bool:
    """Whether a process is there and is not just waiting to be buried."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
