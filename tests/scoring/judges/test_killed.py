"""Whatever ends a run, the next one makes the calls that are missing and no others, and nothing is paid twice."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.scoring.judges.batch_server import BatchServer, batch_serving, nothing
from tests.scoring.judges.judging import add_judges, outcomes, small
from tests.scoring.judges.killed import exit_code
from tests.scoring.judges.model_server import Call, Say, environment, honest, serving

KILLED = -signal.SIGKILL
ITEMS = 2
CALLS = 2 * ITEMS


def words(study: Path, *more: str) -> list[str]:
    return ["score", str(study), "--judge", "model-x", "--yes", *more]


def kept_replies(study: Path) -> int:
    return len(list((study / ".scoring" / "judges" / "replies").glob("*/*.json")))


def test_killed_at_every_file_that_is_written(tmp_path: Path) -> None:
    with serving() as server:
        for step in itertools.count():
            study = small(tmp_path / f"study{step}", ITEMS)
            server.calls.clear()
            code = exit_code(words(study), environment(server), dies_at_write=step)
            kept, asked = kept_replies(study), len(server.calls)
            if code == 0:
                break
            assert code == KILLED
            assert exit_code(words(study), environment(server)) == 0
            assert len(server.calls) - asked == CALLS - kept
            assert outcomes(study) == ["b"] * CALLS
            shutil.rmtree(study)
    assert step > 5  # four replies, signatures and the table


@pytest.mark.parametrize("answered", [1, 3])
def test_killed_while_calls_are_on_their_way(answered: int, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=6)
    process = [0]

    def model(call: Call) -> Say:
        if call.number == answered:
            time.sleep(0.2)  # the others come back in the meantime
            os.kill(process[0], signal.SIGKILL)
        return honest(call)

    with serving(model) as server:
        code = exit_code(words(study), environment(server), started=lambda pid: process.__setitem__(0, pid))
        assert code == KILLED
        kept, asked = kept_replies(study), len(server.calls)
        assert kept >= answered
        server.model = honest
        assert exit_code(words(study), environment(server)) == 0
        assert len(server.calls) - asked == 12 - kept
    assert outcomes(study) == ["b"] * 12


def test_ctrl_c_waits_for_calls_on_their_way_and_stores_them(tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=20)
    pressed, process = threading.Event(), [0]

    def model(call: Call) -> Say:
        if call.number == 3 and not pressed.is_set():
            pressed.set()
            os.kill(process[0], signal.SIGINT)
            time.sleep(0.3)
        return honest(call)

    with serving(model) as server:
        code = exit_code(words(study), environment(server), started=lambda pid: process.__setitem__(0, pid))
        assert code == 130
        asked = len(server.calls)
        assert 4 <= asked < 20
        assert len(outcomes(study)) == kept_replies(study) == asked  # none that was paid is lost
        assert exit_code(words(study), environment(server)) == 0
        assert len(server.calls) == 40


def test_ctrl_c_waits_for_no_call_that_waits_itself(tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=3)
    process, began = [0], time.monotonic()

    def model(call: Call) -> Say:
        if call.number < 2:
            return honest(call)
        if call.number == 2:
            threading.Timer(1.0, os.kill, (process[0], signal.SIGINT)).start()
        return Say(status=429, error={"message": "slow down"}, headers={"retry-after": "60"})

    with serving(model) as server:
        code = exit_code(words(study), environment(server), started=lambda pid: process.__setitem__(0, pid))
    assert code == 130
    assert len(outcomes(study)) == kept_replies(study) == 2
    assert time.monotonic() - began < 30


def test_ctrl_c_twice_leaves_at_once(tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=3)
    process, began = [0], time.monotonic()

    def model(call: Call) -> Say:
        for _ in range(2):
            time.sleep(0.3)
            with suppress(ProcessLookupError):
                os.kill(process[0], signal.SIGINT)
        return Say(call.in_form("B"), wait=20)

    with serving(model) as server:
        code = exit_code(words(study), environment(server), started=lambda pid: process.__setitem__(0, pid))
    assert code == 130
    assert time.monotonic() - began < 15


@pytest.fixture
def batches() -> Iterator[BatchServer]:
    with batch_serving() as found:
        for anthropic in (False, True):  # those of somebody else, in several pages of the list
            for number in range(3):
                requests = {f"other-{k}": {} for k in range(number + 2)}
                found.add(requests, {"tiebreak": "another"}, anthropic=anthropic).status = "completed"
        yield found


def study_of(folder: Path, provider: str) -> Path:
    study = small(folder, ITEMS)
    add_judges(study, f'[judges.model-x]\nprovider = "{provider}"\nunlisted_after = 1')
    return study


def finish(study: Path, server: BatchServer) -> None:
    """Run the command, and let batches end, until there is nothing left to do; nothing was paid for twice."""
    for _ in range(4):
        server.end()
        code = exit_code(words(study, "--batch-api"), environment(server))
        if code == 0:
            break
        assert code == 4
    assert code == 0
    assert outcomes(study) == ["b"] * CALLS
    assert all(count == 1 for count in server.paid_in_batches.values())
    assert sum(server.paid_in_batches.values()) >= CALLS - 1
    assert not list((study / ".scoring" / "judges" / "batches").glob("*.json"))


@pytest.mark.parametrize(
    ("provider", "moment"),
    [
        ("openai", "before"),
        ("anthropic", "after"),
        pytest.param("openai", "after", marks=pytest.mark.full),
        pytest.param("anthropic", "before", marks=pytest.mark.full),
    ],
)
def test_batches_killed_at_every_request(provider: str, moment: str, batches: BatchServer, tmp_path: Path) -> None:
    """Killed when the server gets a request, or has done what it says but has not answered yet."""
    killed_at = []
    for step in itertools.count():
        study, process = study_of(tmp_path / f"study{step}", provider), [0]
        batches.requests.clear()
        batches.paid_in_batches.clear()
        batches.end()

        def kill(number: int, path: str, step: int = step, process: list[int] = process) -> None:
            if number == step:
                killed_at.append(path)
                os.kill(process[0], signal.SIGKILL)

        setattr(batches, moment, kill)
        codes = []
        for _ in range(2):  # one run that hands in, and one that collects
            codes.append(exit_code(words(study, "--batch-api"), environment(batches),
                                   started=lambda pid, process=process: process.__setitem__(0, pid)))  # fmt: skip
            if codes[-1] == KILLED:
                break
            batches.end()
        setattr(batches, moment, nothing)
        if KILLED not in codes:
            break
        finish(study, batches)
    assert any(path.startswith("POST") and path.endswith("batches") for path in killed_at)
    assert any(path.startswith("GET") and ("content" in path or "results" in path) for path in killed_at)


@pytest.mark.parametrize(
    ("provider", "run"),
    [
        ("openai", 1),
        ("anthropic", 0),
        pytest.param("openai", 0, marks=pytest.mark.full),
        pytest.param("anthropic", 1, marks=pytest.mark.full),
    ],
)
def test_batches_killed_at_every_file_that_is_written(
    provider: str, run: int, batches: BatchServer, tmp_path: Path
) -> None:
    for step in itertools.count():
        study = study_of(tmp_path / f"study{step}", provider)
        batches.paid_in_batches.clear()
        for number in range(run + 1):
            code = exit_code(words(study, "--batch-api"), environment(batches),
                             dies_at_write=step if number == run else None, within=".scoring")  # fmt: skip
            batches.end()
        if code != KILLED:
            break
        finish(study, batches)
    assert step > 3  # replies and intents
