"""Which metrics mattered: their shares in a comparison, and the orders of a judge."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.metric_pairs import balanced_outcomes, votes_and_scores, with_correlation
from tests.small_studies import pair_votes

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.results.records import CompareResult, JudgeOrders


def with_metrics(seed: int = 5) -> CompareResult:
    """400 items, 120 labelled: `good` goes with the outcomes at .8, three others do not."""
    rng = np.random.default_rng(seed)
    outcomes = balanced_outcomes(rng, 400, 0.2)
    scores = []
    for name, correlation in (("good", 0.8), ("noise-1", 0.0), ("noise-2", 0.0), ("noise-3", 0.0)):
        metric = with_correlation(rng, outcomes, correlation, float(outcomes.std()))
        votes, rows = votes_and_scores(outcomes, metric, 120, name=name)
        scores += rows
    study = Study.from_tables(preferences=votes, scores=scores, items=[{"item": f"i{k}"} for k in range(400)])
    return compare(study, rule="anytime", metrics=["all"])


def test_all_says_which_mattered() -> None:
    result = with_metrics()
    found = result.results[0].pairs[0].metric
    assert found is not None
    assert found.shares is not None
    shares = dict(zip(found.names, found.shares, strict=True))
    assert shares["good"] > 0.8
    assert sum(shares.values()) == pytest.approx(1.0)
    assert found.saved is not None
    assert found.saved.share > 0.3
    document = json.loads(json.dumps(result.to_dict()))
    assert document["results"][0]["pairs"][0]["metric"]["shares"] == pytest.approx(shares)


def test_how_often_a_judge_changed_its_mind_with_the_order() -> None:
    # On i0 it says a both times, on i1 whatever is named first, on i2 it was asked once.
    votes = pair_votes("wl  ww" * 3)
    asked = [("i0", "ant", "bee", "a"), ("i0", "bee", "ant", "b"), ("i1", "ant", "bee", "a"), ("i1", "bee", "ant", "a")]
    rows = [
        {"item": item, "system_a": a, "system_b": b, "judge": "gpt", "outcome": outcome, "left": a}
        for item, a, b, outcome in [*asked, ("i2", "ant", "bee", "b")]
    ]
    study = Study.from_tables(preferences=votes, judge_preferences=rows)
    found = compare(study, judges=["gpt"])
    assert found.results[0].judges == (JudgeOrders("gpt", 2, 1),)
    assert found.to_dict()["results"][0]["judges"] == [  # type: ignore[index]
        {"name": "gpt", "both_orders": 2, "disagreements": 1}
    ]
    assert compare(study).results[0].judges == ()


def test_one_metric_has_no_shares() -> None:
    rng = np.random.default_rng(6)
    outcomes = balanced_outcomes(rng, 300)
    votes, scores = votes_and_scores(outcomes, outcomes + rng.standard_normal(300), 80)
    study = Study.from_tables(preferences=votes, scores=scores, items=[{"item": f"i{k}"} for k in range(300)])
    found = compare(study, metrics=["all"]).results[0].pairs[0].metric
    assert found is not None
    assert found.shares is None
