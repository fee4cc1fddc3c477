"""A withdrawn item counts against either side from then on, wherever it was; what was reached before stands."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import (
    NOW,
    answered,
    assign,
    open_campaign,
    protocol_of,
    run,
    sealed_outcomes,
    study_of,
    tally,
)

from tiebreak.campaign import (
    EventError,
    ItemAbandoned,
    ItemWithdrawn,
    LabelGiven,
    State,
    TaskAssigned,
    next_tasks,
    step,
    verdicts,
)
from tiebreak.campaign.estimates import evidence_curves
from tiebreak.campaign.events import CampaignOpened, Event
from tiebreak.campaign.kinds import Preferred, Tally, kind_of
from tiebreak.records import UnitValue
from tiebreak.rules import planned
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings


def withdrawal(task: TaskAssigned, reason: str = "a wrong key") -> ItemWithdrawn:
    return ItemWithdrawn(NOW, task.task, task.systems, task.item, reason)


def values(state: State) -> list[UnitValue]:
    kind, measure = kind_of(state.protocol), state.plan.measures[0]
    return [kind.unit_value(state.plan, state.tracks, measure, unit) for unit in range(state.measures[0].done)]


def test_an_item_that_is_evidence() -> None:
    state, (first, second) = assign(open_campaign(), n=2)
    state = answered(answered(state, first, "a"), second, "b")
    before, state = state, step(state, withdrawal(first))
    (pair,) = state.tracks
    assert values(state) == [UnitValue(-1.0, 1.0, 1.0), UnitValue.labelled(-1.0)]
    assert (tally(state), pair.items, pair.done) == (Tally(losses=1, abandoned=1), 2, 2)
    assert (pair.labels, pair.done_labels, pair.withdrawn) == (2, 1, 1)
    (now,), (then,) = state.measures, before.measures
    assert (now.evidence.pair.bets.log_wealth <= then.evidence.pair.bets.log_wealth).all()
    assert (now.evidence.pair.lead <= then.evidence.pair.lead).all()
    np.testing.assert_array_equal(now.evidence.evidence, then.evidence.evidence)
    assert step(state, withdrawal(first)) is state, "again"
    (shown,) = verdicts(state).results[0].pairs
    assert (shown.labels, shown.items, shown.abandoned) == (1, 2, 1)
    assert state.labels_withdrawn == 1


def test_an_item_that_waits_with_its_label() -> None:
    state, (first, second, third) = assign(open_campaign(), n=3)
    state = step(answered(state, second, "a"), withdrawal(second))
    assert (state.tracks[0].done, state.tracks[0].withdrawn, state.late) == (0, 1, 0)
    state = answered(answered(state, first, "a"), third, "tie")
    assert values(state) == [UnitValue.labelled(1.0), UnitValue(-1.0, 1.0, 1.0), UnitValue.labelled(0.0)]
    assert (state.tracks[0].done_labels, state.tracks[0].withdrawn) == (2, 1)


def test_an_item_that_is_out_comes_back_and_is_never_asked_again() -> None:
    """Where evidence does not learn from labels."""
    state, (first, second) = assign(open_campaign(protocol_of(decision=DecisionSettings("hoeffding"))), n=2)
    state = step(answered(state, second, "a"), withdrawal(first))
    assert values(state) == [UnitValue(-1.0, 1.0, None), UnitValue.labelled(1.0)], "what waited behind it goes on"
    assert first.task in state.returned
    assert (state.annotators["ann"].open, len(state.tasks)) == (0, 0)
    assert first.item not in {task.item for task in next_tasks(state, "bo", 100, NOW)}
    state = answered(state, first, "b")
    assert (state.late, state.labels, state.tracks[0].done_labels) == (1, 2, 1)
    assert values(state)[0] == UnitValue(-1.0, 1.0, None)


def test_one_of_three_people_has_answered() -> None:
    state = open_campaign(protocol_of(labels=LabelSettings("majority", 3), decision=DecisionSettings("hoeffding")))
    state, (ann,) = assign(state, "ann")
    state, (bo,) = assign(state, "bo")
    state = step(answered(state, ann, "a"), withdrawal(bo))
    (pair,) = state.tracks
    assert (pair.done, tally(state).abandoned, pair.done_labels, pair.withdrawn) == (1, 1, 0, 1)
    assert bo.task in state.returned
    for person in ("ann", "bo", "cy"):
        assert ann.item not in {task.item for task in next_tasks(state, person, 100, NOW)}


def test_a_cluster_keeps_its_other_items() -> None:
    state, tasks = assign(open_campaign(None, study_of(items=60, cluster_size=3)), n=3)
    for task, outcome in zip(tasks, ("a", "a", "tie"), strict=True):
        state = answered(state, task, outcome)
    state = step(state, withdrawal(tasks[0]))
    assert values(state) == [UnitValue(0.0, 2 / 3, 2 / 3)]
    assert (tally(state).wins, tally(state).ties, tally(state).abandoned) == (1, 1, 1)


def test_an_abandoned_item_has_nothing_left_to_lose() -> None:
    state, (task,) = assign(open_campaign())
    state = step(state, ItemAbandoned(NOW, ("ant", "bee"), task.item))
    before, after = state, step(state, withdrawal(task))
    for of in (before, after):
        assert (tally(of).abandoned, of.tracks[0].items) == (1, 1)
    bets = [of.measures[0].evidence.pair.bets.log_wealth for of in (before, after)]
    np.testing.assert_array_equal(*bets)


def test_a_verdict_stands() -> None:
    study = study_of(("ant", "bee", "cat"), 60)
    state = open_campaign(None, study)
    tasks: list[TaskAssigned] = []
    while state.measures[0].verdict == "undecided":
        state, found = assign(state)
        tasks += found
        for task in found:
            state = answered(state, task, "a" if (task.system_a, task.system_b) == ("ant", "bee") else "tie")
    assert state.ended is None
    shown = verdicts(state).results[0].pairs[0]
    for task in [task for task in tasks if (task.system_a, task.system_b) == ("ant", "bee")]:
        state = step(state, withdrawal(task))
    after = verdicts(state).results[0].pairs[0]
    assert tally(state).wins == 0
    assert (after.verdict, after.e_a, after.stopped_at) == (shown.verdict, shown.e_a, shown.stopped_at)
    assert (after.difference.low, after.difference.high) == (shown.difference.low, shown.difference.high)


def test_after_the_end_nothing_moves() -> None:
    state, (first,) = assign(open_campaign())
    state = run(answered(state, first, "a"), lambda _: "a")
    assert state.ended == "decided"
    assert step(state, withdrawal(first)) is state


def test_what_cannot_be_withdrawn() -> None:
    state, (task,) = assign(open_campaign(None, study_of(identical=(3,))))
    with pytest.raises(EventError, match="item i003 are identical"):
        step(state, ItemWithdrawn(NOW, task.task, ("ant", "bee"), "i003"))
    with pytest.raises(EventError, match="not an item"):
        step(state, ItemWithdrawn(NOW, task.task, ("ant", "bee"), "i999"))
    with pytest.raises(EventError, match="not one of this campaign"):
        step(state, ItemWithdrawn(NOW, "t0000", ("ant", "bee"), task.item))


@pytest.mark.parametrize("metrics", [(), ("bleu",)])
def test_an_item_is_answered_first(metrics: tuple[str, ...]) -> None:
    """Bets, and what a metric predicts, are learnt from every label: to leave one out on purpose could bend them."""
    scores = {"bleu": {"ant": np.arange(60.0).tolist(), "bee": [0.0] * 60}}
    decision = DecisionSettings(metrics=metrics, target="items")
    state, (first, second) = assign(open_campaign(protocol_of(decision=decision), study_of(scores=scores)), n=2)
    with pytest.raises(EventError, match="collect its answer first, then withdraw it"):
        step(state, withdrawal(first))
    state = step(answered(state, first, "b"), withdrawal(first))
    assert values(state) == [UnitValue(-1.0, 1.0, -1.0)]
    state = step(answered(state, second, "a"), withdrawal(second))
    assert tally(state).abandoned == 2


@pytest.mark.parametrize("rule", ["hoeffding", "dirichlet", "fixed"])
def test_other_rules_count_it_as_abandoned(rule: str) -> None:
    budget = Budget(items_per_pair=12) if rule == "fixed" else None
    base = open_campaign(protocol_of(decision=DecisionSettings(rule), budget=budget))
    outcomes = {0: [1, 1, 0, -1, 1, 0, -1, 1, 1, 1, 1, 1, *[0] * 48]}
    answer = sealed_outcomes(base, outcomes)
    state, tasks = assign(base, n=8)
    for task in tasks:
        state = answered(state, task, answer(task))
    lost = step(state, withdrawal(tasks[0]))
    abandoned = step(base, ItemAbandoned(NOW, ("ant", "bee"), tasks[0].item))
    abandoned, others = assign(abandoned, n=7)
    for task in others:
        abandoned = answered(abandoned, task, answer(task))
    found, expected = verdicts(lost).results[0].pairs[0], verdicts(abandoned).results[0].pairs[0]
    assert (found.difference, found.p_value, found.theta) == (expected.difference, expected.p_value, expected.theta)
    assert found.abandoned == 1


def test_curves_fall_where_items_were_withdrawn() -> None:
    state = open_campaign()
    events: list[Event] = [CampaignOpened(NOW, state.plan.fingerprint, state.plan.study)]
    beginning = state
    for place in range(6):
        (task,) = next_tasks(state, "ann", 1, NOW)
        fresh: list[Event] = [task, LabelGiven(NOW, task.task, "ann", Preferred("a"))]
        fresh += [withdrawal(task)] if place == 3 else []
        for event in fresh:
            state = step(state, event)
        events += fresh
    curve = evidence_curves(beginning, events)[0]
    assert curve.items.tolist() == [0, 1, 2, 3, 4, 4, 5, 6]
    assert curve.labels.tolist() == [0, 1, 2, 3, 4, 3, 4, 5]
    assert curve.log_e_a[5] < curve.log_e_a[4]
    evidence, plan = state.measures[0].evidence, state.plan.rule_plans[0]
    assert curve.log_e_a[-1] == pytest.approx(planned.evidence(plan, evidence.pair, now=True).directions[0, 0])


def test_when_it_is_withdrawn_does_not_matter() -> None:
    """Before its answer is evidence, or after: the same evidence in the end."""
    ends = []
    for at in (1, 3, 8):
        state, tasks = assign(open_campaign(protocol_of(decision=DecisionSettings(target="items"))), n=8)
        for number, task in enumerate(tasks, 1):
            state = answered(state, task, "ab"[number % 2])
            if number == at:
                state = step(state, withdrawal(tasks[0]))
        ends.append(state)
    for end in ends[1:]:
        now, first = end.measures[0].evidence, ends[0].measures[0].evidence
        np.testing.assert_array_equal(now.pair.bets.log_wealth, first.pair.bets.log_wealth)
        assert end.tracks[0].marks == ends[0].tracks[0].marks
