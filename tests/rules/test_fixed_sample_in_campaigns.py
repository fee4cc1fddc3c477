"""The rule `fixed` of a campaign is that of `compare` at the planned end, and nothing before it."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import (
    NOW,
    answered,
    assign,
    open_campaign,
    protocol_of,
    random_outcomes,
    run,
    sealed_outcomes,
    study_of,
)

from tiebreak.campaign import (
    CampaignStopped,
    State,
    TaskReturned,
    step,
    verdicts,
)
from tiebreak.records import MULTIPLICITIES, Multiplicity, Target, UnitValue
from tiebreak.rules import fixed
from tiebreak.rules.finished import FinishedSet, FinishedSets
from tiebreak.rules.finished_family import decide_finished
from tiebreak.rules.fixed import Fixed, LookPlan, LookState, LookTests
from tiebreak.rules.rule import Units
from tiebreak.settings.protocol import Budget, DecisionSettings

THREE = ("ant", "bee", "cat")
OUTCOMES = {k: random_outcomes(20 + k, 50, difference) for k, difference in enumerate((0.5, 0.36, 0.0))}


def campaign(decision: DecisionSettings, items: int = 80, most: int = 10_000) -> State:
    """Three pairs with 50 labels each, of `items` items."""
    state = open_campaign(protocol_of(decision=decision, budget=Budget(items_per_pair=50)), study_of(THREE, items))
    return run(state, sealed_outcomes(state, OUTCOMES), most=most)


def sets_of(outcomes: dict[int, list[int]], pool_size: int | None = None, scale: float = 1.0) -> FinishedSets:
    return FinishedSets(
        FinishedSet(np.array(of, dtype=float), np.ones(len(of), dtype=np.int64), pool_size=pool_size, scale=scale)
        for of in outcomes.values()
    )


def state_of(plan: LookPlan, values: list[UnitValue]) -> LookState:
    rule = Fixed()
    return rule.advance(plan, rule.start(plan), Units.of(values))[0]


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("margin", [None, 0.4])
def test_it_is_the_one_look_of_compare(margin: float | None, target: Target, multiplicity: Multiplicity) -> None:
    decision = DecisionSettings("fixed", multiplicity=multiplicity, margin=margin, target=target)
    early = campaign(decision, most=149)
    assert {pair.verdict for pair in early.measures} == {"undecided"}, "nothing before the end"
    state = campaign(decision)
    shown = verdicts(state)
    assert shown.campaign is not None
    assert shown.campaign.labels == 150
    tests = sets_of(OUTCOMES, 80 if target == "items" else None)
    family = decide_finished(tests, 0.05, multiplicity, margin)
    pairs = shown.results[0].pairs
    assert tuple(pair.verdict for pair in pairs) == family.verdicts
    for k, pair in enumerate(pairs):
        gap = pair.difference
        assert (gap.estimate, gap.low, gap.high) == (tests.estimates[k], family.low[k], family.high[k])
        assert pair.p_value == min(1.0, 2 * min(tests.p_a[k], tests.p_b[k]))
        assert pair.equivalence_interval == family.equivalence_interval(k)
    assert {"a", "undecided" if margin is None else "equivalent"} <= set(family.verdicts)


def test_stopped_early_it_decides_nothing() -> None:
    state = campaign(DecisionSettings("fixed", alpha=0.5), most=149)
    state = step(state, CampaignStopped(NOW, "no more money"))
    shown = verdicts(state)
    assert shown.undecided == 3
    assert state.ended == "stopped"


def test_identical_outputs_are_ties_in_a_claim_about_these_items() -> None:
    study = study_of(items=80, identical=range(60, 80))
    decision = DecisionSettings("fixed", target="items")
    state = open_campaign(protocol_of(decision=decision, budget=Budget(items_per_pair=50)), study)
    (pair,) = verdicts(run(state, sealed_outcomes(state, OUTCOMES))).results[0].pairs
    tests = sets_of({0: OUTCOMES[0]}, 60, 0.75)
    low, high = tests.intervals(0.025)
    gap = pair.difference
    assert (gap.estimate, gap.low, gap.high) == (tests.estimates[0], low[0], high[0])
    assert gap.estimate == pytest.approx(0.75 * np.mean(OUTCOMES[0]))


def test_clusters_are_the_units_of_the_test() -> None:
    """Clusters of three, in each of which the first item may have identical outputs; whole clusters are asked about."""
    items, size = 90, 3
    identical = [k for k in range(0, items, size) if k % 2]
    study = study_of(items=items, cluster_size=size, identical=identical)
    protocol = protocol_of(decision=DecisionSettings("fixed"), budget=Budget(items_per_pair=60))
    state = open_campaign(protocol, study)
    outcomes = np.random.default_rng(3).choice([1, 0, -1], size=items, p=[0.6, 0.2, 0.2])
    state = run(state, lambda task: {1: "a", 0: "tie", -1: "b"}[int(outcomes[int(task.item[1:])])])
    shown = verdicts(state)
    (pair,) = shown.results[0].pairs
    plan = state.plan.tracks[0]
    done = plan.order[: plan.starts[state.tracks[0].done]]
    asked = np.array([item for item in done if item not in identical])
    whole = FinishedSet(
        outcomes[asked].astype(float),
        np.ones(asked.size, dtype=np.int64),
        clusters=asked // size,
        scale=asked.size / done.size,
    )
    tests = FinishedSets([whole])
    family = decide_finished(tests, 0.05, "holm", None)
    assert asked.size == pair.labels < done.size == pair.items
    assert pair.verdict == family.verdicts[0]
    assert pair.p_value == pytest.approx(2 * min(tests.p_a[0], tests.p_b[0]))
    got = (pair.difference.estimate, pair.difference.low, pair.difference.high)
    assert got == pytest.approx((tests.estimates[0], family.low[0], family.high[0]))
    assert pair.effective_clusters is not None
    assert 15 < pair.effective_clusters <= pair.clusters


def test_abandoning_what_goes_against_a_system_helps_it_in_no_way() -> None:
    """80 items of equal systems; whoever wants a to win has up to 5 of its losses abandoned: as ties they would double
    the errors for a.
    """
    rng, level, runs = np.random.default_rng(8), 0.05, 1_000
    plans, evidence, as_ties = [LookPlan(80)] * runs, [], []
    for values in rng.choice([1, -1], size=(runs, 80)):
        gone = np.flatnonzero(values < 0)[:5]
        known = [UnitValue.labelled(float(value)) for value in values]
        for place in gone:
            known[place] = UnitValue(-1.0, 1.0, None)
        evidence.append(state_of(plans[0], known))
        left = values.astype(float)
        left[gone] = 0
        as_ties.append(FinishedSet(left, np.ones(80, dtype=np.int64)))
    # 1,000 runs, sd .007: twice the level is 7 sd away.
    assert np.mean(LookTests(plans, evidence).p_a <= level) < level + 0.014
    assert np.mean(FinishedSets(as_ties).p_a <= level) > 2 * level


@pytest.mark.parametrize("kind", ["inputs", "pool", "whole pool", "clusters"])
def test_no_withdrawal_makes_a_system_better(kind: str) -> None:
    """Whatever is withdrawn: of each test that says anything, the p-value is at least what it was."""
    rng, runs = np.random.default_rng(9), 150
    plans, evidence = [], [[], []]  # type: tuple[list[LookPlan], list[list[LookState]]]
    for _ in range(runs):
        units = int(rng.integers(8, 40))
        sizes = rng.integers(1, 6, units) if kind == "clusters" else np.ones(units, dtype=np.int64)
        pool = {"pool": units + int(rng.integers(1, 40)), "whole pool": units}.get(kind)
        asked = sizes if kind == "clusters" else None
        plans.append(LookPlan(units, asked, asked, pool_size=pool))
        shares, withdrawn = rng.dirichlet([1, 0.5, 1]), rng.choice([0.05, 0.2, 0.5])
        as_given, lowered = [], []
        for size in sizes:
            outcomes, gone = rng.choice([-1, 0, 1], size, p=shares), rng.random(size) < withdrawn
            value = float(outcomes.mean())
            worst = [float(np.where(gone, side, outcomes).mean()) for side in (-1, 1)]
            as_given.append(UnitValue.labelled(value))
            lowered.append(UnitValue(worst[0], worst[1], value))
        evidence[0].append(state_of(plans[-1], as_given))
        evidence[1].append(state_of(plans[-1], lowered))
    before, after = (LookTests(plans, of) for of in evidence)
    for was, now in ((before.p_a, after.p_a), (before.p_b, after.p_b)):
        assert (now >= np.minimum(was, 0.5) - 1e-9).all()
        assert (now > was).mean() > 0.1


def test_nothing_is_tested_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(fixed, "FinishedSets", lambda sets: asked.append(1) or FinishedSets(sets))
    state = campaign(DecisionSettings("fixed"), most=149)
    asked.clear()  # whether so many items can decide is asked before the first label
    state = run(state, sealed_outcomes(state, OUTCOMES))
    assert state.ended == "items"
    assert len(asked) == 1


def test_a_number_cut_short_by_the_budget_was_not_fixed_beforehand() -> None:
    """One answer comes late and is paid like the others: the budget ends before the last item."""
    budget = Budget(items_per_pair=20, max_labels=20)
    state = open_campaign(protocol_of(decision=DecisionSettings("fixed"), budget=budget), study_of(items=40))
    state, (lost,) = assign(state, "bo")
    state = step(state, TaskReturned(NOW, lost.task, "expired"))
    state, (again,) = assign(state, "ann")
    state = answered(answered(state, again, "a"), lost, "a")
    state = run(state, lambda _: "a")
    assert (state.ended, state.late, state.tracks[0].done) == ("budget", 1, 19)
