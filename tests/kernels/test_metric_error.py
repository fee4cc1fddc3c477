from __future__ import annotations

import json
import math
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.worlds import exact_metric_error
from tests.kernels.checks import refused

from tiebreak.errors import UsageError
from tiebreak.kernels.metric_error import MetricErrorPosterior, metric_error_posterior, metric_error_theta
from tiebreak.kernels.metric_error_sampling import SCRAMBLES, SIZES, Counts, sample_posterior
from tiebreak.kernels.reproduced import dirichlet_posterior

GOLDEN = json.loads((Path(__file__).parent / "golden" / "metric_error.json").read_text(encoding="utf-8"))["cases"]
NAMES = [case["name"] for case in GOLDEN]
BY_NAME = dict(zip(NAMES, GOLDEN, strict=True))

NOTHING = [0, 0, 0]
FAIR = ([[12, 4, 3], [3, 5, 2], [4, 3, 14]], [420, 160, 420], NOTHING)


def posterior_of(case: dict[str, Any], **options: Any) -> MetricErrorPosterior:
    return metric_error_posterior(case["paired"], case["metric_only"], case["human_only"], **options)


# ---- accuracy ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str) -> None:
    case = BY_NAME[name]
    posterior = posterior_of(case)
    assert posterior.theta == pytest.approx(case["theta"], abs=0.005)
    np.testing.assert_allclose(posterior.mean_p, case["mean_p"], rtol=0, atol=0.001)
    # Ends of intervals: a few times the relative error of theta. The prior's interval is 1.55 wide.
    width = case["difference_high"] - case["difference_low"]
    assert posterior.difference_low == pytest.approx(case["difference_low"], abs=0.012 * width + 0.0005)
    assert posterior.difference_high == pytest.approx(case["difference_high"], abs=0.012 * width + 0.0005)


def test_the_standard_error_is_honest() -> None:
    """Over seeds and tables, errors in units of theta_se have a root mean square near one."""
    names = ["fair-30-1000", "weak-20-1000", "never-ties-50-1000", "human-only-20-more", "forced-10-1000"]
    scores = []
    for name in names:
        for seed in range(6):
            posterior = posterior_of(BY_NAME[name], rng_seed=seed)
            scores.append((posterior.theta - BY_NAME[name]["theta"]) / posterior.theta_se)
    # Stopping when the estimated error is small favours estimates that are too small, hence a little above one.
    assert 0.4 < math.sqrt(np.mean(np.square(scores))) < 1.6


@pytest.mark.parametrize(
    ("paired", "metric_only", "human_only"),
    [
        ([[4, 1, 0], [1, 2, 1], [0, 1, 3]], [6, 3, 4], NOTHING),
        ([[2, 0, 1], [1, 1, 0], [1, 2, 2]], [9, 0, 3], NOTHING),
        ([[5, 1, 1], [0, 1, 0], [2, 1, 4]], [3, 2, 8], [1, 0, 2]),  # s = 1, 2, 0
        ([[3, 0, 1], [1, 1, 1], [0, 1, 2]], [4, 4, 4], [6, 2, 9]),  # s = -4, 0, -7
        ([[0, 0, 0], [0, 0, 0], [0, 0, 0]], [7, 2, 1], [8, 3, 4]),
    ],
)
def test_three_classes_against_the_exact_sum(
    paired: list[list[int]], metric_only: list[int], human_only: list[int]
) -> None:
    """Proves the weights, also with human-only labels: the sum over latent classes knows nothing of them."""
    exact = exact_metric_error.three_classes(paired, metric_only, human_only)
    posterior = metric_error_posterior(paired, metric_only, human_only, accuracy=0.0006)
    assert posterior.theta == pytest.approx(exact.theta, abs=0.0025)
    np.testing.assert_allclose(posterior.mean_p, exact.mean_p, atol=0.0006)


def test_the_exact_sum_by_hand() -> None:
    # One metric-only item, answer a, and no other label: with C = K = 2 it is a human win or loss with equal mass, so
    # p_a ~ (Beta(2, 1) + Beta(1, 2))/2 = uniform: theta = 1/2. With one paired item (metric a, human a):
    # win: B(3, 1) B(1, 1) B(3, 1) = 1/9; loss: B(2, 1) B(2, 1) B(2, 2) = 1/24. P(p_a > 1/2): 7/8 and 1/2.
    assert exact_metric_error.two_classes([[0, 0], [0, 0]], [1, 0], [0, 0]).theta == pytest.approx(0.5)
    theta = (1 / 9 * 7 / 8 + 1 / 24 * 1 / 2) / (1 / 9 + 1 / 24)
    assert exact_metric_error.two_classes([[1, 0], [0, 0]], [1, 0], [0, 0]).theta == pytest.approx(theta)
    assert metric_error_posterior([[1, 0], [0, 0]], [1, 0], [0, 0]).theta == pytest.approx(theta, abs=0.004)


@pytest.mark.parametrize(
    ("paired", "metric_only", "human_only"),
    [
        ([[4, 1], [2, 3]], [30, 20], [0, 0]),
        ([[6, 0], [1, 5]], [5, 45], [0, 0]),
        ([[3, 2], [2, 4]], [25, 15], [4, 7]),
    ],
)
def test_two_classes_against_numerical_integration(
    paired: list[list[int]], metric_only: list[int], human_only: list[int]
) -> None:
    """Gauss-Legendre in (p_a, mu_aa, mu_ab), the half of p_a > 1/2 apart."""
    nodes, weights = np.polynomial.legendre.leggauss(80)
    nodes, weights = (nodes + 1) / 2, weights / 2
    n, m, h = np.array(paired), np.array(metric_only), np.array(human_only)
    halves = []
    for start in (0.0, 0.5):
        p, of_a, of_b = np.meshgrid(start + nodes / 2, nodes, nodes, indexing="ij", sparse=True)
        says_a = of_a * p + of_b * (1 - p)
        counted = ((p, n.sum(axis=0) + h), (of_a, n[:, 0]), (of_b, n[:, 1]), (says_a, m))
        log_density = sum(yes * np.log(share) + no * np.log1p(-share) for share, (yes, no) in counted)
        halves.append(np.einsum("ijk,i,j,k->", np.exp(log_density + 60), weights, weights, weights))
    theta = halves[1] / sum(halves)
    assert exact_metric_error.two_classes(n, m, h).theta == pytest.approx(theta, abs=1e-6)
    assert metric_error_posterior(n, m, h).theta == pytest.approx(theta, abs=0.004)


# ---- what follows from the model -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paired", "human_only"),
    [
        ([[8, 2, 3], [2, 3, 1], [3, 1, 7]], NOTHING),
        ([[8, 2, 3], [2, 3, 1], [3, 1, 7]], [2, 9, 5]),
        ([[5, 4], [1, 3]], [0, 0]),
        ([[5, 4], [1, 3]], [3, 1]),
    ],
)
def test_without_metric_only_items_it_is_the_dirichlet_posterior(
    paired: list[list[int]], human_only: list[int]
) -> None:
    """mu integrates out: prod_kc mu_kc^n_kc over a column is a constant, so paired metric labels tell nothing of p."""
    n, h = np.array(paired), np.array(human_only)
    human = n.sum(axis=0) + h
    plain = dirichlet_posterior(human[0], human[1] if len(human) == 3 else 0, human[-1])
    posterior = metric_error_posterior(n, np.zeros(len(n)), h)
    assert posterior.theta == pytest.approx(plain.theta, abs=1e-12)
    np.testing.assert_allclose(posterior.mean_p, (human + 1) / (human + 1).sum())
    np.testing.assert_allclose(posterior.mean_confusion, (n + 1) / (n + 1).sum(axis=0))
    assert posterior.points == 0
    assert posterior.k_hat is None
    sample = sample_posterior(Counts(n.astype(float), np.zeros(len(n)), h.astype(float)), 3, 0.0003)
    assert sample.theta == pytest.approx(plain.theta, abs=1e-3)
    np.testing.assert_allclose(sample.q.sum(axis=0) @ sample.weights, posterior.mean_p, atol=5e-4)


def test_intervals_in_closed_form() -> None:
    # Dir(3, 1, 1) without ties seen: p_a ~ Beta(3, 2): P(p_a <= x) = 4x^3 - 3x^4; two classes: Beta(3, 1), x^3.
    three = metric_error_posterior([[2, 0, 0], [0, 0, 0], [0, 0, 0]], NOTHING, NOTHING, credibility=0.8)
    assert 4 * three.p_low[0] ** 3 - 3 * three.p_low[0] ** 4 == pytest.approx(0.1)
    two = metric_error_posterior([[2, 0], [0, 0]], [0, 0], [0, 0], credibility=0.8)
    assert two.p_low[0] == pytest.approx(0.1 ** (1 / 3))
    assert two.difference_low == pytest.approx(2 * 0.1 ** (1 / 3) - 1)
    assert two.difference_high == pytest.approx(2 * 0.9 ** (1 / 3) - 1)


@pytest.mark.parametrize("metric_only", [[9_000, 500, 1_500], [1, 0, 0]])
def test_without_human_labels_theta_is_one_half(metric_only: list[int]) -> None:
    posterior = metric_error_posterior(np.zeros((3, 3)), metric_only, NOTHING)
    assert posterior.theta == 0.5
    assert posterior.theta_se == 0.0
    np.testing.assert_allclose(posterior.mean_p, 1 / 3)
    assert (posterior.difference_mean, posterior.difference_low, posterior.difference_high) == (0.0, -1.0, 1.0)
    assert np.isnan(posterior.mean_confusion).all()
    assert posterior.flags == ("no-labels",)


@pytest.mark.parametrize("name", ["leaning-50-1000", "human-only-20-more", "no-human-tie-18", "forced-10-1000"])
def test_swapping_a_and_b_mirrors_everything_exactly(name: str) -> None:
    case = BY_NAME[name]
    n, m, h = (np.array(case[key]) for key in ("paired", "metric_only", "human_only"))
    forward, backward = metric_error_posterior(n, m, h), metric_error_posterior(n[::-1, ::-1], m[::-1], h[::-1])
    assert forward.theta == pytest.approx(1 - backward.theta, abs=1e-15)
    assert forward.difference_low == -backward.difference_high
    np.testing.assert_array_equal(forward.p_low, backward.p_low[::-1])
    np.testing.assert_array_equal(forward.mean_p, backward.mean_p[::-1])
    np.testing.assert_array_equal(forward.mean_confusion, backward.mean_confusion[::-1, ::-1])


def test_what_the_metric_calls_its_classes_does_not_matter() -> None:
    n, m = np.array(FAIR[0]), np.array([500, 160, 340])
    plain = metric_error_posterior(n, m, NOTHING)
    for order in permutations(range(3)):
        renamed = metric_error_posterior(n[list(order)], m[list(order)], NOTHING)
        assert renamed.theta == plain.theta
        np.testing.assert_array_equal(renamed.mean_confusion, plain.mean_confusion[list(order)])


def test_a_symmetric_table_is_exactly_undecided() -> None:
    posterior = metric_error_posterior([[9, 2, 4], [1, 5, 1], [4, 2, 9]], [300, 100, 300], NOTHING)
    assert posterior.theta == 0.5
    assert posterior.difference_low == -posterior.difference_high
    assert posterior.p_low[0] == posterior.p_low[2]


def test_a_metric_without_information_leaves_the_human_posterior() -> None:
    """Columns of mu known to be equal: r does not depend on p. Approached with 40,000 paired items, a third each."""
    paired = np.tile([4_464, 4_444, 4_444], (3, 1))
    plain = dirichlet_posterior(*paired.sum(axis=0))
    posterior = metric_error_posterior(paired, [300, 300, 300], NOTHING)
    assert posterior.theta == pytest.approx(plain.theta, abs=0.01)


# ---- calibration ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("runs", "seed"), [(60, 41), pytest.param(400, 42, marks=pytest.mark.full)])
def test_calibration(classes: int, runs: int, seed: int) -> None:
    """Parameters from the prior, labels from the model: theta and the rank of the true difference must fit.

    The posterior distribution function at the true difference is uniform; (p_a > p_b) - theta has mean zero and
    variance theta (1 - theta).
    """
    rng = np.random.default_rng(seed)
    ranks, surprises, variances = [], [], []
    for _ in range(runs):
        p = rng.dirichlet(np.ones(classes))
        mu = rng.dirichlet(np.ones(classes), size=classes).T
        paired = rng.multinomial(40, (mu * p).ravel()).reshape(classes, classes).astype(float)
        metric_only = rng.multinomial(600, mu @ p).astype(float)
        human_only = rng.multinomial(int(rng.integers(2)) * 12, p).astype(float)
        sample = sample_posterior(Counts(paired, metric_only, human_only), 0, 0.02)
        drawn = sample.q.sum(axis=0)
        ranks.append(float(sample.weights[(drawn[0] - drawn[-1]) < p[0] - p[-1]].sum()))
        surprises.append(float(p[0] > p[-1]) - sample.theta)
        variances.append(sample.theta * (1 - sample.theta))
    ordered = np.sort(ranks)
    steps = np.arange(runs + 1) / runs
    distance = max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max())
    assert distance * math.sqrt(runs) < 1.95  # Kolmogorov-Smirnov at .001
    assert abs(sum(surprises)) < 3.3 * math.sqrt(sum(variances))


# ---- flags, decisions, input ---------------------------------------------------------------------------------------


def test_heavy_tails_are_flagged() -> None:
    # No paired item at all, so mu is known only through 11,000 metric labels and 300 human labels of other items.
    posterior = metric_error_posterior(np.zeros((3, 3)), [5_000, 1_000, 5_000], [120, 100, 80])
    assert posterior.k_hat > 0.7
    assert "heavy-tail" in posterior.flags


def test_one_point_with_all_the_weight_is_no_agreement() -> None:
    # All 118 paired ties say nothing on how the metric treats the 910 wins and losses of other items.
    paired = [[0, 0, 0], [0, 118, 0], [0, 1, 0]]
    posterior = metric_error_posterior(paired, [1_267, 1_331, 456], [782, 50, 128])
    assert posterior.flags[-2:] == ("heavy-tail", "not-converged")
    assert posterior.theta_se > 0.01


def test_an_accuracy_out_of_reach_is_flagged() -> None:
    posterior = metric_error_posterior(*FAIR, accuracy=1e-6)
    assert posterior.flags == ("not-converged",)
    assert posterior.points == SCRAMBLES * SIZES[-1]


def test_few_labels_and_unseen_categories_are_flagged() -> None:
    assert posterior_of(BY_NAME["five-1000"]).flags == ("few-labels",)
    assert posterior_of(BY_NAME["two-300"]).flags == ("few-labels", "unseen-category")
    assert posterior_of(BY_NAME["no-human-tie-18"]).flags == ("unseen-category",)
    assert posterior_of(BY_NAME["never-ties-50-1000"]).flags == ()  # the metric may leave a class out
    nine, ten = [[3, 1, 1], [1, 1, 0], [0, 1, 1]], [[3, 1, 1], [1, 1, 0], [0, 1, 2]]
    assert metric_error_posterior(nine, NOTHING, NOTHING).flags == ("few-labels",)
    assert metric_error_posterior(nine, NOTHING, [1, 0, 0]).flags == ()
    assert metric_error_posterior(ten, NOTHING, NOTHING).flags == ()


def test_bad_input_raises() -> None:
    with pytest.raises(UsageError, match=r"shape \(3, 3\).* or \(2, 2\).*, but have \(2, 3\)"):
        metric_error_posterior([[1, 2, 3], [4, 5, 6]], [1, 1], NOTHING)
    refused(r"metric-only counts must have shape \(3,\)", metric_error_posterior, FAIR[0], [1, 2], NOTHING)
    refused("human-only counts must have shape", metric_error_posterior, FAIR[0], [1, 2, 3], [0, 0])
    with pytest.raises(UsageError, match="paired counts must be whole numbers >= 0, but one of them is -4"):
        metric_error_posterior([[1, 2], [3, -4]], [1, 2], [0, 0])
    refused(r"metric-only counts .* 1.5", metric_error_posterior, [[1, 2], [3, 4]], [1.5, 2], [0, 0])
    refused(r"human-only counts .* nan", metric_error_posterior, [[1, 2], [3, 4]], [1, 2], [math.nan, 0])
    with pytest.raises(UsageError, match="credibility must lie strictly between 0 and 1, but it is 95"):
        metric_error_posterior(*FAIR, credibility=95)
    refused("accuracy must be a positive number, but it is 0", metric_error_posterior, *FAIR, accuracy=0)


@pytest.mark.parametrize(
    "table",
    [FAIR, (FAIR[0], NOTHING, [2, 9, 5]), ([[5, 4], [1, 3]], [0, 0], [3, 1]), (np.zeros((3, 3)), [40, 20, 40], NOTHING)]
    + [(np.zeros((3, 3)), NOTHING, human) for human in (NOTHING, [3, 1, 2], [20, 0, 4])],
)
def test_theta_alone_is_that_of_the_posterior(table: tuple[Any, Any, Any]) -> None:
    posterior = metric_error_posterior(*table, rng_seed=5)
    assert metric_error_theta(*table, rng_seed=5) == (posterior.theta, posterior.flags)
