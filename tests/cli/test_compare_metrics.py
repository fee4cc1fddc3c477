"""`tiebreak compare` with metrics, with judges, and against a saved result."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run
from tests.metric_pairs import outcomes_and_metric, study_with_metric, votes_and_scores
from tests.small_studies import answer, study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study


@pytest.fixture
def with_metric(tmp_path: Path) -> Study:
    """ant against bee on 500 items of which 120 are labelled; metric bleu of correlation .8, judge gpt always right."""
    outcomes, metric = outcomes_and_metric(np.random.default_rng(1), 500, 0.8, 0.2)
    votes, scores = votes_and_scores(outcomes, metric, 120)
    words = {1.0: "a", 0.0: "tie", -1.0: "b"}
    replies = [answer(f"i{k}", "ant", "bee", words[float(value)]) for k, value in enumerate(outcomes)]
    listed = [{"item": f"i{k}"} for k in range(500)]
    study = study_of(votes, scores=scores, judge_preferences=replies, items=listed, name="study")
    write_study(study, tmp_path / "study")
    return read_study(tmp_path / "study")


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--metric", "bleu"], {"metrics": ["bleu"]}),
        (["--judge", "gpt"], {"judges": ["gpt"]}),
        (["--metric", "all", "--judge", "all"], {"metrics": ["all"], "judges": ["all"]}),
        (["--metric", "bleu", "--target", "items"], {"metrics": ["bleu"], "target": "items"}),
        (
            ["--rule", "anytime", "--metric", "bleu", "--items-per-pair", "150"],
            {"rule": "anytime", "metrics": ["bleu"], "items_per_pair": 150},
        ),
        (
            ["--metric", "bleu", "--rule", "posterior", "--metric-tie-threshold", "0.3"],
            {"metrics": ["bleu"], "rule": "posterior", "metric_tie_threshold": 0.3},
        ),
        (
            ["--metric", "bleu", "--rule", "fixed", "--no-human"],
            {"metrics": ["bleu"], "rule": "fixed", "human": False},
        ),
    ],
)
def test_metric_options_reach_the_result(
    run: Run, with_metric: Study, arguments: list[str], options: dict[str, object]
) -> None:
    ran = run("compare", "study", "--json", *arguments)
    assert (ran.code, ran.stderr) == (0, "")
    assert json.loads(ran.stdout) == json.loads(json.dumps(compare(with_metric, **options).to_dict()))  # type: ignore[arg-type]
    assert run("compare", "study", *arguments).code == 0

    # Without it, the advice names the better of the two.


def test_the_posterior_of_few_labels_is_undecided_and_says_why(run: Run, tmp_path: Path) -> None:
    write_study(study_with_metric(2, 60, 9, 0.8, 0.2), tmp_path / "few")
    write_study(study_with_metric(2, 60, 10, 0.8, 0.2), tmp_path / "ten")
    words = " ".join(run("compare", "few", "--metric", "bleu", "--rule", "posterior").stdout.split())
    assert "P(better)" in words
    assert "fewer than 10" not in run("compare", "ten", "--metric", "bleu", "--rule", "posterior").stdout
    document = json.loads(run("compare", "ten", "--metric", "bleu", "--rule", "posterior", "--json").stdout)
    pair = document["results"][0]["pairs"][0]
    for name in ("a", "tie", "b"):
        low, high = pair["p_interval"][name]
        assert 0 <= low < pair["p"][name] < high <= 1


@pytest.mark.usefixtures("with_metric")
def test_against_counts_the_errors_of_a_metric_alone(run: Run) -> None:
    Path("humans.json").write_text(run("compare", "study", "--json").stdout, encoding="utf-8")
    arguments = ["--rule", "fixed", "--metric", "bleu", "--no-human", "--against", "humans.json"]
    ran = run("compare", "study", *arguments)
    assert (ran.code, ran.stderr) == (0, "")
    document = json.loads(run("compare", "study", "--json", *arguments).stdout)
    assert document["against"]
    assert set(document) == {*json.loads(Path("humans.json").read_text(encoding="utf-8")), "against"}
    with_itself = run("compare", "study", "--against", "humans.json")
    assert with_itself.code == 0


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("humans.json", "{", "humans.json"),
        ("humans.json", "[1, 2]", "is not a saved comparison"),
        ("humans.json", '{"tiebreak": "0.1.0"}', "humans.json"),
        ("missing.json", None, "missing.json"),
    ],
)
@pytest.mark.usefixtures("with_metric")
def test_a_bad_file_to_compare_against_exits_1(run: Run, name: str, content: str | None, words: str) -> None:
    if content is not None:
        Path(name).write_text(content, encoding="utf-8")
    for more in ([], ["--json"]):
        ran = run("compare", "study", "--against", name, *more)
        assert (ran.code, ran.stdout) == (1, "")
        assert words in ran.stderr
