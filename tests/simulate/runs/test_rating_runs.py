"""Whole campaigns of ratings by simulated people: they end as the core does, and their intervals hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.worlds.rating_campaigns import rating_protocol
from benchmarks.worlds.simulation import largest_rate

from tiebreak.campaign import init_from_plan, make_plan, replay
from tiebreak.campaign.estimates import estimates
from tiebreak.settings.protocol import DecisionSettings
from tiebreak.simulate.engines.step_engine import run_campaign
from tiebreak.simulate.people.crowd import Habits
from tiebreak.simulate.people.metrics import Raters, RatingWorld
from tiebreak.simulate.runs.rating_runs import repeat_ratings, summarise_ratings
from tiebreak.simulate.settings import RaterSettings

WORLD = RatingWorld(RaterSettings((3.0, 3.4, 4.6), number_of_items=400))
PROTOCOL = rating_protocol(half_width=0.5)


def test_a_run_ends_as_the_core_does_on_the_same_events() -> None:
    rng = np.random.default_rng(1)
    plan = make_plan(PROTOCOL, WORLD.study())
    habits = Habits(hand=5, forgets=0.05, leaves=0.001)
    finished = run_campaign(plan, Raters(WORLD, plan, rng), rng, habits, keep_events=True)
    again = replay(init_from_plan(plan), finished.events)
    assert estimates(again) == estimates(finished.state)
    assert again.ended == finished.state.ended == "decided"


@pytest.mark.parametrize(
    ("runs", "severity"), [(20, 0.0), *(pytest.param(*of, marks=pytest.mark.full) for of in ((300, 0.0), (150, 0.7)))]
)
def test_intervals_hold_where_width_ends_the_campaign(runs: int, severity: float) -> None:
    """All intervals at once, where width ended the campaign, with people who work at the same time."""
    world = RatingWorld(RaterSettings((3.0, 4.7), number_of_items=300, raters=5, severity=severity))
    for until in ("means", "differences"):
        protocol = rating_protocol(half_width=0.6, until=until)
        found = summarise_ratings(protocol, world, repeat_ratings(protocol, world, runs, seed=3, workers=2))
        assert found.known == 1
        assert 1 - found.covers <= largest_rate(0.05, runs)


def test_wrong_directions_are_rare_and_counted() -> None:
    world = RatingWorld(RaterSettings((3.0, 3.0), number_of_items=150))
    protocol = rating_protocol(until="directions", half_width=0.9)
    found = summarise_ratings(protocol, world, repeat_ratings(protocol, world, 20, seed=5))
    assert found.wrong <= largest_rate(0.05, 20)
    assert found.measures[0].truth == pytest.approx(0, abs=0.02)
    assert sum(found.ended.values()) == found.runs == 20


def test_results_do_not_depend_on_the_number_of_processes() -> None:
    assert repeat_ratings(PROTOCOL, WORLD, 3, seed=9) == repeat_ratings(PROTOCOL, WORLD, 3, seed=9, workers=2)


def test_a_claim_about_these_items_is_held_against_their_own_means() -> None:
    """Of 30 items the mean is far from that of all that there could be, which the intervals do not hold."""
    world = RatingWorld(RaterSettings((3.0, 3.4), number_of_items=30))
    protocol = rating_protocol(half_width=0.1, decision=DecisionSettings("width", target="items"))
    runs = repeat_ratings(protocol, world, 12, seed=3)
    found = summarise_ratings(protocol, world, runs)
    assert found.known == 1
    assert 1 - found.covers <= largest_rate(0.05, 12)
    assert np.std([run.truths[0] for run in runs]) > 0.1


def test_a_metric_that_goes_with_quality_saves_ratings() -> None:
    settings = RaterSettings((3.0,), sigma_a=0.3, number_of_items=200)
    protocol = rating_protocol(half_width=0.15, decision=DecisionSettings("width", target="items"))
    helped = replace(protocol, decision=replace(protocol.decision, metrics=("metric",)))
    labels = []
    for asked, correlation in ((protocol, None), (helped, 0.9)):
        world = RatingWorld(replace(settings, metric_quality_correlation=correlation))
        labels.append(summarise_ratings(asked, world, repeat_ratings(asked, world, 6, seed=1)).labels)
    assert labels[1] < 0.93 * labels[0]
