"""Nobody gains by withdrawing an item, or by leaving one unlabelled: evidence for either side is at most what it would
have been, in every history, at every null value and after every unit, whatever the owner knew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tiebreak.kernels.control_variate import plan_companions, reserve_size
from tiebreak.kernels.outcome_regression import input_rows, item_rows
from tiebreak.records import UnitValue
from tiebreak.rules import running
from tiebreak.rules.anytime import Priors
from tiebreak.rules.running import RunningEvidence, RunningPlan

Floats = NDArray[np.float64]

UNITS: Final = 36
POOL: Final = 50
PRIORS = Priors.default()


def outcomes(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Values, and the metric's (which predicts them)."""
    values = rng.choice([-1.0, 0.0, 1.0], UNITS, p=rng.dirichlet([1, 1, 1]))
    return values, values + rng.uniform(0.1, 2.0) * rng.normal(size=UNITS)


def plain(*_: object) -> RunningPlan:
    return running.running_plan(PRIORS, margin=0.3, outcomes_only=True)


def pool(*_: object) -> RunningPlan:
    return running.running_plan(PRIORS, margin=0.3, outcomes_only=True, pool_size=POOL, scale=0.9)


def whole_pool(*_: object) -> RunningPlan:
    return running.running_plan(PRIORS, margin=None, outcomes_only=True, pool_size=UNITS)


def clusters(rng: np.random.Generator, _: Floats) -> RunningPlan:
    sizes = rng.integers(1, 6, UNITS)
    return running.running_plan(PRIORS, margin=0.3, outcomes_only=False, weights=sizes / sizes.max())


def metric_of_items(rng: np.random.Generator, metric: Floats) -> RunningPlan:
    rows = item_rows(metric, rng.normal(size=POOL - UNITS))
    return running.running_plan(PRIORS, margin=0.3, outcomes_only=True, pool_size=POOL, rows=rows)


def metric_of_inputs(rng: np.random.Generator, metric: Floats) -> RunningPlan:
    others = rng.normal(size=4 * UNITS)
    reserved = reserve_size(others.size)
    plan = plan_companions(UNITS - np.arange(UNITS), others.size - reserved)
    rows = input_rows(metric, others[reserved:], plan, others[:reserved])
    return running.running_plan(PRIORS, margin=0.3, outcomes_only=True, rows=rows)


Make = Callable[[np.random.Generator, Floats], RunningPlan]
MAKES: Final[tuple[Make, ...]] = (plain, pool, whole_pool, clusters, metric_of_items, metric_of_inputs)


def path(plan: RunningPlan, values: Sequence[UnitValue]) -> list[RunningEvidence]:
    evidence = [running.start(plan)]
    for value in values:
        evidence.append(running.advance(plan, evidence[-1], value))
    return evidence


@pytest.mark.parametrize("make", MAKES)
@given(st.integers(0, 2**32))
@settings(max_examples=25, derandomize=True, deadline=None)
def test_evidence_is_at_most_what_it_would_have_been(make: Make, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, metric = outcomes(rng)
    if make is clusters:
        values = rng.uniform(-1, 1, UNITS) * (rng.random(UNITS) < 0.9)
    plan = make(rng, metric)
    full = path(plan, [UnitValue.labelled(value) for value in values.tolist()])
    # Anything, or all losses of one side; labels may be missing where no metric learns from them.
    gone = rng.random(UNITS) < 0.3 if rng.random() < 0.5 else values * rng.choice([-1, 1]) < -rng.random()
    missing = gone & (rng.random(UNITS) < 0.5) & (plan.rows is None)
    lowered = [
        UnitValue(-1.0, 1.0, None if none else value) if bad else UnitValue.labelled(value)
        for value, bad, none in zip(values.tolist(), gone, missing, strict=True)
    ]
    for without, found in zip(full, path(plan, lowered), strict=True):
        assert (found.wealth.log_e <= without.wealth.log_e + 1e-9).all()
        assert (found.wealth.sup_log_e <= without.wealth.sup_log_e + 1e-9).all()
    if plan.rows is not None and not missing.any():
        opened = [evidence.help is not None and evidence.help.gate.opened for evidence in full]
        assert opened == [of.help is not None and of.help.gate.opened for of in path(plan, lowered)]


@pytest.mark.parametrize("make", MAKES)
def test_what_was_seen_at_its_largest_stands(make: Make) -> None:
    """A win that is withdrawn later: evidence falls to that of the same history without it, and its maximum stays."""
    rng = np.random.default_rng(3)
    values, metric = outcomes(rng)
    plan = make(rng, metric)
    before = [UnitValue.labelled(value) for value in np.abs(values).tolist()]
    after = [before[0]._replace(for_a=-1.0), *before[1:]]
    seen = path(plan, before)[-1]
    found = running.again(plan, after, seen)
    np.testing.assert_array_equal(found.wealth.log_e, path(plan, after)[-1].wealth.log_e)
    np.testing.assert_array_equal(found.wealth.sup_log_e, seen.wealth.sup_log_e)
    assert found.sup == seen.sup
    assert found.wealth.log_e[0, plan.zero] < seen.wealth.log_e[0, plan.zero] or np.isinf(seen.sup.for_a)
