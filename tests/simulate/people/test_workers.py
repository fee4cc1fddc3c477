"""People who answer: one by one, in panels, and as a crowd."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.records import TIE, A, B
from tiebreak.simulate.people.crowd import Crowd, capable_workers, draw_labels, draw_one_person, draw_people
from tiebreak.simulate.people.workers import (
    Worker,
    assign_workers,
    draw_outcomes,
    draw_panel,
    draw_seconds,
    draw_shares,
    expected_outcome,
    outcome_probabilities,
    quality_difference,
)

# ---- workers -------------------------------------------------------------------------------------------------------

PLAIN = Worker(capability=0.8, tie_threshold=0.0, side_preference=0.0, spam_rate=0.0, seconds_median=10.0)
ODD = Worker(capability=0.9, tie_threshold=0.25, side_preference=-0.3, spam_rate=0.2, seconds_median=10.0)
GRID = np.linspace(-1.0, 1.0, 41)


def test_the_papers_model_without_ties() -> None:
    # c = .8, d = .5: P(a) = (.8 * .5 + 1) / 2 = .7; no ties, so P(b) = .3.
    assert outcome_probabilities(PLAIN, [0.5], [True]) == pytest.approx(np.array([[0.7, 0.0, 0.3]]))


def test_every_part_of_the_model_by_hand() -> None:
    # d = .1, threshold .25: P(tie) = 1 - .1/.25 = .6. a on the right, which the worker takes in 30% of no ties:
    # P(a | no tie) = .7 * (.9 * .1 + 1)/2 + .3 = .3815 + .3 = .6815; honest: .4 * .6815 = .2726, .6, .1274.
    # With 20% spam: .8 * honest + .2/3.
    expected = 0.8 * np.array([[0.2726, 0.6, 0.1274]]) + 0.2 / 3
    assert outcome_probabilities(ODD, [0.1], [False]) == pytest.approx(expected)


def test_probabilities_sum_to_one_and_swap_with_the_systems() -> None:
    for left in (True, False):
        chances = outcome_probabilities(ODD, GRID, left)
        assert chances.min() >= 0
        assert chances.sum(axis=1) == pytest.approx(np.ones(GRID.size))
        # Naming the same screen the other way round exchanges a and b and nothing else.
        assert outcome_probabilities(ODD, -GRID, not left)[:, ::-1] == pytest.approx(chances)


def test_ties_are_certain_without_a_difference_and_gone_beyond_the_threshold() -> None:
    careful = replace(ODD, spam_rate=0.0)
    ties = outcome_probabilities(careful, [0.0, 0.05, 0.2, 0.25, 0.6], True)[:, 1]
    assert ties == pytest.approx([1.0, 0.8, 0.2, 0.0, 0.0])


def test_a_side_preference_favours_that_side_whichever_system_is_there() -> None:
    left_lover = replace(PLAIN, side_preference=0.4)
    a_left, a_right = (outcome_probabilities(left_lover, [0.0], left)[0] for left in (True, False))
    assert a_left == pytest.approx([0.7, 0.0, 0.3])
    assert a_right == pytest.approx([0.3, 0.0, 0.7])


def test_a_spammer_answers_evenly_whatever_the_outputs() -> None:
    spammer = replace(ODD, spam_rate=1.0)
    assert outcome_probabilities(spammer, GRID, True) == pytest.approx(np.full((GRID.size, 3), 1 / 3))
    assert expected_outcome(spammer, GRID) == pytest.approx(np.zeros(GRID.size))


def test_expected_outcome_is_the_mean_over_both_sides_and_odd() -> None:
    both = [outcome_probabilities(ODD, GRID, left) for left in (True, False)]
    mean = sum(chances[:, 0] - chances[:, 2] for chances in both) / 2
    assert expected_outcome(ODD, GRID) == pytest.approx(mean)
    assert np.array_equal(expected_outcome(ODD, -GRID), -expected_outcome(ODD, GRID))


def test_drawn_outcomes_follow_the_probabilities() -> None:
    count = 60_000
    drawn = draw_outcomes(ODD, np.full(count, 0.1), np.zeros(count, dtype=bool), np.random.default_rng(5))
    chances = outcome_probabilities(ODD, [0.1], False)[0]
    for code, chance in zip((A, TIE, B), chances, strict=True):
        assert np.mean(drawn == code) == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / count))


def test_the_difference_is_clipped() -> None:
    assert quality_difference([0.1, 0.1, -1.2], [-0.3, -1.3, 0.1]) == pytest.approx([0.4, 1.0, -1.0])


def test_seconds_are_log_normal_around_the_median() -> None:
    seconds = draw_seconds(PLAIN, 20_000, np.random.default_rng(3))
    assert np.median(seconds) == pytest.approx(10.0, rel=0.03)
    assert np.std(np.log(seconds)) == pytest.approx(0.5, rel=0.03)
    assert seconds.min() >= 1.0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("capability", 1.1),
        ("capability", float("nan")),
        ("tie_threshold", -0.1),
        ("side_preference", -1.5),
        ("spam_rate", 2.0),
        ("seconds_median", 0.0),
        ("seconds_median", float("inf")),
    ],
)
def test_impossible_workers_are_refused_with_the_value(field: str, value: float) -> None:
    with pytest.raises(UsageError, match=rf"{field} must be .* not {value}"):
        replace(PLAIN, **{field: value})


def test_a_panel_holds_side_takers_and_one_careless_worker() -> None:
    panel = draw_panel(10, np.random.default_rng(8))
    assert len(panel) == 10
    assert sum(abs(worker.side_preference) > 0.1 for worker in panel) == 2
    careless = [worker for worker in panel if worker.spam_rate > 0.1]
    assert len(careless) == 1
    assert careless[0].seconds_median < min(w.seconds_median for w in panel if w is not careless[0])
    with pytest.raises(UsageError, match="at least one worker, not 0"):
        draw_panel(0, np.random.default_rng(8))


def test_shares_are_unequal_and_nobody_dominates() -> None:
    for seed in range(50):
        shares = draw_shares(10, np.random.default_rng(seed))
        assert shares.sum() == pytest.approx(1.0)
        assert 1.0 < shares.max() / shares.min() < 2.0


@pytest.mark.parametrize("labels_per_item", [1, 3])
def test_workers_differ_within_an_item_and_keep_their_shares(labels_per_item: int) -> None:
    shares = np.array([0.3, 0.25, 0.2, 0.15, 0.1])
    items = 20_000
    asked = assign_workers(shares, items, labels_per_item, np.random.default_rng(4))
    assert asked.shape == (items, labels_per_item)
    ordered = np.sort(asked, axis=1)
    assert np.all(np.diff(ordered, axis=1) > 0)
    for worker, share in enumerate(shares):
        chance = labels_per_item * share
        asked_share = np.mean(np.any(asked == worker, axis=1))
        assert asked_share == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / items))


def test_more_labels_than_the_panel_allows_are_refused() -> None:
    with pytest.raises(UsageError, match=r"4 different workers, but one worker has 30% .* at most 3"):
        assign_workers(np.array([0.3, 0.25, 0.2, 0.15, 0.1]), 10, 4, np.random.default_rng(4))


# ---- crowds --------------------------------------------------------------------------------------------------------

LEANING = Worker(0.9, 0.25, -0.3, 0.2, 10.0, leanings=(("x", 0.2), ("y", -0.1)), price=0.05)


def share_within(share: float, chance: float, count: int) -> bool:
    return abs(share - chance) <= 4.5 * np.sqrt(chance * (1 - chance) / count)


def test_an_array_of_workers_answers_as_each_worker_does() -> None:
    # The scalar model is the oracle: another worker and another difference in each column of one call.
    workers = (PLAIN, LEANING, replace(LEANING, spam_rate=0.0, side_preference=0.5))
    differences = np.array([0.0, 0.1, -0.4])
    crowd = Crowd.of(workers, "x", "z")
    runs, rng = 40_000, np.random.default_rng(3)
    people = np.broadcast_to(np.arange(3, dtype=np.uint8), (runs, 3, 3))
    labels = draw_labels(crowd, people, differences, rng)
    assert labels.shape == (runs, 3, 3)
    for item, difference in enumerate(differences):
        for place, worker in enumerate(workers):
            seen = np.clip(difference + worker.lean("x", "z"), -1, 1)
            chances = np.mean([outcome_probabilities(worker, [seen], left)[0] for left in (True, False)], axis=0)
            for code, chance in zip((1, 0, -1), chances, strict=True):
                assert share_within(np.mean(labels[:, item, place] == code), chance, runs)


def test_the_fast_path_is_the_papers_model() -> None:
    crowd = Crowd.of((PLAIN, replace(PLAIN, capability=0.0), replace(PLAIN, capability=1.0)))
    assert crowd.forced_choice
    assert not Crowd.of((PLAIN, LEANING)).forced_choice
    runs = 40_000
    people = np.broadcast_to(np.arange(3, dtype=np.uint8), (runs, 2, 3))
    labels = draw_labels(crowd, people, np.array([0.5, -1.0]), np.random.default_rng(4))
    # (c d + 1)/2 for d = .5: .7, .5, .75; for d = -1: .1, .5, and never.
    for item, chances in enumerate(((0.7, 0.5, 0.75), (0.1, 0.5, 0.0))):
        for place, chance in enumerate(chances):
            assert share_within(np.mean(labels[:, item, place] == 1), chance, runs)
    assert set(np.unique(labels)) == {-1, 1}
    assert (labels[:, 1, 2] == -1).all()


def test_differences_may_differ_between_runs() -> None:
    people = np.zeros((2, 50, 1), dtype=np.uint8)
    perfect = Crowd.of((replace(PLAIN, capability=1.0),))
    labels = draw_labels(perfect, people, np.array([[1.0] * 50, [-1.0] * 50]), np.random.default_rng(5))
    assert (labels[0] == 1).all()
    assert (labels[1] == -1).all()


def test_leanings_cancel_and_favour() -> None:
    fan = replace(PLAIN, leanings=(("x", 0.5),))
    assert fan.lean("x", "y") == 0.5
    assert fan.lean("y", "x") == -0.5
    assert fan.lean("y", "z") == 0.0
    assert LEANING.lean("x", "y") == pytest.approx(0.3)
    with pytest.raises(UsageError, match="leaning toward x must be from -1 to 1, not 2"):
        replace(PLAIN, leanings=(("x", 2.0),))
    with pytest.raises(UsageError, match="two leanings"):
        replace(PLAIN, leanings=(("x", 0.1), ("x", 0.2)))
    with pytest.raises(UsageError, match="price must be from 0 to 1,000,000,000, not -1"):
        replace(PLAIN, price=-1.0)


def test_people_without_replacement_are_all_ordered_choices_alike() -> None:
    count = 120_000
    people = draw_people(4, count // 100, 100, 3, np.random.default_rng(6)).reshape(-1, 3)
    orders = list(permutations(range(4), 3))  # 24 of them
    codes = people.astype(int) @ [16, 4, 1]
    for order in orders:
        assert share_within(np.mean(codes == order[0] * 16 + order[1] * 4 + order[2]), 1 / 24, count)


def test_people_with_replacement_repeat() -> None:
    people = draw_people(100, 200, 100, 2, np.random.default_rng(7), replace=True)
    assert share_within(np.mean(people[..., 0] == people[..., 1]), 0.01, 20_000)
    assert share_within(np.mean(people < 50), 0.5, 40_000)
    assert (people.min(), people.max()) == (0, 99)


def test_large_crowds_and_whole_panels() -> None:
    people = draw_people(1000, 3, 50, 2, np.random.default_rng(8))
    assert people.max() > 255
    everybody = draw_people(5, 10, 10, 5, np.random.default_rng(8))
    assert (np.sort(everybody, axis=2) == np.arange(5)).all()
    with pytest.raises(UsageError, match="4 different people cannot be asked from a crowd of 3"):
        draw_people(3, 1, 1, 4, np.random.default_rng(8))


def test_one_person_labels_a_whole_run() -> None:
    people = draw_one_person(10, 500, 4, np.random.default_rng(9))
    assert people.shape == (500, 4, 1)
    assert (people == people[:, :1]).all()
    assert len(np.unique(people[:, 0, 0])) == 10


def test_the_papers_crowd() -> None:
    workers = capable_workers(200, 0.8, 1.0, np.random.default_rng(10))
    crowd = Crowd.of(workers)
    assert crowd.forced_choice
    assert crowd.capability.min() >= 0.8
    assert crowd.capability.mean() == pytest.approx(0.9, abs=0.02)
    with pytest.raises(UsageError, match="from 1 to 65,536 workers, not 0"):
        Crowd.of(())
