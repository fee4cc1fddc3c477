"""Which way a metric is better goes into study.toml, and nothing else in it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiebreak.data.problems import ProblemLog
from tiebreak.data.settings import read_settings
from tiebreak.data.writers import add_directions
from tiebreak.errors import InputError, TiebreakError


def directions(folder: Path) -> dict[str, bool]:
    log = ProblemLog()
    found = read_settings((folder / "study.toml").read_bytes(), "study.toml", log)
    log.raise_if_any()
    return dict(found.higher_is_better)


@pytest.mark.parametrize(
    "text",
    [
        "",
        'title = "A # study"\n',
        'title = "A"  # why\n[scale]\nfluency = [1, 5]',
        "[higher_is_better]\n",
        "[ higher_is_better ] # of metrics\n",
        "title = 'x'\r\n[higher_is_better]\r\nold = false\r\n[scale]\r\nc = [1, 2]\r\n",
        '[systems."a"]\nstep = 1\ntotal_steps = 2\nrun = "r"\n\n# last words\n',
    ],
)
def test_all_else_stays(tmp_path: Path, text: str) -> None:
    if text:
        (tmp_path / "study.toml").write_bytes(text.encode())
    before = directions(tmp_path) if text else {}
    add_directions(tmp_path, {"ter": False, 'odd "name".x': True})
    assert directions(tmp_path) == {**before, "ter": False, 'odd "name".x': True}
    lines = (tmp_path / "study.toml").read_text(encoding="utf-8").splitlines()
    assert [line for line in text.splitlines() if line] == [
        line for line in lines if line in text.splitlines() and line
    ]


def test_what_the_study_says_stands(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("[higher_is_better]\nter = true\n")
    before = (tmp_path / "study.toml").stat().st_mtime_ns
    add_directions(tmp_path, {"ter": False})
    assert directions(tmp_path) == {"ter": True}
    assert (tmp_path / "study.toml").stat().st_mtime_ns == before


def test_nothing_to_say_makes_no_file(tmp_path: Path) -> None:
    add_directions(tmp_path, {})
    assert not (tmp_path / "study.toml").exists()


@pytest.mark.parametrize("text", ["higher_is_better = { bleu = true }\n", "higher_is_better.bleu = true\n"])
def test_where_nothing_can_be_added_the_error_says_what_to_write(tmp_path: Path, text: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(TiebreakError, match=r"not a table of its own; write there:\nter = false"):
        add_directions(tmp_path, {"ter": False})
    assert (tmp_path / "study.toml").read_text() == text


def test_a_damaged_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("title = \n")
    with pytest.raises(InputError, match="invalid TOML"):
        add_directions(tmp_path, {"ter": False})
