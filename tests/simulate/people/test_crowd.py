from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.simulate.people.crowd import Crowd, capable_workers, draw_labels, draw_one_person, draw_people
from tiebreak.simulate.people.workers import Worker, outcome_probabilities

PLAIN = Worker(capability=0.8, tie_threshold=0.0, side_preference=0.0, spam_rate=0.0, seconds_median=10.0)
ODD = Worker(0.9, 0.25, -0.3, 0.2, 10.0, leanings=(("x", 0.2), ("y", -0.1)), price=0.05)


def share_within(share: float, chance: float, count: int) -> bool:
    return abs(share - chance) <= 4.5 * np.sqrt(chance * (1 - chance) / count)


def test_an_array_of_workers_answers_as_each_worker_does() -> None:
    # The scalar model is the oracle: another worker and another difference in each column of one call.
    workers = (PLAIN, ODD, replace(ODD, spam_rate=0.0, side_preference=0.5))
    differences = np.array([0.0, 0.1, -0.4])
    crowd = Crowd.of(workers, "x", "z")
    runs, rng = 40_000, np.random.default_rng(3)
    people = np.broadcast_to(np.arange(3, dtype=np.uint8), (runs, 3, 3))
    labels = draw_labels(crowd, people, differences, rng)
    assert labels.shape == (runs, 3, 3)
    for item, difference in enumerate(differences):
        for place, worker in enumerate(workers):
            seen = np.clip(difference + worker.lean("x", "z"), -1, 1)
            chances = (outcome_probabilities(worker, [seen], True) + outcome_probabilities(worker, [seen], False))[
                0
            ] / 2
            for code, chance in zip((1, 0, -1), chances, strict=True):
                assert share_within(np.mean(labels[:, item, place] == code), chance, runs)


def test_the_fast_path_is_the_papers_model() -> None:
    crowd = Crowd.of((PLAIN, replace(PLAIN, capability=0.0), replace(PLAIN, capability=1.0)))
    assert crowd.forced_choice
    assert not Crowd.of((PLAIN, ODD)).forced_choice
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
    assert ODD.lean("x", "y") == pytest.approx(0.3)
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
