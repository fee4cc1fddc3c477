"""What a campaign shows: counts, money, projections, estimates."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import (
    NOW,
    answered,
    assign,
    give,
    open_campaign,
    protocol_of,
    random_outcomes,
    run,
    sealed_outcomes,
    study_of,
)

from tiebreak.campaign import CampaignStopped, ItemAbandoned, step, verdicts
from tiebreak.kernels.confidence_sequence import estimate_at_stop
from tiebreak.rules import planned
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings, PairSettings

THREE = ("ant", "bee", "cat")


def test_before_the_first_label() -> None:
    shown = verdicts(open_campaign(None, study_of(THREE)))
    assert shown.undecided == 3
    found = shown.campaign
    assert (found.labels, found.late, found.labels_out, found.labels_left, found.cost) == (0, 0, 0, None, None)
    assert (found.ended, found.ended_because) == (None, None)
    assert shown.order.tiers == (THREE,)
    pair = shown.results[0].pairs[0]
    gap = pair.difference
    assert (gap.estimate, gap.low, gap.high) == (None, -1.0, 1.0)
    assert (pair.e_a, pair.e_b, pair.e_equivalent) == (1.0, 1.0, None)
    assert (pair.items_to_decision, pair.labels_to_decision) == (None, None)


@pytest.mark.parametrize(
    ("rule", "looks"),
    [("anytime", "every"), ("fixed", "one"), ("hoeffding", "uncontrolled"), ("dirichlet", "uncontrolled")],
)
def test_which_looks_the_verdicts_hold_at(rule: str, looks: str) -> None:
    protocol = protocol_of(decision=DecisionSettings(rule=rule), budget=Budget(items_per_pair=30))
    assert verdicts(open_campaign(protocol)).terms.looks == looks


def test_an_interval_that_says_less_than_its_verdict_is_named() -> None:
    """Holm's last step faces log(2/alpha), every interval log(6/alpha)."""
    state = open_campaign(None, study_of(THREE, 200))
    outcomes = {0: [1] * 200, 1: [1] * 200, 2: [1, 1, -1, 1, 1] * 40}
    found = verdicts(run(state, sealed_outcomes(state, outcomes)))
    pairs = found.results[0].pairs
    assert [pair.verdict for pair in pairs] == ["a", "a", "a"]
    assert [pair.flags for pair in pairs] == [(), (), ("interval-contains-zero",)]
    assert pairs[2].difference.low < 0 < pairs[2].difference.high


def test_an_interval_beyond_the_margin_is_named() -> None:
    state = open_campaign(protocol_of(decision=DecisionSettings(margin=0.3)), study_of(items=300))
    found = verdicts(run(state, sealed_outcomes(state, {0: [1, -1, 0] * 100})))
    (pair,) = found.results[0].pairs
    assert (pair.verdict, pair.flags) == ("equivalent", ("interval-beyond-margin",))


def test_counts_and_money() -> None:
    protocol = protocol_of(labels=LabelSettings(price=0.25, currency="€"), budget=Budget(max_labels=1_000))
    state = give(open_campaign(protocol, study_of(items=900)), "wwlt" * 3)
    state, _ = assign(state, "p", 3)
    shown = verdicts(state)
    (pair,) = shown.results[0].pairs
    assert (pair.items, pair.wins, pair.ties, pair.losses, pair.labels, pair.waiting) == (12, 6, 3, 3, 12, 3)
    found = shown.campaign
    assert (found.labels, found.labels_out, found.labels_left, found.cost, found.currency) == (12, 3, 988, 3.0, "€")
    assert pair.difference.estimate == pytest.approx(0.25)
    assert pair.labels_to_decision == pair.items_to_decision
    assert found.cost_to_decision == round(0.25 * pair.labels_to_decision, 2)


UNDECIDED = "wltwwlt" * 4  # 28 outcomes that point to a verdict some hundreds of items away


@pytest.mark.parametrize(
    ("items", "budget", "flag"),
    [
        (40, Budget(), "beyond-items"),
        (900, Budget(items_per_pair=40), "beyond-budget"),
        (900, Budget(max_labels=40), "beyond-budget"),
        (900, Budget(max_labels=899), None),
        (40, Budget(items_per_pair=100), "beyond-items"),
    ],
)
def test_a_projection_beyond_what_is_left_is_none(items: int, budget: Budget, flag: str | None) -> None:
    state = give(open_campaign(protocol_of(budget=budget), study_of(items=items)), UNDECIDED)
    found = verdicts(state)
    (pair,) = found.results[0].pairs
    if flag is None:
        assert pair.labels_to_decision == found.campaign.labels_to_decision == pair.items_to_decision != None  # noqa: E711
        assert (pair.flags, found.campaign.beyond) == ((), None)
        return
    assert (pair.flags, found.campaign.beyond) == ((flag,), flag.removeprefix("beyond-"))
    assert (pair.items_to_decision, pair.labels_to_decision, found.campaign.labels_to_decision) == (None, None, None)


@pytest.mark.parametrize(("rule", "look"), [("fixed", 30), ("dirichlet", 20), ("hoeffding", None)])
def test_rules_without_a_projection_say_when_they_look_next(rule: str, look: int | None) -> None:
    protocol = protocol_of(decision=DecisionSettings(rule=rule), budget=Budget(items_per_pair=30))
    state = give(open_campaign(protocol), "wltwlwtlwltl")
    (pair,) = verdicts(state).results[0].pairs
    assert pair.next_look == look
    (pair,) = verdicts(step(state, CampaignStopped(NOW))).results[0].pairs
    assert pair.next_look is None


def test_late_labels_wait_for_nothing() -> None:
    """Two answers behind a task that is out, and four that come after the end."""
    state, tasks = assign(open_campaign(), "p", 7)
    for task in tasks[1:3]:
        state = answered(state, task, "a")
    assert verdicts(state).results[0].pairs[0].waiting == 7
    state = step(state, CampaignStopped(NOW))
    for task in tasks[3:]:
        state = answered(state, task, "a")
    found = verdicts(state)
    assert found.results[0].pairs[0].waiting == 2
    assert (found.campaign.labels, found.campaign.labels_in_evidence) == (6, 0)
    assert (found.campaign.labels_waiting, found.campaign.late, found.campaign.checks) == (2, 4, 0)


def test_everything_is_json() -> None:
    state = run(open_campaign(protocol_of(decision=DecisionSettings(target="items"))), lambda _: "a")
    document = json.loads(json.dumps(verdicts(state).to_dict(), allow_nan=False))
    assert document["results"][0]["pairs"][0]["verdict"] == "a"
    assert document["campaign"]["ended"] == "decided"


def test_the_projection_is_that_of_decisions() -> None:
    state = open_campaign(protocol_of(decision=DecisionSettings(margin=0.2)), study_of(THREE, 200))
    outcomes = {k: random_outcomes(30 + k, 200, difference) for k, difference in enumerate((0.15, -0.2, 0.0))}
    state = run(state, sealed_outcomes(state, outcomes), most=60)
    for k, pair in enumerate(verdicts(state).results[0].pairs):
        evidence = state.measures[k].evidence
        expected = planned.units_to_verdict(state.plan.rule_plans[k], evidence.pair, 0.05 / 6, 0.05 / 3)
        assert pair.items_to_decision == expected
    assert any(pair.items_to_decision for pair in verdicts(state).results[0].pairs)


def test_the_estimate_after_a_verdict_is_shrunk() -> None:
    outcomes = {0: random_outcomes(2, 300, 0.3)}
    state = open_campaign(None, study_of(items=300))
    state = run(state, sealed_outcomes(state, outcomes))
    (pair,) = verdicts(state).results[0].pairs
    assert pair.verdict == "a"
    values = np.array(outcomes[0][: pair.items], dtype=float)
    assert pair.difference.estimate == pytest.approx(estimate_at_stop(values.mean(), values.var(), values.size))
    assert 0 < pair.difference.estimate < values.mean()


def test_the_estimate_of_a_pool_is_shrunk_by_what_is_left_of_it() -> None:
    decision = DecisionSettings(target="items")
    state = open_campaign(protocol_of(decision=decision), study_of(items=120, identical=range(100, 120)))
    outcomes = {0: random_outcomes(5, 100, 0.4)}
    state = run(state, sealed_outcomes(state, outcomes))
    (pair,) = verdicts(state).results[0].pairs
    assert pair.verdict == "a"
    values = np.array(outcomes[0][: pair.items], dtype=float)
    expected = estimate_at_stop(values.mean(), values.var(), values.size, 100) * 100 / 120
    assert pair.difference.estimate == pytest.approx(expected)


def test_labels_per_item_follow_the_policy() -> None:
    state = open_campaign(protocol_of(labels=LabelSettings("majority", 3)))
    state = run(state, lambda task: "a" if int(task.item[1:]) % 3 else "b", ("p", "q", "r"), most=30)
    (pair,) = verdicts(state).results[0].pairs
    assert pair.labels_to_decision == 3 * pair.items_to_decision


def test_better_and_equivalent_too() -> None:
    """Labels that were out at the verdict for a may show that the pair is closer than the margin."""
    state = open_campaign(protocol_of(decision=DecisionSettings(margin=0.8)), study_of(THREE, 200))
    answer = sealed_outcomes(state, {0: [1] * 20 + [1, -1, 1, 0] * 45})
    state, tasks = assign(state, "p", 600)
    seen = []
    for k, task in enumerate(task for task in tasks if (task.system_a, task.system_b) == ("ant", "bee")):
        state = answered(state, task, answer(task))
        if k in (2, 25, 199):
            pair = verdicts(state).results[0].pairs[0]
            seen.append((pair.verdict, pair.also))
    assert seen == [("undecided", None), ("a", None), ("a", "equivalent")]
    assert verdicts(state).order.equivalences == verdicts(state).order.edges == (("ant", "bee"),)


def test_only_abandoned_items() -> None:
    state = open_campaign()
    for place in range(5):
        item = state.plan.items[int(state.plan.tracks[0].order[place])]
        state = step(state, ItemAbandoned(NOW, ("ant", "bee"), item))
    (pair,) = verdicts(state).results[0].pairs
    assert (pair.items, pair.abandoned, pair.labels, pair.difference.estimate) == (5, 5, 0, None)
    assert pair.e_a == pair.e_b == 1.0


def test_answers_that_wait_are_not_to_be_paid_again() -> None:
    state = give(open_campaign(protocol_of(), study_of(items=400)), "wwlwl" * 4)
    before = verdicts(state).results[0].pairs[0]
    assert before.labels_to_decision == before.items_to_decision
    state, (held,) = assign(state, "slow")
    state = give(state, "wl" * 20)
    (pair,) = verdicts(state).results[0].pairs
    assert (pair.items, pair.waiting) == (before.items, 41)
    assert pair.items_to_decision == before.items_to_decision
    assert pair.labels_to_decision == max(0, (before.labels_to_decision or 0) - 40)
    assert held.task in state.tasks


def test_identical_outputs_count_once_they_are_evidence() -> None:
    state = open_campaign(protocol_of(), study_of(items=60, identical=range(30)))
    assert verdicts(state).results[0].pairs[0].identical <= 30
    state = give(state, "wl" * 10)
    (pair,) = verdicts(state).results[0].pairs
    assert pair.identical == pair.ties == pair.items - 20


def test_a_winner_needs_no_other_verdicts() -> None:
    protocol = protocol_of(pairs=PairSettings(pair_policy="winner"), systems=("ant", "bee", "cat"))
    state = open_campaign(protocol, study_of(("ant", "bee", "cat"), items=200))
    state = run(state, lambda task: "a" if task.system_a == "ant" else "tie" if task.system_b != "ant" else "b")
    result = verdicts(state)
    assert result.undecided
    assert result.campaign.ended == "decided"
