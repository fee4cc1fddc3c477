"""Handing out: who gets what, sides, budget, limits, checks, and tasks that come back."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

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
    AnnotatorExcluded,
    EventError,
    ItemAbandoned,
    Protocol,
    State,
    TaskReturned,
    expired_tasks,
    init,
    next_tasks,
    step,
)
from tiebreak.campaign.labelling import LABELLING_POLICIES, OUTCOME_POLICIES
from tiebreak.campaign.openings import Allowance, allowance
from tiebreak.campaign.policies import PAIR_POLICIES
from tiebreak.settings.protocol import Budget, GoldTask, LabelSettings, OrderSettings, PairSettings, PeopleSettings

# ---- who gets what -------------------------------------------------------------------------------------------------

THREE = ("ant", "bee", "cat")
MAJORITY = LabelSettings("majority", 3)


def item_at(state: State, place: int, pair: int = 0) -> str:
    return state.plan.items[int(state.plan.tracks[pair].order[place])]


def test_tasks_follow_the_sealed_order_and_change_nothing() -> None:
    state = open_campaign()
    tasks = next_tasks(state, "p", 5, NOW)
    assert [task.item for task in tasks] == [item_at(state, place) for place in range(5)]
    assert next_tasks(state, "p", 5, NOW) == tasks, "the same again: nothing has happened"
    assert state.issued == 0
    assert len({task.task for task in tasks}) == 5
    assert {task.at for task in tasks} == {NOW}


def test_none_and_too_few() -> None:
    state = open_campaign()
    assert next_tasks(state, "p", 0, NOW) == ()
    with pytest.raises(EventError, match="must be 0 or more, not -1"):
        next_tasks(state, "p", -1, NOW)
    with pytest.raises(EventError, match="has not been opened"):
        next_tasks(init(Protocol(), study_of()), "p", 1, NOW)
    with pytest.raises(EventError, match="is not a time"):
        next_tasks(state, "p", 1, "now")


@pytest.mark.parametrize("policy", PAIR_POLICIES)
def test_asking_for_a_billion_tasks_takes_no_longer_than_for_those_that_there_are(policy: str) -> None:
    state = open_campaign(protocol_of(pairs=PairSettings(policy)), study_of(THREE))
    tasks = next_tasks(state, "p", 10**9, NOW)
    there_are = sum(pair.most_units for pair in state.plan.tracks)
    assert len(tasks) == len({task.task for task in tasks}) == there_are


def test_pairs_take_turns_in_batches() -> None:
    state = open_campaign(protocol_of(pairs=PairSettings(batch=4)), study_of(THREE))
    tasks = next_tasks(state, "p", 14, NOW)
    pairs = [(task.system_a, task.system_b) for task in tasks]
    assert pairs == [("ant", "bee")] * 4 + [("ant", "cat")] * 4 + [("bee", "cat")] * 4 + [("ant", "bee")] * 2
    split = []
    for _ in range(14):
        state, (task,) = assign(state, "p")
        split.append((task.system_a, task.system_b))
    assert split == pairs, "one by one as all at once"


def test_decided_pairs_leave_the_round() -> None:
    state = open_campaign(protocol_of(pairs=PairSettings(batch=1)), study_of(THREE))
    while state.measures[0].verdict == "undecided":
        state, (task,) = assign(state, "p")
        clear = (task.system_a, task.system_b) == ("ant", "bee")
        state = answered(state, task, "a" if clear or int(task.item[1:]) % 2 else "b")
    asked = {(task.system_a, task.system_b) for task in next_tasks(state, "p", 20, NOW)}
    assert asked == {("ant", "cat"), ("bee", "cat")}


def test_returned_tasks_do_not_count_as_new_items_of_a_batch() -> None:
    state = open_campaign(protocol_of(pairs=PairSettings(batch=4)), study_of(THREE))
    for _ in range(4):
        state, (task,) = assign(state, "p")
        state = step(state, TaskReturned(NOW, task.task))
    assert state.tracks[0].opened == 1
    for _ in range(4):
        state, (task,) = assign(state, "p")
        assert (task.system_a, task.system_b) == ("ant", "bee")
        state = answered(state, task, "a")
    assert state.tracks[0].opened == 4
    assert assign(state, "p")[1][0].system_b == "cat"


@pytest.mark.parametrize("policy", [LabelSettings(), MAJORITY, LabelSettings("max-three")])
def test_sides_are_balanced_within_each_pair(policy: LabelSettings) -> None:
    state = open_campaign(protocol_of(labels=policy, pairs=PairSettings(batch=3)), study_of(THREE))
    left: dict[tuple[str, str], Counter[str]] = {}
    patterns = set()
    for round_ in range(30):
        state, tasks = assign(state, "pqr"[round_ % 3], 5)
        for task in tasks:
            pair = (task.system_a, task.system_b)
            left.setdefault(pair, Counter())[task.left] += 1
            counts = left[pair]
            assert abs(counts[pair[0]] - counts[pair[1]]) <= 1
            if sum(counts.values()) % 2:
                patterns.add((sum(counts.values()), counts[pair[0]] > counts[pair[1]]))
            state = answered(state, task, ("a", "b", "tie")[int(task.item[1:]) % 3])
    assert len({first for _, first in patterns}) == 2, "which side comes first is drawn"


def test_sides_differ_between_seeds_and_items() -> None:
    """The first of each two sides is a coin toss: about half of 200."""
    first = 0
    for seed in range(40):
        state = open_campaign(protocol_of(order=OrderSettings(seed=seed)), study_of(items=12))
        first += sum(task.left == "ant" for task in next_tasks(state, "p", 10, NOW)[::2])
    assert 100 - 3 * 50**0.5 < first < 100 + 3 * 50**0.5


@pytest.mark.parametrize("policy", [MAJORITY, LabelSettings("max-three"), LabelSettings("majority", 5)])
def test_nobody_gets_an_item_of_a_pair_twice(policy: LabelSettings) -> None:
    state = open_campaign(protocol_of(labels=policy), study_of(THREE, 20))
    seen: set[tuple[str, str, str, str]] = set()
    for turn in range(60):
        state, tasks = assign(state, "pqrst"[turn % 5], 4)
        for task in tasks:
            key = (task.annotator, task.system_a, task.system_b, task.item)
            assert key not in seen
            seen.add(key)
            state = answered(state, task, ("a", "b")[(int(task.item[1:]) + turn) % 2])
    assert len(seen) > 60


def test_one_person_cannot_make_a_majority() -> None:
    state = open_campaign(protocol_of(labels=MAJORITY), study_of(items=20))
    state, tasks = assign(state, "p", 50)
    assert len(tasks) == 20
    for task in tasks:
        state = answered(state, task, "a")
    assert assign(state, "p", 5)[1] == ()
    assert (state.ended, state.tracks[0].done) == (None, 0)


# ---- budget ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [LabelSettings(), MAJORITY, LabelSettings("max-three"), LabelSettings("fixed")])
@pytest.mark.parametrize("budget", [63, 64, 70, 90])
def test_the_budget_is_kept_and_used(policy: LabelSettings, budget: int) -> None:
    state = open_campaign(protocol_of(labels=policy, budget=Budget(max_labels=budget)), study_of(THREE))
    state = run(state, lambda task: ("a", "b", "tie")[int(task.item[1:]) % 3], ("p", "q", "r", "s"), at_once=7)
    assert state.ended == "budget"
    # Each of three pairs is planned for its even share.
    assert budget - 3 * state.protocol.most_labels_per_item < state.labels <= budget
    assert not any(pair.open for pair in state.tracks), "no label on what stays incomplete"


def test_one_person_does_not_open_more_than_the_budget_completes() -> None:
    """30 labels make ten majorities, and one person gets one label of each."""
    state = open_campaign(protocol_of(labels=MAJORITY, budget=Budget(max_labels=32)))
    state, tasks = assign(state, "p", 50)
    assert len(tasks) == 10
    assert allowance(state, [0]) == Allowance(begun=22, new=2)
    for person in ("q", "r"):
        state, tasks = assign(state, person, 50)
        assert len(tasks) == 10
    assert assign(state, "s", 50)[1] == ()


def test_a_cluster_is_begun_only_if_the_budget_completes_it() -> None:
    state = open_campaign(protocol_of(budget=Budget(max_labels=48)), study_of(cluster_size=5))
    state = run(state, lambda task: "a" if int(task.item[1:]) % 2 else "b")
    assert (state.ended, state.labels, state.tracks[0].done) == ("budget", 45, 9)


def test_checks_do_not_take_the_last_labels() -> None:
    gold = PeopleSettings(gold=(GoldTask("i059", "ant", "bee", "a"),), gold_every=2, gold_share=0.0)
    state = open_campaign(protocol_of(labels=MAJORITY, budget=Budget(max_labels=31), people=gold))
    state = run(state, lambda task: "a" if int(task.item[1:]) % 2 else "b", ("p", "q", "r"))
    assert state.ended == "budget"
    assert not state.tracks[0].open
    assert state.labels <= 31


def test_what_a_returned_task_frees_is_spent() -> None:
    state = open_campaign(protocol_of(budget=Budget(max_labels=10)))
    state, tasks = assign(state, "p", 10)
    assert assign(state, "q")[1] == ()
    for task in tasks[1:]:
        state = answered(state, task, "a" if int(task.item[1:]) % 2 else "b")
    assert state.ended is None
    state = step(state, TaskReturned(NOW, tasks[0].task))
    assert state.ended is None
    state, (again,) = assign(state, "q", 3)
    assert again.item == tasks[0].item
    state = answered(state, again, "b")
    assert (state.ended, state.labels) == ("budget", 10)


def test_items_per_pair() -> None:
    state = open_campaign(protocol_of(budget=Budget(items_per_pair=12)), study_of(THREE))
    state = run(state, lambda task: "a" if int(task.item[1:]) % 2 else "b", at_once=5)
    assert [pair.done for pair in state.tracks] == [12, 12, 12]
    assert state.ended == "items"


# ---- limits ----------------------------------------------------------------------------------------------------


def test_at_most_so_many_items_of_a_pair_are_out() -> None:
    state = open_campaign(protocol_of(pairs=PairSettings(open=3)))
    state, tasks = assign(state, "p", 10)
    assert len(tasks) == 3
    state = answered(state, tasks[2], "a")
    state, more = assign(state, "q", 10)
    assert [task.item for task in more] == [item_at(state, 3)], "complete items that wait are not out"
    for place in (10, 11, 12):
        state = step(state, ItemAbandoned(NOW, ("ant", "bee"), item_at(state, place)))
    state = answered(state, tasks[0], "a")
    assert len(next_tasks(state, "q", 10, NOW)) == 1, "abandoned items are not out either"


def test_at_most_so_many_labels_of_a_person() -> None:
    state = open_campaign(protocol_of(people=PeopleSettings(labels_per_person=6)))
    state = give(state, "wl", "p")
    state, tasks = assign(state, "p", 10)
    assert len(tasks) == 4
    state = step(state, TaskReturned(NOW, tasks[0].task))
    assert len(next_tasks(state, "p", 10, NOW)) == 1
    assert len(next_tasks(state, "q", 10, NOW)) == 6


def test_tasks_expire() -> None:
    state = open_campaign(protocol_of(people=PeopleSettings(hours=24.0)))
    first = next_tasks(state, "p", 1, "2026-05-01T09:00:00Z")[0]
    state = step(state, first)
    second = next_tasks(state, "p", 1, "2026-05-01T22:00:00+02:00")[0]  # 20:00 UTC
    state = step(state, second)
    assert expired_tasks(state, "2026-05-02T09:00:00Z") == ()
    assert expired_tasks(state, "2026-05-02T09:00:01") == (TaskReturned("2026-05-02T09:00:01", first.task, "expired"),)
    later = expired_tasks(state, "2026-05-03T00:00:00Z")
    assert [event.task for event in later] == [first.task, second.task]
    for event in later:
        state = step(state, event)
    assert [task.item for task in next_tasks(state, "q", 3, NOW)] == [first.item, second.item, item_at(state, 2)]
    with pytest.raises(EventError, match="is not a time"):
        expired_tasks(state, "tomorrow")


# ---- checks ----------------------------------------------------------------------------------------------------


def test_every_so_many_tasks_are_checks_in_an_order_of_ones_own() -> None:
    gold = tuple(GoldTask(f"i05{k}", "ant", "bee", "a") for k in range(4))
    state = open_campaign(protocol_of(people=PeopleSettings(gold=gold, gold_every=3, gold_share=0.0)))
    orders = {}
    for person in ("p", "q", "r"):
        state, tasks = assign(state, person, 12)
        assert [task.gold for task in tasks] == [False, False, True] * 4
        orders[person] = tuple(task.item for task in tasks if task.gold)
        assert sorted(orders[person]) == [f"i05{k}" for k in range(4)]
    assert len(set(orders.values())) > 1


def test_a_fixed_workers_pair_is_free_once_they_are_excluded() -> None:
    state = give(open_campaign(protocol_of(labels=LabelSettings("fixed"))), "wl", "p")
    assert assign(state, "q")[1] == ()
    state = step(state, AnnotatorExcluded(NOW, "p"))
    state, (task,) = assign(state, "q")
    assert task.item == item_at(state, 2)


# ---- labelling policies --------------------------------------------------------------------------------------------
# Labelling policies, derived by hand, and as a campaign runs them.

A, TIE, B = 1, 0, -1


@pytest.mark.parametrize("name", ["one", "fixed"])
def test_one_person_per_item(name: str) -> None:
    policy = LABELLING_POLICIES[name]
    assert [policy.labels_wanted(answers, 1) for answers in ((), (A,))] == [1, 1]
    assert [policy.value((outcome,)) for outcome in (A, TIE, B)] == [A, TIE, B]


def test_a_majority_asks_everybody_even_when_two_agree() -> None:
    policy = LABELLING_POLICIES["majority"]
    assert [policy.labels_wanted(answers, 3) for answers in ((), (A,), (A, A), (A, A, B))] == [3, 3, 3, 3]


@pytest.mark.parametrize(
    ("answers", "value"),
    [
        ((A, A, B), A),
        ((A, TIE, B), TIE),  # all different
        ((TIE, TIE, A), TIE),
        ((A, A, TIE, TIE, B), TIE),  # a and tie share the lead
        ((A, A, B, B, TIE), TIE),  # a and b share the lead
        ((A, TIE, TIE, B, B), TIE),
        ((A, A, A, B, B), A),
        ((B, B, TIE, TIE, B), B),
    ],
)
def test_the_most_frequent_answer(answers: tuple[int, ...], value: int) -> None:
    policy = LABELLING_POLICIES["majority"]
    assert policy.value(answers) == value
    assert policy.value(tuple(-answer for answer in answers)) == -value, "swapping a and b mirrors it"
    assert {policy.value(order) for order in permutations(answers)} == {value}, "whoever came first"


def test_at_most_three() -> None:
    policy = LABELLING_POLICIES["max-three"]
    assert policy.labels_wanted((), 1) == policy.labels_wanted((A,), 1) == 2
    for first, second in product((A, TIE, B), repeat=2):
        assert policy.labels_wanted((first, second), 1) == (2 if first == second else 3)
        for third in (A, TIE, B):
            assert policy.labels_wanted((first, second, third), 1) == (2 if first == second else 3)
            if first == second:
                assert policy.value((first, second)) == first
            else:
                expected = third if third in (first, second) else TIE
                assert policy.value((first, second, third)) == expected


def test_a_majority_of_three_in_a_campaign() -> None:
    """Five items, three people each: w w l, t t l, w t l, l l l, w w w give a, tie, tie, b, a."""
    votes = {"p": "wtwlw", "q": "wttlw", "r": "llllw"}
    state = open_campaign(protocol_of(labels=LabelSettings("majority", 3)))
    first = [state.plan.items[int(item)] for item in state.plan.tracks[0].order[:5]]
    for person, codes in votes.items():
        state, tasks = assign(state, person, 5)
        assert [task.item for task in tasks] == first
        for task, code in zip(tasks, codes, strict=True):
            assert state.tracks[0].done == (first.index(task.item) if person == "r" else 0)
            state = answered(state, task, {"w": "a", "t": "tie", "l": "b"}[code])
    pair, of = state.tracks[0], tally(state)
    assert (of.wins, of.ties, of.losses) == (2, 2, 1)
    assert (pair.done, pair.labels, pair.done_labels, state.labels) == (5, 15, 15, 15)


def test_the_third_is_asked_where_two_disagree() -> None:
    state = open_campaign(protocol_of(labels=LabelSettings("max-three")))
    for person, outcomes in (("p", ("a", "a")), ("q", ("a", "b"))):
        state, tasks = assign(state, person, 2)
        for task, outcome in zip(tasks, outcomes, strict=True):
            state = answered(state, task, outcome)
    assert (state.tracks[0].done, tally(state).wins) == (1, 1)
    state, (task,) = assign(state, "r")
    assert task.item == state.plan.items[int(state.plan.tracks[0].order[1])]
    state = answered(state, task, "b")
    assert (state.tracks[0].done, tally(state).wins, tally(state).losses) == (2, 1, 1)
    assert state.tracks[0].done_labels == 5


def test_a_fixed_worker_keeps_the_pair() -> None:
    state = open_campaign(protocol_of(labels=LabelSettings("fixed")), study_of(("ant", "bee", "cat")))
    state = give(state, "wlw", "p")
    state, tasks = assign(state, "q", 30)
    assert {(task.system_a, task.system_b) for task in tasks} == {("ant", "cat"), ("bee", "cat")}
    state, tasks = assign(state, "r", 5)
    assert tasks == ()
    assert [pair.worker for pair in state.tracks] == ["p", "q", "q"]


def test_somebody_else_takes_over_when_the_fixed_worker_may_do_no_more() -> None:
    protocol = protocol_of(labels=LabelSettings("fixed"), people=PeopleSettings(labels_per_person=4))
    state = open_campaign(protocol)
    state = give(state, "wlwl", "p")
    assert assign(state, "p")[1] == ()
    state, (task,) = assign(state, "q")
    assert task.item == state.plan.items[int(state.plan.tracks[0].order[4])]
    assert state.tracks[0].worker == "q"


def test_all_policies_reach_the_end() -> None:
    for name, policy in OUTCOME_POLICIES.items():
        labels = LabelSettings(name, 3 if policy.takes_number else 1)
        state = run(open_campaign(protocol_of(labels=labels)), lambda _: "a", ("p", "q", "r"), at_once=4)
        assert state.ended == "decided"
        assert state.measures[0].verdict == "a"
        assert policy.title
