"""What is told where labels cannot decide, and the metric that would have saved the most labels."""

from __future__ import annotations

import numpy as np
import pytest
from tests.metric_pairs import outcomes_and_metric, votes_and_scores, with_correlation
from tests.small_studies import Row, anytime, pair_votes, simulated_votes, study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.rules.power import PlannedPower, drawn_tie_rate

# ---- differences -------------------------------------------------------------------------------------------------

EQUAL = {"ant": 0.0, "bee": 0.0, "cat": 0.0, "dog": 0.0}


def advice(study: Study, **options: object) -> tuple[str, ...]:
    options = {"rule": "anytime"} | options
    return compare(study, **options).results[0].advice  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def equal() -> Study:
    return study_of(simulated_votes(EQUAL, 60, ties=0.25))


def test_decided_pairs_and_other_methods_need_none() -> None:
    assert advice(study_of(pair_votes("w" * 12))) == ()
    for method in ("hoeffding", "dirichlet"):
        assert advice(study_of(pair_votes("wl")), rule=method) == ()


def test_the_difference_that_could_have_been_found(equal: Study) -> None:
    result = anytime(equal)
    undecided = [pair for pair in result.results[0].pairs if pair.verdict == "undecided"]
    assert len(undecided) == result.terms.family == 6
    ties = sum(pair.ties for pair in undecided) / (60 * 6)
    square = 1 - drawn_tie_rate(ties * 360, 360)
    (advised,) = result.results[0].advice
    assert f"about {PlannedPower(0.05 / 12, square).found(60):.2f}" in advised


def test_clusters_are_the_units_of_what_could_have_been_found() -> None:
    votes = pair_votes("wwwlll" * 20)
    items = [{"item": row["item"], "cluster": f"d{k // 3}"} for k, row in enumerate(votes)]
    alone, clustered = advice(study_of(votes)), advice(study_of(votes, items=items))
    # Documents are won or lost whole: 40 units of 3 items, and as large a difference as 40 single items could show.
    for units, found in ((120, alone), (40, clustered)):
        could = PlannedPower(0.025, 1 - drawn_tie_rate(0.0, units)).found(units)
        assert f"a difference of about {could:.2f}" in found[0]


# ---- metrics -----------------------------------------------------------------------------------------------------


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
