"""The sentence that names the metric which would have saved the most labels."""

from __future__ import annotations

import numpy as np
import pytest
from tests.metric_pairs import outcomes_and_metric, votes_and_scores, with_correlation
from tests.small_studies import Row, answer, study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study


def hints(study: Study, **options: object) -> list[str]:
    """Pieces of advice that name a metric or a judge."""
    result = compare(study, **options)  # type: ignore[arg-type]
    return [text for found in result.results for text in found.advice if "would save" in text]


def parts(seed: int = 0, labelled: int = 100, difference: float = 0.0) -> tuple[list[Row], list[Row], np.ndarray]:
    """Votes on some of 500 items; scores of good (correlation .8) and of poor (.45)."""
    rng = np.random.default_rng(seed)
    outcomes, good = outcomes_and_metric(rng, 500, 0.8, difference)
    poor = with_correlation(rng, outcomes, 0.45, np.sqrt(0.7))
    votes, scores = votes_and_scores(outcomes, good, labelled, name="good one")
    return votes, scores + votes_and_scores(outcomes, poor, labelled, name="poor")[1], outcomes


@pytest.mark.parametrize("rule", ["fixed", "anytime"])
def test_the_best_metric_is_named_with_what_it_saves(rule: str) -> None:
    votes, scores, _ = parts()
    (text,) = hints(study_of(votes, scores=scores), rule=rule)
    assert text.startswith("--metric 'good one' would save about ")
    # .64 of the variance, times 1 - 100/500: about 51% of the labels.
    assert int(text.split("about ")[1].split("%")[0]) == pytest.approx(51, abs=12)
    (second,) = hints(study_of(votes, scores=[row for row in scores if row["metric"] == "poor"]), rule=rule)
    assert second.startswith("--metric 'poor' would save about ")


def test_a_better_judge_is_named_as_a_judge() -> None:
    votes, scores, outcomes = parts()
    words = {1.0: "a", 0.0: "tie", -1.0: "b"}
    replies = [answer(f"i{k}", "ant", "bee", words[float(value)]) for k, value in enumerate(outcomes)]
    (text,) = hints(study_of(votes, scores=scores, judge_preferences=replies))
    assert text.startswith("--judge 'gpt' would save about 80% ")  # always right, on four fifths of the items


def silent(
    case: str,
) -> tuple[Study, dict[str, object]]:
    votes, scores, _ = parts(difference=0.6 if case == "decided" else 0.0)
    if case == "no item without a label":
        labelled = {row["item"] for row in votes}
        scores = [row for row in scores if row["item"] in labelled]
    if case == "no score of other items":
        labelled = {row["item"] for row in votes}
        items = [{"item": f"i{k}"} for k in range(500)]
        return study_of(votes, scores=[row for row in scores if row["item"] in labelled], items=items), {}
    if case == "clusters":
        return study_of(
            votes, scores=scores, items=[{"item": f"i{k}", "cluster": f"c{k // 2}"} for k in range(500)]
        ), {}
    if case == "useless":
        rng = np.random.default_rng(1)
        scores = [{**row, "value": float(rng.normal())} for row in scores]
    if case == "few labels":
        votes = votes[:9]
    options: dict[str, dict[str, object]] = {
        "in use": {"metrics": ["poor"]},
        "posterior": {"rule": "posterior", "metrics": ["poor"]},
        "nobody": {"rule": "fixed", "human": False, "metrics": ["poor"]},
    }
    return study_of(votes, scores=scores), options.get(case, {})


@pytest.mark.parametrize(
    "case",
    ["decided", "no item without a label", "no score of other items", "clusters", "useless", "few labels", "in use",
     "posterior", "nobody"],
)  # fmt: skip
def test_nothing_is_said_where_nothing_would_be_saved(case: str) -> None:
    study, options = silent(case)
    assert hints(study, **options) == []


def test_only_metrics_that_serve_the_criterion_are_named() -> None:
    votes, scores, _ = parts(seed=1)
    on_style = [{**row, "criterion": "style"} for row in votes]
    elsewhere = [{**row, "criterion": "sense"} for row in scores if row["metric"] == "good one"]
    rest = [row for row in scores if row["metric"] == "poor"]
    (text,) = hints(study_of(on_style, scores=[*elsewhere, *rest]))
    assert text.startswith("--metric 'poor'")
