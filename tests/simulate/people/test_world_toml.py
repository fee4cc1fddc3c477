"""A world file: everything it can say, its defaults, and what is wrong, named with its line."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import InputError, Problem
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.metrics import SimulatedJudge, SimulatedMetric
from tiebreak.simulate.people.world_toml import PeopleGroup, draw_crowd, world_from_toml

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


def test_a_leaning_to_no_system_is_named() -> None:
    ((line, column, message),) = problems_of(WORLD.replace("tuned = 0.3", "tund = 0.3"))
    assert (line, column) == (28, "people[2].leanings.tund")
    assert "did you mean tuned?" in message


def test_two_qualities_are_enough() -> None:
    world, people = world_from_toml("[systems]\nx = 0\ny = 1\n")
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
        ("", None, "systems", "is missing"),
        ("systems = 3\n", 1, "systems", "must be a table"),
        ("[systems]\nx = 0\n", 1, "systems", "at least 2 systems"),
        (
            "[systems]\nx = 0\ny = 1\n[items]\nnumber_of_items = 0\n",
            5,
            "items.number_of_items",
            "must be a whole number from 1 to 100,000",
        ),
        ("[systems]\nx = 0\ny = 1\n[[people]]\ncrowd = 0\n", 4, "people[1]", "from 1 to 1,000"),
        ("[systems]\nx = 0\ny = 1\n[[people]]\ncapability = [0.9, 0.1]\n", 4, "people[1]", "LOW,HIGH"),
        ("[systems]\nx = 0\ny = 1\n[people]\ncrowd = 3\n", 4, "people", "each below [[people]]"),
        ('[systems]\nx = 0\ny = 1\n[[metrics]]\nname = "m"\ncorrelation = 2\n', 4, "metrics[1]", "in [-1, 1]"),
        ('[systems]\nx = 0\ny = 1\n[[metrics]]\nname = "m"\n', 4, "metrics[1].correlation", "is missing"),
        ('[systems]\nx = 0\ny = 1\n[[judges]]\nname = "m"\nmixture = [[1], [1, 2]]\n', 4, "judges[1]", "3 x 3"),
    ],
)
def test_what_cannot_be(text: str, line: int | None, column: str, message: str) -> None:
    ((found_line, found_column, found),) = problems_of(text)
    assert (found_line, found_column) == (line, column)
    assert message in found
