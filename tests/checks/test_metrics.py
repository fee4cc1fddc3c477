"""The warning about metrics whose errors differ between pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2
from tests.small_studies import Row, pair_votes, simulated_votes, study_of

from tiebreak.checks.order import metric_errors_differ
from tiebreak.comparison.compare import compare
from tiebreak.records import Notice
from tiebreak.results.records import MetricUse, PairResult


def replies(votes: list[Row], wrong: dict[tuple[str, str], float], seed: int = 3) -> list[Row]:
    """Judge "oracle": the vote on each item and pair, turned round on this share of the items of a pair."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for vote in votes:
        pair = (str(vote["system_a"]), str(vote["system_b"]))
        outcome = str(vote["outcome"])
        if rng.random() < wrong.get(pair, 0.2):
            outcome = {"a": "b", "b": "a", "tie": "a"}[outcome]
        rows.append(
            {"item": vote["item"], "system_a": pair[0], "system_b": pair[1], "judge": "oracle", "outcome": outcome}
        )
    return rows


def about_metrics(wrong: dict[tuple[str, str], float], seed: int = 11, **options: object) -> list[Notice]:
    votes = simulated_votes({"ash": 0.0, "birch": 0.1, "cedar": 0.3}, items=300, seed=seed)
    study = study_of(votes, judge_preferences=replies(votes, wrong))
    result = compare(study, judges=["oracle"], **options)  # type: ignore[arg-type]
    return [notice for notice in result.warnings if notice.code == "metric-errors-differ"]


def test_a_judge_that_errs_more_on_one_pair_is_warned_about() -> None:
    # Agreement .8, .8 and .5 on 300 items each: chi-squared about 90 with 2 degrees of freedom, spread about .14.
    (notice,) = about_metrics({("birch", "cedar"): 0.5})
    assert notice.details["low"] == pytest.approx(0.5, abs=0.09)
    assert notice.details["high"] == pytest.approx(0.8, abs=0.07)
    assert notice.text.startswith("The errors of oracle differ between pairs: it agrees with the humans on 4")
    assert about_metrics({("birch", "cedar"): 0.5}, rule="posterior")


def test_a_judge_with_the_same_errors_everywhere_is_not() -> None:
    assert about_metrics({}) == []
    assert about_metrics({("ash", "birch"): 0.0, ("ash", "cedar"): 0.0, ("birch", "cedar"): 0.0}) == []  # no errors
    assert about_metrics({("birch", "cedar"): 0.5}, systems=["ash", "birch"]) == []  # one pair


def test_errors_by_hand() -> None:
    # 80 of 100 and 40 of 100: overall .6, chi-squared 2 * 20^2/24 = 33.3; spread sqrt(.04 - .0024) = .194.
    (pair,) = compare(study_of(pair_votes("wl"))).results[0].pairs

    def agreeing(right: int, total: int) -> PairResult:
        return replace(pair, metric=MetricUse(("m",), ((right, 0, total - right), (0, 0, 0), (0, 0, 0)), None, 0))

    (notice,) = metric_errors_differ([agreeing(80, 100), agreeing(40, 100)])
    assert notice.details["spread"] == pytest.approx(np.sqrt(0.04 - 0.0024))
    assert notice.details["p_value"] == pytest.approx(float(chi2.sf(100 / 3, 1)))
    assert metric_errors_differ([agreeing(80, 100), agreeing(70, 100)]) == []
    assert metric_errors_differ([agreeing(29, 29), agreeing(0, 29)]) == []  # fewer than 30 items each
    assert metric_errors_differ([agreeing(6100, 10_000), agreeing(5500, 10_000)]) == []  # certain, but small
    assert metric_errors_differ([pair, agreeing(80, 100)]) == []
