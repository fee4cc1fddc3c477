"""The rule `planned` in a campaign is that of `rules.planned` on the same labels in the same order."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import (
    NOW,
    open_campaign,
    protocol_of,
    random_outcomes,
    run,
    sealed_outcomes,
    study_of,
)

from tiebreak.campaign import (
    ItemWithdrawn,
    LabelGiven,
    Protocol,
    ProtocolError,
    State,
    make_plan,
    next_tasks,
    step,
    verdicts,
)
from tiebreak.campaign.kinds import Preferred
from tiebreak.kernels import multiplicity as kernel
from tiebreak.kernels.outcome_regression import item_rows
from tiebreak.records import MULTIPLICITIES, Multiplicity
from tiebreak.rules import planned
from tiebreak.rules.family import Family
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings

SYSTEMS = ("ant", "bee", "cat")


def protocol_with(budget: Budget | None = None, labels: LabelSettings | None = None, **decision: object) -> Protocol:
    settings = DecisionSettings(rule="anytime", **decision)  # type: ignore[arg-type]
    return protocol_of(decision=settings, budget=budget or Budget(), labels=labels)


def evidence_path(state: State, k: int, values: list[int], family: Family, margin: float | None) -> np.ndarray:
    """(n + 1, D): the largest evidence for verdicts after each of the items that the campaign has counted."""
    track = state.plan.tracks[k]
    of_items = state.protocol.decision.target == "items"
    size = track.order.size
    plan = planned.plan_pair(
        family,
        track.most_units,
        margin=margin,
        pool_size=size if of_items else None,
        scale=size / (size + track.identical) if of_items else 1.0,
        steps=None,
        known=track.known,
    )
    one = planned.start(plan)
    found = [planned.evidence(plan, one).for_verdicts(family)[0]]
    for value in values[: state.tracks[k].done]:
        one = planned.advance(plan, one, np.array([float(value)]))
        found.append(planned.evidence(plan, one).for_verdicts(family)[0])
    return np.array(found)


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
@pytest.mark.parametrize("margin", [None, 0.3])
@pytest.mark.parametrize("target", ["inputs", "items"])
def test_a_campaign_has_the_evidence_of_the_rule(multiplicity: Multiplicity, margin: float | None, target: str) -> None:
    protocol = protocol_with(multiplicity=multiplicity, margin=margin, target=target)
    state = open_campaign(protocol, study_of(SYSTEMS, 150, identical=(5, 17, 80)))
    outcomes = {k: random_outcomes(10 + k, 150, difference) for k, difference in enumerate((0.45, -0.3, 0.0))}
    for k, plan in enumerate(state.plan.tracks):
        for place in np.flatnonzero(plan.known):
            outcomes[k][place] = 0
    state = run(state, sealed_outcomes(state, outcomes))
    family = Family(0.05, multiplicity, 3, margin is not None)
    paths = [evidence_path(state, k, outcomes[k], family, margin) for k in range(3)]
    shown = verdicts(state).results[0].pairs
    assert {pair.verdict for pair in shown} >= {"a"}
    last = np.array([path[-1] for path in paths])
    for k, (pair, path) in enumerate(zip(shown, paths, strict=True)):
        measure = state.measures[k]
        if multiplicity in ("bonferroni", "none"):
            threshold = np.log((2 if multiplicity == "none" else 6) / 0.05)
            reached = np.flatnonzero((path >= threshold).any(axis=1))
            assert (measure.decided_at if reached.size else None) == (int(reached[0]) if reached.size else None)
        elif multiplicity == "holm" and margin is None:
            found = kernel.holm_directions(last, 0.05).found
            assert (pair.verdict in ("a", "b")) == bool(found[k].any())
        decided = pair.verdict != "undecided"
        assert decided == (measure.decided_at is not None)
        if pair.verdict == "a":
            assert last[k, 0] == last[k].max()


def test_with_a_metric() -> None:
    rng = np.random.default_rng(6)
    truth = np.array(random_outcomes(7, 400, 0.2))
    score = truth + 0.7 * rng.normal(size=400)
    study = study_of(items=400, scores={"bleu": {"ant": score, "bee": np.zeros(400)}})
    protocol = protocol_with(Budget(items_per_pair=150), target="items", metrics=("bleu",))
    state = open_campaign(protocol, study)
    order = state.plan.tracks[0].order
    state = run(state, sealed_outcomes(state, {0: truth[order].tolist()}))
    metric = score[order] / np.sqrt((score**2).mean())
    family = Family(0.05, "holm", 1, margin=False)
    plan = planned.plan_pair(family, 150, pool_size=400, rows=item_rows(metric[:150], metric[150:]), steps=None)
    one, at = planned.start(plan), None
    for place, value in enumerate(truth[order][:150].tolist()):
        one = planned.advance(plan, one, np.array([float(value)]))
        if at is None and planned.evidence(plan, one).directions[0, 0] >= np.log(40):
            at = place + 1
    assert (state.measures[0].verdict, state.measures[0].decided_at) == ("a", at)


def test_a_verdict_never_leaves_an_interval_on_both_sides() -> None:
    for seed in range(6):
        state = open_campaign(protocol_with(), study_of(items=100))
        state = run(state, sealed_outcomes(state, {0: random_outcomes(seed, 100, 0.25)}))
        (pair,) = verdicts(state).results[0].pairs
        assert (pair.difference.low >= 0) == (pair.verdict == "a")


# ---- the plan --------------------------------------------------------------------------------------------------


def test_a_budget_is_shared_evenly_and_says_where_looking_ends() -> None:
    """300 labels for three pairs, two labels an item: 50 items each, unless --items-per-pair allows fewer."""
    labels = LabelSettings("max-three")
    study = study_of(SYSTEMS, 90)
    plan = make_plan(protocol_with(Budget(max_labels=300), labels), study)
    assert [track.most_units for track in plan.tracks] == [50, 50, 50]
    assert [of.planned for of in plan.rule_plans] == [50, 50, 50]
    fewer = make_plan(protocol_with(Budget(max_labels=300, items_per_pair=40), labels), study)
    assert [of.planned for of in fewer.rule_plans] == [40, 40, 40]
    everything = make_plan(protocol_with(), study)
    assert [of.planned for of in everything.rule_plans] == [90, 90, 90]
    shown = verdicts(open_campaign(protocol_with(Budget(max_labels=300), labels), study))
    assert shown.terms.title == "test planned for up to 50 items per pair, valid at every look"


def test_identical_outputs_take_nothing_from_the_plan() -> None:
    """Of 60 items 30 are ties by their texts: 20 items that somebody judges, with the ties that stand among them."""
    plan = make_plan(protocol_with(Budget(items_per_pair=20)), study_of(items=60, identical=range(30)))
    (track,) = plan.tracks
    assert sum(map(sum, track.needs[: track.most_units])) == 20
    assert plan.rule_plans[0].planned == 20 < track.most_units


def test_a_budget_that_plans_too_few_items_is_refused() -> None:
    message = "a pair needs 7 or more. Raise this, or compare fewer pairs"
    with pytest.raises(ProtocolError, match=message) as caught:
        make_plan(protocol_with(Budget(max_labels=10)), study_of(SYSTEMS, 90))
    assert caught.value.key == "budget.max_labels"


def test_money_that_easy_pairs_leave_goes_to_the_others_up_to_their_plan() -> None:
    state = open_campaign(protocol_with(Budget(max_labels=180)), study_of(SYSTEMS, 90))
    outcomes = {0: [1] * 90, 1: random_outcomes(1, 90, 0.0), 2: random_outcomes(2, 90, 0.0)}
    state = run(state, sealed_outcomes(state, outcomes))
    assert [track.done for track in state.tracks][1:] == [60, 60]
    assert state.tracks[0].done < 20
    assert state.labels < 150


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_withdrawn_labels_count_against_either_side_and_change_no_bet(target: str) -> None:
    """Wins that are withdrawn take away evidence; what was reached before stands."""
    base = open_campaign(protocol_with(target=target), study_of(items=60))
    tasks = next_tasks(base, "ann", 40, NOW)
    state = base
    for task in tasks:
        state = step(state, task)
    for place, task in enumerate(tasks[:12]):
        state = step(state, LabelGiven(NOW, task.task, "ann", Preferred("b" if place in (1, 4, 7) else "a")))
    before = verdicts(state).results[0].pairs[0]
    for task in (tasks[0], tasks[2]):
        state = step(state, ItemWithdrawn(NOW, task.task, ("ant", "bee"), task.item))
    after = verdicts(state).results[0].pairs[0]
    assert (before.verdict, after.verdict) == ("undecided", "undecided")
    assert after.difference.low <= before.difference.low
    assert after.difference.high >= before.difference.high
    assert after.e_a == before.e_a  # its largest
    for task in tasks[12:]:
        state = step(state, LabelGiven(NOW, task.task, "ann", Preferred("a")))
    measure = state.measures[0]
    assert measure.verdict == "a"
    for task in tasks[12:20]:
        state = step(state, ItemWithdrawn(NOW, task.task, ("ant", "bee"), task.item))
    assert state.measures[0].verdict == "a"
    assert state.measures[0].decided_at == measure.decided_at
