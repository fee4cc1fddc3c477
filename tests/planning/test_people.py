"""How many people a verdict about people like these takes: by the tests that `compare` makes, played many times."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import nct, t
from tests.small_studies import study_of

from tiebreak.kernels.two_way import two_way_mean
from tiebreak.planning.assumptions import Assumptions, PlanSettings
from tiebreak.planning.pilot import read_pilot
from tiebreak.planning.plan import plan
from tiebreak.planning.records import PeoplePlan

PANELS = 300


def planned(difference: float, tastes: float | None, crowd: int = 1) -> PeoplePlan | None:
    return plan(Assumptions(difference=difference, tastes=tastes), PlanSettings(crowd=crowd)).people


def share_decided(difference: float, tastes: float, people: int, items: int) -> float:
    """Of panels that give one label per item: those of which both tests of people decide."""
    rng, decided = np.random.default_rng([people, items]), 0
    for _ in range(PANELS):
        person = np.arange(items) % people
        of_person = np.clip(difference + tastes * rng.standard_normal(people), -0.7, 0.7)
        wins = (0.7 + of_person) / 2
        drawn = rng.random(items)
        values = np.where(drawn < wins[person], 1.0, np.where(drawn < 0.7, -1.0, 0.0))
        weights = np.full(items, 1 / items)
        decided += two_way_mean(values, weights, np.arange(items), person, items).look().p_a <= 0.025
    return decided / PANELS


@pytest.mark.parametrize("people", [8, 40])
def test_the_items_that_are_planned_find_the_difference_in_80_percent(people: int) -> None:
    """Of 300 panels at least 216 and at most 264: 80% give fewer or more in 1 of 1,000 tests each."""
    found = planned(0.2, 0.1, people)
    assert found is not None
    items = next(row.items for row in found.rows if row.people == people)
    assert items is not None
    assert 0.72 <= share_decided(0.2, 0.1, people, items) <= 0.88


def test_below_the_floor_more_items_do_not_help() -> None:
    found = planned(0.1, 0.12)
    assert found is not None
    row = next(row for row in found.rows if row.people == 8)
    assert row.floor > 0.1
    assert row.items is None
    assert share_decided(0.1, 0.12, 8, 20_000) < 0.8
    assert found.enough is not None
    assert 8 < found.enough < 20


def test_of_many_people_the_floor_is_that_of_a_t_test() -> None:
    found = planned(0.1, 0.12)
    assert found is not None
    row = next(row for row in found.rows if row.people == 40)
    effect = row.floor / 0.12 * math.sqrt(40)
    assert 1 - nct.cdf(t.ppf(0.975, 39), 39, effect) == pytest.approx(0.8, abs=0.001)


def test_without_tastes_nothing_is_planned_for_people() -> None:
    assert planned(0.1, None) is None


def tasted(spread: float, people: int = 12, items: int = 600) -> list[dict[str, object]]:
    """Preferences of one label per item, by people whose differences spread so around .1."""
    rng = np.random.default_rng(5)
    own = 0.1 + spread * rng.standard_normal(people)
    return [
        {
            "item": f"i{item}", "system_a": "ant", "system_b": "bee", "annotator": f"p{item % people}",
            "outcome": "a" if rng.random() < (1 + own[item % people]) / 2 else "b",
        }
        for item in range(items)
    ]  # fmt: skip


def test_a_pilot_tells_how_far_tastes_spread() -> None:
    pilot = read_pilot(study_of(tasted(0.5, items=2_400)), None, None)
    assert pilot.tastes == pytest.approx(0.5, abs=0.2)  # of 12 people a standard deviation has an error of .1


def test_a_pilot_of_four_people_tells_nothing_of_tastes() -> None:
    assert read_pilot(study_of(tasted(0.5, people=4)), None, None).tastes is None
