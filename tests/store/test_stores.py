"""What every store promises: a batch is there as a whole or not at all, and what was changed is named."""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.servers import postgres  # noqa: F401

from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.store import EMPTY, Head, PostgresStore, SqliteStore, StoreConflictError
from tiebreak.store.event_store import SqlStore, events_of, rows_after
from tiebreak.store.postgres import without_password

Again = Callable[[], SqlStore]


@pytest.fixture(params=["sqlite", "postgres"])
def again(request: pytest.FixtureRequest, tmp_path: Path) -> Again:
    """A new handle on one empty log, as another process would have it."""
    if request.param == "sqlite":
        path = tmp_path / "events.sqlite"
        SqliteStore.create(path)
        return lambda: SqliteStore(path)
    url, log = request.getfixturevalue("postgres"), secrets.token_hex(8)
    PostgresStore.create(url, log)
    return lambda: PostgresStore(url, log)


def change(store: SqlStore, *statements: str) -> None:
    """What a hand with another program does to the tables of a log."""
    with store._session(writing=True) as cursor:
        for sql in statements:
            cursor.execute(sql.replace("LOG", f"log = '{store._log}'"))


def test_append_and_read(again: Again) -> None:
    store = again()
    assert store.read() == ()
    assert store.append([{"a": 1}, {"a": 2}], expected_length=0) == 2
    assert store.append([{"a": 3}], expected_length=2) == 3
    assert store.append([], expected_length=3) == 3
    assert store.read() == again().read() == ({"a": 1}, {"a": 2}, {"a": 3})
    assert store.read(2) == again().read(2) == ({"a": 3},)
    assert store.read(3) == store.read(9) == ()
    assert Head.parse(str(store.head)) == store.head
    assert store.head.events == 3


def test_a_log_is_begun_once(tmp_path: Path, postgres: str) -> None:  # noqa: F811
    SqliteStore.create(tmp_path / "log")
    with pytest.raises(UsageError, match="never begun twice"):
        SqliteStore.create(tmp_path / "log")
    assert [path.name for path in tmp_path.iterdir()] == ["log"]
    PostgresStore.create(postgres, "once")
    with pytest.raises(UsageError, match="never begun twice"):
        PostgresStore.create(postgres, "once")


def test_who_decided_on_an_old_past_is_told(again: Again) -> None:
    one, other = again(), again()
    assert one.read() == other.read() == ()
    one.append([{"task": "first"}], expected_length=0)
    for events in ([{"task": "first"}], []):
        with pytest.raises(StoreConflictError, match="somebody else has written"):
            other.append(events, expected_length=0)
    assert other.read() == ({"task": "first"},)
    assert other.append([{"task": "second"}], expected_length=1) == 2
    assert one.read(1) == ({"task": "second"},)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.text(max_size=5), ANYTHING, max_size=4), max_size=5))
@settings(max_examples=60, derandomize=True)
def test_any_event_comes_back_as_it_was(events: list[dict[str, Any]]) -> None:
    events = [{key: value for key, value in event.items() if key != "texts"} for event in events]
    rows, head = rows_after(EMPTY, events)
    assert events_of(rows, EMPTY, head, "log") == (tuple(events), head)


def test_text_from_anywhere_comes_back(again: Again) -> None:
    event = {"text": "þrír \ud800 \x00 \u2028 日本", "texts": {"comment": "lone \udfff"}}
    again().append([event], expected_length=0)
    assert again().read() == (event,)


EVENTS = "tiebreak_events"


@pytest.mark.parametrize(
    ("acts", "told"),
    [
        ([f"UPDATE {EVENTS} SET event = '{{\"a\":9}}' WHERE LOG AND number = 3"], "event 3 is not the one that was"),
        ([f'UPDATE {EVENTS} SET texts = \'{{"b":"x"}}\' WHERE LOG AND number = 2'], "event 2 is not the one that"),
        ([f"DELETE FROM {EVENTS} WHERE LOG AND number = 2"], "event 2 is missing"),
        ([f"DELETE FROM {EVENTS} WHERE LOG AND number IN (2, 3)"], "events 2 to 3 are missing"),
        ([f"DELETE FROM {EVENTS} WHERE LOG AND number > 4"], "the last event is missing"),
        ([f"DELETE FROM {EVENTS} WHERE LOG AND number > 2"], "the last 3 events are missing"),
        ([f"DELETE FROM {EVENTS} WHERE LOG"], "the last 5 events are missing"),
        (["DELETE FROM tiebreak_heads WHERE LOG"], "the head of the log is missing"),
        (["UPDATE tiebreak_heads SET events = 4 WHERE LOG"], "event 5 is not the one that the head of the log knows"),
        (
            [  # two events change places
                f"UPDATE {EVENTS} SET number = number + 100 WHERE LOG AND number IN (3, 4)",
                f"UPDATE {EVENTS} SET number = 307 - number WHERE LOG AND number > 100",
                f"UPDATE {EVENTS} SET number = number - 200 WHERE LOG AND number > 100",
            ],
            "event 3 is not the one that was written there",
        ),
        (
            [f"INSERT INTO {EVENTS} SELECT log, 6, event, texts, digest, seal FROM {EVENTS} WHERE LOG AND number = 5"],
            "event 6 is not the one that was written there",
        ),
    ],
)
def test_what_was_changed_is_named_and_nothing_is_written(again: Again, acts: list[str], told: str) -> None:
    store = again()
    store.append([{"a": number, "texts": {"b": str(number)}} for number in range(5)], expected_length=0)
    change(store, *acts)
    for refused in (again().read, lambda: again().append([{"a": 6}], expected_length=5)):
        with pytest.raises(InputError, match=told) as raised:
            refused()
        assert "put the log back from a backup" in str(raised.value)


def test_a_noted_head_tells_whether_the_log_has_only_grown(again: Again) -> None:
    store = again()
    assert store.holds(EMPTY)
    store.append([{"a": 1}, {"a": 2}], expected_length=0)
    noted = store.head
    store.append([{"a": 3}], expected_length=2)
    assert again().holds(noted)
    assert again().holds(store.head)
    assert not again().holds(Head(2, "0" * 32))
    assert not again().holds(Head(9, noted.seal))
    with pytest.raises(UsageError, match="is not the head of a log"):
        Head.parse("33")


def test_texts_can_be_erased_and_the_log_is_still_the_one_that_it_was(again: Again) -> None:
    store = again()
    said = {"edit": "a private text", "comment": "mine"}
    store.append([{"a": 1, "texts": said}, {"a": 2}, {"a": 3, "texts": {"comment": "stays"}}], expected_length=0)
    noted = store.head
    assert store.erase_texts([1, 2]) == 1
    assert store.erase_texts([1, 2]) == 0
    assert again().read() == ({"a": 1}, {"a": 2}, {"a": 3, "texts": {"comment": "stays"}})
    assert again().holds(noted)
    assert again().append([{"a": 4}], expected_length=3) == 4


def test_an_erased_text_is_on_no_page_of_the_file(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "log")
    store.append([{"a": k, "texts": {"comment": f"private {k} " * 500}} for k in range(9)], expected_length=0)
    assert b"private" in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert store.erase_texts(range(1, 10)) == 9
    assert b"private" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_threads_that_append_at_once_lose_nothing(again: Again) -> None:
    def work(name: str) -> None:
        store, seen = again(), 0
        for number in range(8):
            while True:
                seen += len(store.read(seen))
                try:
                    seen = store.append([{"who": name, "number": number}] * 2, expected_length=seen)
                except StoreConflictError:
                    continue
                break

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    events = again().read()
    assert len(events) == 64
    for name in "abcd":
        assert [event["number"] for event in events if event["who"] == name] == [n // 2 for n in range(16)]


def test_a_log_of_a_later_tiebreak_is_not_read(again: Again) -> None:
    store = again()
    with store._session(writing=True) as cursor:
        cursor.execute("UPDATE tiebreak_version SET version = 99")
    try:
        with pytest.raises(InputError, match="a later tiebreak wrote this log"):
            again().read()
    finally:
        with store._session(writing=True) as cursor:  # a server's logs share it
            cursor.execute("UPDATE tiebreak_version SET version = 1")


def test_what_is_no_log(tmp_path: Path, postgres: str) -> None:  # noqa: F811
    with pytest.raises(InputError, match="no such file"):
        SqliteStore(tmp_path / "none").read()
    (tmp_path / "text").write_text("these are no events" * 100)
    with pytest.raises(InputError, match=r"text: the log cannot be read: file is not a database"):
        SqliteStore(tmp_path / "text").read()
    (tmp_path / "empty").touch()
    with pytest.raises(InputError, match="no such table"):
        SqliteStore(tmp_path / "empty").read()
    with pytest.raises(InputError, match="the head of the log is missing"):
        PostgresStore(postgres, "nobody began it").read()
    with pytest.raises(TiebreakError, match=r"cannot write postgresql://ann@127.0.0.1:1/none"):
        PostgresStore.create("postgresql://ann:secret@127.0.0.1:1/none", "log")


def test_a_password_is_not_written_down() -> None:
    assert without_password("postgresql://ann:s%40ret@host:5432/db") == "postgresql://ann@host:5432/db"
    assert without_password("postgresql:///db?host=/tmp") == "postgresql:///db?host=/tmp"
    assert without_password("postgresql://ann:s/e@c@host/db") == "postgresql://ann@host/db"
    assert without_password("postgresql://:secret@host/db") == "postgresql://@host/db"
    assert without_password("postgresql://host/db?password=secret") == "postgresql://host/db"
    secrets = "sslpassword=secret&user=ann&password=secret"
    assert without_password(f"postgresql://host/db?{secrets}") == "postgresql://host/db?user=ann"


def test_a_backup_is_whole_while_others_write(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "log")
    store.append([{"a": 1}], expected_length=0)
    other = sqlite3.connect(tmp_path / "log", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("UPDATE tiebreak_heads SET events = 99")
    SqliteStore(tmp_path / "log").backup(tmp_path / "copy")
    other.close()
    assert SqliteStore(tmp_path / "copy").read() == ({"a": 1},)
    with pytest.raises(UsageError, match="exists already"):
        store.backup(tmp_path / "copy")
