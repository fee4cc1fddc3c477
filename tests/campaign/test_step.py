"""Every event: what it changes, when it is a documented no-op, and when it is an error that changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.worlds.small_campaigns import NOW, answered, assign, give, open_campaign, protocol_of, study_of, tally

from tiebreak.campaign import (
    AnnotatorExcluded,
    CampaignOpened,
    CampaignStopped,
    Event,
    EventError,
    ItemAbandoned,
    LabelGiven,
    Protocol,
    State,
    TaskAssigned,
    TaskReturned,
    init,
    step,
    verdicts,
)
from tiebreak.campaign.kinds import Preferred, Tally
from tiebreak.campaign.openings import task_id
from tiebreak.settings.protocol import Budget, DecisionSettings, GoldTask, LabelSettings, PeopleSettings

GOLD = PeopleSettings(gold=(GoldTask("i059", "ant", "bee", "a"),), gold_every=3, gold_after=2, gold_share=0.6)


def item_at(state: State, place: int, pair: int = 0) -> str:
    return state.plan.items[int(state.plan.tracks[pair].order[place])]


def abandoned(state: State, place: int) -> State:
    return step(state, ItemAbandoned(NOW, ("ant", "bee"), item_at(state, place)))


def refused(state: State, event: Event, message: str) -> None:
    before = verdicts(state).to_dict() if state.opened_at is not None else None
    with pytest.raises(EventError, match=message):
        step(state, event)
    if before is not None:
        assert verdicts(state).to_dict() == before


# ---- opening ---------------------------------------------------------------------------------------------------


def test_a_log_begins_with_its_opening() -> None:
    state = init(Protocol(), study_of())
    for event in (CampaignStopped(NOW), TaskReturned(NOW, "0000-0000"), AnnotatorExcluded(NOW, "p")):
        refused(state, event, "the first event of a campaign must be campaign-opened")


def test_another_protocol_or_study() -> None:
    state = init(Protocol(), study_of())
    plan = state.plan
    refused(state, CampaignOpened(NOW, "f" * 64, plan.study), "belongs to the protocol ffffffffffff, not to")
    refused(state, CampaignOpened(NOW, plan.fingerprint, "e" * 64), "belongs to the study eeeeeeeeeeee, not to")
    opened = step(state, CampaignOpened(NOW, plan.fingerprint, plan.study))
    assert opened.opened_at == NOW
    assert step(opened, CampaignOpened("2027-01-01", plan.fingerprint, plan.study)) is opened, "again: a no-op"
    refused(opened, CampaignOpened(NOW, "f" * 64, plan.study), "belongs to the protocol")


def test_times_that_are_none() -> None:
    state = open_campaign()
    refused(state, CampaignStopped("at noon"), "'at noon' is not a time")


# ---- assigning -------------------------------------------------------------------------------------------------


def assignment(state: State, **changed: object) -> TaskAssigned:
    task = task_id(state.issued, state.plan.fingerprint)
    return replace(TaskAssigned(NOW, task, "p", ("ant", "bee"), item_at(state, 0), ("bee", "ant")), **changed)


def test_an_assignment() -> None:
    state = open_campaign()
    state = step(state, assignment(state))
    (task,) = state.tasks.values()
    assert (task.annotator, task.shown, task.gold) == ("p", ("bee", "ant"), None)
    assert (task.track, task.unit, task.slot) == (0, 0, 0)
    assert (state.issued, state.tracks[0].opened, state.tracks[0].tasks, state.tracks[0].next) == (1, 1, 1, 1)
    assert (state.annotators["p"].tasks, state.annotators["p"].open) == (1, 1)
    assert (state.labels, state.tracks[0].done) == (0, 0)


def test_assignments_that_are_refused() -> None:
    state = open_campaign()
    key = state.plan.fingerprint
    refused(state, assignment(state, task="0000-0000"), "is not one of this campaign")
    refused(state, assignment(state, task=task_id(0, "x" * 64)), "is not one of this campaign")
    refused(state, assignment(state, task=task_id(1, key)), "is not the next to be handed out: events are missing")
    refused(state, assignment(state, shown=("cat", "ant")), "shows cat, ant, but must show each of its systems once")
    refused(state, assignment(state, systems=("bee", "ant")), "not a pair of this campaign, in this order")
    refused(state, assignment(state, systems=("ant", "cat"), shown=("ant", "cat")), "ant and cat are not a pair")
    refused(state, assignment(state, item="i999"), "'i999' is not an item of this campaign's study")
    refused(state, assignment(state, item=item_at(state, 1)), "is not the next of its order")
    refused(state, assignment(state, item=item_at(state, 40)), "is not the next of its order")
    refused(state, assignment(state, gold=True), "its item is not among people.gold")
    refused(step(state, AnnotatorExcluded(NOW, "p")), assignment(state), "who gets no more tasks")
    refused(step(state, CampaignStopped(NOW)), assignment(state), "after the end of the campaign")
    state = give(state, "w", "q")
    refused(state, assignment(state), "which is complete")
    state = step(state, assignment(state, item=item_at(state, 1)))
    refused(state, assignment(state, item=item_at(state, 1)), "which needs no label from p")
    refused(state, assignment(state, item=item_at(state, 1), annotator="q"), "which needs no label from q")


def test_items_that_are_never_asked() -> None:
    state = open_campaign(None, study_of(identical=(4,)))
    refused(state, assignment(state, item="i004"), "i004")
    items = open_campaign(protocol_of(decision=DecisionSettings(target="items")), study_of(identical=(4,)))
    refused(items, assignment(items, item="i004"), "item 'i004' is not asked for ant and bee")
    short = open_campaign(protocol_of(budget=Budget(items_per_pair=10)))
    refused(short, assignment(short, item=item_at(short, 10)), "is not the next of its order")


def test_beyond_the_budget() -> None:
    state = open_campaign(protocol_of(budget=Budget(max_labels=10)))
    state, tasks = assign(state, "p", 20)
    assert len(tasks) == 10
    refused(state, assignment(state, item=item_at(state, 10)), "beyond the budget of 10 labels")


def test_beyond_the_most_labels_of_a_person() -> None:
    state = open_campaign(protocol_of(people=PeopleSettings(labels_per_person=2)))
    state = give(state, "w", "p")
    state, _ = assign(state, "p")
    refused(state, assignment(state, item=item_at(state, 2)), "who gets no more tasks")


def test_the_pair_of_somebody_else() -> None:
    state = open_campaign(protocol_of(labels=LabelSettings("fixed")))
    state = give(state, "w", "q")
    refused(state, assignment(state, item=item_at(state, 1)), "all items of this pair belong to q")


def test_an_assignment_again_is_a_no_op() -> None:
    state = open_campaign()
    state, (task,) = assign(state, "p")
    assert step(state, task) is state
    refused(state, assignment(state, task=task.task, annotator="q"), "was handed to p before, not to q")
    answer = answered(state, task, "a")
    assert step(answer, task) is answer


# ---- labels ----------------------------------------------------------------------------------------------------


def test_a_label() -> None:
    state = open_campaign()
    state, (task,) = assign(state, "p")
    state = answered(state, task, "a", seconds=12.5)
    pair, person = state.tracks[0], state.annotators["p"]
    assert (pair.done, pair.labels, pair.done_labels, tally(state)) == (1, 1, 1, Tally(wins=1))
    assert (person.labels, person.open, person.seconds, person.timed) == (1, 0, 12.5, 1)
    assert person.chose_left == (task.left == "ant")
    assert (state.labels, state.late, state.repeated, dict(state.tasks)) == (1, 0, 0, {})


def test_labels_that_are_refused() -> None:
    state = open_campaign(protocol_of(labels=LabelSettings(ties=False)))
    key = state.plan.fingerprint
    refused(state, LabelGiven(NOW, task_id(0, key), "p", Preferred("a")), "has not been handed out: events are missing")
    state, (task,) = assign(state, "p")
    refused(state, LabelGiven(NOW, "abcd-efgh", "p", Preferred("a")), "'abcd-efgh' is not one of this campaign")
    refused(state, LabelGiven(NOW, task_id(1, key), "p", Preferred("a")), "has not been handed out")
    refused(state, LabelGiven(NOW, task.task, "q", Preferred("a")), "was handed to p, but q answered it")
    refused(state, LabelGiven(NOW, task.task, "p", Preferred("c")), "must be one of a, tie, b")  # type: ignore[arg-type]
    refused(state, LabelGiven(NOW, task.task, "p", Preferred("tie")), "a tie, which this campaign does not allow")
    for seconds in (-1.0, float("nan"), float("inf")):
        refused(state, LabelGiven(NOW, task.task, "p", Preferred("a"), seconds), "must be a number from 0 to")


def test_task_ids_may_be_typed_in_capitals() -> None:
    """What a spreadsheet does to an id must not turn a label into a repetition."""
    state = open_campaign()
    state, (task,) = assign(state, "p")
    state = step(state, LabelGiven(NOW, f" {task.task.upper()}", "p", Preferred("a")))
    assert (state.labels, state.repeated, state.tracks[0].done, len(state.tasks)) == (1, 0, 1, 0)
    state, (task,) = assign(state, "p")
    state = step(state, TaskReturned(NOW, task.task.upper()))
    assert (len(state.tasks), list(state.returned)) == (0, [task.task])


def test_the_first_answer_stands() -> None:
    state = open_campaign()
    state, (task,) = assign(state, "p")
    state = answered(state, task, "a")
    again = answered(state, task, "b")
    assert again.repeated == 1
    assert (again.labels, tally(again).wins, tally(again).losses) == (1, 1, 0)
    assert again.tracks is state.tracks


def test_labels_wait_for_those_before_them() -> None:
    state = open_campaign()
    state, tasks = assign(state, "p", 3)
    state = answered(state, tasks[2], "a")
    state = answered(state, tasks[1], "b")
    assert (state.tracks[0].done, state.tracks[0].labels, state.tracks[0].done_labels) == (0, 2, 0)
    assert verdicts(state).results[0].pairs[0].waiting == 3
    state = answered(state, tasks[0], "tie")
    pair = state.tracks[0]
    assert (pair.done, pair.done_labels, tally(state)) == (3, 3, Tally(1, 1, 1))
    assert dict(pair.open) == {}


# ---- tasks that come back --------------------------------------------------------------------------------------


def test_a_returned_task_is_asked_again_at_its_place() -> None:
    state = open_campaign()
    state, (first, second) = assign(state, "p", 2)
    state = answered(state, second, "a")
    state = step(state, TaskReturned(NOW, first.task, "skipped"))
    assert step(state, TaskReturned(NOW, first.task)) is state, "again: a no-op"
    assert (state.annotators["p"].open, len(state.tasks)) == (0, 0)
    state, (again,) = assign(state, "q")
    assert again.item == first.item
    assert again.task != first.task
    assert state.tracks[0].opened == 2, "no item more was opened"
    state = answered(state, again, "b")
    assert state.tracks[0].done == 2
    assert step(state, TaskReturned(NOW, again.task)) is state, "answered tasks do not come back"
    refused(state, TaskReturned(NOW, "zzzz-zzzz"), "is not one of this campaign")
    refused(state, TaskReturned(NOW, task_id(9, state.plan.fingerprint)), "has not been handed out")


def test_a_returned_task_may_be_answered_after_all() -> None:
    state = open_campaign()
    state, (task,) = assign(state, "p")
    state = step(state, TaskReturned(NOW, task.task))
    state = answered(state, task, "a")
    assert (state.tracks[0].done, state.labels, state.late, dict(state.returned)) == (1, 1, 0, {})
    assert state.annotators["p"].open == 0


def test_an_answer_to_a_returned_task_is_late_where_somebody_else_was_asked() -> None:
    state = open_campaign()
    state, (task,) = assign(state, "p")
    state = step(state, TaskReturned(NOW, task.task))
    state, (again,) = assign(state, "q")
    state = answered(state, task, "b")
    assert (state.labels, state.late, state.tracks[0].done, state.tracks[0].labels) == (1, 1, 0, 1)
    state = answered(state, again, "a")
    assert (state.labels, state.late, tally(state).wins, tally(state).losses) == (2, 1, 1, 0)


def test_nobody_counts_twice_on_an_item() -> None:
    """Returned, handed to the same person again, and then both answered."""
    state = open_campaign(protocol_of(labels=LabelSettings("majority", 3)))
    state, (task,) = assign(state, "p")
    state = step(state, TaskReturned(NOW, task.task))
    state, (again,) = assign(state, "p")
    assert again.item == task.item
    state = answered(state, task, "a")
    state = answered(state, again, "a")
    (item,) = state.tracks[0].open[0]
    assert item.answers == (("p", (1,)),)
    assert (state.labels, state.late) == (2, 1)
    for person in ("q", "r"):
        state, (task,) = assign(state, person)
        state = answered(state, task, "b")
    assert (state.tracks[0].done, tally(state).losses) == (1, 1)


# ---- abandoned items -------------------------------------------------------------------------------------------


def test_an_abandoned_item_counts_against_both_sides() -> None:
    state = abandoned(open_campaign(), 0)
    pair = state.tracks[0]
    assert (pair.done, tally(state).abandoned, pair.labels) == (1, 1, 0)
    evidence = state.measures[0].evidence.pair
    assert (evidence.bets.counted.tolist(), evidence.lead.tolist()) == ([[-1.0, -1.0]], [[-1, -1]])
    shown = verdicts(state).results[0].pairs[0]
    assert (shown.abandoned, shown.items, shown.difference.estimate) == (1, 1, None)
    assert abandoned(state, 0) is state, "again: a no-op"


def test_an_item_may_be_abandoned_before_its_turn() -> None:
    state = abandoned(open_campaign(), 1)
    assert state.tracks[0].done == 0
    state, tasks = assign(state, "p", 2)
    assert [task.item for task in tasks] == [item_at(state, 0), item_at(state, 2)]
    state = answered(state, tasks[0], "a")
    assert (state.tracks[0].done, tally(state).wins, tally(state).abandoned) == (2, 1, 1)
    assert abandoned(state, 0) is state, "a labelled item stays labelled"


def test_what_is_abandoned_while_it_is_out() -> None:
    state = open_campaign()
    state, (task,) = assign(state, "p")
    state = abandoned(state, 0)
    assert (state.tracks[0].done, tally(state).abandoned) == (1, 1)
    state = answered(state, task, "a")
    assert (state.labels, state.late, tally(state).wins) == (1, 1, 0)


def test_abandoning_what_is_never_asked_does_nothing() -> None:
    short = open_campaign(protocol_of(budget=Budget(items_per_pair=10)))
    assert abandoned(short, 30) is short
    state = open_campaign(None, study_of(identical=(4,)))
    assert step(state, ItemAbandoned(NOW, ("ant", "bee"), "i004")) is state
    refused(state, ItemAbandoned(NOW, ("bee", "ant"), "i004"), "not a pair of this campaign, in this order")
    refused(state, ItemAbandoned(NOW, ("ant", "bee"), "i999"), "'i999' is not an item")


def test_an_abandoned_item_of_a_cluster_does_not_pull_the_cluster_forward() -> None:
    state = open_campaign(None, study_of(cluster_size=3))
    state = abandoned(state, 31)  # the second item of the eleventh cluster
    state, tasks = assign(state, "p", 32)
    assert [task.item for task in tasks] == [item_at(state, place) for place in range(33) if place != 31]
    for k, task in enumerate(tasks):
        state = answered(state, task, "a" if k % 2 else "b")
    assert (state.tracks[0].done, tally(state).abandoned, state.tracks[0].items) == (11, 1, 33)


# ---- people ----------------------------------------------------------------------------------------------------


def test_an_excluded_person_keeps_the_labels_given() -> None:
    state = give(open_campaign(), "ww", "p")
    state, (task,) = assign(state, "p")
    state = step(state, AnnotatorExcluded(NOW, "p", "does not answer mails"))
    assert assign(state, "p", 5)[1] == ()
    assert tally(state).wins == 2
    state = answered(state, task, "a")
    assert (tally(state).wins, state.late) == (3, 0), "what they have before them still counts"
    assert step(state, AnnotatorExcluded(NOW, "never seen")).annotators["never seen"].excluded
    assert assign(state, "q", 5)[1] != ()


def test_check_tasks_are_paid_but_no_evidence() -> None:
    state = open_campaign(protocol_of(people=GOLD))
    state, tasks = assign(state, "p", 6)
    assert [task.gold for task in tasks] == [False, False, True, False, False, True]
    for task in tasks:
        state = answered(state, task, "a")
    person = state.annotators["p"]
    assert (person.gold_asked, person.gold_right, person.labels) == (2, 2, 6)
    assert (state.labels, state.tracks[0].labels, state.tracks[0].done) == (6, 4, 4)


def test_who_fails_the_checks_gets_no_more_tasks() -> None:
    state = open_campaign(protocol_of(people=GOLD))
    for _ in range(6):
        state, (task,) = assign(state, "p")
        state = answered(state, task, "b")
    assert state.is_excluded("p")
    assert assign(state, "p")[1] == ()
    assert tally(state).losses == 4, "labels given so far stay"
    assert not open_campaign(protocol_of(people=GOLD)).is_excluded("p")
