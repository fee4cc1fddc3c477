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
<<<<<<< ours
    flat = " ".join(found.stdout.split())
    assert "overall: 2 systems, 240 ratings" in flat
    assert "(ratings from 1 to 5)" in flat
    assert "of the ratings; an output has 2 of them." in flat
    assert "no metric could save more than" in flat
    assert "Intervals: hold with about 95%, each by itself, for one look" in flat
=======
>>>>>>> theirs


def printed(study: Study, *options: str) -> str:
    """What estimate prints of a study, as one line."""
    write_study(study, Path("printed"), overwrite=True)
    found = run.invoke(app, ["estimate", "printed", *options])
    assert found.exit_code == 0, found.output
    return " ".join(found.stdout.split())


<<<<<<< ours
def in_clusters(study: Study, count: int) -> Study:
    tables = {name: frame.to_dicts() for name, frame in study.tables.items() if name != "items"}
    names = sorted({row["item"] for row in tables["outputs"]})
    items = [{"item": item, "cluster": f"d{k % count}"} for k, item in enumerate(names)]
    return study_of(items=items, settings=study.settings, **tables)  # type: ignore[arg-type]


def test_why_a_metric_was_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    few = world(np.random.default_rng(1), items=100, rated=6)
    assert "bleu did not help: too few rated items (8 are needed)." in printed(few, "--metric", "bleu")
    clustered = in_clusters(world(np.random.default_rng(1), items=100, rated=60), 5)
    assert "bleu did not help: too few rated clusters (8 are needed)." in printed(clustered, "--metric", "bleu")
    useless = world(np.random.default_rng(1), items=100, rated=60, noise=1e6)
    assert "bleu did not help: the ratings show no sign that it predicts them." in printed(useless, "--metric", "bleu")


def test_gamma_of_hardly_any_outputs_limits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [rating(item, "ant", who, value) for item, who, value in
            (("i0", "ann", 1), ("i0", "bo", 2), ("i1", "ann", 4), ("i1", "bo", 5))]  # fmt: skip
    text = printed(study_of(ratings=rows))
    assert "(gamma 0.12). That is of 2 outputs, which is too few to rely on it." in text
    assert "no metric could save" not in text


def test_differences_say_whether_metrics_made_them_and_how_many_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    systems = tuple(f"s{k}" for k in range(9))
    many = world(np.random.default_rng(1), items=100, rated=40, systems=systems, means=[3.0] * 9)
    assert "Difference Mean Interval Items" in printed(many)
    text = printed(many, "--metric", "bleu")
    assert "Difference With metrics Interval Items" in text
    assert "Of 36 such intervals about 2 miss by chance: verdicts come from compare." in text


=======
>>>>>>> theirs
def test_what_if_people_had_no_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others save less than the ceiling, the published "perfect metric" more; both are called what they are."""
    monkeypatch.chdir(tmp_path)
    study = world(np.random.default_rng(4), items=200, rated=60, people=3)
    printed(study, "--metric", "bleu", "--all")
    (criterion,) = json.loads(run.invoke(app, ["estimate", "printed", "--metric", "bleu", "--json"]).stdout)["results"]
    of = criterion["all_systems"]
<<<<<<< ours
    noiseless, perfect = of["metrics"][0]["noiseless"], of["perfect_metric"]
    shares = [f"{1 - 1 / of:.0%}" for of in (noiseless, perfect["leave_one_out"], perfect["as_in_paper"])]
    assert f"If people had no noise, bleu would save {shares[0]}." in text
    assert f"as a metric, would save {shares[1]}. The" in text
    assert f"which contains the rating itself, seems to save {shares[2]}." in text
=======
    perfect = of["perfect_metric"]
>>>>>>> theirs
    assert perfect["leave_one_out"] < of["ceiling"] < perfect["as_in_paper"]
    assert "If people had no noise" not in printed(study, "--metric", "bleu")


def test_what_only_verdicts_concern_is_no_warning_about_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All differences are ties, and preferences on the same criterion: both matter to compare alone."""
    monkeypatch.chdir(tmp_path)
    rows = [rating(f"i{k}", system, "ann", 3) for k in range(40) for system in ("ant", "bee")]
    votes = [vote(f"i{k}", "ant", "bee", "bo", "a", criterion="overall") for k in range(40)]
    text = printed(study_of(votes, ratings=rows))
    assert "tie" not in text.replace("tiebreak", "")
    assert "only the preferences count" not in text


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


<<<<<<< ours
def test_where_a_metric_cannot_help_it_says_so(tmp_path: Path) -> None:
    write_study(world(np.random.default_rng(2)), tmp_path / "whole")
    text = " ".join(run.invoke(app, ["estimate", str(tmp_path / "whole"), "--metric", "bleu"]).stdout.split())
    assert "bleu cannot help: every output with a score is rated" in text
    assert "saved" not in text


def test_without_a_scale_or_repeated_ratings(tmp_path: Path) -> None:
    rows = [rating(f"i{k}", system, "ann", k % 4 + 1) for k in range(12) for system in ("ant", "bee")]
    write_study(study_of(ratings=rows), tmp_path / "bare")
    text = " ".join(run.invoke(app, ["estimate", str(tmp_path / "bare")]).stdout.split())
    assert "no scale in study.toml" in text
    assert "What ratings vary by is not known: no output was rated by two people" in text
    assert "Metric" not in text


=======
>>>>>>> theirs
def test_a_watched_study_needs_own_analysis(folder: Path) -> None:
    assert run.invoke(app, ["watch", str(folder)]).exit_code == 0
    refused = run.invoke(app, ["estimate", str(folder)])
    assert isinstance(refused.exception, UsageError)
    taken = run.invoke(app, ["estimate", str(folder), "--own-analysis", "--json"])
<<<<<<< ours
    assert "chosen by looking" in json.loads(taken.stdout)["own_analysis"]
=======
    assert json.loads(taken.stdout)["own_analysis"]
>>>>>>> theirs


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
    assert sentence in " ".join(run.invoke(app, ["estimate", str(folder), "--metric", "bleu"]).stdout.split())
    refused = run.invoke(app, ["estimate", str(folder), "--out", "means.docx"])
<<<<<<< ours
    assert "must end in .csv, .tex, .md or .html" in str(refused.exception)


def test_few_clusters_and_where_to_say_a_scale(tmp_path: Path) -> None:
    rows = [rating(f"i{k}", "ant", "ann", float(k % 4 + 1)) for k in range(40)]
    for name, clusters in (("few", 4), ("many", 8)):
        items = [{"item": f"i{k}", "cluster": f"d{k % clusters}"} for k in range(40)]
        write_study(study_of(ratings=rows, items=items), tmp_path / name)
    few, many = (
        " ".join(run.invoke(app, ["estimate", str(tmp_path / name)]).stdout.split()) for name in ("few", "many")
    )
    assert 'no scale in study.toml, such as [scale] "overall" = [1, 5]' in few
    assert "Items are in 4 clusters, each one unit of evidence: too few" in few
    assert "too few to tell" not in many
    assert "Clusters: the items of a system are in 8 clusters; each is one unit of evidence." in many
    assert "(40 items in 8 clusters per system, one unit of evidence per cluster)" in many


def test_the_people_behind_means_are_all_who_rated(tmp_path: Path) -> None:
    """Ann rated one system and bo the other: nothing compares them, and yet both are behind the means."""
    raters = (("ant", "ann"), ("bee", "bo"))
    rows = [rating(f"i{k}", system, who, k % 4 + 1) for k in range(40) for system, who in raters]
    rows += [rating(f"i{k}", "bee", "ann", 3.0) for k in range(25)]
    write_study(study_of(ratings=rows), tmp_path / "study")
    text = " ".join(run.invoke(app, ["estimate", str(tmp_path / "study")]).stdout.split())
    assert "All 105 ratings come from two annotators (ann and bo). Means are about few people's taste" in text
=======
    assert isinstance(refused.exception, UsageError)
>>>>>>> theirs
