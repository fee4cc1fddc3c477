"""The ledger on disk: killed, raced, damaged."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from tests.watching.watched import Row, labels, outputs

from tiebreak.data.readers import read_study
from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.store import SqliteStore
from tiebreak.watching.folder import LEDGER_FILE, is_watched, read_ledger, take_look

AT = "2026-01-01T00:00:00Z"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """With three looks at it: of none, two and three items with a label."""
    folder = tmp_path / "study"
    folder.mkdir()
    pl.DataFrame(outputs(9)).write_csv(folder / "outputs.csv")
    look(folder)
    look(folder, labels("ww"))
    look(folder, labels("wwl"))
    return folder


def look(folder: Path, rows: list[Row] | None = None, **asked: object) -> bool:
    if rows is not None:
        pl.DataFrame(rows).write_csv(folder / "preferences.csv")
    return take_look(folder, read_study(folder), asked, at=AT, seed="5eed")


def test_looks_are_kept(study: Path) -> None:
    kept = read_ledger(study)
    assert kept.ledger is not None
    assert (kept.ledger.looks, kept.ledger.labels) == (3, 3)
    assert not look(study)
    assert read_ledger(study).looks == 3


def test_other_terms_are_refused_with_both_values(study: Path) -> None:
    before = (study / LEDGER_FILE).read_bytes()
    with pytest.raises(UsageError, match=r"--alpha 0.1 \(the first look fixed 0.05\)"):
        look(study, labels("wwlw"), alpha=0.1)
    assert (study / LEDGER_FILE).read_bytes() == before
    assert look(study, labels("wwlw"), alpha=0.05, target="inputs")


def test_what_is_refused_begins_no_ledger(tmp_path: Path) -> None:
    pl.DataFrame(outputs(3, systems=["ant"])).write_csv(tmp_path / "outputs.csv")
    with pytest.raises(InputError, match="no two systems"):
        look(tmp_path)
    assert not is_watched(tmp_path)


SWAPPED = """replace(event, '"outcome":[1,1]', '"outcome":[-1,-1]')"""
DAMAGE = {
    f"UPDATE tiebreak_events SET event = {SWAPPED}": "event 2 is not the one that was written there",
    "DELETE FROM tiebreak_events WHERE number = 3": "the last event is missing",
    "DELETE FROM tiebreak_events WHERE number = 2": "event 2 is missing",
    "DELETE FROM tiebreak_heads": "the head of the log is missing",
}


@pytest.mark.parametrize(("damage", "words"), DAMAGE.items())
def test_a_damaged_ledger_is_refused_and_stays_as_it_is(study: Path, damage: str, words: str) -> None:
    ledger = sqlite3.connect(study / LEDGER_FILE, isolation_level=None)
    ledger.execute(damage)
    ledger.close()
    left = (study / LEDGER_FILE).read_bytes()
    for _ in range(2):
        with pytest.raises(InputError, match=words):
            look(study, labels("wwlwww"))
    assert (study / LEDGER_FILE).read_bytes() == left


def test_random_damage_is_refused_or_does_nothing(study: Path) -> None:
    """Bytes changed, cut out, put in and moved: never another verdict, and never a traceback."""
    ledger, rng = study / LEDGER_FILE, random.Random(5)
    whole = ledger.read_bytes()
    known = read_ledger(study).ledger
    refused = 0
    for _ in range(300):
        place, length = rng.randrange(len(whole)), rng.randrange(1, 40)
        data = {
            "change": whole[:place] + bytes(rng.randrange(256) for _ in range(length)) + whole[place + length :],
            "cut": whole[:place] + whole[place + length :],
            "insert": whole[:place] + whole[:length] + whole[place:],
        }[rng.choice(["change", "cut", "insert"])]
        ledger.write_bytes(data)
        try:
            found = read_ledger(study).ledger
        except InputError:
            refused += 1
            continue
        assert found is not None
        assert known is not None
        assert found.tables["preferences"].equals(known.tables["preferences"])
    assert refused > 150  # the others fell on what the file does not use


def test_what_is_sealed_but_no_look_is_named(study: Path) -> None:
    store = SqliteStore(study / LEDGER_FILE)
    store.append([{"type": "look", "at": AT}], expected_length=len(store.read()))
    with pytest.raises(InputError, match=r"looks.sqlite: look 4: this is no look that tiebreak watch wrote"):
        read_ledger(study)


KILLED = """
import os, sys
from pathlib import Path
from tiebreak.data.readers import read_study
from tiebreak.watching.folder import take_look

def look(folder, after):
    data = read_study(folder)
    calls = 0
    def counted(name):
        known = getattr(os, name)
        def call(*args, **kwargs):
            nonlocal calls
            calls += 1
            if calls == after:
                os._exit(9)
            return known(*args, **kwargs)
        setattr(os, name, call)
    for name in ("open", "link", "fsync", "replace", "rename", "close", "fstat", "unlink", "scandir"):
        counted(name)
    take_look(folder, data, {}, at="2026-01-02T00:00:00Z", seed="other")
    os._exit(0)

os.environ["POLARS_MAX_THREADS"] = "1"
for after, folder in enumerate(sys.argv[1:], 1):
    child = os.fork()  # one interpreter for all: starting one takes a second
    if child == 0:
        look(Path(folder), after)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def test_killed_at_any_call_of_the_first_look(tmp_path: Path, study: Path) -> None:
    """The next look finds nothing, or the whole look. (What later looks append is the store's, and tested there.)"""
    pl.DataFrame(labels("wwlw")).write_csv(study / "preferences.csv")
    (study / LEDGER_FILE).unlink()
    folders = [shutil.copytree(study, tmp_path / f"killed-{after}") for after in range(1, 40)]
    ended = subprocess.run([sys.executable, "-c", KILLED, *map(str, folders)], capture_output=True, text=True)
    codes = [int(code) for code in ended.stdout.split()]
    assert len(codes) == len(folders)
    assert codes == sorted(codes, reverse=True)
    assert (codes[0], codes[-1]) == (9, 0)
    before, after = 0, 1
    lengths = set()
    for folder, code in zip(folders, codes, strict=True):
        events = read_ledger(folder).looks if (folder / LEDGER_FILE).exists() else 0
        lengths.add(events)
        assert events in ((after,) if code == 0 else (before, after))
        look(folder)
        ledger = read_ledger(folder).ledger
        assert ledger is not None
        assert (ledger.looks, ledger.labels) == (after, 4)
    assert lengths == {before, after}


def test_looks_at_the_same_time_follow_one_another(tmp_path: Path) -> None:
    pl.DataFrame(outputs(9)).write_csv(tmp_path / "outputs.csv")
    pl.DataFrame(labels("wwl")).write_csv(tmp_path / "preferences.csv")

    def one(number: int) -> bool:
        try:
            return take_look(tmp_path, read_study(tmp_path), {}, at=AT, seed=f"{number:04x}")
        except TiebreakError as error:  # pragma: no cover
            pytest.fail(str(error))

    with ThreadPoolExecutor(6) as pool:
        new = list(pool.map(one, range(6)))
    assert sum(new) == 1
    kept = read_ledger(tmp_path)
    assert kept.ledger is not None
    assert (kept.ledger.looks, kept.ledger.labels) == (1, 3)


def test_a_ledger_can_be_read_without_the_program(study: Path) -> None:
    ledger = sqlite3.connect(study / LEDGER_FILE)
    looks = [json.loads(event) for (event,) in ledger.execute("SELECT event FROM tiebreak_events ORDER BY number")]
    ledger.close()
    assert looks[0]["begun"]["settings"]["alpha"] == 0.05
    assert looks[2]["preferences"]["item"] == ["i2"]
