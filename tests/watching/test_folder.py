"""The ledger on disk: killed, raced, damaged."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from tests.watching.watched import Row, labels, outputs

from tiebreak.data.readers import read_study
from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.watching.folder import LEDGER_FILE, is_watched, read_ledger, repair, take_look

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
    assert (kept.ledger.looks, kept.ledger.labels, kept.repairs) == (3, 3, ())
    assert not look(study)
    assert read_ledger(study).events == 3


def test_a_clock_that_ran_backwards_is_named_and_moves_nothing(study: Path) -> None:
    assert read_ledger(study).notices == ()
    before = (study / LEDGER_FILE).read_bytes()
    pl.DataFrame(labels("wwlw")).write_csv(study / "preferences.csv")
    for at, seen in (("2025-12-31T23:59:59Z", "wwlw"), ("2026-01-01T00:00:01Z", "wwlwl")):
        pl.DataFrame(labels(seen)).write_csv(study / "preferences.csv")
        take_look(study, read_study(study), {}, at=at, seed="5eed")
    (said,) = read_ledger(study).notices
    assert said.code == "clock-backwards"
    assert said.details == {"events": [4]}
    assert (study / LEDGER_FILE).read_bytes().startswith(before)


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


def swapped(ledger: Path) -> None:
    ledger.write_bytes(ledger.read_bytes().replace(b'"outcome":[1,1]', b'"outcome":[-1,-1]'))


def cut(ledger: Path) -> None:
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))


def moved(ledger: Path) -> None:
    first, second, third = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(first + third + second)


def without_head(ledger: Path) -> None:
    ledger.with_name("looks.jsonl.head").unlink()


def deleted(ledger: Path) -> None:
    ledger.unlink()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (swapped, "line of the log is not the one that the next line was written after"),
        (cut, "one line is lost at its end"),
        (moved, "not as it was written"),
        (without_head, "is missing"),
        (deleted, "no such file; a watched study keeps its looks there"),
    ],
)
def test_a_damaged_ledger_is_refused_and_stays_as_it_is(study: Path, damage: object, words: str) -> None:
    ledger = study / LEDGER_FILE
    damage(ledger)  # type: ignore[operator]
    left = ledger.read_bytes() if ledger.exists() else None
    for _ in range(2):
        with pytest.raises(InputError, match=words) as raised:
            look(study, labels("wwlwww"))
        assert "campaign repair" not in str(raised.value)
    assert (ledger.read_bytes() if ledger.exists() else None) == left


@pytest.mark.parametrize("damage", [without_head, cut])
def test_a_repair_says_so_in_every_result(study: Path, damage: object) -> None:
    damage(study / LEDGER_FILE)  # type: ignore[operator]
    with pytest.raises(UsageError, match="needs a reason"):
        repair(study, at=AT, reason=" ")
    mended = repair(study, at=AT, reason="the disk was full")
    assert mended is not None
    (notice,) = read_ledger(study).notices
    assert notice.code == "log-repaired"
    assert repair(study, at=AT, reason="again") is None
    assert look(study, labels("wwlwww"))


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
    assert refused > 290


def test_what_is_sealed_but_no_look_is_named(study: Path) -> None:
    from tiebreak.store import FileStore

    store = FileStore(study / LEDGER_FILE)
    store.append([{"type": "look", "at": AT}], expected_length=len(store.read()))
    with pytest.raises(InputError, match=r"looks.jsonl, line 4: this is no look that tiebreak watch wrote"):
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
    for name in ("open", "fsync", "replace", "rename", "close", "fstat"):
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


@pytest.mark.parametrize("first", [True, False])
def test_killed_at_any_call_no_look_is_lost_and_the_past_stays(tmp_path: Path, study: Path, first: bool) -> None:
    """Killed in the first look, or in a later one: the next look finds what was there, or the whole look."""
    pl.DataFrame(labels("wwlw")).write_csv(study / "preferences.csv")
    if first:
        for path in study.glob("looks.jsonl*"):
            path.unlink()
    folders = [shutil.copytree(study, tmp_path / f"killed-{after}") for after in range(1, 40)]
    ended = subprocess.run([sys.executable, "-c", KILLED, *map(str, folders)], capture_output=True, text=True)
    codes = [int(code) for code in ended.stdout.split()]
    assert len(codes) == len(folders)
    assert codes == sorted(codes, reverse=True)
    assert (codes[0], codes[-1]) == (9, 0)
    before, after = (0, 1) if first else (3, 4)
    lengths = set()
    for folder, code in zip(folders, codes, strict=True):
        events = read_ledger(folder).events if (folder / LEDGER_FILE).exists() else 0
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
    lines = [json.loads(line) for line in (study / LEDGER_FILE).read_text().splitlines()]
    assert lines[0]["event"]["begun"]["settings"]["alpha"] == 0.05
    assert lines[2]["event"]["preferences"]["item"] == ["i2"]
