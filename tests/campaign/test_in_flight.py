"""Tasks that hold up evidence come first, few are out, and nobody who stays away holds up the others for long."""

from __future__ import annotations

import pytest
from benchmarks.sheets import SETTINGS, Setting, row_of, run

from tiebreak.campaign import (
    CampaignOpened,
    LabelGiven,
    Protocol,
    State,
    TaskAssigned,
    TaskReturned,
    expired_tasks,
    init,
    next_tasks,
    sheet_size,
    step,
)
from tiebreak.campaign.kinds import Preferred
from tiebreak.campaign.openings import blocking, pace_of, usual_hours
from tiebreak.data.study import Study
from tiebreak.settings.protocol import LabelSettings, OrderSettings, PairSettings

NOW = "2026-05-01T09:30:00Z"
LATER = "2026-05-01T10:00:00Z"


def begun(**settings: object) -> State:
    protocol = Protocol(order=OrderSettings(seed=3), **settings)  # type: ignore[arg-type]
    outputs = [{"item": f"i{k:02}", "system": name, "text": f"{name} on {k}"} for k in range(200) for name in "abc"]
    state = init(protocol, Study.from_tables(outputs=outputs))
    return step(state, CampaignOpened(NOW, protocol.fingerprint, state.plan.study))


def hand_out(state: State, who: str, n: int, now: str = NOW) -> tuple[list[TaskAssigned], State]:
    tasks = next_tasks(state, who, n, now)
    for task in tasks:
        state = step(state, task)
    return list(tasks), state  # type: ignore[arg-type]


def answer(state: State, tasks: list[TaskAssigned], now: str = LATER) -> State:
    for task in tasks:
        state = step(state, LabelGiven(now, task.task, task.annotator, Preferred("tie")))
    return state


def places(tasks: list[TaskAssigned]) -> list[tuple[str, str, str]]:
    return [(task.system_a, task.system_b, task.item) for task in tasks]


def test_what_holds_up_most_answers_is_asked_first_of_whichever_pair() -> None:
    """Batches of 10 of three pairs: of 25 tasks the pairs have 10, 10 and 5. Empty are the 9th of the first pair, with
    one answer behind it, the 2nd of the second pair, with eight, and the 5th of the third, which holds up nothing."""
    tasks, state = hand_out(begun(), "ann", 25)
    empty = [tasks[k] for k in (8, 11, 24)]
    for task in empty:
        state = step(state, TaskReturned(LATER, task.task))
    state = answer(state, [task for task in tasks if task not in empty])
    assert [place for place, _ in blocking(state, range(3))] == [1, 0]
    more, _ = hand_out(state, "bo", 4, LATER)
    assert places(more)[:2] == places([empty[1], empty[0]])
    assert places(more)[2] == places([empty[2]])[0]  # first in the order of the pair whose turn it is
    assert places(more)[3] not in places(tasks)


def test_a_person_gets_what_they_gave_back_under_its_old_name() -> None:
    tasks, state = hand_out(begun(), "ann", 3)
    state = step(state, TaskReturned(LATER, tasks[0].task))
    state = answer(state, tasks[1:])
    again, out = hand_out(state, "ann", 1, LATER)
    assert (again[0].task, again[0].left, again[0].at) == (tasks[0].task, tasks[0].left, LATER)
    assert out.issued == state.issued
    assert step(out, again[0]) == out  # a repeated event changes nothing
    assert answer(out, again).labels == 3
    others, _ = hand_out(state, "bo", 1, LATER)
    assert places(others) == places(tasks[:1])
    assert others[0].task != tasks[0].task


def test_who_answered_too_late_is_not_asked_about_the_item_again() -> None:
    tasks, state = hand_out(begun(), "ann", 2)
    state = step(state, TaskReturned(LATER, tasks[0].task))
    state = answer(state, tasks[1:])
    instead, state = hand_out(state, "bo", 1, LATER)
    state = answer(state, tasks[:1])  # bo has been asked by now
    assert state.late == 1
    state = step(state, TaskReturned(LATER, instead[0].task))
    assert places(hand_out(state, "ann", 1, LATER)[0]) != places(tasks[:1])
    assert places(hand_out(state, "cy", 1, LATER)[0]) == places(tasks[:1])


def test_a_task_that_stays_away_far_longer_than_usual_is_taken_over_where_it_holds_up_others() -> None:
    """bo and cy take half an hour each. After four times that ann's tasks go to others; not di's, behind which nothing
    waits."""
    away, state = hand_out(begun(pairs=PairSettings(batch=40)), "ann", 2)
    for who in ("bo", "cy"):
        done, state = hand_out(state, who, 2)
        state = answer(state, done, "2026-05-01T10:00:00Z")
    last, state = hand_out(state, "di", 1)
    assert usual_hours(state, "2026-05-01T10:30:00Z") == pytest.approx(0.75)  # of .5, .5, and 1 of ann and of di so far
    assert expired_tasks(state, "2026-05-01T10:30:00Z") == ()
    assert answer(state, last, "2026-05-01T11:00:00Z").undecided == [0, 1, 2]
    state = step(state, TaskReturned("2026-05-01T10:30:00Z", last[0].task))
    again, state = hand_out(state, "bo", 1, "2026-05-01T10:30:00Z")
    assert usual_hours(state, "2026-05-01T12:00:00Z") == pytest.approx(0.5)
    assert expired_tasks(state, "2026-05-01T11:29:59Z") == ()
    taken = expired_tasks(state, "2026-05-01T11:30:01Z")
    assert [event.task for event in taken] == [task.task for task in away]
    assert {event.reason for event in taken} == {"taken over"}
    assert again[0].task in state.tasks
    for event in taken:
        state = step(state, event)
    assert places(hand_out(state, "bo", 2, "2026-05-01T12:00:00Z")[0]) == places(away)


def test_before_anybody_has_answered_nothing_is_unusual() -> None:
    _, state = hand_out(begun(), "ann", 3)
    assert usual_hours(state, LATER) is None
    assert expired_tasks(state, "2026-05-02T09:00:00Z") == ()
    assert pace_of(state, "ann") == 1


def test_who_takes_long_gets_small_sheets() -> None:
    slow, state = hand_out(begun(), "ann", 1)
    for who in ("bo", "cy"):
        tasks, state = hand_out(state, who, 2)
        state = answer(state, tasks)
    state = answer(state, slow, "2026-05-01T20:00:00Z")
    assert (pace_of(state, "ann"), pace_of(state, "bo")) == (21, 1)  # ten and a half hours, and half an hour
    assert (sheet_size(state, "ann"), sheet_size(state, "bo")) == (1, 4)  # twelve for three people
    assert sheet_size(state, "di") == 4  # new


def test_a_sheet_grows_with_the_evidence_and_shrinks_with_what_waits() -> None:
    state = begun(pairs=PairSettings(batch=200))
    assert sheet_size(state, "ann") == 12
    tasks, state = hand_out(state, "ann", 12)
    assert (sheet_size(state, "ann"), sheet_size(state, "bo")) == (0, 4)
    state = answer(state, tasks)
    assert sheet_size(state, "ann") == 12  # half of twelve is below twelve, all of which may be out again
    for _ in range(3):
        tasks, state = hand_out(state, "ann", 20)
        state = answer(state, tasks)
    assert sheet_size(state, "ann") == 36  # half of 72
    assert sheet_size(state, "bo") == 18  # shared by two
    tasks, state = hand_out(state, "ann", 10)
    state = answer(step(state, TaskReturned(LATER, tasks[0].task)), tasks[1:])
    assert sheet_size(state, "ann") == 18  # half of 72, less twice the nine that wait


def test_items_with_several_labels_wait_for_nobody_else() -> None:
    """A second label of an item is no gap: nothing behind it waits."""
    state = begun(labels=LabelSettings(labelling="majority", per_item=3))
    tasks, state = hand_out(state, "ann", 5)
    state = answer(state, tasks[:1])
    assert [*blocking(state, range(3))] == []


def test_what_a_person_has_answered_makes_their_next_sheet_no_larger() -> None:
    """Five items of which each wants two more people: who labelled them gets none, and nobody opens further ones."""
    state = begun(labels=LabelSettings(labelling="majority", per_item=3), pairs=PairSettings(batch=50))
    tasks, state = hand_out(state, "ann", 5)
    state = answer(state, tasks)
    held_up = {(k, *place) for k, place in blocking(state, range(3))}
    assert len(held_up) == 4  # all but the last
    assert sheet_size(state, "ann") == 2  # twelve, less twice the five that wait
    assert places(hand_out(state, "bo", sheet_size(state, "bo"))[0]) == places(tasks[:4])


def test_most_labels_of_six_people_in_sheets_are_evidence() -> None:
    """Eight campaigns of three settings, one with majorities; 200 of each are in benchmarks/results/sheets.csv.

    With majorities, two more people must label each item before it is evidence.
    """
    for setting, least in ((SETTINGS[0], 0.8), (SETTINGS[3], 0.8), (SETTINGS[9], 0.75)):
        plan = setting.plan()
        (_, _, _, _, _, evidence, *_) = row_of(setting, [run(setting, plan, seed) for seed in range(8)])
        assert evidence >= least
    at_once = Setting(2, 100, 0.2, "one")
    assert row_of(at_once, [run(at_once, at_once.plan(), seed) for seed in range(4)])[5] >= 0.97


@pytest.mark.full
def test_equal_systems_in_sheets_rarely_get_a_verdict() -> None:
    """200 campaigns at alpha .05: 10 wrong ones are expected, and 20 at twice the level (P = .06 of 13 or fewer)."""
    setting = Setting(2, 60, 0.0, "sized")
    plan = setting.plan()
    assert sum(run(setting, plan, 10_000 + seed).state.undecided == [] for seed in range(200)) <= 13
