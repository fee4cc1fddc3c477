"""`--budget`: which items count, what it buys in units, and what the result says."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.metric_pairs import outcomes_and_metric, study_with_metric
from tests.small_studies import anytime, anytime_pair, pair_votes, simulated_votes, study_of, texts

from tiebreak.comparison import processes
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.evidence.ordering import units_of_budget, within_budget
from tiebreak.results.records import PairResult
from tiebreak.results.words import verdict_words


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


def pair_at(study: Study, **options: object) -> PairResult:
    return anytime_pair(study, **options)


def test_no_more_labels_count_than_the_budget_allows() -> None:
    long = study_of(pair_votes("wwtlwwtwwlwwwtwwlwww" * 2 + "l" * 30))
    beyond = anytime(long, items_per_pair=40)
    (other,) = beyond.results[0].pairs
    assert (other.items, other.labels, other.budget_left) == (40, 40, 0)
    notice = next(notice for notice in beyond.warnings if notice.code == "beyond-budget")
    assert "ant and bee have more labelled items than the budget, at most 30 more" in notice.text
    assert notice.to_dict()["most"] == 30
    assert pair_at(long).items == 70


def test_what_is_left_bounds_the_projection() -> None:
    outcomes = "wltwwltwlwtl" * 2 + "ww"
    free = pair_at(study_of(pair_votes(outcomes)))
    assert (free.items_to_decision or 0) > 10
    assert free.budget_left is None
    tight = pair_at(study_of(pair_votes(outcomes)), items_per_pair=30)
    assert (tight.items_to_decision, tight.labels_to_decision, tight.budget_left) == (None, None, 4)
    assert tight.flags == ("beyond-budget",)
    assert verdict_words(tight, None) == "undecided: unlikely with the budget left"
    spent = pair_at(study_of(pair_votes(outcomes)), items_per_pair=26)
    assert verdict_words(spent, None) == "undecided: the limit of items per pair is reached"
    ample = pair_at(study_of(pair_votes(outcomes)), items_per_pair=26 + (free.items_to_decision or 0))
    assert ample.items_to_decision == free.items_to_decision


def test_identical_outputs_cost_nothing() -> None:
    same = texts({"ant": [f"x{k}" for k in range(60)], "bee": [f"x{k}" if k % 3 == 0 else f"y{k}" for k in range(60)]})
    votes = [row for row in pair_votes("w" * 30) if int(str(row["item"])[1:]) % 3]
    for target in ("inputs", "items"):
        pair = pair_at(study_of(votes, outputs=same), target=target, items_per_pair=15)
        assert pair.labels == 15
        assert pair.identical > 0
        assert pair.budget_left == 0


@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("metrics", [(), ("bleu",)])
def test_every_target_with_and_without_a_metric(target: str, metrics: tuple[str, ...]) -> None:
    study = study_with_metric(4, 600, 150, 0.8, 0.3)
    options = {"target": target, "metrics": metrics, "margin": 0.15}
    result, free = anytime(study, items_per_pair=150, **options), anytime(study, **options)
    pair, without = result.results[0].pairs[0], free.results[0].pairs[0]
    assert pair.verdict == without.verdict == "a"
    assert pair.stopped_at is not None
    assert pair.stopped_at <= 1.2 * (without.stopped_at or 0)
    pool, _ = outcomes_and_metric(np.random.default_rng(4), 600, 0.8, 0.3)  # as the study draws them
    truth = 0.3 if target == "inputs" else pool.mean()
    assert 0 <= pair.difference.low < truth < pair.difference.high
    assert (pair.metric is not None and pair.metric.used) == bool(metrics)
    curve = result.results[0].pairs[0].curve
    assert curve is not None
    assert curve.stopped_at == pair.stopped_at
    assert np.exp(curve.log_e_a.max()) == pytest.approx(pair.e_a)


def test_the_document_and_the_sentences_name_the_budget() -> None:
    result = anytime(study_of(pair_votes("wwtlwltlwl" * 3)), items_per_pair=60)
    document = json.loads(json.dumps(result.to_dict()))
    assert document["terms"]["items_per_pair"] == 60
    assert document["results"][0]["pairs"][0]["budget_left"] == 30
    sentence = result.results[0].sentence
    assert "betting towards at most 60 items per pair" in sentence
    assert "the budget was fixed before the first label" in sentence
    assert any(
        "The whole budget of 60 items per pair would more often than not find" in text
        for text in result.results[0].advice
    )
    plain = anytime(study_of(pair_votes("wwtlwltlwl" * 3)))
    assert plain.to_dict()["terms"]["items_per_pair"] is None  # type: ignore[index]
    assert "budget" not in plain.results[0].sentence


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items_per_pair": 0}, "items-per-pair is 0, but must be a whole number from 1 to"),
        ({"items_per_pair": -5}, "items-per-pair is -5"),
        ({"items_per_pair": 50, "rule": "fixed"}, "items-per-pair needs --rule anytime; fixed does not"),
        (
            {"items_per_pair": 8},
            r"a budget of 8 items a pair can decide nothing.* one pair at this alpha needs at least \d+",
        ),
    ],
)
def test_impossible_budgets(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare(study_of(pair_votes("wwlw" * 10)), **({"rule": "anytime"} | options))  # type: ignore[arg-type]


def test_more_items_than_bets_are_made_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_MOST_ITEMS", 39)
    study = study_of(pair_votes("wwlw" * 10))
    with pytest.raises(UsageError, match=r"at most 39 labelled items a pair, and .* have 40: leave --items-per"):
        anytime(study, items_per_pair=100)
    anytime(study)


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
    pair = pair_at(study, target="items", items_per_pair=5)
    assert (pair.verdict, pair.difference.low, pair.difference.high) == ("a", pytest.approx(0.2), pytest.approx(0.2))
