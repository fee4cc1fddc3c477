"""From tables to ordered sequences: order, identical outputs, clusters, pools."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.small_studies import Row, pair_votes, rating, simulated_votes, study_of, texts, vote

from tiebreak.data.study import Study
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import EvidenceSettings, StudyEvidence, study_evidence


def evidence_of(study: Study, **settings: object) -> StudyEvidence:
    return study_evidence(study, study.criteria, EvidenceSettings(**settings))  # type: ignore[arg-type]


def only(study: Study, **settings: object) -> PairEvidence:
    (criterion,) = evidence_of(study, **settings).criteria
    (pair,) = criterion.pairs
    return pair


def names(study: Study, pair: PairEvidence) -> list[str]:
    index = evidence_of(study).index
    return [index.items[k] for k in pair.items]


OUTCOMES = "wltwwlwttlwlwwtlwwll" * 3


def test_values_labels_and_counts() -> None:
    pair = only(study_of(pair_votes("wwtl")))
    assert pair.counts == (2, 1, 1)
    assert pair.labels.tolist() == [1, 1, 1, 1]
    assert (pair.pool_size, pair.identical, pair.clusters) == (4, 0, None)
    assert pair.sequence.pool_size is None
    assert pair.sequence.outcomes_only
    assert pair.sequence.for_a.tolist() == pair.values.tolist()


def test_the_order_is_a_permutation_fixed_by_the_data_and_moved_by_the_seed() -> None:
    study = study_of(pair_votes(OUTCOMES))
    pair = only(study)
    assert sorted(pair.items.tolist()) == list(range(60))
    assert pair.items.tolist() != list(range(60))
    assert only(study_of(pair_votes(OUTCOMES)[::-1])).items.tolist() == pair.items.tolist()
    assert only(study, seed=1).items.tolist() != pair.items.tolist()
    assert Counter(only(study, seed=1).values.tolist()) == Counter(pair.values.tolist())


def test_the_order_is_uniform() -> None:
    # Place of the first item over 2,000 seeds: 20 places, 100 each, chi-squared with 19 degrees of freedom < 43.8
    # (upper .1%).
    study = study_of(pair_votes(OUTCOMES[:20]))
    counts = np.zeros(20)
    for seed in range(400):
        items = only(study, seed=seed).items
        for item in range(5):
            counts[int(np.flatnonzero(items == item)[0])] += 1
    assert float(((counts - 100) ** 2 / 100).sum()) < 43.8


def test_pairs_have_independent_orders() -> None:
    rows = simulated_votes({"ant": 0.0, "bee": 0.0, "cat": 0.0}, items=50)
    (criterion,) = evidence_of(study_of(rows)).criteria
    orders = [tuple(pair.items.tolist()) for pair in criterion.pairs]
    assert len(set(orders)) == 3


def test_outcomes_other_than_their_size_do_not_choose_the_order() -> None:
    # Who wins must not matter: the same items, every outcome turned round.
    turned = OUTCOMES.translate(str.maketrans("wl", "lw"))
    one, other = only(study_of(pair_votes(OUTCOMES))), only(study_of(pair_votes(turned)))
    assert one.items.tolist() == other.items.tolist()
    assert one.values.tolist() == (-other.values).tolist()


def test_a_pair_does_not_notice_other_systems_or_criteria() -> None:
    rows = pair_votes(OUTCOMES)
    more = [*rows, *simulated_votes({"ant": 0.0, "cat": 0.4}, 30, seed=2), *pair_votes("wwll", criterion="style")]
    alone, among = only(study_of(rows)), evidence_of(study_of(more)).criteria[0].pairs[0]
    assert (among.system_a, among.system_b) == ("ant", "bee")
    assert among.values.tolist() == alone.values.tolist()


def test_baseline_is_system_b_and_other_pairs_are_left_out() -> None:
    rows = simulated_votes({"ant": 0.0, "bee": 0.0, "cat": 0.0}, items=20)
    study = study_of(rows)
    everything = {(p.system_a, p.system_b): p for p in evidence_of(study).criteria[0].pairs}
    found = {(p.system_a, p.system_b): p for p in evidence_of(study, baseline="bee").criteria[0].pairs}
    assert set(found) == {("ant", "bee"), ("cat", "bee")}
    assert found["cat", "bee"].values.tolist() == (-everything["bee", "cat"].values).tolist()
    assert found["ant", "bee"].values.tolist() == everything["ant", "bee"].values.tolist()


def test_identical_outputs_are_ties_even_if_somebody_was_asked() -> None:
    # i0 and i1 identical; the label on i0 says that ant is better, i1 was not asked. Every other item is labelled, so
    # that all identical ones count: i1 joins with 0 labels.
    outputs = texts({"ant": ["x", "y", "p", "q"], "bee": ["x", "y", "P", "Q"]})
    study = study_of(pair_votes("w wl"), outputs=outputs)
    pair = only(study)
    found = {name: (value, label) for name, value, label in zip(names(study, pair), pair.values, pair.labels)}  # noqa: B905
    assert found == {"i0": (0.0, 1), "i1": (0.0, 0), "i2": (1.0, 1), "i3": (-1.0, 1)}
    assert pair.identical == 2
    assert pair.pool_size == 4


@pytest.mark.parametrize(("labelled", "asked", "added"), [(8, 0, 10), (4, 0, 5), (4, 3, 2), (4, 8, 0), (2, 0, 2)])
def test_identical_outputs_count_in_proportion_to_the_labelled_items(labelled: int, asked: int, added: int) -> None:
    # 18 items: ten identical, eight different, of which `labelled` are labelled. The share labelled/8 of the ten
    # should be in (5 of 10 for 4 of 8, 2.5 rounded to 2 for 2 of 8), less those that were asked already.
    outputs = texts({"ant": ["s"] * 10 + ["x"] * 8, "bee": ["s"] * 10 + ["y"] * 8})
    study = study_of(pair_votes("w" * asked + " " * (10 - asked) + "w" * labelled), outputs=outputs)
    pair = only(study)
    assert int((pair.labels == 0).sum()) == added
    assert pair.identical == asked + added
    assert pair.counts == (labelled, asked + added, 0)
    assert pair.pool_size == 18


def test_a_claim_about_these_items_knows_its_pool() -> None:
    items = [{"item": f"i{k}", "cluster": f"doc {k // 5}"} for k in range(100)]
    study = study_of(pair_votes(OUTCOMES), items=items)
    assert only(study, target="items").sequence.pool_size == 100
    assert len(only(study, target="items").sequence) == 60  # clusters matter for inputs like these only
    assert only(study, target="items").clusters is None


def test_one_bet_per_cluster_on_its_mean() -> None:
    # doc 0: w, l, w, w -> (1 - 1 + 1 + 1)/4 = .5; doc 1: t, l -> -.5; i6 alone: w.
    items = [{"item": f"i{k}", "cluster": "doc 0" if k < 4 else "doc 1"} for k in range(6)]
    pair = only(study_of(pair_votes("wlwwtlw"), items=items))
    assert pair.clusters == 3
    assert sorted(pair.sequence.for_a.tolist()) == [-0.5, 0.5, 1.0]
    assert len(pair.items) == 7
    assert pair.counts == (4, 1, 2)
    # In the order of their first items.
    expected = []
    for item, value in zip(pair.items.tolist(), pair.values.tolist(), strict=True):
        mean = 0.5 if item < 4 else -0.5 if item < 6 else value
        if mean not in expected:
            expected.append(mean)
    assert pair.sequence.for_a.tolist() == expected


def test_a_cluster_of_which_one_item_is_labelled_is_an_item() -> None:
    items = [{"item": f"i{k}", "cluster": f"doc {k // 2}"} for k in range(4)]
    pair = only(study_of(pair_votes("w l "), items=items))
    assert pair.clusters is None
    assert pair.sequence.outcomes_only


def timed(outcomes: str, hours: list[int]) -> list[Row]:
    words = {"w": "a", "t": "tie", "l": "b"}
    return [
        vote(f"i{k}", "ant", "bee", "p", words[code], f"2024-05-01T{hour:02d}:00:00Z")
        for k, (code, hour) in enumerate(zip(outcomes, hours, strict=True))
    ]


def test_the_times_of_labels_order_nothing() -> None:
    rows = timed("wltw" * 5, list(range(20)))
    study, without = study_of(rows), study_of([{**row, "decided_at": None} for row in rows])
    assert evidence_of(study).order == "random"
    assert names(study, only(study)) == names(without, only(without)) != [f"i{k}" for k in range(20)]
    (pair,) = study_evidence(study, (None,), EvidenceSettings(ordered=False)).criteria[0].pairs
    assert sorted(pair.items) == list(range(20))
    assert study_evidence(study, (None,), EvidenceSettings(ordered=False)).order == "none"


def test_ratings_and_preferences_are_told_apart() -> None:
    scores = [rating("i0", system, "p", value) for system, value in (("ant", 1), ("bee", 2))]
    study = study_of(pair_votes("wl"), scores)
    by_criterion = {found.criterion: found for found in evidence_of(study).criteria}
    assert by_criterion[None].from_ratings == 0
    assert by_criterion["overall"].from_ratings == 1
    assert by_criterion["overall"].pairs[0].labels.tolist() == [2]
