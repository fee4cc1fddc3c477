from __future__ import annotations

import numpy as np
import pytest

from tiebreak.campaign import Protocol, ProtocolError, make_plan
from tiebreak.data.study import Study
from tiebreak.settings.protocol import DecisionSettings

PAIR = ("x", "y")


def study(items: int = 60, same: tuple[int, ...] = ()) -> Study:
    rows = [
        {"item": f"i{k:03d}", "system": s, "text": "same" if k in same else f"{s}{k}"}
        for k in range(items)
        for s in "xy"
    ]
    scores = [
        {"item": f"i{k:03d}", "system": s, "metric": "m", "value": float(k * (s == "x"))}
        for k in range(items)
        for s in "xy"
    ]
    return Study.from_tables(outputs=rows, scores=scores)


def asked(*numbers: int) -> dict[tuple[str, str], frozenset[str]]:
    return {PAIR: frozenset(f"i{k:03d}" for k in numbers)}


def test_items_that_nobody_can_be_asked_about_leave_the_pool() -> None:
    for target in ("inputs", "items"):
        protocol = Protocol(decision=DecisionSettings(target=target))  # type: ignore[arg-type]
        plan = make_plan(protocol, study(same=(1, 50)), asked(*range(30)))
        assert set(plan.tracks[0].order) == set(range(30)) - ({1} if target == "items" else set())
        assert plan.tracks[0].identical == 1
        assert plan.tracks[0].most_units == plan.tracks[0].order.size


def test_a_metric_keeps_the_items_that_nobody_is_asked_about() -> None:
    protocol = Protocol(decision=DecisionSettings(rule="posterior", metrics=("m",)))
    plan = make_plan(protocol, study(), asked(*range(20)))
    assert set(plan.tracks[0].order[:20]) == set(range(20))
    assert plan.tracks[0].most_units == 20
    assert plan.tracks[0].order.size == 60
    # x is better by the metric on all items but the first.
    assert plan.rule_plans[0].totals.tolist() == [59, 1, 0]


def test_a_claim_about_these_items_is_about_those_that_are_asked() -> None:
    protocol = Protocol(decision=DecisionSettings(target="items", metrics=("m",)))
    plan = make_plan(protocol, study(), asked(*range(40)))
    assert set(plan.tracks[0].order) == set(range(40))


def test_without_the_restriction_nothing_changes() -> None:
    protocol = Protocol()
    full, same = make_plan(protocol, study()), make_plan(protocol, study(), asked(*range(60)))
    np.testing.assert_array_equal(full.tracks[0].order, same.tracks[0].order)


def test_no_item_to_ask_is_refused() -> None:
    with pytest.raises(ProtocolError, match="no item has as many labels as the labelling policy may need"):
        make_plan(Protocol(), study(), asked())


def test_the_posterior_without_a_metric_knows_labels_only() -> None:
    plan = make_plan(Protocol(decision=DecisionSettings(rule="posterior")), study(), asked(*range(20)))
    assert plan.tracks[0].order.size == plan.tracks[0].most_units == 20
    assert plan.rule_plans[0].totals.tolist() == [0, 0, 0]
