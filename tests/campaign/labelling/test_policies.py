"""Labelling policies, derived by hand, and as a campaign runs them."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from benchmarks.worlds.small_campaigns import answered, assign, give, open_campaign, protocol_of, run, study_of, tally

from tiebreak.campaign.labelling import LABELLING_POLICIES, OUTCOME_POLICIES
from tiebreak.settings.protocol import LabelSettings, PeopleSettings

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
