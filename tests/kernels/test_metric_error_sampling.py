"""The joint metric-error posterior, and sampling: Sobol points, Dirichlet quantiles and Pareto tails."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.papers.metric_error_joint import PEOPLE, Found, World
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit
from scipy.stats import beta
from tests.kernels.checks import refused

from tiebreak.kernels.metric_error import metric_error_posterior
from tiebreak.kernels.metric_error_joint import CLASSES, JointLabels, JointPosterior, joint_posterior
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


# ---- joint posterior -----------------------------------------------------------------------------------------------


TABLES = (
    ([[14, 3, 4], [3, 6, 2], [2, 3, 9]], [120, 40, 90], [3, 1, 2]),
    ([[5, 1, 0], [2, 4, 1], [1, 3, 20]], [10, 200, 30], [0, 0, 6]),
)
ONE = np.zeros(1, dtype=np.intp), np.ones(1)


def labels_of(paired: list[list[int]], metric_only: list[int], human_only: list[int]) -> JointLabels:
    """One row, whose labels are by one person and one for each item."""
    counts = np.array(paired)
    metric, answer = (np.repeat(at, counts[counts > 0]) for at in np.nonzero(counts))
    metric = np.concatenate([metric, np.full(sum(human_only), -1)])
    answer = np.concatenate([answer, np.repeat(np.arange(CLASSES), human_only)])
    none = np.zeros(answer.size, dtype=np.intp)
    return JointLabels(none, metric, np.arange(answer.size), none, answer, np.array([metric_only]))


def paper_model(labels: JointLabels, seed: int = 0) -> JointPosterior:
    rng = np.random.default_rng(seed)
    return joint_posterior(labels, *ONE, annotators_err=False, pooled=False, rng=rng, draws=8_000)


@pytest.mark.parametrize("table", TABLES)
def test_without_its_parts_it_is_the_model_of_the_paper(table: tuple[list[list[int]], list[int], list[int]]) -> None:
    known = metric_error_posterior(*table)
    found = paper_model(labels_of(*table)).differences[:, 0]
    assert (found > 0).mean() == pytest.approx(known.theta, abs=0.02)
    assert found.mean() == pytest.approx(known.difference_mean, abs=0.02)
    low, high = np.quantile(found, [0.025, 0.975])
    assert low == pytest.approx(known.difference_low, abs=0.03)
    assert high == pytest.approx(known.difference_high, abs=0.04)


def test_human_labels_alone_give_a_beta_distribution() -> None:
    """Without metric-only items and ties, p_a ~ Beta(9 + 1, 0 + 4 + 2) under Dir(1, 1, 1)."""
    labels = labels_of([[0] * 3] * 3, [0, 0, 0], [9, 0, 4])
    rng = np.random.default_rng(1)
    found = joint_posterior(labels, *ONE, annotators_err=False, pooled=False, rng=rng, draws=8_000).differences[:, 0]
    drawn = rng.dirichlet([10, 1, 5], 200_000)
    assert (found > 0).mean() == pytest.approx(1 - beta(10, 5).cdf(0.5), abs=0.01)
    assert found.std() == pytest.approx((drawn[:, 0] - drawn[:, 2]).std(), rel=0.04)


def test_systems_exchanged_exchange_the_answer() -> None:
    """By a and b turned round in every label; draws differ, so up to their error."""
    world = World(np.random.default_rng(3), 20.0, people=True)
    of = world.labels
    metric = np.where(of.metric < 0, -1, 2 - of.metric)
    turned = replace(of, metric=metric, answer=2 - of.answer, metric_only=of.metric_only[:, ::-1])
    posteriors = [
        joint_posterior(labels, world.pair, world.weight, rng=np.random.default_rng(1), draws=4_000)
        for labels in (of, turned)
    ]
    one, other = (found.differences.mean(axis=0) for found in posteriors)
    np.testing.assert_allclose(one, -other, atol=0.03)


def test_who_is_right_how_often_is_found() -> None:
    world = World(np.random.default_rng(5), 20.0, people=True)
    found = joint_posterior(world.labels, world.pair, world.weight, rng=np.random.default_rng(6))
    np.testing.assert_allclose(found.accuracy, PEOPLE, atol=0.07)


def test_matrices_that_are_alike_are_pooled_and_others_are_not() -> None:
    strengths = []
    for strength in (300.0, 3.0):
        world = World(np.random.default_rng(7), strength)
        rng = np.random.default_rng(8)
        found = joint_posterior(world.labels, world.pair, world.weight, annotators_err=False, rng=rng)
        strengths.append(found.strength)
    assert strengths[0] > 40 > 10 > strengths[1]


def coverage(model: str, studies: int) -> tuple[float, float]:
    """Of intervals at 95%: how many hold the truth, and their mean width."""
    found = Found()
    for study in range(studies):
        rng = np.random.default_rng([9, study])
        world = World(rng, 20.0, people=True)
        err = model == "err"
        labels = world.labels if err else world.majorities()
        of = joint_posterior(labels, world.pair, world.weight, annotators_err=err, rng=rng, draws=600, settle=150)
        found.add(of, world.differences)
    return float(np.mean(found.inside)), float(np.mean(found.widths))


@pytest.mark.full
def test_intervals_hold_where_annotators_err_and_those_of_majorities_do_not() -> None:
    """Of 150 intervals of ten pairs a study, which depend on one another: at .90 as many hold in one of three tests."""
    assert coverage("err", 15)[0] >= 0.91
    assert coverage("majority", 15)[0] < 0.91


def test_labels_of_perfect_annotators_that_differ_are_refused() -> None:
    one = np.zeros(1, dtype=np.intp)
    twice = JointLabels(one, one, np.zeros(2, dtype=np.intp), np.arange(2), np.array([0, 2]), np.array([[1, 1, 1]]))
    refused("different labels to one item", paper_model, twice)
