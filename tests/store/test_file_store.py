"""A log that is killed, torn, or written by several: what was acknowledged stays, the rest is all or nothing."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tiebreak.errors import InputError, UsageError
from tiebreak.store import EventStore, FileStore, StoreConflictError
from tiebreak.store.head_file import head_path

WRITER = """
import sys
from pathlib import Path
from tiebreak.store import FileStore
store = FileStore(Path(sys.argv[1]))
length = len(store.read())
batch = 0
while True:
    size = 1 + (length * 7) % 5
    events = [{"batch": length, "size": size, "text": "x" * (length % 3000)} for _ in range(size)]
    length = store.append(events, expected_length=length)
    sys.stdout.write(f"{length}\\n")
    sys.stdout.flush()
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    FileStore.create(tmp_path / "events.jsonl")
    return tmp_path / "events.jsonl"


def test_append_and_read(log: Path) -> None:
    store: EventStore = FileStore(log)
    assert store.read() == ()
    assert store.append([{"a": 1}, {"a": 2}], expected_length=0) == 2
    assert store.append([{"a": 3}], expected_length=2) == 3
    assert store.append([], expected_length=3) == 3
    assert store.read() == FileStore(log).read() == ({"a": 1}, {"a": 2}, {"a": 3})
    assert store.read(2) == FileStore(log).read(2) == ({"a": 3},)
    assert store.read(3) == store.read(9) == ()
    assert store.read() == ({"a": 1}, {"a": 2}, {"a": 3})


def test_a_log_is_begun_once(log: Path) -> None:
    with pytest.raises(UsageError, match="never begun twice"):
        FileStore.create(log)


def test_a_missing_log_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        FileStore(tmp_path / "events.jsonl").read()


def test_who_decided_on_an_old_past_is_told(log: Path) -> None:
    one, other = FileStore(log), FileStore(log)
    assert one.read() == other.read() == ()
    one.append([{"task": "first"}], expected_length=0)
    with pytest.raises(StoreConflictError, match="somebody else has written"):
        other.append([{"task": "first"}], expected_length=0)
    with pytest.raises(StoreConflictError):
        other.append([], expected_length=0)
    assert other.read(0) == ({"task": "first"},)
    assert other.append([{"task": "second"}], expected_length=1) == 2
    assert one.read(1) == ({"task": "second"},)


def test_a_file_torn_at_every_byte_keeps_earlier_batches_and_goes_on(tmp_path: Path) -> None:
    source = tmp_path / "whole.jsonl"
    store = FileStore.create(source)
    store.append([{"label": 1}], expected_length=0)
    kept, head = source.stat().st_size, head_path(source).read_bytes()
    store.append([{"label": 2}, {"label": "þrír"}], expected_length=1)
    content = source.read_bytes()
    for cut in range(kept, len(content) + 1):
        torn = tmp_path / str(cut) / "torn.jsonl"
        torn.parent.mkdir()
        torn.write_bytes(content[:cut])
        head_path(torn).write_bytes(head)  # a writer that is killed in the log has not come to the head
        length = 3 if cut >= len(content) - 1 else 1  # without its last newline a batch is whole
        assert len(FileStore(torn).read()) == length
        assert torn.read_bytes() == content[:cut]  # readers change nothing
        again = FileStore(torn)
        assert again.append([{"label": 4}], expected_length=length) == length + 1
        assert again.append([{"label": 5}], expected_length=length + 1) == length + 2
        assert [event["label"] for event in FileStore(torn).read()] == [1, *([2, "þrír"] if length == 3 else []), 4, 5]
        assert FileStore(torn).read(length + 1) == ({"label": 5},)
        aside = again.torn()  # never destroyed
        assert [path.read_bytes() for path in aside] == ([content[kept:cut]] if length == 1 and cut > kept else [])


def test_a_lost_newline_is_seen_by_a_reader_that_knew_the_file_before(log: Path) -> None:
    writer, reader = FileStore(log), FileStore(log)
    writer.append([{"a": 1}], expected_length=0)
    log.write_bytes(log.read_bytes().rstrip(b"\n"))
    assert reader.read() == ({"a": 1},)
    FileStore(log).append([{"a": 2}], expected_length=1)
    assert reader.read(1) == ({"a": 2},)
    assert reader.append([{"a": 3}], expected_length=2) == 3
    assert FileStore(log).read() == ({"a": 1}, {"a": 2}, {"a": 3})


def test_damage_is_an_error_and_nothing_is_written(log: Path) -> None:
    store = FileStore(log)
    for number in range(3):
        store.append([{"a": number}], expected_length=number)
    damaged = log.read_bytes().replace(b'"n":2', b'"n":7')
    log.write_bytes(damaged)
    with pytest.raises(InputError, match=r"events.jsonl, line 2"):
        FileStore(log).append([{"a": 4}], expected_length=3)
    assert log.read_bytes() == damaged
    log.write_bytes(b"")
    with pytest.raises(InputError, match="become shorter"):
        store.read(3)


def test_a_full_disk_leaves_the_log_as_it_was(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FileStore(log)
    store.append([{"a": 1}], expected_length=0)
    before = log.read_bytes()

    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tiebreak.store.file_store.os.fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        store.append([{"a": 2}] * 50, expected_length=1)
    monkeypatch.undo()
    assert log.read_bytes() == before
    assert store.append([{"a": 3}], expected_length=1) == 2
    assert FileStore(log).read() == ({"a": 1}, {"a": 3})


def test_threads_that_append_at_once_lose_nothing(log: Path) -> None:
    def work(name: str) -> None:
        store, seen = FileStore(log), 0
        for number in range(15):
            while True:
                seen += len(store.read(seen))
                try:
                    seen = store.append([{"who": name, "number": number}] * 2, expected_length=seen)
                except StoreConflictError:
                    continue
                break

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    events = FileStore(log).read()
    assert len(events) == 90
    for name in "abc":
        assert [event["number"] for event in events if event["who"] == name] == [n // 2 for n in range(30)]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows")
def test_a_writer_killed_at_any_moment_leaves_whole_batches_and_all_that_it_acknowledged(log: Path) -> None:
    rng = random.Random(20260501)
    for _ in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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
        events = FileStore(log).read()
        assert len(events) >= acknowledged
        place = 0
        while place < len(events):  # every batch is there as a whole
            size = events[place]["size"]
            assert [event["batch"] for event in events[place : place + size]] == [place] * size
            place += size
        assert place == len(events)
    assert json.loads(log.read_bytes().splitlines()[0])["n"] == 1
