"""`tiebreak campaign log`, `backup` and `erase`: what is found, what is said, and what stays as it is."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from tests.cli.campaign_commands import events_in, fill, ok, refused, tasks_in
from tests.docs.documents import run_command


def change(half: Path, *statements: str) -> None:
    """What a hand with another program does to the log."""
    log = sqlite3.connect(half / "camp" / "events.sqlite", isolation_level=None)
    for sql in statements:
        log.execute(sql)
    log.close()


def test_the_events_are_json_lines(half: Path) -> None:
    code, printed = run_command("tiebreak campaign log camp")
    assert code == 0
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    assert lines == list(events_in(half / "camp"))
    assert lines[0]["type"] == "campaign-opened"
    assert "33 events; head: 33:" in printed
    refused("tiebreak campaign log camp --json", 2)


def test_a_whole_log_and_a_head_that_was_noted(half: Path) -> None:
    document = json.loads(ok("tiebreak campaign log camp --check --json"))
    head = document["head"]
    assert document == {"campaign": "camp", "events": len(events_in(half / "camp")), "head": head}
    ok("tiebreak campaign log camp --check")
    ok("tiebreak campaign stop camp")
    ok(f"tiebreak campaign log camp --check --head {head}")
    refused(f"tiebreak campaign log camp --head 33:{'0' * 32}", 1)
    refused("tiebreak campaign log camp --head 33", 2)


@pytest.mark.parametrize("act", ["status camp", "sheet camp --annotator bo -o bo.csv", "collect camp ann.csv"])
def test_a_reversed_log_is_refused_by_all(half: Path, act: str) -> None:
    swapped = """replace(replace(replace(event, '"outcome":"a"', '?'), '"outcome":"b"', '"outcome":"a"'),
        '?', '"outcome":"b"')"""
    change(half, f"UPDATE tiebreak_events SET event = {swapped}")
    before = (half / "camp" / "events.sqlite").read_bytes()
    for command in (act, "log camp", "backup camp -o copy"):
        assert "event 22 is not the one that was written there" in refused(f"tiebreak campaign {command}", 1)
    refused("tiebreak compare camp", 1)
    assert (half / "camp" / "events.sqlite").read_bytes() == before
    assert not (half / "copy").exists()


def test_a_log_that_is_lost(half: Path) -> None:
    change(half, "DELETE FROM tiebreak_events WHERE number > 30")
    assert "the last 3 events are missing" in refused("tiebreak campaign collect camp ann.csv", 1)
    (half / "camp" / "events.sqlite").write_bytes(b"")
    assert "put it back from a backup" in refused("tiebreak campaign status camp", 1)
    (half / "camp" / "events.sqlite").unlink()
    refused("tiebreak campaign status camp", 1)


def test_a_backup_goes_on_where_it_was_made(half: Path) -> None:
    ok("tiebreak campaign backup camp -o copies/monday")
    fill(half / "ann.csv", ["First text"] * 16)
    ok("tiebreak campaign collect camp ann.csv")
    assert len(events_in(half / "copies" / "monday")) == 33 < len(events_in(half / "camp"))
    refused("tiebreak campaign backup camp -o copies/monday", 2)
    refused("tiebreak campaign backup camp -o camp/inside", 2)
    shutil.rmtree(half / "camp")
    (half / "copies" / "monday").rename(half / "camp")
    ok("tiebreak campaign log camp --check")
    ok("tiebreak campaign collect camp ann.csv")  # the sheet still has them


def test_an_export_names_the_head_of_the_log_and_refuses_changed_events(half: Path) -> None:
    head = json.loads(ok("tiebreak campaign log camp --check --json"))["head"]
    ok("tiebreak campaign export camp -o out")
    assert json.loads((half / "out" / "campaign" / "origin.json").read_text())["head"] == head
    events = half / "out" / "campaign" / "events.jsonl"
    events.write_bytes(events.read_bytes().replace(b'"outcome": "a"', b'"outcome": "b"', 1))
    assert "the events are not those that were exported" in refused("tiebreak compare out", 1)
    ok("tiebreak compare out --own-analysis")
    ok("tiebreak campaign export camp -o out --overwrite")
    ok("tiebreak compare out")


def test_what_a_person_wrote_can_be_erased(half: Path) -> None:
    task = tasks_in(half / "ann.csv")[12]
    rows = (half / "ann.csv").read_text(encoding="utf-8")
    fill(half / "ann.csv", ["First text"] * 13, comments={task: "my private remark"})
    ok("tiebreak campaign collect camp ann.csv")
    before = json.loads(ok("tiebreak compare camp --json"))["results"]
    assert "my private remark" in str(events_in(half / "camp"))
    head = json.loads(ok("tiebreak campaign log camp --check --json"))["head"]
    assert json.loads(ok("tiebreak campaign erase camp ann --json"))["texts_erased"] == 1
    assert "0 texts of ann are erased" in ok("tiebreak campaign erase camp ann")
    assert b"my private remark" not in (half / "camp" / "events.sqlite").read_bytes()
    ok(f"tiebreak campaign log camp --check --head {head}")
    assert json.loads(ok("tiebreak compare camp --json"))["results"] == before
    refused("tiebreak campaign erase camp nobody", 2)
    assert rows
