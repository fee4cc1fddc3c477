"""`tiebreak campaign stop` and `exclude`: what is written, shown, refused, and what it leaves alone."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests.cli.campaign_commands import events_in, fill, ok, refused, tasks_in

from tiebreak.campaign import verdicts
from tiebreak.live import open_campaign


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
    assert log(half)[-1] == (
        {"type": "campaign-stopped", "at": log(half)[-1]["at"], "reason": "the money is needed elsewhere"}
    )
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
    rows = list(csv.DictReader(io.StringIO((half / "ann.csv").read_text(encoding="utf-8-sig"))))
    assert len(rows) == 20
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
    output = " ".join(ok("tiebreak campaign exclude camp ann --reason 'has left'").split())
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
        ("tiebreak campaign exclude camp ''", 2, "nobody called '' has had a task"),
        ("tiebreak campaign exclude camp", 2, "Missing argument 'PERSON'"),
        ("tiebreak campaign exclude study ann", 1, "no campaign's folder"),
        ("tiebreak campaign stop nowhere", 1, "nowhere: no such folder"),
    ],
)
def test_wrong_use_changes_nothing(command: str, code: int, message: str, half: Path) -> None:
    before = log(half)
    assert message in refused(command, code)
    assert log(half) == before
