"""One value at a time gives what the path kernels give for the whole sequence."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tiebreak.kernels import bet_mixture, bounded_mean, metric_help, running_bets
from tiebreak.kernels.control_variate import control_items
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.outcome_regression import regress_items
from tiebreak.kernels.running_bets import HelpStep
from tiebreak.records import UnitValue

NULLS = running_bets.null_grid((-0.13, 0.13), steps=20)


def outcomes(seed: int, count: int, difference: float = 0.3) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    return rng.choice([-1, 0, 1], size=count, p=[(0.7 - difference) / 2, 0.3, (0.7 + difference) / 2])


def test_outcomes_equal_the_mixture_path() -> None:
    values, prior = outcomes(1, 150), bet_mixture.default_prior()
    factors = running_bets.outcome_factors(prior, NULLS)
    wealth = running_bets.start(NULLS, prior.log_weights)
    seen = []
    for value in values:
        wealth = running_bets.after_outcome(wealth, factors, int(value), int(value))
        seen.append(wealth.log_e)
    paths = np.array(seen)
    for g, null in enumerate(NULLS):
        np.testing.assert_allclose(paths[:, 0, g], bet_mixture.log_e_path(values, prior, float(null)), atol=1e-9)
        np.testing.assert_allclose(paths[:, 1, g], bet_mixture.log_e_path(-values, prior, float(null)), atol=1e-9)
    np.testing.assert_allclose(wealth.sup_log_e, np.maximum(paths.max(axis=0), 0.0))


def test_bets_that_are_lost_for_good_are_dropped() -> None:
    """1,500 losses and then as many wins: never more than the path, and the same up to a log E of 300."""
    values, prior = np.repeat([-1, 1], 1500), bet_mixture.default_prior()
    factors = running_bets.outcome_factors(prior, NULLS)
    wealth = running_bets.start(NULLS, prior.log_weights)
    seen = []
    for value in values:
        wealth = running_bets.after_outcome(wealth, factors, int(value), int(value))
        seen.append(wealth.log_e[0])
    assert (wealth.shares == 0).any()
    for null, path in zip(NULLS, np.array(seen).T, strict=True):
        expected = bet_mixture.log_e_path(values, prior, float(null))
        assert (path <= expected + 1e-6).all()
        np.testing.assert_allclose(np.minimum(path, 300), np.minimum(expected, 300), atol=1e-6)


@pytest.mark.parametrize("pool_size", [None, 200, 150])
def test_bounded_values_equal_the_path(pool_size: int | None) -> None:
    rng = np.random.default_rng(2)
    values, prior = np.clip(rng.normal(0.1, 0.6, 150), -1, 1), bounded_mean.kappa_prior()
    wealth = running_bets.start(NULLS, prior.log_weights)
    seen = []
    for value in values:
        wealth = running_bets.after_value(wealth, prior, NULLS, UnitValue.labelled(float(value)), pool_size)
        seen.append(wealth.log_e)
    paths = np.array(seen)
    for g, null in enumerate(NULLS):
        for row, sign in enumerate((1, -1)):
            expected = bounded_mean.log_e_path(sign * values, prior, float(null), pool_size)
            np.testing.assert_allclose(paths[:, row, g], expected, atol=1e-8)


def test_an_abandoned_item_counts_against_both_sides() -> None:
    prior = bounded_mean.kappa_prior()
    fair = running_bets.start(NULLS, prior.log_weights)
    lost = running_bets.after_value(fair, prior, NULLS, UnitValue(-1.0, 1.0, None), None)
    zero = int(np.searchsorted(NULLS, 0.0))
    assert lost.log_e[0, zero] < 0
    assert lost.log_e[1, zero] < 0
    assert lost.log_e[0, zero] == pytest.approx(lost.log_e[1, zero])


def row_of(metric: MetricHelp, t: int) -> HelpStep:
    rows = (metric.centred, metric.above, metric.below, metric.reach_above, metric.reach_below, metric.variances)
    return HelpStep(*(float(row[t]) for row in rows))


@pytest.mark.parametrize("form", ["regression", "linear"])
def test_metric_help_equals_the_path(form: str) -> None:
    values = outcomes(3, 120).astype(float)
    rng = np.random.default_rng(4)
    drawn, undrawn = values + rng.normal(size=120), rng.normal(size=80)
    of = regress_items(values, drawn, undrawn) if form == "regression" else control_items(values, drawn, undrawn)
    prior = metric_help.wide_prior()
    wealth = running_bets.start(NULLS, prior.log_weights)
    seen = []
    for t, value in enumerate(values):
        step = row_of(of, t)
        wealth = running_bets.after_assisted(wealth, prior, NULLS, UnitValue.labelled(float(value)), 200, step)
        seen.append(wealth.log_e)
    paths = np.array(seen)
    for g, null in enumerate(NULLS):
        for row, side in enumerate((1, -1)):
            expected = metric_help.log_e_path(values, of, prior, side, float(null))
            np.testing.assert_allclose(paths[:, row, g], expected, atol=1e-8)


def test_more_values_than_the_pool_holds() -> None:
    prior = bounded_mean.kappa_prior()
    wealth = running_bets.after_value(
        running_bets.start(NULLS, prior.log_weights), prior, NULLS, UnitValue.labelled(1.0), 1
    )
    assert np.isposinf(wealth.log_e[0, NULLS < 1]).all()  # the pool's mean is 1
    with pytest.raises(ValueError, match="2 values from a pool of 1"):
        running_bets.after_value(wealth, prior, NULLS, UnitValue.labelled(1.0), 1)
