"""Every rule in a campaign: the evidence of its labels in their sealed order, and its first verdict."""

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
    ItemAbandoned,
    ItemWithdrawn,
    LabelGiven,
    Protocol,
    ProtocolError,
    State,
    TaskReturned,
    make_plan,
    next_tasks,
    step,
    verdicts,
)
from tiebreak.campaign.kinds import Preferred
from tiebreak.kernels import multiplicity as kernel
from tiebreak.kernels.outcome_regression import item_rows
from tiebreak.records import MULTIPLICITIES, Multiplicity, Target, UnitValue
from tiebreak.rules import fixed, planned
from tiebreak.rules.family import Family
from tiebreak.rules.finished import FinishedSet, FinishedSets
from tiebreak.rules.finished_family import decide_finished
from tiebreak.rules.fixed import Fixed, LookPlan, LookState, LookTests
from tiebreak.rules.registry import RULES, pair_rules
from tiebreak.rules.rule import VERDICTS, Units
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings

# ---- every rule ----------------------------------------------------------------------------------------------------

DIFFERENCE = 0.45
ABANDONED = (0, 3, 20)
"""Places in the sealed order."""
WORLDS = ("single items", "identical outputs", "abandoned items", "clusters", "a metric")


def campaign(name: str, target: Target, world: str) -> State:
    """One pair; a metric has more items than people are asked about."""
    helped = RULES[name].needs_metric or world == "a metric"
    items, rng = 300 if helped else 120, np.random.default_rng(6)
    scores = {"bleu": {"ant": rng.normal(size=items), "bee": np.zeros(items)}} if helped else None
    decision = DecisionSettings(name, target=target, metrics=("bleu",) if helped else ())
    budget = Budget(items_per_pair=60 if helped or RULES[name].looks == "one" else None)
    identical, size = range(0, items, 6) if world == "identical outputs" else (), 4 if world == "clusters" else 1
    study = study_of(items=items, identical=identical, cluster_size=size, scores=scores)
    return open_campaign(protocol_of(decision=decision, budget=budget), study)


def unit_values(state: State, outcomes: list[int], gone: tuple[int, ...]) -> list[UnitValue]:
    """Of all units in the sealed order: the means of their items, an abandoned one counting against either side."""
    track, values = state.plan.tracks[0], []
    for first, end in zip(track.starts[:-1], track.starts[1:], strict=True):
        places = range(first, end)
        value = float(np.mean([outcomes[place] for place in places]))
        values.append(UnitValue(-1.0, 1.0, None) if first in gone else UnitValue.labelled(value))
    return values


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("name", pair_rules())
def test_a_campaign_feeds_its_rule_the_sealed_order(name: str, target: Target, world: str) -> None:
    rule = RULES[name]
    try:
        state = campaign(name, target, world)
    except ProtocolError:
        counts_single_items = name in ("dirichlet", "posterior") and target == "inputs"
        assert counts_single_items if world == "clusters" else not rule.takes_metric_in_campaigns
        return
    track, (plan,) = state.plan.tracks[0], state.plan.rule_plans
    gone = ABANDONED if world == "abandoned items" else ()
    for place in gone:
        state = step(state, ItemAbandoned(NOW, ("ant", "bee"), state.plan.items[int(track.order[place])]))
    outcomes = random_outcomes(5, track.order.size, DIFFERENCE)
    outcomes = [0 if known else outcome for known, outcome in zip(track.known, outcomes, strict=True)]
    state = run(state, sealed_outcomes(state, {0: outcomes}))
    (measure,) = state.measures
    values = unit_values(state, outcomes, gone)[: measure.done]
    alone, path = rule.advance(plan, rule.start(plan), Units.of(values))
    np.testing.assert_allclose(measure.evidence.evidence, alone.evidence, rtol=1e-9)
    largest = np.maximum.accumulate(path[0])[:, None]
    codes = rule.verdicts([plan], largest, state.protocol.decision)[:, 0]
    decided_at = int((codes != 0).argmax()) + 1 if codes.any() else None
    assert measure.decided_at == decided_at
    assert measure.verdict == VERDICTS[int(codes[decided_at - 1]) if decided_at else 0]
    (pair,) = verdicts(state).results[0].pairs
    assert (pair.verdict, pair.abandoned) == (measure.verdict, len(gone))
    if world == "single items":
        assert measure.verdict == "a", "the world is one that every rule decides"


# ---- fixed ---------------------------------------------------------------------------------------------------------
# The rule `fixed` of a campaign is that of `compare` at the planned end, and nothing before it.

THREE = ("ant", "bee", "cat")
OUTCOMES = {k: random_outcomes(20 + k, 50, difference) for k, difference in enumerate((0.5, 0.36, 0.0))}


def fixed_campaign(decision: DecisionSettings, items: int = 80, most: int = 10_000) -> State:
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
    early = fixed_campaign(decision, most=149)
    assert {pair.verdict for pair in early.measures} == {"undecided"}, "nothing before the end"
    shown = verdicts(fixed_campaign(decision))
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
    state = fixed_campaign(DecisionSettings("fixed", alpha=0.5), most=149)
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
    (pair,) = verdicts(state).results[0].pairs
    plan = state.plan.tracks[0]
    done = plan.order[: plan.starts[state.tracks[0].done]]
    asked = np.array([item for item in done if item not in identical])
    labels, scale = np.ones(asked.size, dtype=np.int64), asked.size / done.size
    tests = FinishedSets([FinishedSet(outcomes[asked].astype(float), labels, clusters=asked // size, scale=scale)])
    family = decide_finished(tests, 0.05, "holm", None)
    assert asked.size == pair.labels < done.size == pair.items
    assert pair.verdict == family.verdicts[0]
    assert pair.p_value == pytest.approx(2 * min(tests.p_a[0], tests.p_b[0]))
    got = (pair.difference.estimate, pair.difference.low, pair.difference.high)
    assert got == pytest.approx((tests.estimates[0], family.low[0], family.high[0]))
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
    state = fixed_campaign(DecisionSettings("fixed"), most=149)
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


# ---- anytime -------------------------------------------------------------------------------------------------------
# The rule `planned` in a campaign is that of `rules.planned` on the same labels in the same order.

SYSTEMS = ("ant", "bee", "cat")


def protocol_with(budget: Budget | None = None, labels: LabelSettings | None = None, **decision: object) -> Protocol:
    settings = DecisionSettings(rule="anytime", **decision)  # type: ignore[arg-type]
    return protocol_of(decision=settings, budget=budget or Budget(), labels=labels)


def evidence_path(state: State, k: int, values: list[int], family: Family, margin: float | None) -> np.ndarray:
    """(n + 1, D): the largest evidence for verdicts after each of the items that the campaign has counted."""
    track = state.plan.tracks[k]
    of_items, size = state.protocol.decision.target == "items", track.order.size
    pool = {"pool_size": size, "scale": size / (size + track.identical)} if of_items else {}
    plan = planned.plan_pair(family, track.most_units, margin=margin, steps=None, known=track.known, **pool)
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
            assert measure.decided_at == (int(reached[0]) if reached.size else None)
        elif multiplicity == "holm" and margin is None:
            found = kernel.holm_directions(last, 0.05).found
            assert (pair.verdict in ("a", "b")) == bool(found[k].any())
        assert (pair.verdict != "undecided") == (measure.decided_at is not None)
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
    with pytest.raises(ProtocolError, match="a pair needs 7 or more") as caught:
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


# ---- rules of papers -----------------------------------------------------------------------------------------------
# Posterior and Hoeffding rule in a campaign are the kernels' on the same labels.


@pytest.mark.parametrize("rule", ["hoeffding", "dirichlet", "posterior"])
def test_identical_outputs_halve_what_is_found_about_these_items(rule: str) -> None:
    """Half of the items have identical outputs: the difference over all items is half that over the others."""
    outcomes = {0: [1, 1, 0, -1] * 15}
    found = {}
    metrics = ("bleu",) if rule == "posterior" else ()
    for identical in ((), range(60, 120)):
        score = np.tile([1.0, 0.0], 60)[: 60 + len(identical)]
        score[list(identical)] = 0.0
        scores = {"bleu": {"ant": score, "bee": np.zeros(score.size)}} if metrics else None
        study = study_of(items=60 + len(identical), identical=identical, scores=scores)
        decision = DecisionSettings(rule, target="items", alpha=1e-9, metrics=metrics)
        state = open_campaign(protocol_of(decision=decision), study)
        (found[len(identical)],) = verdicts(run(state, sealed_outcomes(state, outcomes))).results[0].pairs
    whole, half = found[0], found[60]
    assert half.identical == 60
    for name in ("estimate", "low", "high"):
        assert getattr(half.difference, name) == pytest.approx(getattr(whole.difference, name) / 2)
    if rule != "hoeffding":
        assert half.theta == pytest.approx(whole.theta)
    if rule == "posterior":
        assert half.theta == whole.theta
        assert half.mean_p == pytest.approx([whole.mean_p[0] / 2, 0.5 + whole.mean_p[1] / 2, whole.mean_p[2] / 2])
        assert sum(half.mean_p) == pytest.approx(1)
        assert [low <= p <= high for p, (low, high) in zip(half.mean_p, half.p_interval, strict=True)] == [True] * 3


def test_posterior_with_a_judge_that_does_not_always_answer() -> None:
    """Where the judge said nothing a label counts without a metric value; few labels decide nothing."""
    base = study_of(items=60, judges={"gpt": {("ant", "bee"): ["a"] * 40}})
    state = open_campaign(protocol_of(decision=DecisionSettings("posterior", judges=("gpt",))), base)
    state = run(state, lambda _: "a", most=9)
    assert state.measures[0].verdict == "undecided"
    assert verdicts(state).results[0].pairs[0].theta is not None
    state = run(state, lambda task: "a" if int(task.item[1:]) % 3 else "tie")
    evidence = state.measures[0].evidence
    assert evidence.paired.sum() + evidence.human_only.sum() == evidence.count
    assert evidence.human_only.sum() == sum(int(item) >= 40 for item in state.plan.tracks[0].order[: evidence.count])
