"""The anytime rule in a campaign is that of `decisions` on the same labels in the same order."""

from __future__ import annotations

from collections.abc import Sequence

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

from tiebreak.campaign import ItemAbandoned, LabelGiven, State, next_tasks, step, verdicts
from tiebreak.kernels.control_variate import plan_companions, reserve_size
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items
from tiebreak.records import Target
from tiebreak.rules.anytime import AnytimeProcess, AssistedProcess, EvidenceProcess, Priors, evidence_paths
from tiebreak.rules.family import FamilyRule, decide_family, simultaneous_log_threshold
from tiebreak.rules.registry import MULTIPLICITIES, Multiplicity
from tiebreak.rules.sequence import ValueSequence
from tiebreak.settings.protocol import Budget, DecisionSettings

PRIORS = Priors.default()
GRID_STEP = 0.02
LARGEST = np.log(1e300)  # e-values are shown up to here
SYSTEMS = ("ant", "bee", "cat")


def processes(state: State, outcomes: dict[int, list[int]], gone: Sequence[int] = ()) -> list[EvidenceProcess]:
    """One process per pair over what the campaign has counted, by the path kernels."""
    found: list[EvidenceProcess] = []
    for k, (plan, pair) in enumerate(zip(state.plan.tracks, state.tracks, strict=True)):
        values = np.array(outcomes[k][: pair.done], dtype=float)
        abandoned = np.isin(np.arange(pair.done), gone)
        for_a, for_b = np.where(abandoned, -1.0, values), np.where(abandoned, 1.0, values)
        of_items = state.protocol.decision.target == "items"
        sequence = ValueSequence(
            for_a,
            for_b,
            outcomes_only=True,
            pool_size=plan.order.size if of_items else None,
            scale=plan.order.size / (plan.order.size + plan.identical) if of_items else 1.0,
        )
        found.append(AnytimeProcess(sequence, PRIORS))
    return found


def check_against(
    state: State, of: Sequence[EvidenceProcess], multiplicity: Multiplicity, margin: float | None
) -> None:
    """Verdicts, stopping times, evidence and intervals."""
    alpha = state.protocol.decision.alpha
    paths = [evidence_paths(process, margin) for process in of]
    rule = FamilyRule(alpha, multiplicity, independent_stops=False)
    shown = verdicts(state).results[0].pairs
    for pair, expected, process, path in zip(shown, decide_family(paths, rule), of, paths, strict=True):
        assert pair.verdict == expected.verdict
        for log_e, found in ((path.for_a, pair.e_a), (path.for_b, pair.e_b)):
            assert found == pytest.approx(float(np.exp(np.clip(log_e.max(initial=0.0), 0.0, LARGEST))), rel=1e-6)
        if margin is not None:
            assert expected.log_e_equivalent is not None
            largest = np.exp(np.clip(expected.log_e_equivalent, 0.0, LARGEST))
            assert pair.e_equivalent == pytest.approx(largest, rel=1e-6)
        if multiplicity in ("bonferroni", "none"):
            assert pair.stopped_at == expected.stopped_at
        low, high = process.interval(simultaneous_log_threshold(len(of), rule))
        step_of = GRID_STEP * process.sequence.scale + 1e-9
        if low < high:
            assert low - step_of <= pair.difference.low <= low + 2e-4
            assert high - 2e-4 <= pair.difference.high <= high + step_of
        else:
            assert (pair.difference.low, pair.difference.high) == pytest.approx((low, high))


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
@pytest.mark.parametrize("margin", [None, 0.3])
@pytest.mark.parametrize("target", ["inputs", "items"])
def test_a_campaign_equals_the_paths(multiplicity: Multiplicity, margin: float | None, target: Target) -> None:
    decision = DecisionSettings(multiplicity=multiplicity, margin=margin, target=target)
    identical = (5, 17, 80)
    state = open_campaign(protocol_of(decision=decision), study_of(SYSTEMS, 160, identical=identical))
    outcomes = {k: random_outcomes(10 + k, 160, difference) for k, difference in enumerate((0.45, -0.3, 0.0))}
    for k, plan in enumerate(state.plan.tracks):
        for place in np.flatnonzero(plan.known):
            outcomes[k][place] = 0
    state = run(state, sealed_outcomes(state, outcomes))
    assert state.ended in ("decided", "items")
    assert "a" in {measure.verdict for measure in state.measures}
    check_against(state, processes(state, outcomes), multiplicity, margin)


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_with_abandoned_items(target: Target) -> None:
    """Bets that learn allow for every label that could be missing; the paths, which learn a loss, gain more."""
    decision = DecisionSettings(target=target, margin=0.4)
    state = open_campaign(protocol_of(decision=decision), study_of(items=120))
    gone = (0, 3, 4, 20, 21, 50)
    plan = state.plan.tracks[0]
    for place in gone:
        state = step(state, ItemAbandoned(NOW, "ant", "bee", state.plan.items[int(plan.order[place])]))
    outcomes = {0: random_outcomes(3, 120, 0.25)}
    state = run(state, sealed_outcomes(state, outcomes))
    assert verdicts(state).results[0].pairs[0].abandoned == sum(place < state.tracks[0].done for place in gone)
    if target == "inputs":
        check_against(state, processes(state, outcomes, gone), "holm", 0.4)
        return
    (process,), (pair,) = processes(state, outcomes, gone), verdicts(state).results[0].pairs
    assert pair.e_a is not None
    assert 1 < pair.e_a < np.exp(process.log_e_path(1).max())


def test_clusters_bet_once_on_their_mean() -> None:
    size, clusters = 4, 60
    state = open_campaign(None, study_of(items=size * clusters, cluster_size=size))
    outcomes = {0: random_outcomes(5, size * clusters, 0.3)}
    state = run(state, sealed_outcomes(state, outcomes))
    assert state.measures[0].verdict == "a"
    done = state.tracks[0].done
    means = np.array(outcomes[0][: done * size], dtype=float).reshape(done, size).mean(axis=1)
    check_against(state, [AnytimeProcess(ValueSequence(means, means, outcomes_only=False), PRIORS)], "holm", None)


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_with_a_metric(target: Target) -> None:
    rng = np.random.default_rng(6)
    truth = np.array(random_outcomes(7, 400, 0.2))
    score = truth + rng.normal(size=400)
    decision = DecisionSettings(target=target, metrics=("bleu",))
    protocol = protocol_of(decision=decision, budget=Budget(items_per_pair=80))
    state = open_campaign(protocol, study_of(items=400, scores={"bleu": {"ant": score, "bee": np.zeros(400)}}))
    order = state.plan.tracks[0].order
    outcomes = {0: truth[order].tolist()}
    state = run(state, sealed_outcomes(state, outcomes))
    done, metric = state.tracks[0].done, score[order]
    values = truth[order][:done].astype(float)
    if target == "items":
        assistance = regress_items(values, metric[:done], metric[done:])
    else:
        others = metric[80:]
        reserved = reserve_size(others.size)
        plan = plan_companions(80 - np.arange(80), others.size - reserved)
        assistance = regress_inputs(values, metric[:done], others[reserved:], plan[:done], others[:reserved])
    pool = 400 if target == "items" else None
    process = AssistedProcess(ValueSequence.complete(values, pool), assistance, PRIORS)
    check_against(state, [process], "holm", None)


def test_a_whole_pool_leaves_no_uncertainty() -> None:
    """Forty items with difference 0: undecided to the last, and then exactly known."""
    values = [1] * 5 + [-1] * 5 + [0] * 30
    outcomes = {0: np.random.default_rng(1).permutation(values).tolist()}
    state = open_campaign(protocol_of(decision=DecisionSettings(target="items")), study_of(items=40))
    state = run(state, sealed_outcomes(state, outcomes))
    (pair,) = verdicts(state).results[0].pairs
    assert (pair.difference.low, pair.difference.high, pair.difference.estimate) == (0.0, 0.0, 0.0)
    assert (pair.verdict, state.ended) == ("undecided", "items")


def test_a_verdict_does_not_depend_on_the_order_of_arrival() -> None:
    """The label that completes many units at once decides at the same unit as labels one by one."""
    outcomes = {0: random_outcomes(8, 160, 0.4)}
    base = open_campaign(None, study_of(items=160))
    tasks = next_tasks(base, "ann", 150, NOW)
    answer = sealed_outcomes(base, outcomes)
    ends = []
    for order in (range(150), range(149, -1, -1), np.random.default_rng(2).permutation(150)):
        state = base
        for task in tasks:
            state = step(state, task)
        for k in order:
            state = step(state, LabelGiven(NOW, tasks[k].task, "ann", answer(tasks[k])))  # type: ignore[arg-type]
        ends.append(state.measures[0])
        assert state.ended == "decided"
    assert {(end.verdict, end.decided_at, end.decided_labels, end.done) for end in ends} == {
        ("a", ends[0].decided_at, ends[0].decided_labels, ends[0].decided_at)
    }
    for end in ends[1:]:
        np.testing.assert_array_equal(end.evidence.wealth.sup_log_e, ends[0].evidence.wealth.sup_log_e)


def test_the_order_of_systems_follows() -> None:
    state = open_campaign(None, study_of(SYSTEMS, 100))
    strength = {"ant": 0, "bee": 2, "cat": 1}
    state = run(state, lambda task: "a" if strength[task.system_a] > strength[task.system_b] else "b")
    shown = verdicts(state)
    assert shown.order.tiers == (("bee",), ("cat",), ("ant",))
    assert set(shown.order.edges) == {("bee", "ant"), ("cat", "ant"), ("bee", "cat")}
    assert shown.undecided == 0
