"""`tiebreak campaign stop`, `exclude`, `withdraw`, `log`, `backup` and `erase`: what is written, shown, refused, and
what stays as it is.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from tests.cli.campaign_commands import events_in, fill, ok, refused, tasks_in

from tiebreak.campaign import verdicts
from tiebreak.live import open_campaign

# ---- `tiebreak campaign stop` and `exclude`: what is written, shown, refused, and what it leaves alone. ------------


def log(half: Path) -> list[dict[str, object]]:
    return [dict(event) for event in events_in(half / "camp")]


def evidence(half: Path) -> list[object]:
    """What the verdicts rest on."""
    found = verdicts(open_campaign(half / "camp").state)
    return [(pair.verdict, pair.items, pair.wins, pair.losses, pair.e_a, pair.e_b) for pair in found.results[0].pairs]


def test_stop_ends_the_campaign_and_says_so(half: Path) -> None:
    before = evidence(half)
    output = " ".join(ok("tiebreak campaign stop camp --reason '  the money is\n needed  elsewhere '").split())
    ended = "The campaign is over: somebody stopped it (the money is needed elsewhere). 12 labels; 0 of 1 pair decided."
    assert ended in output
    assert ended in " ".join(ok("tiebreak campaign status camp").split())
    refused("tiebreak campaign sheet camp --annotator b -o b.csv", 1)
    assert evidence(half) == before
    assert (log(half)[-1]["type"], log(half)[-1]["reason"]) == ("campaign-stopped", "the money is needed elsewhere")
    document = json.loads(ok("tiebreak campaign status camp --json"))["campaign"]
    assert (document["ended"], document["stop_reason"]) == ("stopped", "the money is needed elsewhere")
    assert document["ended_at"] == log(half)[-1]["at"]


def test_labels_after_the_stop_are_paid_and_no_evidence(half: Path) -> None:
    ok("tiebreak campaign stop camp")
    before = evidence(half)
    fill(half / "ann.csv", ["First text"] * 20)
    ok("tiebreak campaign collect camp ann.csv")
    assert evidence(half) == before
    ok("tiebreak campaign status camp")
    ok("tiebreak campaign export camp -o out")
    rows = list(csv.DictReader(io.StringIO((half / "out" / "preferences.csv").read_text(encoding="utf-8"))))
    assert [row["late"] for row in rows] == ["false"] * 12 + ["true"] * 8


def test_what_is_over_is_not_stopped_again(half: Path) -> None:
    ok("tiebreak campaign stop camp --reason first")
    events = log(half)
    ok("tiebreak campaign stop camp --reason second")
    document = json.loads(ok("tiebreak campaign stop camp --json"))
    assert (document["stopped"], document["ended"], document["labels_out"]) == (False, "stopped", 8)
    assert log(half) == events


def test_a_campaign_that_ended_by_itself_keeps_its_reason(half: Path) -> None:
    ok("tiebreak campaign create study -o short --seed 3")
    ok("tiebreak campaign sheet short --annotator ann -n 20 -o short.csv")
    rows = list(csv.DictReader(io.StringIO((half / "short.csv").read_text(encoding="utf-8-sig"))))
    fill(half / "short.csv", ["First text" if row["first text"].startswith("long") else "Second text" for row in rows])
    ok("tiebreak campaign collect short short.csv")
    ok("tiebreak campaign stop short --reason late")
    document = json.loads(ok("tiebreak campaign status short --json"))["campaign"]
    assert (document["ended"], document["stop_reason"]) == ("decided", None)


def test_exclude_gives_no_more_tasks_and_keeps_the_labels(half: Path) -> None:
    before = evidence(half)
    ok("tiebreak campaign exclude camp ann --reason 'has left'")
    assert evidence(half) == before
    assert [event["type"] for event in log(half)[-2:]] == ["label-given", "annotator-excluded"]
    refused("tiebreak campaign sheet camp --annotator ann -o more.csv", 1)
    assert not (half / "more.csv").exists()
    output = ok("tiebreak campaign status camp --csv pay.csv")
    assert "ann (excluded)" in output
    (row,) = csv.DictReader(io.StringIO((half / "pay.csv").read_text(encoding="utf-8-sig")))
    assert (row["excluded"], row["why_excluded"], row["labels"]) == ("yes", "has left", "12")


def test_answers_of_the_excluded_still_count(half: Path) -> None:
    ok("tiebreak campaign exclude camp ann")
    fill(half / "ann.csv", ["First text"] * 20)
    ok("tiebreak campaign collect camp ann.csv")
    (pair,) = verdicts(open_campaign(half / "camp").state).results[0].pairs
    assert (pair.items, pair.labels) == (20, 20)
    others = ok("tiebreak campaign sheet camp --annotator bo -n 5 -o bo.csv")
    assert "5 tasks for bo" in others
    assert not set(tasks_in(half / "bo.csv")) & set(tasks_in(half / "ann.csv"))
    refused("tiebreak campaign sheet camp --annotator ann -o x.csv", 1)


def test_who_is_excluded_is_not_excluded_again(half: Path) -> None:
    ok("tiebreak campaign exclude camp ann --reason first")
    events = log(half)
    ok("tiebreak campaign exclude camp ann --reason second")
    document = json.loads(ok("tiebreak campaign exclude camp ann --json"))
    assert document == {"campaign": "camp", "annotator": "ann", "excluded": False, "labels": 12, "open": 8}
    assert log(half) == events
    ok("tiebreak campaign status camp")


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("tiebreak campaign exclude camp anna", 2, "nobody called 'anna' has had a task: did you mean ann?"),
        ("tiebreak campaign exclude camp", 2, "Missing argument 'PERSON'"),
        ("tiebreak campaign exclude study ann", 1, "no campaign's folder"),
    ],
)
def test_wrong_use_leaves_the_log_alone(command: str, code: int, message: str, half: Path) -> None:
    before = log(half)
    assert message in refused(command, code)
    assert log(half) == before


# ---- `tiebreak campaign withdraw`: what is written, shown and refused, and that everything says so from then on.


SAID = "2 items (eta-3b and zeta-9b 2) were withdrawn: they count against either side, and no label of them counts."


def pair() -> dict[str, object]:
    (found,) = json.loads(ok("tiebreak compare camp --json"))["results"][0]["pairs"]
    return found


@pytest.fixture
def tasks(half: Path) -> list[str]:
    """Those of ann's sheet: twelve are answered, eight are out."""
    return tasks_in(half / "ann.csv")


def test_labels_that_were_a_mistake(half: Path, tasks: list[str]) -> None:
    before = pair()
    output = " ".join(
        ok(f"tiebreak campaign withdraw camp {tasks[0]} {tasks[3].upper()} --reason ' a wrong  key'").split()
    )
    item = open_campaign(half / "camp").ledger.tasks[tasks[0]].assigned.item
    assert f"{tasks[0]}: item {item} of eta-3b and zeta-9b is withdrawn." in output
    assert "12 labels (10 in evidence, 2 withdrawn)" in output
    assert [(event["type"], event["task"], event["reason"]) for event in log(half)[-2:]] == [
        ("item-withdrawn", tasks[0], "a wrong key"),
        ("item-withdrawn", tasks[3], "a wrong key"),
    ]
    after = pair()
    assert (after["items"], after["labels"], after["abandoned"]) == (12, 10, 2)
    assert (before["items"], before["labels"], before["abandoned"]) == (12, 12, 0)
    assert after["e_a"] == before["e_a"]
    for command in ("campaign status camp", "compare camp"):
        assert SAID in " ".join(ok(f"tiebreak {command}").split())
    document = json.loads(ok("tiebreak campaign status camp --json"))
    assert (document["campaign"]["labels_withdrawn"], document["campaign"]["labels"]) == (2, 12)
    (warning,) = [warning for warning in document["warnings"] if warning["code"] == "evidence-changed"]
    assert [(of["system_a"], of["when"], of["reason"]) for of in warning["items"]] == [
        ("eta-3b", "running", "a wrong key")
    ] * 2
    ok("tiebreak report camp -o report.html")
    ok("tiebreak campaign log camp --check")


def test_an_export_says_so_and_own_analysis_leaves_them_out(half: Path, tasks: list[str]) -> None:
    ok(f"tiebreak campaign withdraw camp {tasks[0]} {tasks[3]} --reason 'a wrong key'")
    ok("tiebreak campaign export camp -o out")
    rows = list(csv.DictReader(io.StringIO((half / "out" / "preferences.csv").read_text(encoding="utf-8"))))
    assert {row["task"] for row in rows if row["withdrawn"] == "true"} == {tasks[0], tasks[3]}
    output = " ".join(ok("tiebreak compare out").split())
    assert SAID in output
    theirs, ours = (
        json.loads(ok(f"tiebreak compare {name} --json"))["results"][0]["pairs"] for name in ("out", "camp")
    )
    assert theirs == ours
    own = json.loads(ok("tiebreak compare out --own-analysis --json"))
    assert own["own_analysis"]["withdrawn"] == 2
    assert own["results"][0]["labels"] == 10
    assert "2 withdrawn labels are left out." in " ".join(ok("tiebreak compare camp --own-analysis").split())
    assert "2 withdrawn labels are left out" in " ".join(ok("tiebreak check out").split())
    shutil.copytree(half / "out", half / "tables", ignore=shutil.ignore_patterns("campaign"))
    assert "2 labels that a look would count do not count in the campaign" in refused("tiebreak watch tables", 1)
    assert not (half / "tables" / "looks.sqlite").exists()
    text = (half / "out" / "preferences.csv").read_text(encoding="utf-8")
    (half / "out" / "preferences.csv").write_text(text.replace("true", "false"), encoding="utf-8")
    refused("tiebreak compare out", 1)


def test_an_item_in_a_sheet_is_answered_before_it_is_withdrawn(half: Path, tasks: list[str]) -> None:
    command = f"tiebreak campaign withdraw camp {tasks[13]} --reason 'a typo in the text'"
    assert "collect its answer first, then withdraw it" in refused(command, 2)
    fill(half / "ann.csv", ["First text"] * 14)
    assert "2 new labels" in " ".join(ok("tiebreak campaign collect camp ann.csv").split())
    ok(command)
    label = open_campaign(half / "camp").ledger.tasks[tasks[13]].label
    assert label is not None, "nothing is lost"
    document = json.loads(ok("tiebreak campaign collect camp ann.csv --json"))["sheets"][0]
    assert (document["new"], document["known"], document["empty"]) == (0, 14, 6)
    assert tasks[13] not in tasks_in_new(half)


def tasks_in_new(half: Path) -> list[str]:
    ok("tiebreak campaign sheet camp --annotator bo -n 60 -o bo.csv")
    live = open_campaign(half / "camp")
    found = tasks_in(half / "bo.csv")
    gone = {record.event.item for record in live.ledger.withdrawn.values()}
    assert not gone & {live.ledger.tasks[task].assigned.item for task in found}, "never asked again"
    return found


def test_all_or_none_and_every_problem_is_named(half: Path, tasks: list[str]) -> None:
    ok(f"tiebreak campaign withdraw camp {tasks[0]} --reason first")
    before = log(half)
    output = refused(f"tiebreak campaign withdraw camp {tasks[1]} {tasks[0]} t0000-0000 --reason second", 2)
    assert "task t0000-0000: not a task of this campaign; nothing is withdrawn" in output
    assert "say why with --reason" in refused(f"tiebreak campaign withdraw camp {tasks[1]}", 2)
    refused("tiebreak campaign withdraw camp --reason x", 2)
    refused(f"tiebreak campaign withdraw study {tasks[0]} --reason x", 1)
    assert log(half) == before


def test_after_the_end_it_is_noted(tasks: list[str]) -> None:
    ok("tiebreak campaign stop camp")
    before = pair()
    document = json.loads(ok(f"tiebreak campaign withdraw camp {tasks[0]} --reason late --json"))
    assert (document["withdrawn"][0]["task"], document["labels_withdrawn"]) == (tasks[0], 0)
    assert document["ended"] == "stopped"
    assert pair() == before
    output = " ".join(ok("tiebreak campaign status camp").split())
    assert "1 item (eta-3b and zeta-9b 1) was withdrawn after the end of the campaign" in output
    refused(f"tiebreak campaign withdraw camp {tasks[0]} --reason again", 2)


# ---- `tiebreak campaign log`, `backup` and `erase`: what is found, what is said, and what stays as it is. ----------


def change(half: Path, *statements: str) -> None:
    """What a hand with another program does to the log."""
    log = sqlite3.connect(half / "camp" / "events.sqlite", isolation_level=None)
    for sql in statements:
        log.execute(sql)
    log.close()


def test_the_events_are_json_lines(half: Path) -> None:
    printed = ok("tiebreak campaign log camp")
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
