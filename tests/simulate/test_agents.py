from __future__ import annotations

import numpy as np
import pytest

from tiebreak.campaign import Protocol, make_plan
from tiebreak.campaign.settings import DecisionSettings
from tiebreak.errors import UsageError
from tiebreak.simulate.agents import Agents, World
from tiebreak.simulate.workers import Worker

SHARP = Worker(1.0, 0.0, 0.0, 0.0, 10.0, price=0.2)


def test_the_true_difference_of_a_perfect_worker_is_that_of_the_qualities() -> None:
    world = World((0.5, 0.2, 0.2), items=10, spread=0.1)
    truth = world.true_differences((SHARP,), (("a", "b"), ("b", "c"), ("b", "a")), 20_000)
    np.testing.assert_allclose(truth, [0.3, 0.0, -0.3], atol=0.004)
    assert truth[1] == 0.0


def test_answers_follow_the_qualities() -> None:
    # Two items: on the first a is better by .6, on the second b by .2. P(a) = (d + 1)/2.
    world = World((0.0, 0.0), items=2, spread=0.0)
    quality = np.array([[0.6, 0.0], [0.0, 0.2]])
    rng = np.random.default_rng(0)
    plan = make_plan(Protocol(), World((0.0, 0.0), items=50).study(np.zeros((50, 2)), rng))
    agents = Agents(plan, quality, (SHARP,), rng)
    for item, share in ((0, 0.8), (1, 0.4)):
        answers = [agents.answer(0, 0, item, bool(k % 2)) for k in range(4000)]
        assert abs(np.mean([answer.outcome == 1 for answer in answers]) - share) < 4 * 0.5 / 4000**0.5
        assert {answer.price for answer in answers} == {0.2}
        assert 9 < np.median([answer.seconds for answer in answers]) < 11
    assert world.draw(rng).shape == (2, 2)


def test_a_leaning_is_seen() -> None:
    fan = Worker(1.0, 0.0, 0.0, 0.0, 10.0, leanings=(("a", 0.5),))
    world = World((0.0, 0.0), items=50, spread=0.0)
    rng = np.random.default_rng(1)
    plan = make_plan(Protocol(), world.study(np.zeros((50, 2)), rng))
    agents = Agents(plan, np.zeros((50, 2)), (fan,), rng)
    share = np.mean([agents.answer(0, 0, 0, True).outcome == 1 for _ in range(4000)])
    assert abs(share - 0.75) < 4 * 0.5 / 4000**0.5
    np.testing.assert_allclose(world.true_differences((fan,), (("a", "b"),), 100), [0.5])


def test_the_metric_and_the_clusters_reach_the_plan() -> None:
    world = World((0.2, 0.0), items=60, spread=0.3, cluster_size=5, intraclass=0.5, correlation=0.9)
    rng = np.random.default_rng(2)
    quality = world.draw(rng)
    study = world.study(quality, rng)
    assert study.scores is not None
    values = study.scores["value"].to_numpy()
    assert abs(np.corrcoef(values, quality.ravel())[0, 1] - 0.9) < 0.06
    plan = make_plan(Protocol(), study)
    assert plan.pairs[0].starts.size - 1 == 12
    assert (
        make_plan(Protocol(decision=DecisionSettings(target="items", metrics=("metric",))), study).items[0] == "i000000"
    )


def test_impossible_worlds_are_refused() -> None:
    for bad in (
        {"qualities": (0.1,), "items": 5},
        {"qualities": (0.1, 0.2), "items": 0},
        {"qualities": (0.1, 0.2), "items": 5, "correlation": 2.0},
        {"qualities": (0.1, 0.2), "items": 5, "spread": -1.0},
        {"qualities": (0.1, float("nan")), "items": 5},
    ):
        with pytest.raises(UsageError):
            World(**bad)  # type: ignore[arg-type]
