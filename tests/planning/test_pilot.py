"""Pilots: what they say of pairs, prices and people; and how many people a verdict about people like these takes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import nct, t
from tests.small_studies import Row, rating, study_of, vote

from tiebreak.data.settings import SystemSettings
from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import UsageError
from tiebreak.kernels.two_way import two_way_mean
from tiebreak.planning.assumptions import Assumptions, PlanSettings
from tiebreak.planning.pilot import PilotPair, read_pilot
from tiebreak.planning.plan import plan
from tiebreak.planning.records import PeoplePlan

# ---- pilots --------------------------------------------------------------------------------------------------------


def preferences(criterion: str | None = None) -> list[Row]:
    return [
        # item 1: two people for x; item 2: one for x, one tie; item 3: one for y (asked the other way round)
        vote("1", "x", "y", "p", "a", criterion=criterion) | {"seconds": 10.0},
        vote("1", "x", "y", "q", "a", criterion=criterion) | {"seconds": 20.0},
        vote("2", "x", "y", "p", "a", criterion=criterion) | {"seconds": 30.0},
        vote("2", "x", "y", "q", "tie", criterion=criterion) | {"seconds": 40.0},
        vote("3", "y", "x", "p", "a", criterion=criterion) | {"seconds": 60.0},
    ]


def test_a_pilot_by_hand() -> None:
    settings = StudySettings(price_per_label=0.25, currency="€")
    study = Study.from_tables(preferences=preferences(), settings=settings, name="small")
    pilot = read_pilot(study, None, None)
    assert pilot.pairs == (PilotPair("x", "y", 1.5, 0.5, 1.0),)
    assert pilot.pairs[0].items == 3
    assert (pilot.seconds, pilot.price, pilot.currency, pilot.systems) == (30.0, 0.25, "€", ("x", "y"))
    assert pilot.ties == pytest.approx(0.5 / 3)
    # Four labels with a partner, 1 1 and 1 0: observed disagreement 2 * 1 / 4, expected 2 * 3 * 1 / (4 * 3) = 1/2.
    assert pilot.agreement == pytest.approx(0.0)


def test_clusters_of_a_pilot_are_named() -> None:
    items = [{"item": "1", "cluster": "d"}, {"item": "2", "cluster": "d"}, {"item": "3", "cluster": "e"}]
    study = Study.from_tables(preferences=preferences(), items=items, name="small")
    assert read_pilot(study, None, None).items_a_cluster == 1.5
    assert read_pilot(Study.from_tables(preferences=preferences(), name="small"), None, None).items_a_cluster is None


def test_a_baseline_turns_the_pair_round() -> None:
    study = Study.from_tables(preferences=preferences(), name="small")
    (pair,) = read_pilot(study, None, "x").pairs
    assert (pair.system_a, pair.system_b, pair.wins, pair.losses) == ("y", "x", 1.0, 1.5)
    with pytest.raises(UsageError, match="no system 'z'"):
        read_pilot(study, None, "z")


def test_ratings_are_a_pilot_too() -> None:
    values = {"x": (3, 2, 1, 5), "y": (2, 2, 4, 1)}
    ratings = [rating(str(k), of, "p", value, "fluency") for of, own in values.items() for k, value in enumerate(own)]
    pilot = read_pilot(Study.from_tables(ratings=ratings, name="rated"), None, None)
    assert pilot.pairs == (PilotPair("x", "y", 2.0, 1.0, 1.0),)
    assert pilot.agreement is None
    assert pilot.seconds is None
    close = read_pilot(Study.from_tables(ratings=ratings, name="rated"), "fluency", None, tie_threshold=1.0)
    assert close.pairs == (PilotPair("x", "y", 1.0, 2.0, 1.0),)


def test_what_is_no_pilot() -> None:
    two = [*preferences(criterion="a"), *preferences(criterion="b")]
    study = Study.from_tables(preferences=two, name="two")
    with pytest.raises(UsageError, match="--criterion: a, b"):
        read_pilot(study, None, None)
    with pytest.raises(UsageError, match="no criterion 'c'"):
        read_pilot(study, "c", None)
    assert read_pilot(study, "b", None).criterion == "b"
    outputs = [{"item": "1", "system": "x", "text": "t"}]
    with pytest.raises(UsageError, match="no human labels"):
        read_pilot(Study.from_tables(outputs=outputs, name="bare"), None, None)


def test_differences_are_as_uncertain_as_the_pilot() -> None:
    drawn = PilotPair("x", "y", 60.0, 20.0, 20.0).likely_differences(2_000)
    # Dir(61, 21, 21): mean (61 - 21)/103; variance ((61 + 21)/103 - mean^2)/104.
    mean = 40 / 103
    assert drawn.mean() == pytest.approx(mean, abs=0.003)
    assert drawn.var() == pytest.approx((82 / 103 - mean**2) / 104, rel=0.05)


def test_systems_that_nobody_labelled_cost_nothing_references_among_them() -> None:
    outputs = [{"item": item, "system": name, "text": f"{name} {item}"} for item in "123" for name in ("x", "y", "h")]
    settings = StudySettings(systems={"h": SystemSettings(reference=True)})
    study = Study.from_tables(preferences=preferences(), outputs=outputs, settings=settings, name="small")
    assert read_pilot(study, None, None).systems == ("x", "y")


def test_agreement_of_ratings_is_that_of_what_each_person_prefers() -> None:
    """Two people rate both outputs of 60 items; the second prefers as the first does, or has no preference."""

    def agreement(*, same: bool) -> float | None:
        rows = []
        for k in range(60):
            for person, sign in (("p", 1), ("q", int(same))):
                rows += [rating(f"i{k}", "ant", person, 3 + sign * (k % 3 - 1)), rating(f"i{k}", "bee", person, 3)]
        return read_pilot(Study.from_tables(ratings=rows), None, None).agreement

    assert agreement(same=True) == 0.9, "the most that is taken"
    assert agreement(same=False) == pytest.approx(0, abs=0.1)


# ---- people --------------------------------------------------------------------------------------------------------
# How many people a verdict about people like these takes: by the tests that `compare` makes, played many times.

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
    items = next(row.items for row in found.rows if row.people == people)
    assert 0.72 <= share_decided(0.2, 0.1, people, items) <= 0.88


def test_below_the_floor_more_items_do_not_help() -> None:
    found = planned(0.1, 0.12)
    row = next(row for row in found.rows if row.people == 8)
    assert row.floor > 0.1
    assert row.items is None
    assert share_decided(0.1, 0.12, 8, 20_000) < 0.8
    assert 8 < found.enough < 20


def test_of_many_people_the_floor_is_that_of_a_t_test() -> None:
    found = planned(0.1, 0.12)
    row = next(row for row in found.rows if row.people == 40)
    effect = row.floor / 0.12 * math.sqrt(40)
    assert 1 - nct.cdf(t.ppf(0.975, 39), 39, effect) == pytest.approx(0.8, abs=0.001)


def test_without_tastes_nothing_is_planned_for_people() -> None:
    assert planned(0.1, None) is None


def tasted(spread: float, people: int = 12, items: int = 600) -> list[Row]:
    """Preferences of one label per item, by people whose differences spread so around .1."""
    rng = np.random.default_rng(5)
    own = 0.1 + spread * rng.standard_normal(people)
    won = rng.random(items) < (1 + own[np.arange(items) % people]) / 2
    return [vote(f"i{k}", "ant", "bee", f"p{k % people}", "a" if yes else "b") for k, yes in enumerate(won)]


def test_a_pilot_tells_how_far_tastes_spread_but_not_one_of_four_people() -> None:
    pilot = read_pilot(study_of(tasted(0.5, items=2_400)), None, None)
    assert pilot.tastes == pytest.approx(0.5, abs=0.2)  # of 12 people a standard deviation has an error of .1
    assert read_pilot(study_of(tasted(0.5, people=4)), None, None).tastes is None
