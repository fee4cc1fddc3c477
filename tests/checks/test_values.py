"""Mistyped ratings are named, legitimate extremes are not; metrics that were fitted to the labels are found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp
from tests.small_studies import Row, rating, texts, vote

from tiebreak.checks import data_warnings
from tiebreak.checks.values import _distance, outlying
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.estimation.estimate import estimate
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence


def around(low: float, high: float, *more: float, count: int = 100) -> np.ndarray:
    """`count` whole numbers between two ends, and some more."""
    return np.concatenate((np.random.default_rng(1).integers(int(low), int(high) + 1, count), more)).astype(float)


@pytest.mark.parametrize(
    ("values", "far"),
    [
        (around(60, 80, 7070), [7070]),
        (around(1, 5, 99, 99), [99, 99]),  # a code for "no answer"
        (around(1, 5, 55), [55]),
        (around(1, 5, -99), [-99]),
        (around(1, 5, 10), []),  # a scale to ten
        (around(95, 100, 2), []),  # a bad output on a scale to 100
        (around(0, 1, 50), []),  # yes and no tell nothing of a scale
        (around(60, 80, 7070, count=18), []),  # too few
        (np.concatenate((around(1, 5), np.full(20, 99.0))), []),  # too many to be mistyped
        (-np.abs(around(0, 25)), []),
    ],
)
def test_what_is_far_from_all_others(values: np.ndarray, far: list[float]) -> None:
    assert values[outlying(values)].tolist() == far
    assert outlying(-values).tolist() == outlying(values).tolist()


def test_heavy_tails_are_rarely_called_far() -> None:
    rng = np.random.default_rng(3)
    studies = [rng.lognormal(0, 1, 300) for _ in range(200)] + [rng.exponential(5, 100) for _ in range(200)]
    assert sum(outlying(values).any() for values in studies) <= 1


def mistyped() -> Study:
    """Two systems, 40 items, five people; one of them typed 7070 for 70."""
    rng = np.random.default_rng(4)
    quality = rng.normal(70, 4, (40, 2))
    rows = [
        rating(f"i{k}", system, name, float(np.clip(round(quality[k, s] + rng.normal(0, 1)), 60, 80)))
        for k in range(40)
        for s, system in enumerate(("good", "poor"))
        for name in ("p1", "p2", "p3", "p4", "p5")
    ]
    rows[77]["value"] = 7070.0
    return Study.from_tables(ratings=rows)


def test_a_mistyped_rating_is_named_and_nobody_is_blamed() -> None:
    result = estimate(mistyped())
    (notice,) = result.warnings
    assert notice.code == "outlying-ratings"
    assert "7,070" in notice.text or "7070" in notice.text
    (row,) = notice.details["ratings"]  # type: ignore[misc]
    assert (row["system"], row["annotator"], row["value"]) == ("poor", "p3", 7070.0)
    assert [of.code for of in compare(mistyped()).warnings] == ["outlying-ratings"]


def scored(fitted: float, seed: int, items: int = 400, labelled: int = 100) -> Study:
    """A metric that is a noisy copy of the labels on the `fitted` share of labelled items, and noise elsewhere."""
    rng = np.random.default_rng(seed)
    outcome = rng.choice(["a", "b"], labelled, p=[0.6, 0.4])
    votes = [vote(f"i{k}", "ant", "bee", "ann", str(outcome[k])) for k in range(labelled)]
    scores: list[Row] = []
    for k in range(items):
        taught = k < labelled and rng.random() < fitted
        for system, sign in (("ant", 1), ("bee", -1)):
            wins = taught and (2.0 if outcome[k % labelled] == "a" else -2.0) * sign
            value = float(wins + 0.3 * rng.normal()) if taught else float(rng.normal())
            scores.append({"item": f"i{k}", "system": system, "metric": "fit", "value": value})
    outputs = texts({name: [f"{name} {k}" for k in range(items)] for name in ("ant", "bee")})
    return Study.from_tables(outputs=outputs, preferences=votes, scores=scores)


def codes(study: Study, *metrics: str) -> set[str]:
    evidence = study_evidence(study, study.criteria, EvidenceSettings())
    return {notice.code for notice in data_warnings(study, evidence, metrics=metrics)}


def test_a_metric_that_was_fitted_to_the_labels_is_found() -> None:
    study = scored(1.0, seed=1)
    assert "unlike-scores" in codes(study, "fit")
    assert "unlike-scores" in codes(study, "all")
    assert "unlike-scores" not in codes(study)  # the result does not rest on it
    (notice,) = [of for of in compare(study, metrics=["fit"]).warnings if of.code == "unlike-scores"]
    assert notice.details["metric"] == "fit"
    assert "unlike-scores" not in [of.code for of in compare(study).warnings]


def test_a_metric_that_knows_no_labels_is_left_alone() -> None:
    """At p < 1e-4 over 100 studies nothing is expected, even without the rule of size."""
    assert [codes(scored(0.0, seed), "fit") for seed in range(100)] == [set()] * 100


def test_items_of_one_cluster_are_one_unit() -> None:
    """Ten clusters of forty items each: what differs between clusters is no sign of anything."""
    study = scored(1.0, seed=1)
    items = [{"item": f"i{k}", "cluster": f"c{k // 40}"} for k in range(400)]
    clustered = Study.from_tables(**(study.tables | {"items": items}))
    assert "unlike-scores" not in codes(clustered, "fit")


def test_the_distance_of_two_samples_against_scipy() -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        first, second = rng.normal(size=rng.integers(30, 90)).round(1), rng.normal(0.3, size=rng.integers(30, 90))
        expected = ks_2samp(first, second, method="asymp")
        distance, p_value = _distance(first, second)
        assert distance == pytest.approx(expected.statistic)
        assert p_value == pytest.approx(expected.pvalue, abs=0.1)  # scipy corrects for small samples
