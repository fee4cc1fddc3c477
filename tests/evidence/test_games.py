"""Labels as games: by hand, and the same figures as `compare` has."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.small_studies import answer, rating, simulated_votes, study_of, texts, vote

import tiebreak
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.evidence import games as module
from tiebreak.evidence.games import GameRows, judge_games, labellers, preference_games, rating_games
from tiebreak.evidence.items import ItemIndex
from tiebreak.records import LabelRule


def preferences(study: Study, rule: LabelRule = "mean") -> GameRows:
    return preference_games(study, None, ItemIndex.of(study), rule)


def told(rows: GameRows, study: Study) -> Counter[tuple[str, str, str, int]]:
    """(first, second, item, outcome), each with its weight."""
    items, found = ItemIndex.of(study).items, Counter[tuple[str, str, str, int]]()
    for first, second, item, outcome, weight in zip(
        rows.first, rows.second, rows.item, rows.outcome, rows.weight, strict=True
    ):
        found[study.systems[first], study.systems[second], items[item], int(outcome)] += weight
    return found


THREE = [
    vote("i0", "ant", "bee", "p0", "a", decided_at="2024-01-02"),
    vote("i0", "bee", "ant", "p1", "a", decided_at="2024-01-01"),  # turned round: bee is preferred
    vote("i0", "ant", "bee", "p2", "a", decided_at="2024-01-03"),
    vote("i1", "bee", "cat", "p0", "tie"),
]


def test_an_item_of_a_pair_counts_once() -> None:
    study = study_of(THREE)
    assert told(preferences(study), study) == {
        ("ant", "bee", "i0", 1): pytest.approx(2 / 3), ("ant", "bee", "i0", -1): pytest.approx(1 / 3),
        ("bee", "cat", "i1", 0): 1,
    }  # fmt: skip
    assert told(preferences(study, "first"), study) == {("ant", "bee", "i0", -1): 1, ("bee", "cat", "i1", 0): 1}
    assert told(preferences(study, "majority"), study) == {("ant", "bee", "i0", 1): 1, ("bee", "cat", "i1", 0): 1}
    assert preferences(study).comparisons.tolist() == [[0, 1, 0], [1, 2, 1]]


def test_pairs_of_samples_share_an_item() -> None:
    rows = [
        vote("i0", "ant", "bee", "p0", "a") | {"sample_a": "1", "sample_b": "1"},
        vote("i0", "ant", "bee", "p1", "b") | {"sample_a": "1", "sample_b": "1"},
        vote("i0", "ant", "bee", "p0", "tie") | {"sample_a": "2", "sample_b": "1"},
    ]
    study = study_of(rows)
    assert told(preferences(study), study) == {
        ("ant", "bee", "i0", 1): 0.25, ("ant", "bee", "i0", -1): 0.25, ("ant", "bee", "i0", 0): 0.5,
    }  # fmt: skip


def test_sides() -> None:
    study = study_of([row | {"left": left} for row, left in zip(THREE, ("ant", "ant", "bee", None), strict=True)])
    sides = Counter(zip(preferences(study).outcome.tolist(), preferences(study).side.tolist(), strict=True))
    assert sides == {(1, 1): 1, (-1, 1): 1, (1, -1): 1, (0, 0): 1}


def test_labels_on_identical_outputs_are_ties() -> None:
    outputs = texts({"ant": ["same", "x"], "bee": ["same", "y"], "cat": ["z", "z"]})
    study = study_of(THREE, outputs=outputs)
    assert told(preferences(study), study)["ant", "bee", "i0", 0] == pytest.approx(1)
    rated = study_of(ratings=[rating("i0", "ant", "p", 5), rating("i0", "bee", "p", 1)], outputs=outputs)
    assert told(
        rating_games(rated, "overall", ItemIndex.of(rated), "mean", 0, "same", beside_preferences=False), rated
    ) == {("ant", "bee", "i0", 0): 1}


def test_ratings_are_compared_as_compare_does() -> None:
    rows = [
        rating("i0", "ant", "p", 4), rating("i0", "bee", "p", 3), rating("i0", "cat", "q", 1),
        rating("i0", "ant", "q", 2), rating("i1", "bee", "q", 2), rating("i1", "cat", "q", 2),
    ]  # fmt: skip
    study = study_of(ratings=rows)
    index = ItemIndex.of(study)
    same = rating_games(study, "overall", index, "mean", 0, "same", beside_preferences=False)
    assert told(same, study) == {("ant", "bee", "i0", 1): 1, ("ant", "cat", "i0", 1): 1, ("bee", "cat", "i1", 0): 1}
    near = rating_games(study, "overall", index, "mean", 1, "same", beside_preferences=False)
    assert told(near, study)["ant", "bee", "i0", 0] == 1


def test_preferences_go_before_ratings_of_the_same_pair() -> None:
    votes = [vote("i0", "ant", "bee", "p", "a", criterion="overall")]
    rows = [rating("i0", name, "p", value) for name, value in (("ant", 1), ("bee", 5), ("cat", 3))]
    study = study_of(votes, ratings=rows)
    index = ItemIndex.of(study)
    beside = rating_games(study, "overall", index, "mean", 0, "same", beside_preferences=True)
    assert told(beside, study) == {("ant", "cat", "i0", -1): 1, ("bee", "cat", "i0", 1): 1}
    assert len(rating_games(study, "overall", index, "mean", 0, "same", beside_preferences=False)) == 3


def test_a_judge_that_contradicts_itself_ties() -> None:
    replies = [
        answer("i0", "ant", "bee", "a", "ant"), answer("i0", "ant", "bee", "b", "bee"),
        answer("i1", "ant", "bee", "a", "ant"), answer("i1", "ant", "bee", "a", "bee"),
    ]  # fmt: skip
    study = study_of(THREE, judge_preferences=replies)
    (name,) = study.judge_preferences["judge"].unique()
    index = ItemIndex.of(study)
    assert told(judge_games(study, None, index, name, sided=False), study) == {
        ("ant", "bee", "i0", 0): 1, ("ant", "bee", "i1", 1): 1,
    }  # fmt: skip
    sided = judge_games(study, None, index, name, sided=True)
    assert sorted(zip(sided.outcome.tolist(), sided.side.tolist(), sided.weight.tolist(), strict=True)) == [
        (-1, -1, 0.5), (1, -1, 0.5), (1, 1, 0.5), (1, 1, 0.5),
    ]  # fmt: skip


def test_wins_ties_and_losses_are_those_of_compare() -> None:
    study = study_of(simulated_votes({"ant": 0.3, "bee": 0.0, "cat": -0.1}, 40, ties=0.3))
    rows = preferences(study)
    for pair in tiebreak.compare(study).results[0].pairs:
        numbers = [study.systems.index(name) for name in (pair.system_a, pair.system_b)]
        chosen = (rows.first == numbers[0]) & (rows.second == numbers[1])
        counts = [rows.weight[chosen & (rows.outcome == outcome)].sum() for outcome in (1, 0, -1)]
        assert counts == pytest.approx([pair.wins, pair.ties, pair.losses])


def test_who_labelled_what() -> None:
    study = study_of(THREE)
    assert sorted(labellers(study, None, "mean", "same", of="preferences").rows()) == [
        ("ant", "p0"), ("ant", "p1"), ("ant", "p2"), ("bee", "p0"), ("bee", "p1"), ("bee", "p2"), ("cat", "p0"),
    ]  # fmt: skip
    assert sorted(labellers(study, None, "first", "same", of="preferences").rows()) == [
        ("ant", "p1"), ("bee", "p0"), ("bee", "p1"), ("cat", "p0"),
    ]  # fmt: skip
    rated = study_of(ratings=[rating("i0", "ant", "p", 1), rating("i0", "bee", "p", 1), rating("i0", "bee", "q", 1)])
    assert sorted(labellers(rated, "overall", "mean", "same", of="ratings").rows()) == [("ant", "p"), ("bee", "p")]
    assert len(labellers(rated, "overall", "mean", "any", of="ratings")) == 3


def test_more_games_than_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of(ratings=[rating(f"i{k}", name, "p", k) for k in range(9) for name in ("ant", "bee", "cat")])
    monkeypatch.setattr(module, "MOST_GAMES", 20)
    with pytest.raises(UsageError, match=r"at most 20 comparisons .* name fewer systems with --systems"):
        rating_games(study, "overall", ItemIndex.of(study), "mean", 0, "same", beside_preferences=False)


def test_together_and_renumbered() -> None:
    study = study_of(THREE)
    rows = preferences(study)
    both = GameRows.together([rows, rows.weighted(2)])
    assert both.weight.sum() == pytest.approx(3 * rows.weight.sum())
    last = GameRows(
        *(getattr(rows, name)[rows.first == 1] for name in ("first", "second", "item", "outcome", "side", "weight"))
    )
    assert last.renumbered(np.array([1, 2])).first.tolist() == [0]
