"""Sampling of the metric-error posterior: Sobol points, Dirichlet quantiles and Pareto tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit

from tiebreak.kernels.metric_error_sampling import (
    dirichlet_table,
    level_places,
    log_dirichlet,
    pareto_k_hat,
    scrambled_sobol_logits,
    sobol_integers,
    sobol_places,
)

# ---- sobol -------------------------------------------------------------------------------------------------------


def test_the_first_points_by_hand() -> None:
    # In Gray-code order the van der Corput sequence goes 0, 1/2, 3/4, 1/4; dimension 2 has direction numbers 1/2, 3/4.
    points = sobol_integers(2, 0, 4) / 2.0**32
    np.testing.assert_array_equal(points[0], [0, 0.5, 0.75, 0.25])
    np.testing.assert_array_equal(points[1], [0, 0.5, 0.25, 0.75])


def test_unscrambled_points_are_those_of_scipy() -> None:
    from scipy.stats import qmc

    expected = qmc.Sobol(8, scramble=False, bits=32).random_base2(12).T
    np.testing.assert_array_equal(sobol_integers(8, 0, 4_096) / 2.0**32, expected)
    np.testing.assert_array_equal(sobol_integers(8, 2_048, 4_096) / 2.0**32, expected[:, 2_048:])


def test_scrambling_keeps_the_net() -> None:
    """Every scramble has one point in each of 2^m intervals of each coordinate, and of each elementary square."""
    uniform = expit(scrambled_sobol_logits(8, 0, 256, 5, 3))
    for scramble in range(5):
        for axis in range(8):
            assert len(set((uniform[axis, scramble] * 256).astype(int))) == 256
        cells = (uniform[0, scramble] * 16).astype(int) * 16 + (uniform[1, scramble] * 16).astype(int)
        assert len(set(cells)) == 256  # the first two dimensions are a (0, m, 2)-net


def test_scrambled_points_are_uniform_and_independent_between_scrambles() -> None:
    uniform = expit(scrambled_sobol_logits(8, 0, 4, 4_000, 11))
    # one point's place is uniform over scrambles: mean 1/2, variance 1/12
    np.testing.assert_allclose(uniform.mean(axis=1), 0.5, atol=4 * np.sqrt(1 / 12 / 4_000))
    np.testing.assert_allclose(uniform.var(axis=1), 1 / 12, atol=0.006)
    correlations = np.corrcoef(uniform[:, :, 1])
    assert np.abs(correlations - np.eye(8)).max() < 4 / np.sqrt(4_000)


def test_blocks_continue_one_sequence() -> None:
    whole = scrambled_sobol_logits(3, 0, 512, 4, 9)
    np.testing.assert_array_equal(whole[:, :, 256:], scrambled_sobol_logits(3, 256, 512, 4, 9))
    assert (whole != scrambled_sobol_logits(3, 0, 512, 4, 10)).all()


@pytest.mark.parametrize(
    "concentration", [(0.2, 0.2), (0.2, 40.0), (1.0, 1.0), (3.3, 0.7), (11_000.0, 25.0), (5e5, 4e5)]
)
def test_two_components_against_the_inverse_beta(concentration: tuple[float, float]) -> None:
    levels = np.array([1e-9, 1e-4, 0.03, 0.2, 0.5, 0.77, 0.999, 1 - 1e-8])
    log_x, log_rest = log_dirichlet(level_places(logit(levels)[None, :]), dirichlet_table(np.array(concentration)))
    first, second = concentration
    np.testing.assert_allclose(log_x, np.log(betaincinv(first, second, levels)), rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(log_rest, np.log(betaincinv(second, first, 1 - levels)), rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("concentration", [(2.0, 3.0, 0.5), (0.2, 0.2, 0.2), (5_000.0, 1_000.0, 5_000.0)])
def test_moments_of_three_components(concentration: tuple[float, float, float]) -> None:
    table = dirichlet_table(np.array(concentration))
    points: NDArray[np.float64] = np.exp(log_dirichlet(sobol_places(2, 0, 4_096, 4, 1), table)).astype(np.float64)
    np.testing.assert_allclose(points.sum(axis=0), 1.0, atol=3e-4)
    total = sum(concentration)
    mean = np.array(concentration) / total
    covariance = (np.diag(mean) - np.outer(mean, mean)) / (total + 1)
    spread = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose((points.mean(axis=1) - mean) / spread, 0, atol=2e-3)
    np.testing.assert_allclose((np.cov(points) - covariance) / np.outer(spread, spread), 0, atol=5e-3)


def test_several_distributions_at_once_are_those_alone() -> None:
    concentrations = np.array([[2.0, 3.0, 0.5], [40.0, 1.0, 7.0]])
    together = dirichlet_table(concentrations)
    for of_one, concentration in zip(together, concentrations, strict=True):
        np.testing.assert_array_equal(of_one, dirichlet_table(concentration))


# ---- pareto ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [-0.4, 0.1, 0.5, 0.7, 1.0, 1.5])
def test_recovers_the_shape_of_generalised_pareto_weights(k: float) -> None:
    # The quantile function is ((1 - u)^(-k) - 1)/k; excesses over any threshold have the same k. 949 tail points:
    # standard error (1 + k)/sqrt(949), .03 to .08; five seeds, and the pull towards .5 is (.5 - k) 10/959.
    estimates = []
    for seed in range(5):
        u = np.random.default_rng(seed).random(100_000)
        estimates.append(pareto_k_hat((np.power(1 - u, -k) - 1) / k))
    assert np.mean(estimates) == pytest.approx(k, abs=4 * max(1 + k, 0.5) / math.sqrt(5 * 949) + 0.01)


def test_importance_weights_of_known_tail() -> None:
    # Target Exp(rate 1), proposal Exp(rate b): weights exp((b - 1) x)/b have a Pareto tail with k = (b - 1)/b.
    rng = np.random.default_rng(3)
    for rate in (1.5, 2.0, 4.0):
        weights = np.exp((rate - 1) * rng.exponential(1 / rate, size=200_000))
        assert pareto_k_hat(weights) == pytest.approx(1 - 1 / rate, abs=0.15)


def test_scale_does_not_matter() -> None:
    weights = np.random.default_rng(1).pareto(2.0, size=5_000)
    assert pareto_k_hat(1e-8 * weights) == pytest.approx(pareto_k_hat(weights), rel=1e-6)


def test_bounded_weights_are_light() -> None:
    assert pareto_k_hat(np.random.default_rng(2).random(20_000)) < -0.5


def test_constant_weights_have_no_tail_and_few_weights_prove_nothing() -> None:
    assert pareto_k_hat(np.full(1_000, 0.3)) == -math.inf
    assert pareto_k_hat(np.array([1.0, 2.0, 3.0])) == math.inf


def test_one_weight_that_outweighs_all_others_is_a_heavy_tail() -> None:
    weights = np.concatenate([np.geomspace(1e-250, 1e-200, 999), [1.0]])
    assert pareto_k_hat(weights) == math.inf


def test_many_equal_weights_in_the_tail() -> None:
    # More than a quarter of the tail lies at its threshold: a fit exists all the same.
    weights = np.concatenate([np.full(990, 1.0), np.linspace(1.5, 4.0, 10)])
    assert math.isfinite(pareto_k_hat(weights))
