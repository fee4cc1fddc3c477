from __future__ import annotations

import math

import numpy as np
import pytest

from tiebreak.kernels.metric_error_sampling import pareto_k_hat


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
