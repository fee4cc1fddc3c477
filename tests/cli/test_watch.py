"""`tiebreak watch`, and what other commands say of a watched study."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import polars as pl
import pytest
from tests.cli.test_campaign import ok, refused
from tests.watching.watched import labels, outputs


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With outputs for 60 items, and no label."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    folder = tmp_path / "study"
    folder.mkdir()
    pl.DataFrame(outputs(60)).write_csv(folder / "outputs.csv")
    return folder


def refuses(command: str, words: str, code: int) -> None:
    assert words in refused(command, code)


def write(study: Path, outcomes: str) -> None:
    pl.DataFrame(labels(outcomes)).write_csv(study / "preferences.csv")


def test_from_before_the_first_label_to_the_verdict(study: Path) -> None:
    ok("tiebreak watch study")
    write(study, "wwlwtw")
    second = ok("tiebreak watch study")
    assert "this is look 2" in second
    write(study, "wwlwtw" + "w" * 25)
    third = ok("tiebreak watch study")
    assert "ant is better than bee" in third
    assert "hold at every look" in third
    assert ok("tiebreak watch study --show") == third


def test_every_command_shows_the_last_look(study: Path) -> None:
    write(study, "wwlwtw" + "w" * 25)
    looked = json.loads(ok("tiebreak watch study --json"))
    write(study, "wwlwtw" + "w" * 25 + "llll")
    shown = json.loads(ok("tiebreak compare study --json"))
    assert shown["results"] == looked["results"]
    assert (shown["watch"]["unseen"], looked["watch"]["unseen"]) == (4, 0)
    ok("tiebreak compare study")
    ok("tiebreak report study -o report.html")
    ok("tiebreak plot evidence study -o evidence.svg")


def test_an_own_analysis_says_that_looking_chose_the_labels(study: Path) -> None:
    write(study, "wwlwtw" + "w" * 25)
    refuses("tiebreak compare study --own-analysis", "for a campaign, its export or a watched study", code=2)
    ok("tiebreak watch study")
    refuses("tiebreak compare study --alpha 0.1", "a watched study, whose verdict goes by what its first look", code=2)
    assert json.loads(ok("tiebreak compare study --alpha 0.1 --own-analysis --json"))["own_analysis"]


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--alpha 0.1", "--alpha 0.1 (the first look fixed 0.05)"),
        ("--margin 0.2", "--margin 0.2 (the first look fixed none)"),
        ("--rule fixed", "--rule fixed (the first look fixed anytime)"),
        ("--per-item 3", "--per-item 3 (the first look fixed"),
        ("--show --exclude x", "--show looks at nothing new"),
        ("--close one", "batch"),
        ("--order listed --target items", "the first look fixed"),
    ],
)
def test_what_a_later_look_cannot_change(study: Path, option: str, words: str) -> None:
    write(study, "wwlwtw")
    ok("tiebreak watch study --alpha 0.05")
    before = (study / "looks.sqlite").read_bytes()
    refuses(f"tiebreak watch study {option}", words, code=2)
    assert (study / "looks.sqlite").read_bytes() == before
    ok("tiebreak watch study --alpha 0.05 --order shuffled")


def test_a_listed_order_carries_no_promise(study: Path) -> None:
    write(study, "wwlwtw")
    refuses("tiebreak watch study --order listed --target items", "is no order for a claim about a pool", code=2)
    assert not (study / "looks.sqlite").exists()
    assert "carry no promise" in ok("tiebreak watch study --order listed")


def test_a_ledger_that_somebody_changed(study: Path) -> None:
    write(study, "wwlwtw")
    refuses("tiebreak watch study --show", "nobody has looked yet: tiebreak watch study", code=1)
    ok("tiebreak watch study")
    with sqlite3.connect(study / "looks.sqlite") as ledger:
        ledger.execute("UPDATE tiebreak_events SET event = replace(event, '0.05', '0.06')")
    ledger.close()
    for command in ("watch study", "watch study --show", "compare study", "report study -o r.html"):
        refuses(f"tiebreak {command}", "event 1 is not the one that was written there", code=1)


def test_a_first_look_that_was_only_begun(study: Path) -> None:
    from tiebreak.store import SqliteStore

    SqliteStore.create(study / "looks.sqlite")
    refuses("tiebreak compare study", "nobody has looked yet: tiebreak watch", code=1)
    ok("tiebreak watch study")


@pytest.mark.usefixtures("study")
def test_campaigns_in_a_listed_order() -> None:
    create = "tiebreak campaign create study -o camp --order listed"
    refuses(f"{create} --target items", "is no order for a claim about a pool", code=2)
    assert not Path("camp").exists()
    ok(create)
    assert "carry no promise" in ok("tiebreak compare camp")
