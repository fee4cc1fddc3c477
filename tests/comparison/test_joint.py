"""All pairs of a study in one metric-error model: how labels, strata, ties and names get there."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm
from tests.small_studies import Row, rating, study_of, vote

import tiebreak
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.kernels.metric_error import metric_error_posterior

SYSTEMS = ("ant", "bee", "cat")
PAIRS = (("ant", "bee"), ("ant", "cat"), ("bee", "cat"))
SURE = {"draws": 6_000, "pooled": False}


def voted(items: int = 60, labelled: int = 30, people: int = 1) -> Study:
    """The better of ant, bee and cat wins mostly; the metric says so, too, and of all items."""
    rng = np.random.default_rng(1)
    votes: list[Row] = []
    scores: list[Row] = []
    for item in range(items):
        quality = dict(zip(SYSTEMS, np.array([0.8, 0.0, 0.0]) + rng.standard_normal(3), strict=True))
        scores += [{"item": f"i{item:02}", "system": s, "metric": "m", "value": q} for s, q in quality.items()]
        for a, b in PAIRS if item < labelled else ():
            for person in range(people):
                gap = quality[a] - quality[b] + rng.standard_normal() * (0.3 + person)
                outcome = "a" if gap > 0.3 else "b" if gap < -0.3 else "tie"
                votes.append(vote(f"i{item:02}", a, b, f"p{person}", outcome))
    domains = [{"item": f"i{k:02}", "domain": "xy"[k % 2]} for k in range(items)]
    return study_of(votes, scores=scores, items=domains)


def test_a_pair_alone_has_the_posterior_of_the_paper() -> None:
    """Counted here by hand, from the tables."""
    study = voted()
    found = tiebreak.posterior_together(study, metrics=["m"], metric_tie_threshold=0.2, margin=0.1, **SURE)  # type: ignore[arg-type]
    scores = study.scores
    assert scores is not None
    by_item = scores.pivot("system", index="item", values="value")
    for pair in found.pairs.iter_rows(named=True):
        a, b = pair["system_a"], pair["system_b"]
        gap = (by_item[a] - by_item[b]).to_numpy()
        metric = np.where(np.abs(gap) <= 0.2, 1, np.where(gap > 0, 0, 2))
        votes = study.preferences
        assert votes is not None
        labels = votes.filter(system_a=a, system_b=b).sort("item")
        human = labels["outcome"].replace_strict({"a": 0, "tie": 1, "b": 2}).to_numpy()
        paired = np.zeros((3, 3), dtype=int)
        np.add.at(paired, (metric[: human.size], human), 1)
        alone = np.bincount(metric[human.size :], minlength=3)
        known = metric_error_posterior(paired, alone, [0, 0, 0])
        assert pair["labels"] == 30
        assert pair["theta"] == pytest.approx(known.theta, abs=0.03)
        assert pair["difference"] == pytest.approx(known.difference_mean, abs=0.02)
        assert pair["low"] < pair["difference"] < pair["high"]
        spread = (known.difference_high - known.difference_low) / 3.92
        normal = norm(known.difference_mean, spread)
        assert pair["equivalent"] == pytest.approx(normal.cdf(0.1) - normal.cdf(-0.1), abs=0.05)
    assert found.annotators.is_empty()
    assert np.isnan(found.strength)


def test_annotators_are_listed_with_how_often_they_are_right_the_worst_first() -> None:
    found = tiebreak.posterior_together(voted(people=3), metrics=["m"], annotators_err=True, draws=1_000)
    assert found.annotators["annotator"].to_list() == ["p2", "p1", "p0"]
    assert found.pairs["equivalent"].null_count() == 3
    assert found.strength > 0


def test_strata_that_are_alike_change_little() -> None:
    whole, parts = (
        tiebreak.posterior_together(voted(), metrics=["m"], strata=of, **SURE).pairs  # type: ignore[arg-type]
        for of in (None, "domain")
    )
    np.testing.assert_allclose(whole["difference"], parts["difference"], atol=0.1)


def test_identical_outputs_are_ties() -> None:
    """Half of the items have identical outputs: the difference is half of that on the others."""
    votes = [vote(f"i{k:02}", "ant", "bee", "p", "a") for k in range(40)]
    scores = [{"item": f"i{k:02}", "system": s, "metric": "m", "value": 1.0} for k in range(80) for s in ("ant", "bee")]
    outputs = [
        {"item": f"i{k:02}", "system": s, "text": s if k < 40 else "same"} for k in range(80) for s in ("ant", "bee")
    ]
    whole = tiebreak.posterior_together(study_of(votes, scores=scores), metrics=["m"], **SURE).pairs  # type: ignore[arg-type]
    found = tiebreak.posterior_together(study_of(votes, scores=scores, outputs=outputs), metrics=["m"], **SURE).pairs  # type: ignore[arg-type]
    # Of the 40 that differ all are labelled: p_a ~ Beta(41, 2), p_b ~ Beta(1, 42).
    assert found["difference"][0] == pytest.approx((41 / 43 - 1 / 43) / 2, abs=0.01)
    assert found["high"][0] < 0.5 < whole["high"][0]


def test_ratings_of_one_person_are_compared() -> None:
    rows = [rating(f"i{k}", system, "p", value) for k in range(20) for system, value in (("ant", 5), ("bee", 3))]
    scores = [
        {"item": f"i{k}", "system": s, "metric": "m", "value": v}
        for k in range(20)
        for s, v in (("ant", 2.0), ("bee", 1.0))
    ]
    found = tiebreak.posterior_together(study_of(ratings=rows, scores=scores), metrics=["m"], draws=500).pairs
    assert found["theta"][0] > 0.99


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metrics": ["bleu"]}, "no metric"),
        ({"metrics": []}, "a metric or judge"),
        ({"metrics": ["m"], "margin": 2.0}, "margin is 2"),
        ({"metrics": ["m"], "criterion": "style"}, "criterion"),
        ({"metrics": ["m"], "strata": "genre"}, "column of items 'genre'"),
        ({"metrics": ["m"], "draws": 0}, "draws must be 1"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        tiebreak.posterior_together(voted(), **options)  # type: ignore[arg-type]


def test_a_study_without_pairs_is_refused() -> None:
    scores = pl.DataFrame({"item": ["i"], "system": ["ant"], "metric": ["m"], "value": [1.0]})
    with pytest.raises(UsageError, match="no labels of two systems"):
        tiebreak.posterior_together(study_of(ratings=[rating("i", "ant", "p", 1)], scores=scores), metrics=["m"])
