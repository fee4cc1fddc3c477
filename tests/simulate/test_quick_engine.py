"""The vectorised engine beside the step engine on experiments with agents: the same distribution, far sooner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tiebreak.campaign import Protocol
from tiebreak.campaign.settings import Budget, DecisionSettings, LabelSettings, OrderSettings, PairSettings
from tiebreak.errors import UsageError
from tiebreak.simulate.agents import World
from tiebreak.simulate.answers import Habits
from tiebreak.simulate.quick_engine import repeat_quickly, why_not_quick
from tiebreak.simulate.repeat import AgentExperiment, repeat
from tiebreak.simulate.run_frame import run_frame
from tiebreak.simulate.run_table import summarise
from tiebreak.simulate.workers import Worker

WORKERS = tuple(Worker(c, 0.1, 0.0, 0.0, 20.0) for c in (0.7, 0.8, 0.9))
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
    one, two = repeat_quickly(experiment, 80, 1), repeat_quickly(experiment, 80, 1, workers=2)
    np.testing.assert_array_equal(one.labels, two.labels)
    np.testing.assert_array_equal(one.verdict, two.verdict)


def test_every_rule_and_policy_runs() -> None:
    for policy, people in (("one", 1), ("fixed", 1), ("majority", 3), ("max-three", 1)):
        for rule in ("anytime", "hoeffding", "posterior", "fixed"):
            protocol = Protocol(
                labels=LabelSettings(policy, people),
                decision=DecisionSettings(rule=rule),
                budget=Budget(items_per_pair=50),
            )
            found = summarise(repeat_quickly(replace(BASE, protocol=protocol), 50, 1))
            assert found.pairs[0].a.value > 0.2 > found.pairs[0].b.value
            assert (found.pairs[0].items.p90 or 0) <= 50


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
        ({"world": World((0.2, 0.1, 0.0), items=80)}, "more than one pair"),
        ({"world": World((0.2, 0.0), items=80, cluster_size=4)}, "clusters of items"),
        ({"protocol": Protocol(decision=DecisionSettings(target="items"))}, "a claim about these items"),
        ({"protocol": Protocol(decision=DecisionSettings(multiplicity="fdr"))}, "a false discovery rate"),
        ({"protocol": Protocol(budget=Budget(labels=100))}, "a budget in labels or money"),
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
