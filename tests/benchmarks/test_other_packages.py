"""The comparison with other packages: without them, what is asked and counted, and the page."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from benchmarks.other_packages import worker
from benchmarks.other_packages.asked import PACKAGES, Answers, Labels, Package, Said, by_tiebreak, package
from benchmarks.other_packages.measured import Measured, Rate, measure
from benchmarks.other_packages.page import page
from benchmarks.other_packages.real import RealRow, real_rows
from benchmarks.other_packages.worlds import WORLDS, World, as_preferences, in_clusters, outcomes, preferences

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "other_packages.py"
SAVED = Path(__file__).parents[2] / "docs" / "other_packages.md"


# ---- without the packages --------------------------------------------------------------------------------------------


def test_a_package_that_is_not_there_is_skipped_with_the_reason(tmp_path: Path) -> None:
    for name in PACKAGES:
        found = package(name, Path(sys.executable), tmp_path)
        assert isinstance(found, str)
        assert found.startswith(f"{name} skipped: No module named")
        assert "--python PATH" in found


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = package("truescore", tmp_path / "python", tmp_path)
    assert isinstance(found, str)
    assert f"{tmp_path / 'python'} does not run" in found


def test_nothing_is_saved_without_both(tmp_path: Path) -> None:
    before = SAVED.read_bytes()
    command = [sys.executable, str(SCRIPT), "--write", "--cache", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stderr.splitlines()[:2]] == [f"{name} skipped" for name in PACKAGES]
    assert "nothing is saved" in done.stderr
    assert SAVED.read_bytes() == before


def test_real_studies_that_are_not_there_are_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert real_rows(tmp_path, [], 1, 1.0) == []
    assert "pandalm skipped: not in" in capsys.readouterr().err


# ---- what is asked ---------------------------------------------------------------------------------------------------


def a_package(folder: Path) -> Package:
    return Package("truescore", "0", Path(sys.executable), folder)


def test_answers_are_kept_and_a_longer_run_takes_up_a_shorter_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def worked(_: Path, task: str) -> str:
        studies = json.loads(task)["studies"]
        asked.append(len(studies))
        return json.dumps(
            {"version": "0", "studies": [{"pairs": [[0.1, -0.1, 0.3, 0.04]], "method": "m"}] * len(studies)}
        )

    monkeypatch.setattr("benchmarks.other_packages.asked._worked", worked)
    studies = [Labels(np.array([[1.0, 0.0], [k / 300, np.nan]])) for k in range(250)]
    first = a_package(tmp_path).ask(studies[:200])
    again = a_package(tmp_path).ask(studies)
    assert asked == [100, 100, 50]
    assert first.studies == again.studies[:200]
    assert again.methods == ("m",)
    assert again.studies[0] == (Said(-0.1, 0.3, 1, 0.04),)
    assert again.studies[0][0].by_interval == 0


def test_the_worker_takes_mcnemar_or_the_bootstrap_and_holm_for_several_pairs() -> None:
    def found(method: str) -> SimpleNamespace:
        return SimpleNamespace(difference=0.1, low=0.0, high=0.2, p_value=0.03, method=method)

    def bootstrap(_a: object, _b: object, clusters: object = None) -> SimpleNamespace:
        of_clusters = "cluster bootstrap (percentile, 20 clusters)"
        return found(of_clusters if clusters else "paired bootstrap (percentile)")

    fake = SimpleNamespace(
        mcnemar=lambda _a, _b: found("mcnemar (mid-p)"),
        paired_bootstrap=bootstrap,
        holm=lambda p: [3 * x for x in p],
    )
    two = {"scores": [[1.0, 0.0], [0.0, 0.0]], "clusters": None, "range": None}
    assert worker.by_truescore(fake, two) == {"pairs": [[0.1, 0.0, 0.2, 0.03]], "method": "mcnemar (mid-p)"}
    means = two | {"scores": [[1.0, 0.5], [0.0, 0.5]]}
    assert worker.by_truescore(fake, means)["method"] == "paired bootstrap (percentile)"
    assert worker.by_truescore(fake, means | {"clusters": [1, 2]})["method"] == "cluster bootstrap (percentile)"
    three = worker.by_truescore(fake, two | {"scores": [[1.0], [0.0], [0.0]]})
    assert [pair[3] for pair in three["pairs"]] == pytest.approx([0.09] * 3)
    assert three["method"] == "mcnemar (mid-p); p: Holm"
    assert worker.turned([0.1, -0.1, 0.3, 0.04]) == [-0.1, -0.3, 0.1, 0.04]


@pytest.mark.parametrize("clustered", [False, True])
def test_tiebreak_says_what_compare_says(clustered: bool) -> None:
    rng = np.random.default_rng(3)
    labels = in_clusters(rng, 0.3) if clustered else preferences(60, 0.3)(rng, 0.2)
    values = labels.scores[0] - labels.scores[1]
    items = [f"i{k}" for k in range(values.size)]
    words = {1.0: "a", 0.0: "tie", -1.0: "b"}
    table = pl.DataFrame({"item": items, "outcome": [words[value] for value in values]}).with_columns(
        system_a=pl.lit("one"), system_b=pl.lit("two"), annotator=pl.lit("somebody")
    )
    clusters = labels.clusters if labels.clusters is not None else np.arange(values.size)
    about = pl.DataFrame({"item": items, "cluster": [f"c{k}" for k in clusters]})
    study = Study.from_tables(items=about, preferences=table)
    (pair,) = compare(study, target="inputs").results[0].pairs
    ((said,),) = (found for found in by_tiebreak([labels]).studies if found is not None)
    assert (pair.difference.low, pair.difference.high) == pytest.approx((said.low, said.high))
    assert {"a": 1, "b": -1}.get(pair.verdict, 0) == said.by_p == said.by_interval


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_worlds_have_the_difference_that_they_say(world: World) -> None:
    rng = np.random.default_rng(5)
    for difference in {0.0, world.difference or 0.0}:
        found = [world.draw(rng, difference) for _ in range(400)]
        assert all(labels.scores.shape[0] == world.systems for labels in found)
        means = np.array(
            [[(a - b).mean() for a, b in combinations(labels.scores, 2)] for labels in found], dtype=np.float64
        )
        error = means.std(axis=0) / 20
        assert (np.abs(means.mean(axis=0) - world.truth(difference)) < 4.5 * error + 1e-12).all()


def test_worlds_with_the_same_key_hold_the_same_outcomes() -> None:
    first, second = (world for world in WORLDS if world.key == 2)
    for k in range(20):
        one, other = (world.draw(np.random.default_rng([1, 2, k]), 0.25).scores for world in (first, second))
        assert (one[0] - one[1] == other[0] - other[1]).all()


def test_preferences_as_scores() -> None:
    assert as_preferences(np.array([1.0, 0.0, -1.0])).tolist() == [[1.0, 0.5, 0.0], [0.0, 0.5, 1.0]]
    values = outcomes(np.random.default_rng(1), 100_000, 0.3, 0.25)
    assert values.mean() == pytest.approx(0.25, abs=0.01)
    assert (values == 0).mean() == pytest.approx(0.3, abs=0.01)


# ---- what is counted, and the page -----------------------------------------------------------------------------------


def test_what_is_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Four studies without a difference, of which one is decided by both, one by p alone and one is refused; two with
    # one: found by both, and not found, with an interval that does not hold .2.
    equal = Answers(((Said(0.1, 0.3, 1, 0.01),), (Said(-0.1, 0.3, 1, 0.04),), None, (Said(-0.2, 0.2, 0, 0.5),)), ("m",))
    better = Answers(((Said(0.1, 0.5, 1, 0.01),), (Said(-0.3, 0.1, 0, 0.3),)), ("m",))
    monkeypatch.setattr(Package, "ask", lambda _, studies: equal if len(studies) == 4 else better)
    world = World("a world", preferences(20, 0.3), 0.2, 9, runs=(4, 2))
    ours, found = measure(world, [a_package(tmp_path)], 1, 1.0)
    assert (ours.name, ours.contradictions, ours.refused) == ("tiebreak", Rate(0.0, 6, 0.0), 0)
    shares = [found.wrong_by_p, found.wrong_by_interval, found.missed, found.power_by_p, found.contradictions]
    assert [rate.share for rate in shares] == pytest.approx([2 / 3, 1 / 3, 2 / 5, 0.5, 0.2])
    assert [rate.runs for rate in shares] == [3, 3, 5, 2, 5]
    assert found.wrong_by_p.error == pytest.approx((2 / 3 * 1 / 3 / 3) ** 0.5)
    assert found.power_by_interval == found.power_by_p
    assert found.width == pytest.approx(0.4)
    assert (found.refused, found.methods) == (1, ("m",))


def test_the_page_says_what_is_too_high_not_claimed_and_not_there(tmp_path: Path) -> None:
    high, fine, none = Rate(0.2, 900, 0.0133), Rate(0.06, 900, 0.0079), Rate.of([])
    world = World("a world", preferences(20, 0.3), 0.2, 9, unclaimed=(("truescore", "such things"),))
    theirs = Measured("truescore", ("m",), high, fine, fine, 0.31, Rate(0.9, 300, 0.0173), none, none, 2)
    text = page(
        [(world, [theirs])],
        [a_package(tmp_path)],
        [RealRow("a study", 10, {"tiebreak": (6, 6), "truescore": (7, None)})],
        "the command",
        1.0,
    )
    assert "the command" in text
    assert "Not at hand: evalstats." in text
    assert "Not claimed by truescore: such things." in text
    assert (
        "| truescore (see above) | m; refused 2 studies | **20.0% ± 1.3** | 6.0% ± 0.8 | 6.0% ± 0.8 | 0.310 | "
        "(90.0% ± 1.7) | - | - |" in text
    )
    assert "| a study | 10 | 6 / 6 | 7 / - |" in text
    assert "The real studies were not at hand." in page([], [], [], "c", 1.0)


def test_the_saved_page_has_all_worlds_and_both_packages() -> None:
    text = SAVED.read_text(encoding="utf-8")
    assert all(f"### {world.name}\n" in text for world in WORLDS)
    assert all(f"\n| {name}" in text for name in PACKAGES)
    assert "Not at hand" not in text
    assert "not at hand" not in text
    assert text.count("\n| tiebreak | rule `fixed` | ") == len(WORLDS)
