"""`tiebreak rank` at a terminal: what it prints, at every width, as JSON, in files, and where it refuses."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import pytest
from tests.ranking.ranked_studies import judged, played
from typer.testing import CliRunner

from tiebreak.cli.commands import app
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError

run = CliRunner()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_study(judged(judge_likes_dog=4.0), tmp_path / "study")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "study"


@pytest.mark.parametrize("everything", [False, True])
def test_what_ratings_rest_on_is_shown_with_all(
    folder: Path, everything: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    text = run.invoke(app, ["rank", str(folder), *(["--all"] if everything else [])]).stdout
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert any(line.startswith("Place System Rating") for line in lines)
    assert any(line.endswith(" 180 3 2") for line in lines) == everything


def test_json(folder: Path) -> None:
    found = run.invoke(app, ["rank", str(folder), "--anchor", "cat", "--anchor-rating", "0", "--json"])
    assert found.exit_code == 0, found.output
    (criterion,) = json.loads(found.stdout, parse_constant=lambda name: pytest.fail(name))["results"]
    cat = next(one for one in criterion["davidson"]["systems"] if one["system"] == "cat")
    assert (cat["rating"], cat["low"], cat["high"]) == (0, 0, 0)
    assert criterion["davidson"]["references"] == [{"rating": 0.0, "anchor": "cat", "systems": ["cat"]}]
    assert criterion["glicko2"] is None
    (criterion,) = json.loads(run.invoke(app, ["rank", str(folder), "--glicko2", "paper", "--json"]).stdout)["results"]
    assert criterion["glicko2"]["converged"] is True


def test_files(folder: Path) -> None:
    for ending in ("csv", "md", "tex", "html"):
        option = "--report" if ending == "html" else "--out"
        found = run.invoke(app, ["rank", str(folder), option, f"board.{ending}"])
        assert found.exit_code == 0, found.output
        assert f"Wrote board.{ending}" in found.stderr
    with open("board.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["system"] for row in rows] == ["ant", "bee", "cat", "dog"]
    assert float(rows[0]["low"]) < float(rows[0]["rating"]) < float(rows[0]["high"])
    sentence = "From 360 comparisons by people on overall we rated 4 systems by Davidson's model"
    markdown = Path("board.md").read_text()
    assert "| Place" in markdown
    assert sentence in markdown
    tex = Path("board.tex").read_text()
    assert r"\begin{tabular}{rlrrrr}" in tex
    assert f"% {sentence}" in tex
    page = Path("board.html").read_text()
    assert "Win rates" in page
    for arguments in (["--out", "board.docx"], ["--report", "board.pdf"], ["--out", "study/board.csv"]):
        assert isinstance(run.invoke(app, ["rank", str(folder), *arguments]).exception, UsageError)


def test_many_systems_are_cut_and_all_shows_all(tmp_path: Path) -> None:
    names = [f"M{k:02d}" for k in range(25)]
    pairs = dict.fromkeys(pairwise(names), "wlwt")
    write_study(played(pairs), tmp_path / "many")
    assert "M24" not in run.invoke(app, ["rank", str(tmp_path / "many"), "--max-games", "100"]).stdout
    assert "M24" in run.invoke(app, ["rank", str(tmp_path / "many"), "--max-games", "100", "--all"]).stdout


def test_a_watched_study_needs_own_analysis(folder: Path) -> None:
    assert run.invoke(app, ["watch", str(folder), "--items-per-pair", "100"]).exit_code == 0
    refused = run.invoke(app, ["rank", str(folder)])
    assert isinstance(refused.exception, UsageError)
    assert "--own-analysis" in str(refused.exception)
    taken = run.invoke(app, ["rank", str(folder), "--own-analysis", "--json"])
    assert json.loads(taken.stdout)["own_analysis"]


@pytest.mark.parametrize("kind", ["leaderboard", "win-rates"])
def test_pictures(folder: Path, kind: str) -> None:
    found = run.invoke(app, ["plot", kind, str(folder), "-o", f"{kind}.svg"])
    assert found.exit_code == 0, found.output
    assert Path(f"{kind}.svg").read_text().count("<svg") == 1
    refused = run.invoke(app, ["plot", kind, str(folder), "--margin", "0.1", "-o", f"{kind}.svg"])
    assert isinstance(refused.exception, UsageError)


def test_pictures_by_the_options_of_rank(folder: Path) -> None:
    def drawn(name: str, *options: str) -> str:
        found = run.invoke(app, ["plot", "leaderboard", str(folder), "-o", name, *options])
        assert found.exit_code == 0, found.output
        return Path(name).read_text()

    plain = drawn("plain.svg")
    assert drawn("same.svg", "--anchor-rating", "1500") == plain
    for options in (["--anchor", "cat"], ["--anchor-rating", "0"], ["--source", "judges"], ["--left-advantage"]):
        assert drawn("other.svg", *options) != plain
    refused = run.invoke(app, ["plot", "matrix", str(folder), "-o", "x.svg", "--anchor", "cat", "--source", "judges"])
    assert isinstance(refused.exception, UsageError)
