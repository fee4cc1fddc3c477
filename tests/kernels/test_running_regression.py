"""One outcome at a time gives what the batch regression gives for the whole sequence."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tiebreak.kernels import running_regression
from tiebreak.kernels.control_variate import plan_companions
from tiebreak.kernels.outcome_regression import BinRows, input_rows, item_rows, regress_inputs, regress_items

COUNT = 90


def outcomes_and_metric(seed: int, others: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    outcomes = rng.choice([-1.0, 0.0, 1.0], size=COUNT, p=[0.3, 0.3, 0.4])
    return outcomes, outcomes + rng.normal(size=COUNT), rng.normal(size=others)


def steps(outcomes: NDArray[np.float64], rows: BinRows) -> NDArray[np.float64]:
    state, found = running_regression.start(rows), []
    for outcome in outcomes:
        step = running_regression.help_before(state, rows)
        found.append((step.centred, step.above, step.below, step.reach_above, step.reach_below, step.variance))
        state = running_regression.after(state, rows, int(outcome))
    return np.array(found).T


def test_items() -> None:
    outcomes, drawn, undrawn = outcomes_and_metric(1, 60)
    batch = regress_items(outcomes, drawn, undrawn)
    centred, above, below, reach_above, reach_below, variances = steps(outcomes, item_rows(drawn, undrawn))
    np.testing.assert_allclose(centred, batch.centred, atol=1e-12)
    np.testing.assert_allclose(above, batch.above, atol=1e-12)
    np.testing.assert_allclose(below, batch.below, atol=1e-12)
    np.testing.assert_allclose(reach_above, batch.reach_above, atol=1e-12)
    np.testing.assert_allclose(reach_below, batch.reach_below, atol=1e-12)
    np.testing.assert_allclose(variances, batch.variances, atol=1e-12)


def test_inputs_with_companions() -> None:
    outcomes, drawn, pool = outcomes_and_metric(2, 600)
    reserved, pool = pool[:100], pool[100:]
    plan = plan_companions(COUNT - np.arange(COUNT), pool.size)
    batch = regress_inputs(outcomes, drawn, pool, plan, reserved)
    found = steps(outcomes, input_rows(drawn, pool, plan, reserved))
    expected = (batch.centred, batch.above, batch.below, batch.reach_above, batch.reach_below, batch.variances)
    np.testing.assert_allclose(found, np.array(expected), atol=1e-12)


def test_no_row_for_the_label() -> None:
    outcomes, drawn, undrawn = outcomes_and_metric(3, 0)
    rows = item_rows(drawn[:1], undrawn)
    state = running_regression.after(running_regression.start(rows), rows, int(outcomes[0]))
    with pytest.raises(IndexError, match="label 2, but there are 1"):
        running_regression.help_before(state, rows)
