"""Estimates after stopping at a verdict."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.simulation import iid_outcomes, simulated_rule
from scipy.integrate import quad
from tests.kernels.checks import refused

from tiebreak.kernels.confidence_sequence import estimate_at_stop
from tiebreak.simulate.engines.stops import stops


def by_integration(mean: float, spread: float) -> float:
    """E[d | mean] for mean ~ N(d, spread), prior density 1/max(|d|, .01) on [-1, 1], by adaptive quadrature."""

    def part(power: int, sign: int) -> float:
        def density(log_size: float) -> float:
            value = sign * math.exp(log_size)
            return value**power * math.exp(-((mean - value) ** 2) / (2 * spread))

        near = math.log(min(max(abs(mean), 0.011), 0.99))
        return float(quad(density, math.log(0.01), 0.0, points=[near], limit=400)[0])

    def middle(power: int) -> float:
        def density(value: float) -> float:
            return value**power * math.exp(-((mean - value) ** 2) / (2 * spread)) / 0.01

        return float(quad(density, -0.01, 0.01)[0])

    return (part(1, 1) + part(1, -1) + middle(1)) / (part(0, 1) + part(0, -1) + middle(0))


@pytest.mark.parametrize(
    ("mean", "labelled", "pool_size"),
    [(0.25, 100, None), (0.14, 300, None), (-0.3, 40, 80), (0.05, 500, 1_000), (0.0, 50, None)],
)
def test_against_quadrature(mean: float, labelled: int, pool_size: int | None) -> None:
    spread = 0.7 * (1 / labelled - (1 / pool_size if pool_size else 0))
    found = estimate_at_stop(mean, 0.7, labelled, pool_size)
    assert found == pytest.approx(by_integration(mean, spread), abs=1e-3)


@pytest.mark.parametrize(("mean", "labelled"), [(0.003, 990), (0.487, 999), (-0.02, 995)])
def test_a_pool_labelled_almost_whole_keeps_its_mean(mean: float, labelled: int) -> None:
    spread = math.sqrt(0.7 * (1 / labelled - 1 / 1_000))
    assert abs(estimate_at_stop(mean, 0.7, labelled, 1_000) - mean) < spread


def test_hand_derived_two_sizes() -> None:
    # So uncertain that the data say nothing: the prior is symmetric, the estimate nearly 0.
    assert abs(estimate_at_stop(0.5, 1e6, 1)) < 1e-3
    # So certain that the prior says nothing: n = 10^4 at variance .5, standard error .007.
    assert estimate_at_stop(0.5, 0.5, 10_000) == pytest.approx(0.5, abs=1e-3)


def test_swapping_a_and_b() -> None:
    for mean in (0.0, 0.07, 0.4, 1.0):
        assert estimate_at_stop(-mean, 0.6, 70) == pytest.approx(-estimate_at_stop(mean, 0.6, 70), abs=1e-15)


def test_no_uncertainty_left() -> None:
    assert estimate_at_stop(0.123, 0.7, 250, 250) == 0.123
    assert estimate_at_stop(0.004, 0.0, 10) == 0.004


def test_bad_input() -> None:
    refused("at least one labelled item, not 0", estimate_at_stop, 0.1, 0.7, 0, error=ValueError)


@pytest.mark.parametrize(("runs", "seed"), [(500, 31), pytest.param(1_500, 32, marks=pytest.mark.full)])
@pytest.mark.parametrize(("difference", "raw_mean"), [(0.2, 0.25), (0.1, 0.125)])
def test_bias_after_stopping(difference: float, raw_mean: float, runs: int, seed: int) -> None:
    """Raw means and shrunk estimates at the stop: no ties, planned for 400 labels."""
    outcomes = iid_outcomes(np.random.default_rng(seed), runs, 400, difference, 0.0)
    items = stops(outcomes, simulated_rule("anytime", 400)).items
    raw = np.array([run[:stop].mean() for run, stop in zip(outcomes, items, strict=True)])
    ends = zip(raw.tolist(), items.tolist(), strict=True)
    shrunk = np.array([estimate_at_stop(mean, 1 - mean**2, stop) for mean, stop in ends])
    error = 3 * raw.std() / math.sqrt(runs)
    assert raw.mean() == pytest.approx(raw_mean, abs=0.01 + error)
    assert abs(shrunk.mean() - difference) < 0.03 + error
    saved = 1 - math.sqrt(np.mean((shrunk - difference) ** 2) / np.mean((raw - difference) ** 2))
    assert saved > 0.05, (raw.mean(), shrunk.mean(), saved)
