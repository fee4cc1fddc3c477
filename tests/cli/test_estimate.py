"""`tiebreak estimate` at a terminal: what it prints, at every width, as JSON, and where it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len
from tests.estimation.test_estimate import world
from tests.small_studies import rating, study_of, vote
from typer.testing import CliRunner

from tiebreak.cli.commands import app
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError

run = CliRunner()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_study(world(np.random.default_rng(1), items=200, rated=60), tmp_path / "study")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "study"


@pytest.mark.parametrize("width", [42, 60, 80, 120])
def test_what_is_printed_fits(folder: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    found = run.invoke(app, ["estimate", str(folder), "--metric", "bleu"])
    assert found.exit_code == 0, found.output
    assert all(cell_len(line) <= width and line == line.rstrip() for line in found.stdout.splitlines())


def printed(study: Study, *options: str) -> str:
    """What estimate prints of a study, as one line."""
    write_study(study, Path("printed"), overwrite=True)
    found = run.invoke(app, ["estimate", "printed", *options])
    assert found.exit_code == 0, found.output
    return " ".join(found.stdout.split())


def test_what_if_people_had_no_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others save less than the ceiling, the published "perfect metric" more; both are called what they are."""
    monkeypatch.chdir(tmp_path)
    study = world(np.random.default_rng(4), items=200, rated=60, people=3)
    printed(study, "--metric", "bleu", "--all")
    (criterion,) = json.loads(run.invoke(app, ["estimate", "printed", "--metric", "bleu", "--json"]).stdout)["results"]
    of = criterion["all_systems"]
    perfect = of["perfect_metric"]
    assert perfect["leave_one_out"] < of["ceiling"] < perfect["as_in_paper"]


def test_what_only_verdicts_concern_is_no_warning_about_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All differences are ties, and preferences on the same criterion: both matter to compare alone."""
    monkeypatch.chdir(tmp_path)
    rows = [rating(f"i{k}", system, "ann", 3) for k in range(40) for system in ("ant", "bee")]
    votes = [vote(f"i{k}", "ant", "bee", "bo", "a", criterion="overall") for k in range(40)]
    text = printed(study_of(votes, ratings=rows))
    assert "tie" not in text.replace("tiebreak", "")


def test_json_has_the_figures_and_nulls(folder: Path) -> None:
    found = run.invoke(app, ["estimate", str(folder), "--metric", "bleu", "--json"])
    document = json.loads(found.stdout, parse_constant=lambda name: pytest.fail(name))
    (criterion,) = document["results"]
    ant, bee = criterion["systems"]
    assert (ant["system"], ant["outputs"], ant["ratings"], ant["pool"]) == ("ant", 60, 120, 200)
    for one in (ant, bee):
        assert one["mean"]["low"] < one["mean"]["estimate"] < one["mean"]["high"]
        assert one["control_variates"]["metrics"] == ["bleu"]
        assert one["efficiency"]["estimate"] > 1
        assert one["gamma"] == pytest.approx(one["sigma_a2"] / one["sigma_f2"])
        assert 0 < one["rho"] <= 1
    (difference,) = criterion["differences"]
    assert (difference["system_a"], difference["system_b"], difference["items"]) == ("ant", "bee", 60)
    bare = json.loads(run.invoke(app, ["estimate", str(folder), "--json"]).stdout)["results"][0]["systems"][0]
    assert (bare["control_variates"], bare["rho"], bare["efficiency"]["estimate"]) == (None, None, None)


def test_a_watched_study_needs_own_analysis(folder: Path) -> None:
    assert run.invoke(app, ["watch", str(folder)]).exit_code == 0
    refused = run.invoke(app, ["estimate", str(folder)])
    assert isinstance(refused.exception, UsageError)
    taken = run.invoke(app, ["estimate", str(folder), "--own-analysis", "--json"])
    assert json.loads(taken.stdout)["own_analysis"]


def test_the_table_for_the_paper(folder: Path) -> None:
    for ending in ("csv", "md", "tex"):
        found = run.invoke(app, ["estimate", str(folder), "--metric", "bleu", "--out", f"means.{ending}"])
        assert found.exit_code == 0, found.output
    sentence = (
        "From 240 human ratings from 1 to 5 on overall (60 items per system) we estimated each system's mean rating on "
        "inputs like these with bleu as control variate; each interval by itself holds with about 95% for one look"
    )
    rows = Path("means.csv").read_text().splitlines()
    assert rows[0] == "criterion,system,items,ratings,estimate,low,high"
    assert [row.split(",")[1] for row in rows[1:]] == ["ant", "bee"]
    assert sentence in Path("means.md").read_text()
    tex = Path("means.tex").read_text()
    assert r"\begin{tabular}{lrrrr}" in tex
    assert f"% {sentence}" in tex
    assert sentence in " ".join(run.invoke(app, ["estimate", str(folder), "--metric", "bleu", "--all"]).stdout.split())
    refused = run.invoke(app, ["estimate", str(folder), "--out", "means.docx"])
    assert isinstance(refused.exception, UsageError)
