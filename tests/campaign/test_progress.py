"""How a campaign ends, that nothing moves afterwards, and that a late answer changes no place in the sealed order."""

from __future__ import annotations

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
    CampaignOpened,
    CampaignStopped,
    ItemAbandoned,
    LabelGiven,
    Protocol,
    init,
    next_tasks,
    step,
    verdicts,
)
from tiebreak.campaign.kinds import Preferred
from tiebreak.data.study import Study
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
    assert found is not None
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
    rows = [{"item": f"i{k:02d}", "system": s, "text": f"{s}{k}"} for k in range(40) for s in "xy"]
    protocol = Protocol(
        pairs=PairSettings(batch=10), budget=Budget(items_per_pair=30), decision=DecisionSettings(rule="dirichlet")
    )
    state = init(protocol, Study.from_tables(outputs=rows))
    state = step(state, CampaignOpened(NOW, state.plan.fingerprint, state.plan.study))
    tasks = next_tasks(state, "ann", 30, NOW)
    for task in tasks:
        state = step(state, task)
    for number, task in list(enumerate(tasks))[::-1]:
        assert state.measures[0].verdict == "undecided"
        state = step(state, LabelGiven(NOW, task.task, "ann", Preferred("a" if number < 10 else "b")))
    assert (state.measures[0].verdict, state.measures[0].decided_at, state.measures[0].decided_labels) == ("a", 10, 10)
