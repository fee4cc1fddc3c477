"""Worlds with agents, and the files that describe them."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.campaign import CampaignPlan, Preferred, Protocol, TaskAssigned, make_plan
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.settings.protocol import Budget, DecisionSettings
from tiebreak.simulate.people.agents import Agents, World
from tiebreak.simulate.people.metrics import IDEAL_MIXTURE, SimulatedJudge, SimulatedMetric
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.people.world_toml import PeopleGroup, draw_crowd, world_from_toml
from tiebreak.simulate.runs.repeat import AgentExperiment, repeat

# ---- agents --------------------------------------------------------------------------------------------------------

SHARP = Worker(1.0, 0.0, 0.0, 0.0, 10.0, price=0.2)


def test_the_true_difference_of_a_perfect_worker_is_that_of_the_qualities() -> None:
    world = World((0.5, 0.2, 0.2), items=10, spread=0.1)
    truth = world.true_differences((SHARP,), (("a", "b"), ("b", "c"), ("b", "a")), 20_000)
    np.testing.assert_allclose(truth, [0.3, 0.0, -0.3], atol=0.004)
    assert truth[1] == 0.0


def task_on(plan: CampaignPlan, item: int, *, a_first: bool = True) -> TaskAssigned:
    systems = plan.tracks[0].systems
    shown = systems if a_first else systems[::-1]
    return TaskAssigned("", "", "", systems, plan.items[item], shown)


def test_answers_follow_the_qualities() -> None:
    # Two items: on the first a is better by .6, on the second b by .2. P(a) = (d + 1)/2.
    world = World((0.0, 0.0), items=2, spread=0.0)
    quality = np.array([[0.6, 0.0], [0.0, 0.2]])
    rng = np.random.default_rng(0)
    plan = make_plan(Protocol(), World((0.0, 0.0), items=50).study(np.zeros((50, 2)), rng))
    agents = Agents(plan, quality, (SHARP,), rng)
    for item, share in ((0, 0.8), (1, 0.4)):
        answers = [agents.answer(0, task_on(plan, item, a_first=bool(k % 2))) for k in range(4000)]
        assert abs(np.mean([answer.response == Preferred("a") for answer in answers]) - share) < 4 * 0.5 / 4000**0.5
        assert {answer.price for answer in answers} == {0.2}
        assert 9 < np.median([answer.seconds for answer in answers]) < 11
    assert world.draw(rng).shape == (2, 2)


def test_a_leaning_is_seen() -> None:
    fan = Worker(1.0, 0.0, 0.0, 0.0, 10.0, leanings=(("a", 0.5),))
    world = World((0.0, 0.0), items=50, spread=0.0)
    rng = np.random.default_rng(1)
    plan = make_plan(Protocol(), world.study(np.zeros((50, 2)), rng))
    agents = Agents(plan, np.zeros((50, 2)), (fan,), rng)
    share = np.mean([agents.answer(0, task_on(plan, 0)).response == Preferred("a") for _ in range(4000)])
    assert abs(share - 0.75) < 4 * 0.5 / 4000**0.5
    np.testing.assert_allclose(world.true_differences((fan,), (("a", "b"),), 100), [0.5])


def test_the_metric_and_the_clusters_reach_the_plan() -> None:
    metrics, rng = (SimulatedMetric("metric", 0.9),), np.random.default_rng(2)
    world = World((0.2, 0.0), items=60, spread=0.3, cluster_size=5, intraclass=0.5, metrics=metrics)
    quality = world.draw(rng)
    study = world.study(quality, rng)
    values = study.scores["value"].to_numpy()
    assert abs(np.corrcoef(values, quality.ravel())[0, 1] - 0.9) < 0.06
    plan = make_plan(Protocol(), study)
    assert plan.tracks[0].starts.size - 1 == 12
    helped = Protocol(decision=DecisionSettings(target="items", metrics=("metric",)))
    assert make_plan(helped, study).items[0] == "i000000"


def test_many_systems_have_names_that_sort() -> None:
    assert World(tuple([0.0] * 26), items=2).systems[-1] == "z"
    many = World(tuple([0.0] * 120), items=2).systems
    assert (many[0], many[-1]) == ("s001", "s120")
    assert list(many) == sorted(many)


def test_a_judge_repeats_what_one_more_person_says_with_mistakes() -> None:
    # Everybody prefers a with probability (1 + .5) / 2 = .75 and never ties; the ideal mixture turns that into
    # a: .8 * .75 + .1 * .25 = .625, tie: .1, b: .1 * .75 + .8 * .25 = .275.
    world = World((0.5, 0.0), items=6000, spread=0.0, judges=(SimulatedJudge("gpt", IDEAL_MIXTURE),))
    rng = np.random.default_rng(3)
    said = world.study(world.draw(rng), rng, (SHARP,)).judge_preferences
    shares = [said["outcome"].eq(name).mean() for name in ("a", "tie", "b")]
    np.testing.assert_allclose(shares, [0.625, 0.1, 0.275], atol=4 * 0.5 / 6000**0.5)


def test_fast_people_count_more_in_the_truth_as_in_the_campaign() -> None:
    # One sees everything in 30 s, one guesses in 10 s and gives three of four labels: .4 / 4.
    slow, fast = Worker(1.0, 0.0, 0.0, 0.0, 30.0), Worker(0.0, 0.0, 0.0, 0.0, 10.0)
    world = World((0.4, 0.0), items=400, spread=0.0)
    (truth,) = world.true_differences((slow, fast), (("a", "b"),), 100)
    assert truth == pytest.approx(0.1)
    protocol = Protocol(decision=DecisionSettings(rule="fixed"), budget=Budget(items_per_pair=400))
    table = repeat(AgentExperiment(protocol, world, (slow, fast)), 12, 1)
    # 4,800 labels of work: 3 of 4 take 10 s (times a log-normal of spread 1/2), 1 of 4 takes 30 s.
    assert table.work.sum() / table.labels.sum() == pytest.approx(15 * np.exp(0.125), rel=0.06)


def test_impossible_worlds_are_refused() -> None:
    for bad in (
        {"qualities": (0.1,), "items": 5},
        {"qualities": (0.1, 0.2), "items": 0},
        {"qualities": (0.1,) * 51, "items": 100_000},
        {"qualities": (0.1, 0.2), "items": 5, "names": ("x", "x")},
        {"qualities": (0.1, 0.2), "items": 5, "metrics": (SimulatedMetric("m", 0.1), SimulatedMetric("m", 0.2))},
        {"qualities": (0.1, 0.2), "items": 5, "spread": -1.0},
        {"qualities": (0.1, float("nan")), "items": 5},
    ):
        with pytest.raises(UsageError):
            World(**bad)  # type: ignore[arg-type]


# ---- world files ---------------------------------------------------------------------------------------------------
# A world file: everything it can say, its defaults, and what is wrong, named with its line.

WORLD = """[systems]
baseline = 0
tuned = 0.2

[items]
number_of_items = 40
spread = 0.3
cluster_size = 4
intraclass = 0.5

[[metrics]]
name = "rouge"
correlation = 0.4

[[judges]]
name = "gpt"
mixture = [[0.8, 0.25, 0.1], [0.1, 0.5, 0.1], [0.1, 0.25, 0.8]]

[[people]]
crowd = 3

[[people]]
crowd = 2
capability = [0.1, 0.2]
spam = 0.5
seconds = 5
price = 0.05
leanings = { tuned = 0.3 }
"""


TWO = "[systems]\nx = 0\ny = 1\n"


def problems_of(text: str) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(InputError) as caught:
        world_from_toml(text, "w.toml")
    problems: tuple[Problem, ...] = caught.value.problems
    return [(problem.line, problem.column, problem.message) for problem in problems]


def test_everything_that_a_file_can_say() -> None:
    world, people = world_from_toml(WORLD)
    assert world == World(
        (0.0, 0.2),
        items=40,
        spread=0.3,
        cluster_size=4,
        intraclass=0.5,
        names=("baseline", "tuned"),
        metrics=(SimulatedMetric("rouge", 0.4),),
        judges=(SimulatedJudge("gpt", ((0.8, 0.25, 0.1), (0.1, 0.5, 0.1), (0.1, 0.25, 0.8))),),
    )
    assert people[0] == PeopleGroup(3)
    crowd = draw_crowd(people, np.random.default_rng(1))
    assert [worker.price for worker in crowd] == [0.0, 0.0, 0.0, 0.05, 0.05]
    assert all(0.8 <= worker.capability <= 1 for worker in crowd[:3])
    assert all(0.1 <= worker.capability <= 0.2 for worker in crowd[3:])
    assert crowd[4].lean("tuned", "baseline") == 0.3


def test_two_qualities_are_enough() -> None:
    world, people = world_from_toml(TWO)
    assert world == World((0.0, 1.0), 500, names=("x", "y"))
    assert people == (PeopleGroup(),)


def test_all_unknown_keys_and_wrong_kinds_at_once() -> None:
    text = WORLD.replace("number_of_items = 40", "number_of_items = 2.5").replace("tuned = 0.3", "tund = 0.3")
    text = text.replace("spam", "spma").replace("baseline = 0", 'baseline = "0"').replace("0.8, 0.25", "0.9, 0.25")
    found = problems_of("colour = 1\n" + text)
    assert sorted((line, column) for line, column, _ in found if line is not None and column is not None) == [
        (1, "colour"),
        (3, "systems.baseline"),
        (7, "items.number_of_items"),
        (16, "judges[1]"),
        (26, "people[2].spma"),
    ]
    messages = {column: message for _, column, message in found}
    assert "did you mean spam?" in messages["people[2].spma"]
    assert "columns" in messages["judges[1]"]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (WORLD.replace("tuned = 0.3", "tund = 0.3"), 28, "people[2].leanings.tund", "did you mean tuned?"),
        ("", None, "systems", "is missing"),
        ("systems = 3\n", 1, "systems", "must be a table"),
        ("[systems]\nx = 0\n", 1, "systems", "at least 2 systems"),
        (f"{TWO}[items]\nnumber_of_items = 0\n", 5, "items.number_of_items", "must be a whole number from 1"),
        (f"{TWO}[[people]]\ncrowd = 0\n", 4, "people[1]", "from 1 to 1,000"),
        (f"{TWO}[[people]]\ncapability = [0.9, 0.1]\n", 4, "people[1]", "LOW,HIGH"),
        (f"{TWO}[people]\ncrowd = 3\n", 4, "people", "each below [[people]]"),
        (f'{TWO}[[metrics]]\nname = "m"\ncorrelation = 2\n', 4, "metrics[1]", "in [-1, 1]"),
        (f'{TWO}[[metrics]]\nname = "m"\n', 4, "metrics[1].correlation", "is missing"),
        (f'{TWO}[[judges]]\nname = "m"\nmixture = [[1], [1, 2]]\n', 4, "judges[1]", "3 x 3"),
    ],
)
def test_what_cannot_be(text: str, line: int | None, column: str, message: str) -> None:
    ((found_line, found_column, found),) = problems_of(text)
    assert (found_line, found_column) == (line, column)
    assert message in found
