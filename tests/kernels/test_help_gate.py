"""When a metric's help begins: by hand, label by label, never for most useless predictors, and error rates."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import (
    METRICS,
    NARROW,
    WIDE,
    Campaigns,
    inputs_campaigns,
    items_campaigns,
    linear,
    mixture_paths,
    pool_of,
    regression,
)
from benchmarks.worlds.simulation import largest_rate
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from tests.kernels.crossings import crossings

from tiebreak.kernels import help_gate, metric_help
from tiebreak.kernels.bounded_mean import KappaPrior
from tiebreak.kernels.help_gate import Gate
from tiebreak.kernels.metric_help import MetricHelp

Floats = NDArray[np.float64]


def test_by_hand() -> None:
    """Labels 1, -1: surprises 1 and -1 - 1/2; variances 2.1/3 and (2.1 + 1)/4."""
    one = help_gate.after(Gate(), 1.0, 0.5)
    assert one.score == pytest.approx((1 - 0.25) / 1.4)
    two = help_gate.after(one, -1.0, -0.5)
    assert (two.count, two.total, two.squares) == (2, 0.0, 3.25)
    assert two.score == pytest.approx(one.score + (2.25 - 1) / (2 * 3.1 / 4))


def test_label_by_label_as_at_once() -> None:
    rng = np.random.default_rng(1)
    values = rng.choice([-1.0, 0.0, 1.0], size=(60, 80))
    centred = rng.uniform(0, 0.6, size=(60, 1)) * values + 0.4 * rng.normal(size=values.shape)
    starts = []
    for row, predicted in zip(values, centred, strict=True):
        gate, start = Gate(), 80
        for t, (value, of_metric) in enumerate(zip(row, predicted, strict=True)):
            if gate.opened:
                start = t
                break
            gate = help_gate.after(gate, float(value), float(of_metric))
        starts.append(start)
    assert_array_equal(help_gate.openings(values, centred), starts)
    assert 10 < sum(start < 80 for start in starts) < 60
    assert min(starts) == 8
    assert help_gate.openings(np.empty(0), np.empty(0)) == 0


# ---- the path ----------------------------------------------------------------------------------------------------


def gated_paths(campaigns: Campaigns, of: MetricHelp, prior: KappaPrior, side: int, null: float = 0.0) -> Floats:
    """With the bounded bets as those of the labels alone."""
    alone = metric_help.log_e_path(
        campaigns.outcomes, metric_help.no_help(campaigns.outcomes, of.pool_size), NARROW, side, null
    )
    starts = help_gate.openings(campaigns.outcomes, of.centred)
    shares = help_gate.log_shares(campaigns.outcomes, of, prior, side, starts)
    return help_gate.log_e_path(alone, campaigns.outcomes, of, prior, side, null, starts, shares)


def test_the_path_is_that_of_the_labels_and_then_that_of_the_help() -> None:
    rng = np.random.default_rng(3)
    outcomes = pool_of(300, 0.1, 0.3)
    campaigns = items_campaigns(rng, 30, outcomes, METRICS["rho .5"](rng, outcomes), 60)
    of = regression(campaigns)
    starts = help_gate.openings(campaigns.outcomes, of.centred)
    found, helped = gated_paths(campaigns, of, WIDE, 1), mixture_paths(campaigns, of, 1)
    alone = metric_help.log_e_path(campaigns.outcomes, metric_help.no_help(campaigns.outcomes, 300), NARROW, 1)
    assert (starts < 60).sum() > 5
    for run, start in enumerate(starts):
        assert_allclose(found[run, :start], alone[run, :start])
        growth = helped[run, start:] - helped[run, start - 1]
        assert_allclose(found[run, start:], alone[run, start - 1] + growth, atol=1e-9)  # at the null 0


def test_the_gated_help_is_that_of_the_labels_alone_until_it_begins() -> None:
    rng = np.random.default_rng(5)
    campaigns = inputs_campaigns(rng, 10, 800, 60, 0.2, 0.3, METRICS["rho .9"])
    of, alone = regression(campaigns), metric_help.no_help(campaigns.outcomes, None)
    starts = help_gate.openings(campaigns.outcomes, of.centred)
    found = help_gate.gated(of, alone, starts)
    for run, start in enumerate(starts):
        assert_array_equal(found.centred[run, :start], 0.0)
        assert_array_equal(found.variances[run, :start], alone.variances[run, :start])
        assert_array_equal(found.reach_above[run, start:], of.reach_above[run, start:])


# ---- error rates -------------------------------------------------------------------------------------------------


def check_error_rates(form: str, metric: str, target: str, labels: int, pool: int, runs: int) -> None:
    rng = np.random.default_rng(6)
    if target == "items":
        outcomes = pool_of(pool, 0.0, 0.3)
        campaigns = items_campaigns(rng, runs, outcomes, METRICS[metric](rng, outcomes), labels)
    else:
        campaigns = inputs_campaigns(rng, runs, pool, labels, 0.0, 0.3, METRICS[metric])
    of, prior = (regression(campaigns), WIDE) if form == "regression" else (linear(campaigns), NARROW)
    sups = np.stack([gated_paths(campaigns, of, prior, side).max(axis=1) for side in (1, -1)], axis=1)
    assert crossings(sups, 0.05) <= largest_rate(0.05, runs)
    assert np.median(sups.max(axis=1)) > 0.1


@pytest.mark.parametrize("target", ["items", "inputs"])
@pytest.mark.parametrize(
    ("form", "metric"), [("regression", "rho .9"), ("linear", "rho .5"), ("regression", "useless")]
)
def test_error_rates(form: str, metric: str, target: str) -> None:
    check_error_rates(form, metric, target, 150, 800, 400)


@pytest.mark.full
@pytest.mark.parametrize("target", ["items", "inputs"])
@pytest.mark.parametrize("form", ["regression", "linear"])
@pytest.mark.parametrize("metric", list(METRICS))
def test_error_rates_in_many_runs(form: str, metric: str, target: str) -> None:
    check_error_rates(form, metric, target, 200, 1_000, 4_000)


def test_a_gate_that_has_seen_its_label_is_not_valid() -> None:
    """Counting the help only where it has just paid: far above alpha."""
    rng = np.random.default_rng(7)
    campaigns = inputs_campaigns(rng, 300, 500, 80, 0.0, 0.3, METRICS["rho .5"])
    sups = []
    for side in (1, -1):
        steps = [
            np.diff(path, axis=1, prepend=0.0)
            for path in (
                mixture_paths(campaigns, regression(campaigns), side),
                mixture_paths(campaigns, metric_help.no_help(campaigns.outcomes, None), side, prior=NARROW),
            )
        ]
        sups.append(np.cumsum(np.maximum(*steps), axis=1).max(axis=1))
    assert crossings(np.stack(sups, axis=1), 0.05) > 0.12
