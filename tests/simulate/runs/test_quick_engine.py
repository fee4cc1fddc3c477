"""The vectorised engine beside the step engine on experiments with agents: the same distribution, far sooner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tiebreak.campaign import Protocol
from tiebreak.errors import UsageError
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings, OrderSettings, PairSettings
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.habits import Habits
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.runs.quick_engine import DrawnLabels, repeat_quickly, why_not_quick
from tiebreak.simulate.runs.repeat import AgentExperiment, repeat
from tiebreak.simulate.runs.table import run_frame

WORKERS = tuple(Worker(c, 0.1, 0.0, 0.0, 20.0) for c in (0.7, 0.8, 0.9))
THREE = World((0.4, 0.2, 0.0), items=80)
BASE = AgentExperiment(Protocol(labels=LabelSettings("max-three", price=0.5)), World((0.5, 0.0), items=80), WORKERS)


def test_the_same_distribution_as_the_step_engine() -> None:
    # 16 step campaigns beside 3,000 vectorised ones: the mean numbers of items to the verdict agree within four
    # standard errors, and so do the prices per label and the truth.
    slow, fast = repeat(BASE, 16, 5), repeat_quickly(BASE, 3000, 5)
    assert slow.truth == fast.truth
    items = np.where(slow.verdict != 0, slow.decided_at, slow.items)[:, 0]
    error = float(items.std(ddof=1)) / 16**0.5
    assert abs(items.mean() - fast.items.mean()) < 4 * error
    assert abs((slow.verdict == 1).mean() - (fast.verdict == 1).mean()) < 0.4
    np.testing.assert_allclose(fast.cost, 0.5 * fast.labels)
    np.testing.assert_allclose(slow.cost, 0.5 * slow.labels)
    # Log-normal seconds with spread 1/2 around 20: 20 exp(1/8) = 22.7 a label, in both engines.
    for table in (slow, fast):
        assert abs(table.work.sum() / table.labels.sum() - 22.7) < 1.0


def test_workers_do_not_change_the_runs() -> None:
    world = replace(BASE.world, items=4_000)  # several chunks
    experiment = replace(BASE, world=world)
    for several in (experiment, replace(BASE, world=THREE)):
        one, two = repeat_quickly(several, 80, 1), repeat_quickly(several, 80, 1, workers=2)
        np.testing.assert_array_equal(one.pair_labels, two.pair_labels)
        np.testing.assert_array_equal(one.verdict, two.verdict)


def test_pairs_share_the_outputs_of_their_systems() -> None:
    """Wins of a over b and of a over c, counted over all items in each pair's own order: both depend on a's outputs.

    Differences x - y and x - z of independent outputs correlate by 1/2, y - z and x - y by -1/2; people who see
    differences only in part leave less of it. A pair by itself in each campaign would leave nothing.
    """
    perfect = (Worker(1.0, 0.0, 0.0, 0.0, 20.0),)
    experiment = AgentExperiment(Protocol(), World((0.0, 0.0, 0.0), items=30, spread=0.4), perfect)
    plan, _ = experiment.draw(np.random.default_rng(0))
    runs = 2_000
    drawn = DrawnLabels(experiment, plan, SimulatedLabelling("one"), runs, np.random.default_rng(1))
    every = drawn(np.arange(3 * runs), 0, 30)[:, :, 0]
    correlation = np.corrcoef(every.sum(axis=1).reshape(runs, 3).T)
    # (a, b) with (a, c), (a, b) with (b, c), (a, c) with (b, c); standard error of a correlation: .022.
    assert correlation[0, 1] > 0.08
    assert correlation[0, 2] < -0.08
    assert correlation[1, 2] > 0.08
    # But not item by item in the order in which they are asked: the orders are the pairs' own.
    of_runs = every.reshape(runs, 3, 30).astype(float)
    same_place = (of_runs[:, 0] * of_runs[:, 1]).mean()
    listed = replace(experiment, protocol=Protocol(order=OrderSettings("listed")))
    in_order = DrawnLabels(listed, plan, SimulatedLabelling("one"), runs, np.random.default_rng(1))
    as_listed = in_order(np.arange(3 * runs), 0, 30)[:, :, 0].reshape(runs, 3, 30).astype(float)
    assert (as_listed[:, 0] * as_listed[:, 1]).mean() > 5 * abs(same_place)


def test_whoever_keeps_a_pair_is_somebody_else_while_there_are_enough() -> None:
    extremes = tuple(Worker(c, 0.0, 0.0, 0.0, 20.0) for c in (0.0, 1.0))
    sure = AgentExperiment(Protocol(labels=LabelSettings("fixed")), World((1.0, 0.0, -1.0), 40, spread=0.0), extremes)
    plan, _ = sure.draw(np.random.default_rng(0))
    drawn = DrawnLabels(sure, plan, SimulatedLabelling("fixed"), 200, np.random.default_rng(1))
    always_a = (drawn(np.arange(600), 0, 40)[:, :, 0] == 1).all(axis=1).reshape(200, 3)
    # One of two people sees everything: the first two pairs are kept by different people, the third by the first.
    assert (always_a[:, 0] != always_a[:, 1]).all()
    assert (always_a[:, 0] == always_a[:, 2]).all()
    assert 60 < always_a[:, 0].sum() < 140


def test_leanings_belong_to_their_pairs() -> None:
    fan = (Worker(1.0, 0.0, 0.0, 0.0, 20.0, leanings=(("c", 0.9),)),)
    found = repeat_quickly(AgentExperiment(Protocol(), World((0.0, 0.0, 0.0), 200, spread=0.0), fan), 20, 1)
    assert (found.verdict[:, 1:] == -1).all()
    assert (found.verdict[:, 0] != -1).mean() > 0.8


@pytest.mark.parametrize(("multiplicity", "holds"), [("holm", True), ("bonferroni", True), ("none", False)])
def test_the_chance_of_any_wrong_verdict_is_at_most_alpha(multiplicity: str, holds: bool) -> None:
    """Five equal systems, ten pairs. Without an account of the pairs it is not: the test can fail."""
    decision = DecisionSettings(alpha=0.1, multiplicity=multiplicity)  # type: ignore[arg-type]
    world = World((0.0,) * 5, items=250, spread=0.3)
    found = repeat_quickly(AgentExperiment(Protocol(decision=decision), world, WORKERS), 600, 11)
    wrong = found.wrong.any(axis=1).mean()
    three_errors = 3 * (0.1 * 0.9 / 600) ** 0.5
    assert (wrong <= 0.1 + three_errors) == holds
    assert not holds or wrong > 0.005


@pytest.mark.full
def test_the_false_discovery_rate_is_at_most_alpha() -> None:
    """Two groups of equal systems: 9 pairs differ, 6 do not."""
    decision = DecisionSettings(alpha=0.2, multiplicity="fdr")
    world = World((0.4,) * 3 + (0.0,) * 3, items=200, spread=0.3)
    found = repeat_quickly(AgentExperiment(Protocol(decision=decision), world, WORKERS), 600, 12)
    given = (found.verdict != 0).sum(axis=1)
    shares = found.wrong.sum(axis=1) / np.maximum(given, 1)
    assert shares.mean() <= 0.2 + 3 * shares.std() / 600**0.5
    assert shares.mean() > 0, "equal systems are told apart now and then"
    assert given.mean() > 6


def test_a_baseline_turns_the_pair() -> None:
    turned = replace(BASE, protocol=Protocol(baseline="a"))
    found = repeat_quickly(turned, 20, 1)
    assert found.pairs == (("b", "a"),)
    assert found.truth[0] < 0
    assert (found.verdict[found.verdict != 0] == -1).all()
    assert repeat(turned, 2, 1).pairs == found.pairs


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"world": World((0.2, 0.1, 0.0), items=80)}, None),
        ({"world": THREE, "protocol": Protocol(pairs=PairSettings("winner"))}, "the choice of pairs winner"),
        ({"world": THREE, "protocol": Protocol(("a", "b"), pairs=PairSettings("winner"))}, None),
        (
            {"world": THREE, "protocol": Protocol(baseline="c", pairs=PairSettings("winner"))},
            "the choice of pairs winner",
        ),
        ({"world": World((0.2, 0.0), items=80, cluster_size=4)}, "clusters of items"),
        ({"protocol": Protocol(decision=DecisionSettings(target="items"))}, None),
        ({"protocol": Protocol(decision=DecisionSettings(multiplicity="fdr"))}, None),
        ({"protocol": Protocol(budget=Budget(max_labels=100))}, "a budget in labels or money"),
        ({"protocol": Protocol(pairs=PairSettings(open=3))}, "a limit of open items"),
        ({"protocol": Protocol(labels=LabelSettings(ties=False))}, "answers without ties"),
        ({"workers": (*WORKERS, replace(WORKERS[0], seconds_median=1.0))}, "people of unequal speed"),
        ({"protocol": Protocol(order=OrderSettings("listed"))}, None),
        ({}, None),
    ],
)
def test_where_it_may_not_stand_in(change: dict[str, object], reason: str | None) -> None:
    experiment = replace(BASE, **change)  # type: ignore[arg-type]
    assert why_not_quick(experiment, Habits()) == reason
    if reason is None:
        assert why_not_quick(experiment, Habits(forgets=0.1)) == "people who forget tasks or leave"


def test_more_people_than_the_crowd_has_are_refused() -> None:
    with pytest.raises(UsageError, match="different people"):
        repeat_quickly(replace(BASE, workers=WORKERS[:2]), 5, 0)


def test_the_long_table() -> None:
    table = repeat_quickly(BASE, 40, 2)
    frame = run_frame(table)
    assert frame.height == 40
    assert frame["run"].to_list() == list(range(40))
    undecided = frame.filter(frame["verdict"] == "undecided")
    assert undecided["decided_at"].null_count() == undecided.height
    assert frame["decided_labels"].drop_nulls().to_list() == table.labels[table.verdict[:, 0] != 0].tolist()
    assert frame["run_cost"].sum() == pytest.approx(table.cost.sum())
    unknown = run_frame(replace(table, truth=np.array([np.nan])))
    assert unknown["true_difference"].null_count() == 40
