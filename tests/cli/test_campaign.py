"""`tiebreak campaign` as a user meets it: from a study to a verdict, by files, with every refusal on the way."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.worlds.small_campaigns import study_of
from tests.cli.campaign_commands import CREATE, events_in, fill, ok, refused, tasks_in

from tiebreak.campaign import Protocol
from tiebreak.campaign.protocol import SHIPPED
from tiebreak.data.readers import read_study
from tiebreak.data.writers import write_study
from tiebreak.live import open_campaign


def test_a_seed_is_drawn_and_recorded_unless_given(work: Path) -> None:
    assert open_campaign(work / "camp").protocol.order.seed == 3
    seeds = set()
    for name in ("one", "two"):
        ok(f"tiebreak campaign create study -o {name}")
        seeds.add(open_campaign(work / name).protocol.order.seed)
    assert len(seeds) == 2
    (work / "p.toml").write_text("[order]\nseed = 0\n")
    ok("tiebreak campaign create study -o three --protocol p.toml")
    assert open_campaign(work / "three").protocol.order.seed == 0


@pytest.mark.parametrize("name", SHIPPED)
def test_a_protocol_by_name_is_the_same_as_its_options(name: str, work: Path) -> None:
    ok(f"tiebreak campaign create study -o named --protocol {name} --seed 1")
    named = open_campaign(work / "named").protocol
    (work / "how.txt").write_text(named.instructions)
    ties = "--ties" if named.labels.ties else "--no-ties"
    ok(f"tiebreak campaign create study -o x --question '{named.question}' --instructions how.txt {ties} --seed 1")
    assert open_campaign(work / "x").protocol == named
    assert named.instructions.strip()
    assert named.question != Protocol().question
    ok(f"tiebreak campaign create study -o y --protocol {name} --question 'Which?' --seed 1 --ties")
    assert open_campaign(work / "y").protocol == replace(
        named, question="Which?", labels=replace(named.labels, ties=True)
    )


def test_options_change_what_a_protocol_file_says(work: Path) -> None:
    (work / "p.toml").write_text('question = "Which?"\n[labels]\nprice = 0.5\n[decision]\nalpha = 0.1\nmargin = 0.2\n')
    (work / "how.txt").write_text("Read both.\nChoose.\n")
    ok(
        "tiebreak campaign create study -o x --protocol p.toml --alpha 0.01 --instructions how.txt --no-ties "
        "--labelling majority --per-item 3 --batch 5 --max-money 90 --items-per-pair 50 --hours 100 --target items "
        "--hide reference --currency € --multiplicity bonferroni --criterion clarity --systems zeta-9b,eta-3b "
        "--baseline zeta-9b --pair-policy batches --rule anytime"
    )
    live = open_campaign(work / "x")
    protocol = live.protocol
    assert (protocol.question, protocol.instructions) == ("Which?", "Read both.\nChoose.\n")
    assert (protocol.labels.price, protocol.labels.currency, protocol.labels.ties) == (0.5, "€", False)
    assert (protocol.labels.labelling, protocol.labels.per_item) == ("majority", 3)
    assert (protocol.decision.alpha, protocol.decision.margin, protocol.decision.target) == (0.01, 0.2, "items")
    assert (protocol.budget.max_money, protocol.budget.items_per_pair, protocol.people.hours) == (90, 50, 100)
    assert (protocol.criterion, protocol.baseline, protocol.pairs.batch) == ("clarity", "zeta-9b", 5)
    assert live.study.items["reference"].null_count() == 60


def test_a_campaign_compares_the_pairs_that_are_named_and_no_others(work: Path) -> None:
    write_study(study_of(("ant", "bee", "cat", "dog"), 40), work / "four")
    assert "3 systems, 2 pairs, 40 items" in ok("tiebreak campaign create four -o star --pair dog,ant --pair cat,ant")
    assert open_campaign(work / "star").study.systems == ("ant", "cat", "dog"), "no text of bee is copied"
    status = json.loads(ok("tiebreak campaign status star --json"))
    pairs = status["results"][0]["pairs"]
    assert [(pair["system_a"], pair["system_b"]) for pair in pairs] == [("ant", "cat"), ("ant", "dog")]
    assert status["terms"]["only_pairs"] == [["dog", "ant"], ["cat", "ant"]]
    for wrong, message in (
        ("--pair ant,ant", "is a system with itself"),
        ("--pair ant,bee --pair bee,ant", "is named twice"),
        ("--pair ant,beee", "not a system of the study"),
        ("--pair ant", "write two names with a comma between"),
        ("--pair ant,bee --baseline cat", "leave one of the two out"),
    ):
        assert message in refused(f"tiebreak campaign create four -o x {wrong}", 2)
    (work / "p.toml").write_text('only_pairs = ["ant", "bee"]\n')
    refused("tiebreak campaign create four -o x --protocol p.toml", 1)


def test_a_planned_campaign_says_what_its_plan_finds_and_what_another_would(work: Path) -> None:
    write_study(study_of(("ant", "bee"), 200), work / "two")
    text = " ".join(ok("tiebreak campaign create two -o half --items-per-pair 100").split())
    assert "test planned for up to 100 items per pair, valid at every look" in text
    found = re.search(r"finds a difference of (0\.\d+) or more with a chance of 80%.*200 items finds (0\.\d+)\.", text)
    assert 0.6 < float(found[2]) / float(found[1]) < 0.8  # twice the items: about 1/sqrt(2) of the difference
    whole = " ".join(ok("tiebreak campaign create two -o whole").split())
    assert "a plan for 100 items finds" in whole
    few = " ".join(ok("tiebreak campaign create two -o few --items-per-pair 6").split())
    assert "6 items of a pair are too few to find any difference with a chance of 80%" in few
    json_of = json.loads(ok("tiebreak campaign status half --json"))
    assert json_of["terms"]["title"] == "test planned for up to 100 items per pair, valid at every look"


def test_a_judge_leaves_the_items_that_it_takes(work: Path) -> None:
    outputs = read_study(work / "study").tables["outputs"]
    items = outputs["item"].unique().sort().to_list()
    answers = "".join(f"{item},eta-3b,zeta-9b,j,{'ab'[k % 2]}\n" for k, item in enumerate(items))
    (work / "study" / "judge_preferences.csv").write_text(f"item,system_a,system_b,judge,outcome\n{answers}")
    said = (
        "j can help only through items that nobody labels: of a pair at most 26 items are labelled (--items-per-pair)."
    )
    assert said in " ".join(ok("tiebreak campaign create study -o x --judge j").split())
    assert open_campaign(work / "x").protocol.budget.items_per_pair == 26
    assert "nobody labels" not in ok("tiebreak campaign create study -o y --judge j --target items")
    assert "26 leave enough" in refused("tiebreak campaign create study -o z --judge j --items-per-pair 27", 2)


def test_the_price_of_the_study_is_the_default(work: Path) -> None:
    (work / "study" / "study.toml").write_text('price_per_label = 0.3\ncurrency = "€"\n')
    ok("tiebreak campaign create study -o x")
    labels = open_campaign(work / "x").protocol.labels
    assert (labels.price, labels.currency) == (0.3, "€")


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (CREATE, 2, "camp exists already"),
        ("tiebreak campaign create study -o x --max-money 5", 2, "needs labels.price"),
        ("tiebreak campaign create study -o x --instructions no.txt", 1, "no.txt: cannot be read"),
        ("tiebreak campaign create study -o x --protocol bad.toml", 1, "bad.toml, line 2, key decision.alpha"),
        ("tiebreak campaign create study -o x --tutorial langauge", 1, "language: did you mean language?"),
        ("tiebreak campaign create nowhere -o x", 1, "nowhere: no such folder"),
        ("tiebreak campaign sheet camp --annotator ann -o x.ods", 2, "a sheet ends in .xlsx or .csv"),
        ("tiebreak campaign sheet camp --annotator ann -o camp/x.csv", 2, "lies in the campaign's folder"),
        ("tiebreak campaign sheet camp --annotator ' ' -o x.csv", 2, "must name a person"),
        ("tiebreak campaign sheet camp --annotator ann -n 0 -o x.csv", 2, "must be a whole number from 1"),
        ("tiebreak campaign sheet camp --annotator ann --again -o x.csv", 1, "ann has no open tasks"),
        ("tiebreak campaign sheet camp --annotator ann --again -o x.xlsx", 1, "ann has no open tasks"),
        ("tiebreak campaign sheet study --annotator ann -o x.csv", 1, "tiebreak campaign create study -o CAMPAIGN"),
        ("tiebreak plan camp", 1, "tiebreak campaign export camp -o EXPORT"),
        ("tiebreak campaign create camp -o other", 1, "this is a campaign, not a study"),
        ("tiebreak campaign collect camp no.xlsx", 1, "no.xlsx: cannot be read"),
        ("tiebreak campaign status camp --csv camp/x.csv", 2, "lies in the campaign's folder"),
        ("tiebreak campaign export camp -o camp/x", 2, "lies in the campaign's folder"),
        ("tiebreak campaign export camp -o x", 1, "has no labels yet"),
    ],
)
def test_wrong_use_changes_nothing(command: str, code: int, message: str, work: Path) -> None:
    (work / "bad.toml").write_text('[decision]\nalpha = "small"\n')
    before = {path: path.read_bytes() for path in work.rglob("*") if path.is_file()}
    assert message in refused(command, code)
    assert {path: path.read_bytes() for path in work.rglob("*") if path.is_file()} == before


def test_a_file_that_is_there_is_not_overwritten_unasked(work: Path) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 3 -o ann.csv")
    kept = (work / "ann.csv").read_bytes()
    refused("tiebreak campaign sheet camp --annotator ann -n 3 -o ann.csv", 2)
    assert (work / "ann.csv").read_bytes() == kept
    assert len(open_campaign(work / "camp").ledger.tasks) == 3
    ok("tiebreak campaign sheet camp --annotator ann -n 3 -o ann.csv --overwrite")
    assert not set(tasks_in(work / "ann.csv")) & {
        row.split(",")[0] for row in kept.decode("utf-8-sig").splitlines()[1:]
    }


def test_again_writes_the_open_tasks_once_more(work: Path) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 4 -o one.csv")
    output = ok("tiebreak campaign sheet camp --annotator ann -n 2 -o two.csv")
    assert "4 tasks of earlier sheets are open too (--again)" in output
    output = ok("tiebreak campaign sheet camp --annotator ann --again -o lost.csv")
    assert "Wrote lost.csv: 6 tasks for ann again" in output
    assert tasks_in(work / "lost.csv") == [*tasks_in(work / "one.csv"), *tasks_in(work / "two.csv")]
    assert len(open_campaign(work / "camp").ledger.tasks) == 6


def test_a_sheet_that_cannot_be_written_takes_no_tasks(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tiebreak.cli.campaign.sheet.write_bytes", full)
    refused("tiebreak campaign sheet camp --annotator ann -n 5 -o x.csv", 1)
    monkeypatch.undo()
    monkeypatch.chdir(work)
    live = open_campaign(work / "camp")
    assert len(live.state.tasks) == 0
    assert [record.returned is not None for record in live.ledger.tasks.values()] == [True] * 5
    ok("tiebreak campaign sheet camp --annotator bo -n 60 -o y.csv")
    assert len(tasks_in(work / "y.csv")) == 60  # nothing was lost: every item is there to be asked


def test_the_same_sheet_twice_and_a_changed_answer(work: Path) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 3 -o ann.csv")
    fill(work / "ann.csv", ["First text", "", "tie"])
    ok("tiebreak campaign collect camp ann.csv ann.csv")
    log = events_in(work / "camp")
    assert "0 new labels, 2 already known, 1 not answered" in ok("tiebreak campaign collect camp ann.csv")
    assert events_in(work / "camp") == log
    fill(work / "ann.csv", ["Second text", "", "tie"])
    output = refused("tiebreak campaign collect camp ann.csv", 4)
    assert "0 new labels, 1 already known, 1 changed (not taken), 1 not answered" in output
    assert "(row 2) was answered before: 'First text' stays, 'Second text' is not taken" in output
    document = json.loads(refused("tiebreak campaign collect camp ann.csv --json", 4))
    assert document["labels"] == 2
    assert document["sheets"][0]["changed"][0]["kept"] == "First text"


def test_sheets_are_as_large_as_keeps_most_labels_evidence(work: Path) -> None:
    output = ok("tiebreak campaign sheet camp --annotator ann -o ann.csv")
    assert "Wrote ann.csv: 12 tasks for ann More tasks now would wait for the answers of other people" in " ".join(
        output.split()
    )
    assert "Wrote bo.csv: 4 tasks for bo" in ok("tiebreak campaign sheet camp --annotator bo -o bo.csv")
    assert "enough is out for now: 4 tasks of bo's own and 12 tasks of other people are out" in refused(
        "tiebreak campaign sheet camp --annotator bo -o more.csv", 1
    )
    fill(work / "ann.csv", ["First text", *[""] * 2, *["First text"] * 9])
    ok("tiebreak campaign collect camp ann.csv")
    ok("tiebreak campaign sheet camp --annotator bo -o more.csv")
    assert len(tasks_in(work / "more.csv")) == 2  # nothing but what nine answers wait for


@pytest.mark.usefixtures("work")
def test_a_sheet_with_fewer_tasks_than_asked_says_why() -> None:
    assert "Fewer" not in ok("tiebreak campaign sheet camp --annotator ann -n 50 -o ann.csv")
    output = ok("tiebreak campaign sheet camp --annotator bo -n 50 -o bo.csv")
    assert "Wrote bo.csv: 10 tasks for bo" in output
    assert "Fewer" not in ok("tiebreak campaign sheet camp --annotator bo --again -o again.csv")
    ok(f"{CREATE}2 --max-labels 40 --seed 3")
    fewer = json.loads(ok("tiebreak campaign sheet camp2 --annotator ann -n 50 -o ann2.csv --json"))["fewer_because"]
    assert fewer == "what the budget leaves cannot complete another item now: 40 tasks of ann's own are out"


def test_status_for_people_and_programs(half: Path) -> None:
    output = ok("tiebreak campaign status camp --csv pay.csv")
    assert "12 labels so far, 8 tasks out with people; 0 of 1 pair decided." in output
    assert "Spent: 12 labels, $1.20." in output
    assert " ".join(output.split()).count("ann 12 8") == 1
    rows = list(csv.DictReader(io.StringIO((half / "pay.csv").read_text(encoding="utf-8-sig"))))
    assert [(row["annotator"], row["labels"], row["pay"]) for row in rows] == [("ann", "12", "1.2")]
    document = json.loads(ok("tiebreak campaign status camp --json"))
    assert document["campaign"]["people"][0]["pay"] == 1.2
    assert document["results"][0]["pairs"][0]["labels"] == 12
    assert document["campaign"]["protocol"]["order"]["seed"] == 3


@pytest.mark.parametrize(
    ("multiplicity", "promise"),
    [
        ("holm", "hold at every look: the chance of any wrong verdict is at most alpha = 0.05"),
        ("none", "hold at every look: the chance of a wrong verdict on a single pair is at most alpha = 0.05"),
        ("fdr", "hold at every look: the expected share of wrong verdicts among those given is at most alpha = 0.05"),
    ],
)
@pytest.mark.usefixtures("work")
def test_status_promises_what_the_protocol_asks_for(multiplicity: str, promise: str) -> None:
    ok(f"tiebreak campaign create study -o x --multiplicity {multiplicity}")
    ok("tiebreak campaign status x")
    assert json.loads(ok("tiebreak campaign status x --json"))["terms"]["guarantee"].startswith(promise)
