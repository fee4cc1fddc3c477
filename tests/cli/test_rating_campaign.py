"""`tiebreak campaign` of ratings as a user meets it: from a study to means, by files, with edits and passages."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from benchmarks.worlds.rating_campaigns import rated_study
from tests.cli.campaign_commands import ok, refused, tasks_in

import tiebreak
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.live import open_campaign

Row = dict[str, str]
CREATE = "tiebreak campaign create rated -o rc --seed 3"


@pytest.fixture
def rated(work: Path) -> Path:
    write_study(rated_study(("ant", "bee"), 200), work / "rated")
    return work


def write_rows(path: Path, change: Callable[[Row, int], object]) -> Path:
    """The CSV sheet with its rows changed."""
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    for number, row in enumerate(rows):
        change(row, number)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def rating(seed: int) -> Callable[[Row, int], object]:
    rng = random.Random(seed)
    return lambda row, _: row.update(fluency=str(rng.choice([3, 4, 4, 5])), seconds="20")


def test_from_a_study_to_means(rated: Path) -> None:
    output = ok(f"{CREATE} --rate fluency=1:5 --half-width 0.5 --price 0.1")
    assert "rc: a campaign of ratings with 2 systems, 200 items" in output
    assert "People rate one text at a time: fluency (1 to 5)." in output
    assert "Asks for every system's mean to ±0.50, about inputs like these." in output
    assert "At most 400 labels, $40.00 (if every output had to be rated)" in output
    sheets = 0
    while open_campaign(rated / "rc").state.ended is None:
        sheets += 1
        ok(f"tiebreak campaign sheet rc --annotator p{sheets} -n 40 -o p{sheets}.csv --new")
        write_rows(rated / f"p{sheets}.csv", rating(sheets))
        assert "40 new labels" in ok(f"tiebreak campaign collect rc p{sheets}.csv")
        assert "40 already known" in ok(f"tiebreak campaign collect rc p{sheets}.csv")
        assert sheets < 10
    status = ok("tiebreak campaign status rc")
    assert "2 of 2 means known as well as was asked." in " ".join(status.split())
    assert "First text" not in status
    document = json.loads(ok("tiebreak campaign status rc --json"))
    (criterion,) = document["results"]
    assert [of["found"] for of in criterion["systems"]] == ["narrow", "narrow"]
    assert all(of["half_width"] <= 0.5 for of in criterion["systems"])
    assert "we" not in document["sentence"].split()[0]
    assert "people rated" in document["sentence"]
    ok("tiebreak campaign export rc -o ex")
    of_export = ok("tiebreak estimate ex")
    assert of_export == ok("tiebreak estimate rc"), "the campaign and its export never disagree"
    study = read_study(rated / "ex")
    assert study.settings.scale["fluency"] == (1, 5)
    for ending in ("csv", "md", "tex"):
        ok(f"tiebreak estimate rc --out means.{ending}")
    means = {row["system"]: row for row in csv.DictReader((rated / "means.csv").read_text().splitlines())}
    assert [float(means[of["system"]]["low"]) for of in criterion["systems"]] == [
        of["mean"]["low"] for of in criterion["systems"]
    ]
    for ending in ("md", "tex"):
        assert document["sentence"] in (rated / f"means.{ending}").read_text()
    refused("tiebreak estimate rc --out page.html", 2)
    assert study.ratings["seconds"].sum() == 20 * study.ratings.height
    own = ok("tiebreak estimate ex --own-analysis")
    assert "Own analysis" in own
    assert "estimate rc" in refused("tiebreak compare rc", 2)
    refused("tiebreak estimate rc --confidence 0.9", 2)


def test_a_metric_helps(work: Path) -> None:
    write_study(rated_study(("ant", "bee"), 200, metric=lambda _, item: float(item * 7 % 200)), work / "rated")
    create = f"{CREATE} --rate fluency=1:5 --half-width 0.4 --metric m"
    assert "these items only (--target items)" in refused(create, 2)
    assert "a claim about these items only, with m." in " ".join(ok(f"{create} --target items").split())
    sheets = 0
    while open_campaign(work / "rc").state.ended is None:
        sheets += 1
        ok(f"tiebreak campaign sheet rc --annotator p{sheets} -n 20 -o p{sheets}.csv --new")
        write_rows(
            work / f"p{sheets}.csv",
            lambda row, _: row.update(fluency=str(1 + int(row["text"][-3:]) * 7 % 200 // 40)),
        )
        ok(f"tiebreak campaign collect rc p{sheets}.csv")
    assert "Intervals with m hold at every look" in " ".join(ok("tiebreak campaign status rc").split())
    document = json.loads(ok("tiebreak campaign status rc --json"))
    for of in document["results"][0]["systems"]:
        assert of["found"] == "narrow"
        assert of["mean"]["low"] <= 3 <= of["mean"]["high"]
        assert of["mean"]["estimate"] == pytest.approx(3, abs=0.1)
        assert of["stopped_at"] < 55, "without a metric it takes about 75"
    assert "(betting) with m) hold with 95%" in document["sentence"]
    ok("tiebreak campaign export rc -o ex")
    assert ok("tiebreak estimate ex") == ok("tiebreak estimate rc")


def test_a_changed_export_is_noticed(rated: Path) -> None:
    ok(f"{CREATE} --rate fluency=1:5 --half-width 0.5")
    ok("tiebreak campaign sheet rc --annotator ann -n 10 -o ann.csv")
    write_rows(rated / "ann.csv", rating(1))
    ok("tiebreak campaign collect rc ann.csv")
    ok("tiebreak campaign export rc -o ex")
    path = rated / "ex" / "ratings.csv"
    rows = path.read_text(encoding="utf-8").replace(",4.0,", ",1.0,", 1)
    path.write_text(rows, encoding="utf-8")
    assert "value is '1' in the table, but '4' in the events" in refused("tiebreak estimate ex", 1)


def test_what_is_wrong_in_a_sheet_is_named_and_mended(rated: Path) -> None:
    ok(f"{CREATE} --rate fluency=1:5 --rate style=1:5 --half-width 0.5")
    ok("tiebreak campaign sheet rc --annotator ann -n 8 -o ann.csv")
    cells = [("4", "4"), ("9", "4"), ("x", "4"), ("", "4"), ("3.5", "4"), ("4,0", "5"), ("", ""), ("5", "5")]
    write_rows(rated / "ann.csv", lambda row, k: row.update(fluency=cells[k][0], style=cells[k][1]))
    output = refused("tiebreak campaign collect rc ann.csv", 4)
    assert "3 new labels, 4 rows not taken, 1 not answered" in output
    assert "not a rating; write a whole number from 1 to 5" in output
    write_rows(rated / "ann-to-mend.csv", lambda row, _: row.update(fluency="2"))
    assert "4 new labels" in ok("tiebreak campaign collect rc ann-to-mend.csv")
    write_rows(rated / "ann.csv", lambda row, _: row.update(fluency="1", style="1"))
    changed = refused("tiebreak campaign collect rc ann.csv", 4)
    assert "'fluency 4, style 4' stays, 'fluency 1, style 1' is not taken" in changed
    refused("tiebreak campaign collect rc ann.csv --answer x=first", 2)


def test_the_share_of_words_that_edits_keep_is_that_of_estimate(rated: Path) -> None:
    widths = "--half-width 1.2 --edit-half-width 0.3"
    ok(f"{CREATE} --rate fluency=1:5 --kind rating+edit --edit-below 3 {widths}")
    ok("tiebreak campaign sheet rc --annotator ann -n 40 -o ann.csv")

    def change(row: Row, number: int) -> None:
        row["fluency"] = "2" if number % 3 else "5"
        row["edit"] += " and more" if number % 3 else ""

    write_rows(rated / "ann.csv", change)
    ok("tiebreak campaign collect rc ann.csv")
    campaign = json.loads(ok("tiebreak campaign status rc --json"))
    ok("tiebreak campaign export rc -o ex")
    estimated = json.loads(ok("tiebreak estimate ex --own-analysis --criterion EditWords --json"))
    in_campaign, afterwards = (
        {of["system"]: (of["ratings"], round(of["mean"]["estimate"], 9)) for of in found["systems"]}
        for found in (campaign["results"][1], estimated["results"][0])
    )
    assert in_campaign == afterwards
    assert 0.5 < campaign["results"][1]["systems"][0]["mean"]["estimate"] < 1


def test_correctness(rated: Path) -> None:
    study = rated_study(("ant", "bee"), 40)
    passages = [
        {"item": f"i{k:03d}", "passage": f"p{n}", "text": f"Passage {n} of {k}.  It says  yes."}
        for k in range(40)
        for n in (1, 2)
    ]
    whole = Study.from_tables(items=study.items, outputs=study.outputs, passages=passages)
    write_study(whole, rated / "answers")
    output = ok("tiebreak campaign create answers -o cc --kind correctness --half-width 0.4 --seed 1")
    ok("tiebreak campaign sheet cc --annotator ann -n 5 -o ann.csv")

    def change(row: Row, number: int) -> None:
        assert row["passage 1"].startswith("Passage 1 of")
        row.update({"sensible": "yes", "plausible": "no" if number == 0 else "Yes", "sure": "yes"})
        if number:
            row.update({"passage 1 says": "supports", "words of passage 1": "It says yes."})
            row.update({"passage 2 says": ("neither", "perhaps", "contradicts", "")[number - 1]})
        if number == 3:
            row["words of passage 2"] = "not there"

    write_rows(rated / "ann.csv", change)
    output = refused("tiebreak campaign collect cc ann.csv", 4)
    assert "2 new labels, 3 rows not taken" in output
    assert "these words do not stand in passage 2" in output
    ok("tiebreak campaign export cc -o ex")
    found = tiebreak.read_study(rated / "ex")
    first = found.spans.row(0, named=True)
    text = next(of["text"] for of in passages if of["item"] == first["item"] and of["passage"] == "p1")
    assert text[int(first["start"]) : int(first["end"])] == "It says  yes."
    means = dict(found.ratings.group_by("criterion").agg(pl.col("value").mean()).iter_rows())
    assert (means["AnyCorrect"], means["AvgCorrect"]) == (0.5, 0.25)
    assert "AnyCorrect" in ok("tiebreak estimate ex")  # its tables are those of its events, places of words among them
    spans = rated / "ex" / "spans.csv"
    spans.write_text(spans.read_text().replace(",supports,", ",contradicts,", 1))
    refused("tiebreak estimate ex", 1)


def test_withdraw_stop_and_verify(rated: Path) -> None:
    ok(f"{CREATE} --rate fluency=1:5 --half-width 0.5")
    ok("tiebreak campaign sheet rc --annotator ann -n 10 -o ann.csv")
    write_rows(rated / "ann.csv", rating(1))
    ok("tiebreak campaign collect rc ann.csv")
    task = tasks_in(rated / "ann.csv")[0]
    output = ok(f"tiebreak campaign withdraw rc {task} --reason slip")
    assert "10 labels (9 in evidence, 1 withdrawn)" in output
    assert "10 labels" in ok("tiebreak campaign stop rc --reason enough")
    ok("tiebreak campaign log rc --check")
    ok("tiebreak estimate rc")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--rate fluency", "has no scale, and study.toml has none of it: write NAME=LOW:HIGH"),
        ("--rate fluency=1-5", "has no scale that can be read"),
        ("--rate fluency=1:5", "say how well means must be known"),
        ("--rate fluency=1:5 --half-width 0.01", "cannot be reached: even if all ratings were alike"),
        ("--rate fluency=1:5 --half-width 0.5 --max-labels 10", "pays for 10 labels; even if all ratings were alike"),
        ("--rate fluency=1:5 --half-width 0.5 --price 0.2 --max-money 2", "budget.max_money = 2.0: pays for 10 labels"),
        ("--rate fluency=1:5 --half-width 0.5 --margin 0.1", "is for comparisons; say ratings.half_width"),
        ("--half-width 0.5", "ratings.half_width: is for campaigns of ratings only: say what is rated (--rate"),
        ("--kind correctness --half-width 0.3", "needs passages"),
    ],
)
def test_refusals(rated: Path, options: str, message: str) -> None:
    assert message in refused(f"{CREATE} {options}", 2)
    assert not (rated / "rc").exists()
