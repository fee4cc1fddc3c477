"""The fixed order of items, clusters that were drawn whole, and the units of a budget."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_studies import anytime, anytime_pair, pair_votes, rating, simulated_votes, study_of, texts, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.evidence.ordering import drawn_clusters, random_order, share_of_identical, units_of_budget, within_budget
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.rules.family import Family
from tiebreak.rules.planned_set import plan_set, scan

# ---- order -------------------------------------------------------------------------------------------------------


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
        family = Family(0.05, "none", 1, margin=False)
        (found,) = scan([plan_set(family, pair.sequence, most=None, margin=None)])
        wrong += found.at_end.max() >= np.log(40)
    assert wrong <= 6  # 5% of 60 is 3; with items in random order it was more than a quarter


def two_systems(different: str, identical: int) -> Study:
    """Labelled items with different outputs, then items with the same output that nobody was asked about."""
    same = [f"x{k}" for k in range(identical)]
    outputs = texts({"ant": ["one"] * len(different) + same, "bee": ["other"] * len(different) + same})
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
    assert "labels-left-out" in {warning.code for warning in result.warnings}


# ---- clusters ----------------------------------------------------------------------------------------------------

CLUSTERS = np.array([0, 0, 0, 3, 3, 5, 6, 6, 6, 6])
EVERYTHING = np.arange(10)


@pytest.mark.parametrize(
    ("labelled", "in_pool"),
    [
        ([0, 1, 2, 5], 4),
        ([8, 3, 7, 4, 6, 9], 4),
        ([0, 1], None),  # a part of a cluster
        ([5], None),  # stands alone
        ([], None),
        (list(range(10)), None),  # nothing was drawn
    ],
)
def test_whole_clusters(labelled: list[int], in_pool: int | None) -> None:
    items = np.array(labelled, dtype=np.intp)
    found = drawn_clusters(items, EVERYTHING, CLUSTERS)
    assert (None if found is None else found.in_pool) == in_pool
    if found is not None:
        assert found.numbers.tolist() == CLUSTERS[items].tolist()


def test_a_cluster_is_whole_as_far_as_the_pool_holds_it() -> None:
    pool = np.array([0, 1, 3, 4, 5, 6, 7])
    found = drawn_clusters(np.array([0, 1]), pool, CLUSTERS)
    assert found.in_pool == 4


def test_clusters_of_which_some_are_labelled_in_part_were_drawn_all_the_same() -> None:
    clusters = np.arange(180) // 6  # 30 documents of 6
    documents = np.random.default_rng(1).permutation(30)[:9]
    labelled = np.flatnonzero(np.isin(clusters, documents))
    whole, most = (drawn_clusters(items, np.arange(180), clusters) for items in (labelled, labelled[:-1]))
    assert (whole.in_pool, whole.count) == (30, 9)
    assert (most.in_pool, most.count) == (None, 9)
    # Half of the items of each of 20 of 60 documents.
    clusters = np.arange(360) // 6
    half = np.flatnonzero((clusters < 20) & (np.arange(360) % 6 < 3))
    found = drawn_clusters(half, np.arange(360), clusters)
    assert found.in_pool is None


def test_items_drawn_one_by_one_are_hardly_ever_taken_for_documents() -> None:
    rng, clusters = np.random.default_rng(2), np.arange(180) // 6
    draws = [drawn_clusters(rng.permutation(180)[: rng.integers(5, 175)], np.arange(180), clusters) for _ in range(500)]
    assert sum(found is not None for found in draws) <= 3


# ---- budget ------------------------------------------------------------------------------------------------------


def test_the_first_items_with_different_outputs_count() -> None:
    different = np.array([True, False, True, True, False, True])
    alone = np.arange(6)
    # Items 0, 2 count; 1 is a known tie on the way; from 3 on the budget of two is spent.
    assert within_budget(different, alone, 2, "inputs").tolist() == [True, True, True, False, False, False]
    # For these items known ties are known wherever they stand.
    assert within_budget(different, alone, 2, "items").tolist() == [True, True, True, False, True, False]
    assert within_budget(different, alone, 9, "inputs").all()


def test_a_cluster_that_was_begun_stays_whole() -> None:
    clusters = np.array([0, 0, 1, 1, 1, 2])
    assert within_budget(np.ones(6, dtype=np.bool_), clusters, 3, "inputs").tolist() == [True] * 5 + [False]
    assert within_budget(np.ones(6, dtype=np.bool_), clusters, 2, "inputs").tolist() == [True] * 2 + [False] * 4
    mixed = np.array([0, 1, 0, 2])  # the last item of cluster 0 comes after the budget, but was begun before
    assert within_budget(np.ones(4, dtype=np.bool_), mixed, 2, "inputs").tolist() == [True, True, True, False]


def test_units_of_a_budget_by_hand() -> None:
    assert units_of_budget(30, np.arange(100), 0, "inputs") == 30
    assert units_of_budget(30, np.arange(100), 25, "inputs") == 40  # of 40 items 10 are known ties
    assert units_of_budget(30, np.arange(100) // 5, 0, "inputs") == 6  # documents of five items
    assert units_of_budget(30, np.arange(100), 25, "items") == 30
    assert units_of_budget(1, np.zeros(50, dtype=np.intp), 0, "inputs") == 1


# ---- what compare says ---------------------------------------------------------------------------------------------


def test_no_more_labels_count_than_the_budget_allows() -> None:
    long = study_of(pair_votes("wwtlwwtwwlwwwtwwlwww" * 2 + "l" * 30))
    beyond = anytime(long, items_per_pair=40)
    (other,) = beyond.results[0].pairs
    assert (other.items, other.labels, other.budget_left) == (40, 40, 0)
    (notice,) = (notice for notice in beyond.warnings if notice.code == "labels-left-out")
    assert notice.to_dict()["most"] == 30
    assert anytime_pair(long).items == 70


def test_what_is_left_bounds_the_projection() -> None:
    outcomes = "wltwwltwlwtl" * 2 + "ww"
    free = anytime_pair(study_of(pair_votes(outcomes)))
    assert (free.items_to_decision or 0) > 10
    assert free.budget_left is None
    tight = anytime_pair(study_of(pair_votes(outcomes)), items_per_pair=30)
    assert (tight.items_to_decision, tight.labels_to_decision, tight.budget_left) == (None, None, 4)
    assert tight.flags == ("beyond-budget",)
    ample = anytime_pair(study_of(pair_votes(outcomes)), items_per_pair=2_000)
    assert 10 < (ample.items_to_decision or 0) < 1_000


def test_identical_outputs_cost_nothing() -> None:
    same = texts({"ant": [f"x{k}" for k in range(60)], "bee": [f"x{k}" if k % 3 == 0 else f"y{k}" for k in range(60)]})
    votes = [row for row in pair_votes("w" * 30) if int(str(row["item"])[1:]) % 3]
    for target in ("inputs", "items"):
        pair = anytime_pair(study_of(votes, outputs=same), target=target, items_per_pair=15)
        assert pair.labels == 15
        assert pair.identical > 0
        assert pair.budget_left == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items_per_pair": 0}, "items-per-pair is 0, but must be a whole number from 1 to"),
        ({"items_per_pair": -5}, "items-per-pair is -5"),
        ({"items_per_pair": 50, "rule": "fixed"}, "items-per-pair needs --rule anytime"),
        ({"items_per_pair": 5}, r"one pair at this alpha needs at least \d+"),
    ],
)
def test_impossible_budgets(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare(study_of(pair_votes("wwlw" * 10)), **({"rule": "anytime"} | options))  # type: ignore[arg-type]


def test_the_smallest_budget_that_is_named_is_enough() -> None:
    study = study_of(simulated_votes({"x": 0.0, "y": 0.2, "z": 0.4}, items=30))
    with pytest.raises(UsageError, match="3 pairs tested together at this alpha need at least") as caught:
        anytime(study, items_per_pair=5)
    enough = int(str(caught.value).split()[-1])
    anytime(study, items_per_pair=enough)
    with pytest.raises(UsageError):
        anytime(study, items_per_pair=enough - 1)


def test_a_pool_that_the_budget_covers_is_decided_by_its_last_label() -> None:
    study = study_of(pair_votes("wlwlw"), items=[{"item": f"i{k}"} for k in range(5)])
    pair = anytime_pair(study, target="items", items_per_pair=5)
    assert (pair.verdict, pair.difference.low, pair.difference.high) == ("a", pytest.approx(0.2), pytest.approx(0.2))
