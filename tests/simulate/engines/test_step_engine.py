from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import tally

from tiebreak.campaign import CampaignPlan, ItemAbandoned, Preferred, Protocol, TaskAssigned, make_plan
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings, PeopleSettings
from tiebreak.simulate.engines.step_engine import run_campaign
from tiebreak.simulate.people.crowd import Habits
from tiebreak.simulate.people.workers import SimulatedAnswer


class Steady:
    """People who always prefer a; person k takes (k + 1) x 10 seconds."""

    def __init__(self, people: int) -> None:
        self.people = people

    def answer(self, person: int, task: TaskAssigned) -> SimulatedAnswer:  # noqa: ARG002
        return SimulatedAnswer(Preferred("a"), 10.0 * (person + 1), 0.1)


def plan(items: int = 30, systems: str = "xyz", **settings: object) -> CampaignPlan:
    rows = [{"item": f"i{k:03d}", "system": s, "text": f"{s}{k}"} for k in range(items) for s in systems]
    return make_plan(Protocol(**settings), Study.from_tables(outputs=rows))  # type: ignore[arg-type]


def one_look(items: int) -> CampaignPlan:
    """All items of one pair are labelled, once each."""
    return plan(items, "xy", decision=DecisionSettings(rule="fixed"), budget=Budget(items_per_pair=items))


def test_people_work_side_by_side() -> None:
    # Two people of 10 and 20 seconds share 30 labels of a pair that never needs fewer: after 200 seconds they have
    # given 20 and 10.
    found = run_campaign(one_look(30), Steady(2), np.random.default_rng(0))
    assert (found.ended, found.seconds, found.work) == ("decided", 200.0, 400.0)
    assert found.state.labels == 30
    assert found.cost == pytest.approx(3.0)
    assert {name: person.labels for name, person in found.state.annotators.items()} == {"p1": 20, "p2": 10}


def test_an_answer_under_way_at_the_end_is_late_and_paid() -> None:
    # All pairs are decided while the slow people are still writing.
    found = run_campaign(plan(items=60), Steady(3), np.random.default_rng(0))
    assert found.ended == "decided"
    assert found.state.late == 2
    tracks = found.state.tracks
    waiting = sum(item.counted for pair in tracks for unit in pair.open.values() for item in unit)  # for an earlier one
    assert found.state.labels == sum(pair.done_labels for pair in tracks) + waiting + 2
    assert found.work == sum(10.0 * (int(n[1:])) * p.labels for n, p in found.state.annotators.items())


def test_forgotten_tasks_come_back_and_are_asked_again() -> None:
    habits = Habits(hand=3, forgets=0.3, give_up=None)
    found = run_campaign(one_look(40), Steady(4), np.random.default_rng(1), habits)
    # (pair, item) asked of several people are those that came back; all 40 items are labelled in the end.
    assert found.ended == "decided"
    assert found.state.tracks[0].done == 40
    assert len(found.state.returned) > 5
    assert found.seconds > 48 * 3600
    assert found.state.labels == 40


def test_items_that_come_back_too_often_are_abandoned() -> None:
    habits = Habits(forgets=0.4, give_up=1)
    found = run_campaign(one_look(40), Steady(4), np.random.default_rng(1), habits, keep_events=True)
    given_up = [event for event in found.events if isinstance(event, ItemAbandoned)]
    assert tally(found.state).abandoned == len(given_up) > 5
    assert found.state.labels == 40 - len(given_up)


def test_a_run_ends_when_everybody_has_left() -> None:
    found = run_campaign(plan(items=200, systems="xy"), Steady(2), np.random.default_rng(0), Habits(leaves=0.9))
    assert found.ended == "people"
    assert found.state.ended is None
    assert 2 <= found.state.labels < 10


def test_the_pair_of_somebody_who_left_passes_on() -> None:
    fixed = plan(items=60, systems="xy", labels=LabelSettings("fixed"), people=PeopleSettings(hours=1))
    found = run_campaign(fixed, Steady(6), np.random.default_rng(2), Habits(leaves=0.2))
    assert found.ended == "decided"
    assert sum(person.labels > 0 for person in found.state.annotators.values()) > 1


def test_impossible_habits_are_refused() -> None:
    for bad in ({"hand": 0}, {"forgets": 1.0}, {"leaves": -0.1}, {"give_up": 0}):
        with pytest.raises(UsageError):
            Habits(**bad)  # type: ignore[arg-type]
