"""Labels with the same time, as those of one sheet: their order must not be that of the items' names."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.simulation import largest_rate
from tests.small_studies import anytime, pair_votes

from tiebreak.data.settings import StudySettings
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.records import Target

ALPHA, POOL = 0.1, 300


def sheets(outcomes: list[int], items: list[int], size: int) -> Study:
    """Labels on these items, in sheets of `size` with one time each; 1 favours ant, -1 bee."""
    rows = [
        {
            "item": f"i{item:03d}",
            "system_a": "ant",
            "system_b": "bee",
            "annotator": "p",
            "outcome": "a" if outcomes[item] > 0 else "b",
            "decided_at": f"2026-05-{1 + place // size:02d}",
        }
        for place, item in enumerate(items)
    ]
    return Study.from_tables(items=[{"item": f"i{item:03d}"} for item in range(POOL)], preferences=rows)


def order_of(study: Study, seed: int = 0) -> list[str]:
    evidence = study_evidence(study, (None,), EvidenceSettings(seed=seed))
    assert evidence.order == "recorded"
    return [evidence.index.items[k] for k in evidence.criteria[0].pairs[0].items]


def wrong_share(target: Target, runs: int) -> float:
    """Share of wrong verdicts on equal systems: the first half of the items, by name, favours ant, the other bee."""
    rng, wrong = np.random.default_rng(8), 0
    outcomes = [1] * (POOL // 2) + [-1] * (POOL // 2)
    for _ in range(runs):
        study = sheets(outcomes, rng.permutation(POOL)[:160].tolist(), 40)
        result = anytime(study, alpha=ALPHA, target=target)
        assert result.terms.order == "recorded"
        wrong += result.results[0].pairs[0].verdict != "undecided"
    return wrong / runs


@pytest.mark.parametrize("target", ["items", "inputs"])
def test_error_rate_where_outcomes_go_by_name(target: Target) -> None:
    # In the order of names each sheet is about twenty wins and then twenty losses: every campaign was wrong.
    assert wrong_share(target, 60) <= largest_rate(ALPHA, 60)


@pytest.mark.full
@pytest.mark.parametrize("target", ["items", "inputs"])
def test_error_rate_where_outcomes_go_by_name_full(target: Target) -> None:
    assert wrong_share(target, 1_500) <= largest_rate(ALPHA, 1_500)


def wrong_share_of_clusters(runs: int) -> float:
    """Share of wrong verdicts on one sheet, in the recorded order: large clusters favour ant, small ones bee."""
    rng, wrong = np.random.default_rng(9), 0
    for _ in range(runs):
        items, rows = [], []
        for cluster, large in enumerate(rng.random(120) < 0.5):
            outcome = "a" if rng.random() < (0.75 if large else 0.25) else "b"
            for k in range(8 if large else 1):
                items.append({"item": f"{cluster:03d}-{k}", "cluster": f"{cluster}"})
                rows.append(pair_votes("w")[0] | {"item": f"{cluster:03d}-{k}", "outcome": outcome})
        dated = [row | {"decided_at": "2026-05-01"} for row in rows]
        settings = StudySettings(label_order="recorded")
        result = anytime(Study.from_tables(items=items, preferences=dated, settings=settings), alpha=ALPHA)
        assert result.terms.order == "recorded"
        wrong += result.results[0].pairs[0].verdict != "undecided"
    return wrong / runs


def test_error_rate_where_outcomes_go_by_the_size_of_clusters() -> None:
    # In a random order of items the large clusters came first: more than half of the campaigns were wrong.
    assert wrong_share_of_clusters(40) <= largest_rate(ALPHA, 40)


@pytest.mark.full
def test_error_rate_where_outcomes_go_by_the_size_of_clusters_full() -> None:
    assert wrong_share_of_clusters(1_000) <= largest_rate(ALPHA, 1_000)


def test_the_order_stays_when_labels_are_added_in_or_after_the_sheet() -> None:
    outcomes, items = [1, -1] * (POOL // 2), np.random.default_rng(3).permutation(POOL).tolist()
    late = order_of(sheets(outcomes, items[:100], 40))
    assert late[:80] == order_of(sheets(outcomes, items[:80], 40))
    within = order_of(sheets(outcomes, items[:90], 40))
    assert [name for name in late if name in within] == within


def test_the_order_depends_on_names_and_seed_and_not_on_outcomes() -> None:
    items = list(range(40))
    first = order_of(sheets([1] * POOL, items, 40))
    assert first == order_of(sheets([1, -1] * (POOL // 2), items[::-1], 40))
    assert first != sorted(first)
    assert first != order_of(sheets([1] * POOL, items, 40), seed=1)


def test_systems_and_their_order_do_not_bring_all_pairs_into_one_order() -> None:
    rows = [*pair_votes("w" * 30, "ant", "bee"), *pair_votes("w" * 30, "ant", "cat")]
    study = Study.from_tables(preferences=[{**row, "decided_at": "2026-05-01"} for row in rows])
    pairs = study_evidence(study, (None,), EvidenceSettings()).criteria[0].pairs
    assert pairs[0].items.tolist() != pairs[1].items.tolist()
    turned = study_evidence(study, (None,), EvidenceSettings(baseline="ant")).criteria[0].pairs
    assert [pair.items.tolist() for pair in turned] == [pair.items.tolist() for pair in pairs]
