"""A price that changes: each label costs what it did when its task went out, and money buys what it still can."""

from __future__ import annotations

import json
import math

import pytest
from benchmarks.worlds.small_campaigns import NOW, answered, assign, give, open_campaign, protocol_of

from tiebreak.campaign import (
    EventError,
    State,
    TaskReturned,
    event_from_json,
    event_to_json,
    next_tasks,
    step,
    verdicts,
)
from tiebreak.campaign.events import PriceChanged
from tiebreak.campaign.kinds import Preferred
from tiebreak.results.progress import CampaignProgress
from tiebreak.settings.protocol import Budget, LabelSettings


def priced(price: float | None = 0.1, money: float | None = 1.2, labels: int | None = None) -> State:
    budget = Budget(max_money=money, max_labels=labels)
    return open_campaign(protocol_of(budget=budget, labels=LabelSettings(price=price)))


def repriced(state: State, price: float) -> State:
    return step(state, PriceChanged(NOW, price))


def progress(state: State) -> CampaignProgress:
    found = verdicts(state).campaign
    assert found is not None
    return found


def test_a_dearer_label_leaves_fewer_of_them() -> None:
    state, out = assign(give(priced(), "wlwl"), "bo", 2)
    assert state.most_labels == 12
    state = repriced(state, 0.2)  # 0.40 spent, 0.20 out: 0.60 buys three more
    assert (state.cost, state.most_labels, progress(state).labels_left) == (0.4, 9, 5)
    state, (dear,) = assign(state, "ann")
    for task in (dear, *out):
        state = answered(state, task, "tie")
    assert state.annotators["bo"].pay == pytest.approx(0.2)
    assert state.annotators["ann"].pay == pytest.approx(4 * 0.1 + 0.2)
    state = give(state, "wl")
    assert (state.labels, state.ended, progress(state).cost) == (9, "budget", 1.2)
    assert progress(state).ended_because == "the budget is spent"


def test_a_cheaper_label_does_not_change_the_plan() -> None:
    state = give(priced(), "wlwl")
    planned = state.plan.tracks[0].most_units
    state = repriced(state, 0.05)  # 0.80 would buy sixteen
    assert state.most_labels == 20
    state = give(state, "wlwlwlwl")
    assert (state.labels, state.tracks[0].done, state.ended) == (12, planned, "budget")
    assert progress(state).cost == 0.8


def test_money_that_is_too_little_for_another_label_ends_all() -> None:
    state = repriced(give(priced(), "wlwl"), 0.9)
    assert (state.ended, progress(state).labels_left) == ("budget", 0)
    assert next_tasks(state, "ann", 1, NOW) == ()
    assert repriced(state, 0.1).ended == "budget", "an end is an end"


def test_a_budget_in_labels_holds_beside_one_in_money() -> None:
    assert repriced(priced(labels=11), 0.05).most_labels == 11
    assert repriced(priced(labels=11), 0.3).most_labels == 4


def test_a_task_that_goes_out_again_has_the_price_of_then() -> None:
    state, (task,) = assign(priced(money=None))
    state = repriced(step(state, TaskReturned(NOW, task.task)), 0.3)
    (again,) = next_tasks(state, "ann", 1, "2026-05-02T00:00:00Z")
    assert again.task == task.task
    assert answered(step(state, again), task, "a").cost == 0.3
    assert answered(state, task, "a").cost == 0.1, "one that came back and is answered all the same keeps its own"


@pytest.mark.parametrize("price", [-0.1, math.nan, math.inf, 1e10])
def test_what_is_no_price(price: float) -> None:
    state = priced()
    with pytest.raises(EventError, match="the price is"):
        repriced(state, price)
    with pytest.raises(EventError, match="needs a price above 0"):
        repriced(state, 0.0)
    assert repriced(priced(money=None), 0.0).price == 0.0
    with pytest.raises(EventError, match="have no price"):
        repriced(priced(price=None, money=None), 0.1)


def test_projections_use_the_price_of_labels_to_come() -> None:
    state = give(priced(money=None), "wwwwwlww")
    before, after = progress(state), progress(repriced(state, 0.35))
    assert before.labels_to_decision
    assert after.labels_to_decision == before.labels_to_decision
    assert after.cost == before.cost == 0.8
    assert after.cost_to_decision == pytest.approx(0.35 * before.labels_to_decision)


def test_it_is_stored_and_read_back() -> None:
    document = json.loads(json.dumps(event_to_json(PriceChanged(NOW, 2))))
    assert event_from_json(document, Preferred) == PriceChanged(NOW, 2.0)
    with pytest.raises(EventError, match="key price"):
        event_from_json(document | {"price": "2"}, Preferred)
