"""How a campaign ends, that nothing moves afterwards, and that a late answer changes no place in the sealed order."""

from __future__ import annotations

import math

import pytest
from benchmarks.worlds.small_campaigns import (
    NOW,
    answered,
    assign,
    give,
    open_campaign,
    protocol_of,
    run,
    study_of,
    tally,
)

from tiebreak.campaign import (
    CampaignStopped,
    EventError,
    ItemAbandoned,
    Protocol,
    State,
    TaskReturned,
    next_tasks,
    step,
    verdicts,
)
from tiebreak.campaign.events import PriceChanged
from tiebreak.results.progress import CampaignProgress
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings, PairSettings

# ---- end ---------------------------------------------------------------------------------------------------------


def test_labels_after_the_end_are_kept_and_change_nothing() -> None:
    state = open_campaign()
    state, tasks = assign(state, "p", 40)
    for task in tasks[:30]:
        state = answered(state, task, "a")
    assert (state.ended, state.measures[0].verdict) == ("decided", "a")
    used = state.tracks[0].done_labels
    assert used == state.measures[0].decided_labels
    frozen = state.measures[0].evidence
    before = state
    for task in tasks[30:]:
        state = answered(state, task, "b")
    assert state.measures[0].evidence is frozen
    assert (state.labels, state.late) == (40, before.late + 10)
    assert (state.measures[0].verdict, state.measures[0].decided_at) == ("a", before.measures[0].decided_at)
    assert state.ended_at == before.ended_at


def test_stopped_by_hand() -> None:
    state = give(open_campaign(), "wlt")
    state, (task,) = assign(state, "p")
    state = step(state, CampaignStopped("2026-05-02T00:00:00Z", "no more money"))
    assert (state.ended, state.ended_at) == ("stopped", "2026-05-02T00:00:00Z")
    assert step(state, CampaignStopped(NOW)) is state
    assert assign(state, "p", 3)[1] == ()
    state = answered(state, task, "a")
    assert (state.late, tally(state).wins) == (1, 1)
    item = state.plan.items[int(state.plan.tracks[0].order[4])]
    state = step(state, ItemAbandoned(NOW, ("ant", "bee"), item))
    assert state.tracks[0].done == 3


@pytest.mark.parametrize(
    ("protocol", "reason", "count"),
    [
        (Protocol(), "decided", None),
        (protocol_of(budget=Budget(max_labels=12)), "budget", 12),
        (protocol_of(budget=Budget(max_money=1.2), labels=LabelSettings(price=0.1)), "budget", 12),
        (protocol_of(budget=Budget(items_per_pair=12)), "items", 12),
        (protocol_of(budget=Budget(items_per_pair=100)), "items", 60),
    ],
)
def test_how_it_ends(protocol: Protocol, reason: str, count: int | None) -> None:
    decided = reason == "decided"
    state = run(open_campaign(protocol), lambda task: "a" if decided or int(task.item[1:]) % 2 else "b")
    assert state.ended == reason
    assert state.ended_at == NOW
    if count is not None:
        assert (state.labels, state.tracks[0].done) == (count, count)


def test_a_budget_that_cannot_complete_another_item_is_not_called_spent() -> None:
    protocol = protocol_of(labels=LabelSettings("majority", 3), budget=Budget(max_labels=100))
    state = run(open_campaign(protocol), lambda task: "a" if int(task.item[1:]) % 2 else "b", ("p", "q", "r"))
    found = verdicts(state).campaign
    assert (found.ended, found.labels_left) == ("budget", 1)


def test_known_ties_at_the_end_need_nobody() -> None:
    """All items but ten are identical: the campaign ends with the tenth label, wherever the ties are."""
    state = open_campaign(None, study_of(identical=range(10, 60)))
    state = run(state, lambda task: "a" if int(task.item[1:]) % 2 else "b")
    assert (state.ended, state.labels, state.tracks[0].done, tally(state).ties) == ("items", 10, 60, 50)


# ---- late answers ------------------------------------------------------------------------------------------------


def test_the_batch_that_a_late_answer_completes_is_looked_at() -> None:
    # The posterior looks after 10, 20, 30 items. Ten wins are a verdict; then the tide turns, and after 30 items there
    # is none. All answers but the first arrive before it: the look at 10 must not be missed.
    pairs, budget = PairSettings(batch=10), Budget(items_per_pair=30)
    protocol = protocol_of(pairs=pairs, budget=budget, decision=DecisionSettings(rule="dirichlet"))
    state, tasks = assign(open_campaign(protocol, study_of(items=40)), n=30)
    for number, task in list(enumerate(tasks))[::-1]:
        assert state.measures[0].verdict == "undecided"
        state = answered(state, task, "a" if number < 10 else "b")
    assert (state.measures[0].verdict, state.measures[0].decided_at, state.measures[0].decided_labels) == ("a", 10, 10)


# ---- prices --------------------------------------------------------------------------------------------------------
# A price that changes: each label costs what it did when its task went out, and money buys what it still can.


def priced(price: float | None = 0.1, money: float | None = 1.2, labels: int | None = None) -> State:
    budget = Budget(max_money=money, max_labels=labels)
    return open_campaign(protocol_of(budget=budget, labels=LabelSettings(price=price)))


def repriced(state: State, price: float) -> State:
    return step(state, PriceChanged(NOW, price))


def progress_of(state: State) -> CampaignProgress:
    return verdicts(state).campaign  # type: ignore[return-value]


def test_a_dearer_label_leaves_fewer_of_them() -> None:
    state, out = assign(give(priced(), "wlwl"), "bo", 2)
    assert state.most_labels == 12
    state = repriced(state, 0.2)  # 0.40 spent, 0.20 out: 0.60 buys three more
    assert (state.cost, state.most_labels, progress_of(state).labels_left) == (0.4, 9, 5)
    state, (dear,) = assign(state, "ann")
    for task in (dear, *out):
        state = answered(state, task, "tie")
    assert state.annotators["bo"].pay == pytest.approx(0.2)
    assert state.annotators["ann"].pay == pytest.approx(4 * 0.1 + 0.2)
    state = give(state, "wl")
    assert (state.labels, state.ended, progress_of(state).cost) == (9, "budget", 1.2)
    assert progress_of(state).ended_because == "the budget is spent"


def test_a_cheaper_label_does_not_change_the_plan() -> None:
    state = give(priced(), "wlwl")
    planned = state.plan.tracks[0].most_units
    state = repriced(state, 0.05)  # 0.80 would buy sixteen
    assert state.most_labels == 20
    state = give(state, "wlwlwlwl")
    assert (state.labels, state.tracks[0].done, state.ended) == (12, planned, "budget")
    assert progress_of(state).cost == 0.8


def test_money_that_is_too_little_for_another_label_ends_all() -> None:
    state = repriced(give(priced(), "wlwl"), 0.9)
    assert (state.ended, progress_of(state).labels_left) == ("budget", 0)
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
    state = give(priced(money=None), "wwwltwwltw")
    before, after = progress_of(state), progress_of(repriced(state, 0.35))
    assert before.labels_to_decision
    assert after.labels_to_decision == before.labels_to_decision
    assert after.cost == before.cost == 1.0
    assert after.cost_to_decision == pytest.approx(0.35 * before.labels_to_decision)
