"""A log and the head beside it: what a crash can leave is read, what only a hand or a backup can leave is refused."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tiebreak.errors import InputError, UsageError
from tiebreak.store import FileStore, Head
from tiebreak.store.event_store import EMPTY
from tiebreak.store.head_file import head_path, read_head, write_head

Damage = Callable[[Path], None]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Five batches of two events."""
    path = tmp_path / "events.jsonl"
    store = FileStore.create(path)
    for number in range(5):
        store.append([{"batch": number, "place": place} for place in (1, 2)], expected_length=2 * number)
    return path


def lines_of(log: Path) -> list[bytes]:
    return log.read_bytes().splitlines(keepends=True)


def test_the_head_is_that_of_the_last_line(log: Path) -> None:
    store = FileStore(log)
    store.read()
    assert read_head(log) == store.head
    assert store.head.lines == 10
    assert Head.parse(str(store.head)) == store.head
    assert store.fault() is None
    assert read_head(FileStore.create(log.with_name("other")) and log.with_name("other")) == EMPTY


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10",
        "10:xyz",
        "x:" + "0" * 32,
        "10:" + "0" * 31,
        "10:" + "0" * 33,
        "9" * 5000 + ":" + "0" * 32,
        "٣:" + "0" * 32,
    ],
)
def test_what_is_no_head(text: str) -> None:
    with pytest.raises(UsageError, match="is not the head of a log"):
        Head.parse(text)


def swapped(log: Path) -> None:
    log.write_bytes(log.read_bytes().replace(b'"place":1', b'"place":0'))


def cut_batch(log: Path) -> None:
    log.write_bytes(b"".join(lines_of(log)[:-2]))


def cut_line(log: Path) -> None:
    log.write_bytes(b"".join(lines_of(log)[:-1]))


def last_changed(log: Path) -> None:
    log.write_bytes(log.read_bytes().replace(b'"batch":4,"place":2', b'"batch":4,"place":3'))


def no_head(log: Path) -> None:
    head_path(log).unlink()


def bad_head(log: Path) -> None:
    head_path(log).write_text("10 lines\n")


def old_head(log: Path) -> None:
    older = log.parent / "older" / "events.jsonl"
    older.parent.mkdir()
    store = FileStore.create(older)
    store.append([{"batch": 0, "place": place} for place in (1, 2)], expected_length=0)
    shutil.copy(head_path(older), head_path(log))


def emptied(log: Path) -> None:
    log.write_bytes(b"")


@pytest.mark.parametrize(
    ("damage", "said", "repairable"),
    [
        (swapped, r"line 1: .*is not the one that the next line was written after", False),
        (cut_batch, r"jsonl: 2 lines are lost at its end: 10 in all by the head beside it, and 8 in the log", True),
        (cut_line, r"jsonl: one line is lost at its end.*the line before belongs to the same batch", True),
        (last_changed, r"jsonl: line 10 is not the one that the head beside it knows", True),
        (no_head, r"events.jsonl: the head of the log.*is missing", True),
        (bad_head, r"events.jsonl.head: this is no head of a log.*'10 lines'", True),
        (old_head, r"jsonl: the head beside it is older: it knows 2 of 10 lines", True),
        (emptied, r"events.jsonl: 10 lines are lost at its end", True),
    ],
)
def test_what_no_crash_can_leave_is_refused_and_nothing_is_changed(
    log: Path, damage: Damage, said: str, repairable: bool
) -> None:
    damage(log)
    before = {path.name: path.read_bytes() for path in log.parent.iterdir() if path.is_file()}
    for act in (lambda: FileStore(log).read(), lambda: FileStore(log).append([{"x": 1}], expected_length=10)):
        with pytest.raises(InputError, match=said):
            act()
    after = {path.name: path.read_bytes() for path in log.parent.iterdir() if path.is_file()}
    assert after == before
    if not repairable:
        with pytest.raises(InputError, match=said):
            FileStore(log).fault()
        return
    assert FileStore(log).fault() is not None
    trusting = FileStore(log, trust_log=True)
    length = len(trusting.read())
    assert trusting.append([{"repaired": True}], expected_length=length) == length + 1
    assert FileStore(log).read(length) == ({"repaired": True},)
    assert FileStore(log).fault() is None


def test_damage_is_seen_by_a_reader_that_knew_the_log_before(log: Path) -> None:
    reader = FileStore(log)
    reader.read()
    FileStore(log).append([{"batch": 5}], expected_length=10)
    log.write_bytes(log.read_bytes().replace(b'"batch":5', b'"batch":6'))
    with pytest.raises(InputError, match="line 11"):
        reader.read(10)


def test_a_log_may_be_one_batch_ahead_of_its_head_and_no_more(log: Path) -> None:
    old = read_head(log)
    assert old is not None
    store = FileStore(log)
    store.append([{"batch": 5}, {"batch": 5}, {"batch": 5}], expected_length=10)
    write_head(log, old)  # killed between the two
    assert len(FileStore(log).read()) == len(store.read(0)) == 13
    assert store.fault() is None
    assert FileStore(log).append([{"batch": 6}], expected_length=13) == 14
    assert read_head(log) == Head(14, FileStore(log).read() and _read(log).head.seal)
    write_head(log, old)
    with pytest.raises(InputError, match="the head beside it is older"):
        FileStore(log).read()


def _read(log: Path) -> FileStore:
    store = FileStore(log)
    store.read()
    return store


def test_a_reader_is_not_misled_by_writers_that_are_faster(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head is read, then others write three batches, then the log is read."""
    reader, calls = FileStore(log), 0

    def slow(path: Path) -> Head | None:
        nonlocal calls
        found = read_head(path)
        calls += 1
        if calls == 1:
            writer = FileStore(path)
            with monkeypatch.context() as patch:
                patch.setattr("tiebreak.store.file_store.read_head", read_head)
                for number in range(3):
                    writer.append([{"late": number}], expected_length=10 + number)
        return found

    monkeypatch.setattr("tiebreak.store.file_store.read_head", slow)
    assert len(reader.read()) == 13


def test_a_noted_head_is_found_again_or_not(log: Path) -> None:
    store = _read(log)
    noted = store.head
    store.append([{"batch": 5}], expected_length=10)
    assert FileStore(log).holds(noted)
    assert FileStore(log).holds(store.head)
    assert FileStore(log).holds(EMPTY)
    assert not FileStore(log).holds(Head(10, "0" * 32))
    assert not FileStore(log).holds(Head(99, noted.seal))
    # An owner who writes the log anew, with its head, is not found by reading it, but by the head that was noted.
    events = [dict(event) | {"place": 0} for event in FileStore(log).read()]
    log.unlink()
    FileStore.create(log).append(events, expected_length=0)
    assert len(FileStore(log).read()) == 11
    assert not FileStore(log).holds(noted)


KILLED = """
import os, sys
from pathlib import Path
from tiebreak.store import FileStore
path, after = Path(sys.argv[1]), int(sys.argv[2])
calls = 0
def counted(name):
    known = getattr(os, name)
    def call(*args, **kwargs):
        global calls
        calls += 1
        if calls == after:
            os._exit(9)
        return known(*args, **kwargs)
    setattr(os, name, call)
for name in ("open", "fsync", "replace", "rename", "close", "fstat"):
    counted(name)
store = FileStore(path)
store.append([{"batch": 5}, {"batch": 5}], expected_length=len(store.read()))
print("done", flush=True)
"""


def test_a_writer_that_is_killed_at_any_call_leaves_a_log_that_is_whole(tmp_path: Path, log: Path) -> None:
    ends = set()
    for after in range(1, 40):
        folder = tmp_path / f"killed-{after}"
        folder.mkdir()
        for path in (log, head_path(log)):
            shutil.copy(path, folder / path.name)
        copy = folder / log.name
        process = subprocess.run([sys.executable, "-c", KILLED, str(copy), str(after)], capture_output=True, text=True)
        length = len(FileStore(copy).read())
        ends.add((length, read_head(copy).lines))  # type: ignore[union-attr]
        assert length in ((12,) if "done" in process.stdout else (10, 12))
        assert FileStore(copy).append([{"next": 1}], expected_length=length) == length + 1
        assert len(FileStore(copy).read()) == length + 1
        if "done" in process.stdout:
            break
    else:
        pytest.fail("the writer never came to its end")
    assert ends == {(10, 10), (12, 10), (12, 12)}
