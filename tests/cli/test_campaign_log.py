"""`tiebreak campaign verify` and `repair`: what is found, what is said, and what stays as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.cli.campaign_commands import fill, ok, refused


def log(half: Path) -> Path:
    return half / "camp" / "events.jsonl"


def test_a_whole_log_and_a_head_that_was_noted(half: Path) -> None:
    document = json.loads(ok("tiebreak campaign verify camp --json"))
    head = document["head"]
    assert document == {
        "campaign": "camp", "events": 33, "head": log(half).with_name("events.jsonl.head").read_text().strip(),
        "original_head": None, "repairs": [], "torn": [], "clock": [],
    }  # fmt: skip
    ok("tiebreak campaign verify camp")
    ok("tiebreak campaign stop camp")
    ok(f"tiebreak campaign verify camp --head {head}")
    refused(f"tiebreak campaign verify camp --head 33:{'0' * 32}", 1)
    refused("tiebreak campaign verify camp --head 33", 2)


@pytest.mark.parametrize("act", ["status camp", "sheet camp --annotator bo -o bo.csv", "collect camp ann.csv"])
def test_a_reversed_log_is_refused_by_all(half: Path, act: str) -> None:
    text = log(half).read_text().replace('"outcome":"a"', '"outcome":"?"').replace('"outcome":"b"', '"outcome":"a"')
    log(half).write_text(text.replace('"outcome":"?"', '"outcome":"b"'))
    before = log(half).read_bytes()
    for command in (act, "verify camp", "repair camp --reason no"):
        refused(f"tiebreak campaign {command}", 1)
    assert "events.jsonl, line 22" in refused("tiebreak campaign verify camp", 1)  # the first label
    refused("tiebreak compare camp", 1)
    assert log(half).read_bytes() == before


def test_a_lost_batch_is_named_and_can_be_gone_on_without(half: Path) -> None:
    lines = log(half).read_bytes().splitlines(keepends=True)
    log(half).write_bytes(b"".join(lines[:-1]))
    refused("tiebreak campaign collect camp ann.csv", 1)
    assert log(half).read_bytes() == b"".join(lines[:-1])
    assert "say why with --reason" in refused("tiebreak campaign repair camp", 2)
    ok("tiebreak campaign repair camp --reason 'a copy of Monday'")
    kept = list(half.joinpath("camp").glob("events.jsonl.torn-*"))
    assert [path.read_bytes() for path in kept] == [b"".join(lines[21:-1])]  # eleven of the twelve labels
    assert json.loads(ok("tiebreak campaign verify camp --json"))["repairs"]
    assert "12 new labels" in ok("tiebreak campaign collect camp ann.csv")  # the sheet still has them
    ok("tiebreak campaign export camp -o exported")
    for command in ("campaign status camp", "compare camp", "compare exported"):
        assert "carry no promise" in " ".join(ok(f"tiebreak {command}").split())
    refused("tiebreak watch exported", 1)
    ok("tiebreak campaign repair camp --reason again")


def test_a_lost_log_is_not_to_be_repaired(half: Path) -> None:
    log(half).unlink()
    for command in ("status camp", "repair camp --reason lost"):
        refused(f"tiebreak campaign {command}", 1)


def test_a_restored_head_and_a_restored_log(half: Path) -> None:
    shutil.copytree(half / "camp", half / "backup")
    fill(half / "ann.csv", ["First text"] * 16)
    ok("tiebreak campaign collect camp ann.csv")
    ok("tiebreak campaign stop camp")
    after = shutil.copytree(half / "camp", half / "after")
    shutil.copy(half / "backup" / "events.jsonl.head", half / "camp")
    refused("tiebreak campaign status camp", 1)
    shutil.copy(after / "events.jsonl.head", half / "camp")
    shutil.copy(half / "backup" / "events.jsonl", half / "camp")
    refused("tiebreak campaign status camp", 1)
    (half / "camp" / "events.jsonl.head").unlink()
    assert "is missing" in refused("tiebreak campaign status camp", 1)
    shutil.rmtree(half / "camp")
    shutil.copytree(half / "backup", half / "camp")  # a backup of the whole folder is in order
    ok("tiebreak campaign verify camp")


def test_an_export_is_sealed_anew_and_names_the_head_of_the_original(half: Path) -> None:
    head = json.loads(ok("tiebreak campaign verify camp --json"))["head"]
    ok("tiebreak campaign export camp -o out")
    document = json.loads(ok("tiebreak campaign verify out --json"))
    assert document["original_head"] == head
    assert document["head"] != head  # people have other names
    assert head in " ".join(ok("tiebreak campaign verify out").split())
    events = half / "out" / "campaign" / "events.jsonl"
    events.write_bytes(events.read_bytes().replace(b'"outcome":"a"', b'"outcome":"b"', 1))
    refused("tiebreak compare out", 1)
    ok("tiebreak campaign export camp -o out --overwrite")
    ok("tiebreak compare out")


@pytest.mark.usefixtures("half")
def test_a_clock_that_ran_backwards_is_named_and_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiebreak.cli.campaign.changes.now", lambda: "2020-01-01T00:00:00Z")
    before = json.loads(ok("tiebreak campaign status camp --json"))["results"][0]["pairs"]
    ok("tiebreak campaign stop camp")
    found = json.loads(ok("tiebreak campaign status camp --json"))
    assert len([warning for warning in found["warnings"] if warning["code"] == "clock-backwards"]) == 1
    assert [pair["difference"] for pair in found["results"][0]["pairs"]] == [pair["difference"] for pair in before]
    ok("tiebreak campaign verify camp")
