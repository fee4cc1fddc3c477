"""The fixed order of items, end to end through the evidence: what once went wrong, and must not again."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_studies import pair_votes, rating, study_of, texts, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.evidence.ordering import random_order, share_of_identical
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.rules.anytime import AnytimeProcess, Priors


def test_the_share_of_identical_outputs_follows_the_labelled_share() -> None:
    same, free = np.arange(40), np.arange(40)
    assert share_of_identical(30, 0, same, free, 100) == 20  # 30 of 60 different ones are labelled: 20 of 40
    assert share_of_identical(60, 0, same, free, 100) == 40
    assert share_of_identical(0, 0, same, free, 100) == 0


def test_the_order_of_clusters_does_not_depend_on_their_sizes() -> None:
    # Two clusters of 19 items and of one item: either comes first in half of the orders.
    clusters = np.array([0] * 19 + [1])
    first = [int(clusters[random_order(clusters, np.random.default_rng(seed))[0]]) for seed in range(400)]
    assert np.mean(first) == pytest.approx(0.5, abs=0.08)  # a random order of items would begin with 1 in 5%


def unequal_clusters() -> Study:
    """Clusters of ten items that favour ant, and ten times as many of one item that favour bee: items are even."""
    items, votes = [], []
    for cluster in range(110):
        large = cluster % 11 == 0
        for k in range(10 if large else 1):
            name = f"c{cluster}-{k}"
            items.append({"item": name, "cluster": f"c{cluster}"})
            votes.append(vote(name, "ant", "bee", "p", "a" if large else "b"))
    return study_of(votes, items=items)


def test_large_clusters_do_not_come_early() -> None:
    wrong = 0
    for seed in range(60):
        evidence = study_evidence(unequal_clusters(), (None,), EvidenceSettings(seed=seed))
        (pair,) = evidence.criteria[0].pairs
        assert pair.sequence.mean == pytest.approx(0.0)
        paths = [AnytimeProcess(pair.sequence, Priors.default()).log_e_path(side) for side in (1, -1)]
        wrong += max(path.max() for path in paths) >= np.log(40)
    assert wrong <= 6  # 5% of 60 is 3; with items in random order it was more than a quarter


def two_systems(different: str, identical: int) -> Study:
    """Labelled items with different outputs, then items with the same output that nobody was asked about."""
    names = len(different) + identical
    outputs = texts(
        {
            "ant": [f"x{k}" for k in range(names)],
            "bee": [f"y{k}" if k < len(different) else f"x{k}" for k in range(names)],
        }
    )
    return study_of(pair_votes(different), outputs=outputs)


@pytest.mark.parametrize("rule", ["fixed", "anytime"])
@pytest.mark.parametrize("target", ["items", "inputs"])
def test_identical_outputs_dilute_the_difference(rule: str, target: str) -> None:
    # 150 labelled items, two wins for each loss: difference 1/3 on them. 150 identical ones halve it.
    study = two_systems("wwl" * 50, 150)
    (pair,) = compare(study, rule=rule, target=target).results[0].pairs  # type: ignore[arg-type]
    assert pair.difference.estimate == pytest.approx(1 / 6, abs=0.01)
    assert pair.difference.low <= 1 / 6 <= pair.difference.high
    assert pair.winner == "ant"
    if target == "items":
        assert pair.difference.low == pair.difference.high == pytest.approx(1 / 6)


def test_part_of_a_pool_with_identical_outputs_is_scaled() -> None:
    # 60 of 150 different items labelled: the interval for all 300 is half of that for the 150.
    study = two_systems("wwl" * 20 + " " * 90, 150)
    (pair,) = compare(study, target="items").results[0].pairs
    alone = two_systems("wwl" * 20 + " " * 90, 0)
    (other,) = compare(alone, target="items").results[0].pairs
    assert pair.difference.estimate == pytest.approx(other.difference.estimate / 2)
    # The orders differ (other seeds enter), so that the limits agree only roughly.
    assert pair.difference.high == pytest.approx(other.difference.high / 2, abs=0.06)
    assert -0.5 <= pair.difference.low <= pair.difference.high <= 0.5


def test_ratings_that_preferences_replace_are_mentioned() -> None:
    rated = [rating(f"i{k}", system, "p", value) for k in range(30) for system, value in (("ant", 2), ("bee", 1))]
    one = vote("i0", "ant", "bee", "q", "b", criterion="overall")
    result = compare(study_of([one], ratings=rated))
    assert result.results[0].pairs[0].items == 1
    assert "ratings-not-used" in {warning.code for warning in result.warnings}


def test_a_pool_without_unlabelled_items_is_mentioned() -> None:
    codes = {warning.code for warning in compare(study_of(pair_votes("wwl")), target="items").warnings}
    assert "pool-is-labelled" in codes
    codes = {warning.code for warning in compare(study_of(pair_votes("wwl"))).warnings}
    assert "pool-is-labelled" not in codes
