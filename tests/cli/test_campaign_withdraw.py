"""`tiebreak campaign withdraw`: what is written, shown and refused, and that everything says so from then on."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from tests.cli.campaign_commands import events_in, fill, ok, refused, tasks_in
from tests.docs.documents import run_command

from tiebreak.live import open_campaign

SAID = "2 items (eta-3b and zeta-9b 2) were withdrawn: they count against either side, and no label of them counts."


def log(half: Path) -> list[dict[str, object]]:
    return [dict(event) for event in events_in(half / "camp")]


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
    code, output = run_command(command)
    assert (code, "collect its answer first, then withdraw it" in " ".join(output.split())) == (2, True)
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
    assert (document["withdrawn"][0]["task"], document["labels_withdrawn"], document["ended"]) == (
        tasks[0],
        0,
        "stopped",
    )
    assert pair() == before
    output = " ".join(ok("tiebreak campaign status camp").split())
    assert (
        "1 item (eta-3b and zeta-9b 1) was withdrawn after the end of the campaign: what was evidence then still "
        "counts, and no verdict changes. Reason: late."
    ) in output
    refused(f"tiebreak campaign withdraw camp {tasks[0]} --reason again", 2)
