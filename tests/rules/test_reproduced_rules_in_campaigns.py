"""Posterior and Hoeffding rule in a campaign are the kernels' on the same labels."""

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

from tiebreak.campaign import ItemAbandoned, LabelGiven, next_tasks, step, verdicts
from tiebreak.campaign.kinds import Preferred
from tiebreak.kernels.metric_error import metric_error_posterior
from tiebreak.kernels.reproduced import hoeffding_crossings, hoeffding_threshold
from tiebreak.rules.registry import RULES
from tiebreak.settings.protocol import Budget, DecisionSettings, PairSettings


@pytest.mark.parametrize("seed", range(6))
def test_hoeffding_is_the_first_crossing(seed: int) -> None:
    outcomes = {0: random_outcomes(seed, 200, 0.25, ties=0.4)}
    state = open_campaign(protocol_of(decision=DecisionSettings("hoeffding")), study_of(items=200))
    state = run(state, sealed_outcomes(state, outcomes))
    shares = (np.array(outcomes[0]) + 1) / 2
    (direction,), (place,) = hoeffding_crossings(shares[None], 0.05)
    (pair,) = verdicts(state).results[0].pairs
    assert pair.verdict == {1: "a", -1: "b", 0: "undecided"}[int(direction)]
    assert pair.stopped_at == (place if direction else None)
    done = shares[: pair.items]
    half = 2 * float(hoeffding_threshold(done.size, 0.05))
    assert pair.difference.estimate == pytest.approx(2 * done.mean() - 1)
    assert pair.difference.low == pytest.approx(max(-1.0, 2 * done.mean() - 1 - half))
    assert pair.difference.high == pytest.approx(min(1.0, 2 * done.mean() - 1 + half))


@pytest.mark.parametrize("rule", ["hoeffding", "dirichlet", "posterior"])
def test_identical_outputs_are_ties_in_a_claim_about_these_items(rule: str) -> None:
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


def test_hoeffding_crossings_are_seen_whatever_comes_first() -> None:
    """A crossing that is undone by later labels counts, even if one label completes all of them."""
    outcomes = [1] * 12 + [-1] * 30
    base = open_campaign(protocol_of(decision=DecisionSettings("hoeffding")), study_of(items=60))
    answer = sealed_outcomes(base, {0: outcomes})
    tasks = next_tasks(base, "ann", len(outcomes), NOW)
    state = base
    for task in tasks:
        state = step(state, task)
    for task in reversed(tasks):
        state = step(state, LabelGiven(NOW, task.task, "ann", Preferred(answer(task))))  # type: ignore[arg-type]
    (direction,), (place,) = hoeffding_crossings((np.array([outcomes]) + 1) / 2, 0.05)
    assert direction == 1
    assert (state.measures[0].verdict, state.measures[0].decided_at) == ("a", place)


def test_posterior_is_that_of_the_same_counts() -> None:
    rng = np.random.default_rng(4)
    truth = np.array(random_outcomes(5, 300, 0.25))
    score = np.where(rng.random(300) < 0.7, truth, rng.integers(-1, 2, 300)).astype(float)
    decision = DecisionSettings("posterior", metrics=("bleu",))
    protocol = protocol_of(decision=decision, pairs=PairSettings(batch=20), budget=Budget(items_per_pair=100))
    base = open_campaign(protocol, study_of(items=300, scores={"bleu": {"ant": score, "bee": np.zeros(300)}}))
    order = base.plan.tracks[0].order
    human, metric = truth[order], score[order]
    gone = 7
    base = step(base, ItemAbandoned(NOW, ("ant", "bee"), base.plan.items[int(order[gone])]))
    answer = sealed_outcomes(base, {0: human.tolist()})

    def expected(count: int) -> tuple[str, float]:
        paired, only = np.zeros((3, 3), dtype=np.int64), np.zeros(3, dtype=np.int64)
        for k in range(300):
            row = 1 - int(metric[k])
            if k < count and k != gone:
                paired[row, 1 - human[k]] += 1
            else:
                only[row] += 1
        found = metric_error_posterior(paired, only, np.zeros(3, dtype=np.int64), credibility=0.95)
        verdict = "a" if found.theta > 0.975 else "b" if found.theta < 0.025 else "undecided"
        return verdict, found.theta

    looks = {count: expected(count)[0] for count in range(20, 101, 20)}
    stop = next(count for count, verdict in looks.items() if verdict != "undecided")
    state = run(base, answer)
    (pair,) = verdicts(state).results[0].pairs
    assert (pair.verdict, pair.stopped_at) == (looks[stop], stop)
    assert pair.theta == pytest.approx(expected(stop)[1], abs=1e-9)
    # The same, if all labels come before the first.
    late, tasks = base, next_tasks(base, "ann", 60, NOW)
    for task in tasks:
        late = step(late, task)
    for task in (*tasks[1:], tasks[0]):
        late = step(late, LabelGiven(NOW, task.task, "ann", Preferred(answer(task))))  # type: ignore[arg-type]
    assert (late.measures[0].verdict, late.measures[0].decided_at) == (looks[stop], stop)


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


def test_without_labels_nothing_is_known() -> None:
    score = {"bleu": {"ant": np.arange(60), "bee": np.arange(60)[::-1]}}
    for name, rule in RULES.items():
        if rule.rates:
            continue
        metrics = ("bleu",) if rule.needs_metric else ()
        protocol = protocol_of(decision=DecisionSettings(name, metrics=metrics), budget=Budget(items_per_pair=20))
        (pair,) = verdicts(open_campaign(protocol, study_of(scores=score))).results[0].pairs
        assert (pair.verdict, pair.difference.estimate, pair.difference.low, pair.difference.high) == (
            "undecided",
            None,
            -1.0,
            1.0,
        )
        assert pair.items_to_decision is None
