"""Posterior and Hoeffding rule in a campaign are the kernels' on the same labels."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import (
    open_campaign,
    protocol_of,
    run,
    sealed_outcomes,
    study_of,
)

from tiebreak.campaign import verdicts
from tiebreak.settings.protocol import DecisionSettings


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
