"""Labels to a decision, against reference figures: a valid process that never decides would be worthless.

One direction at 1/alpha. Each figure may be worse than its reference by 5 % and three standard errors of the run.
The references were measured on earlier prototypes; ratios are labels without ties over log(1/alpha)/KL.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from benchmarks.worlds.simulation import chunks, iid_outcomes, label_bound, pool_outcomes
from numpy.typing import NDArray
from tests.kernels.crossings import (
    count_boundary,
    equivalence_labels,
    first_at_least,
    first_crossing,
    mixture_labels,
    pool_direction_labels,
    standard_error,
    worker_labels,
)

from tiebreak.kernels import bet_mixture

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

SMALL_RUNS, FULL_RUNS = 300, 4_000
POOL_SMALL_RUNS, POOL_FULL_RUNS = 150, 2_000

# alpha, rule, then mean labels / bound at mu .1, .2, .3, .5, .7
MUS = (0.1, 0.2, 0.3, 0.5, 0.7)
REFERENCE: list[tuple[float, str, tuple[float, ...]]] = [
    (0.05, "beta10", (1.21, 1.19, 1.27, 1.54, 1.91)),
    (0.05, "log-uniform", (1.26, 1.31, 1.35, 1.44, 1.55)),
    (0.01, "beta10", (1.18, 1.15, 1.21, 1.42, 1.73)),
    (0.001, "beta10", (1.14, 1.11, 1.16, 1.33, 1.57)),
]
RATIOS = [
    pytest.param(alpha, rule, mu, ratio, id=f"{rule}-{alpha}-{mu}")
    for alpha, rule, ratios in REFERENCE
    for mu, ratio in zip(MUS, ratios, strict=True)
]
SMALL_RATIOS = [
    pytest.param(0.05, "beta10", 0.2, 1.19, id="beta10-0.05-0.2"),
    pytest.param(0.05, "log-uniform", 0.5, 1.44, id="log-uniform-0.05-0.5"),
    pytest.param(0.001, "beta10", 0.3, 1.16, id="beta10-0.001-0.3"),
]


@cache
def boundary(rule: str, alpha: float, horizon: int) -> Integers:
    """The fewest wins that decide, by the kernels."""
    priors = {
        "default": bet_mixture.default_prior,
        "log-uniform": bet_mixture.log_uniform_prior,
        "beta10": lambda: bet_mixture.truncated_beta_prior(10.0),
        "beta20": lambda: bet_mixture.truncated_beta_prior(20.0),
    }
    return count_boundary(priors[rule](), math.log(1 / alpha), horizon)


def check_no_worse(labels: Floats, reference: float) -> None:
    """The mean is at most the reference plus 5 % and three standard errors of this run."""
    assert labels.mean() <= 1.05 * reference + 3 * standard_error(labels), (labels.mean(), reference)
    # Far below the reference something else would be wrong: the references are within a factor of their bounds.
    assert labels.mean() >= 0.6 * reference, (labels.mean(), reference)


def check_ratio(alpha: float, rule: str, mu: float, ratio: float, runs: int, seed: int) -> None:
    bound = label_bound(alpha, mu)
    needed = boundary(rule, alpha, round(12 * bound) + 30)
    check_no_worse(mixture_labels(np.random.default_rng(seed), [needed], runs, mu)[0] / bound, ratio)


@pytest.mark.parametrize(("alpha", "rule", "mu", "ratio"), SMALL_RATIOS)
def test_labels_over_bound(alpha: float, rule: str, mu: float, ratio: float) -> None:
    check_ratio(alpha, rule, mu, ratio, SMALL_RUNS, 201)


@pytest.mark.full
@pytest.mark.parametrize(("alpha", "rule", "mu", "ratio"), RATIOS)
def test_labels_over_bound_in_full(alpha: float, rule: str, mu: float, ratio: float) -> None:
    check_ratio(alpha, rule, mu, ratio, FULL_RUNS, 202)


def check_default_prior(alpha: float, mu: float, runs: int) -> None:
    """Within 6 % of the better of A = 10 and log-uniform, on the same campaigns: it replaces a choice of prior."""
    bound = label_bound(alpha, mu)
    rules = ("default", "beta10", "log-uniform")
    needed = [boundary(rule, alpha, round(12 * bound) + 30) for rule in rules]
    means = mixture_labels(np.random.default_rng(203), needed, runs, mu).mean(axis=1)
    assert means[0] <= 1.06 * means[1:].min(), means


@pytest.mark.parametrize("mu", [0.2, 0.5, 0.9])
def test_default_prior(mu: float) -> None:
    check_default_prior(0.05, mu, 500)


@pytest.mark.full
@pytest.mark.parametrize("mu", [*MUS, 0.9])
@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.001])
def test_default_prior_in_full(alpha: float, mu: float) -> None:
    check_default_prior(alpha, mu, FULL_RUNS)


# Mean difficulty, bound (with delta = .9 mean difficulty), labels with A = 20 at alpha .001.
WORKERS = [(0.25, 271, 317), (0.125, 1_089, 1_184), (0.0625, 4_364, 5_046)]


def check_workers(mean_difficulty: float, bound: float, reference: float, runs: int) -> None:
    assert label_bound(0.001, 0.9 * mean_difficulty) == pytest.approx(bound, rel=0.01)
    needed = boundary("beta20", 0.001, round(12 * bound))
    check_no_worse(worker_labels(np.random.default_rng(204), needed, runs, mean_difficulty), reference)


def test_worker_setting() -> None:
    check_workers(*WORKERS[0], runs=SMALL_RUNS)


@pytest.mark.full
@pytest.mark.parametrize(("mean_difficulty", "bound", "reference"), WORKERS)
def test_worker_setting_in_full(mean_difficulty: float, bound: float, reference: float) -> None:
    check_workers(mean_difficulty, bound, reference, runs=POOL_FULL_RUNS)


@pytest.mark.parametrize("rule", ["default", "beta10"])
def test_half_ties(rule: str) -> None:
    needed = boundary(rule, 0.05, 8_000)
    check_no_worse(mixture_labels(np.random.default_rng(205), [needed], 500, 0.1, tie_share=0.5)[0], 356)


# ---- pools of items --------------------------------------------------------------------------------------------

BOUNDED_MEAN = [(1_000, 292), (100_000, 513)]  # difference .1, 30 % ties, alpha .05
EQUIVALENCE = [(500, 295), (1_000, 422), (5_000, 663)]  # difference 0, 30 % ties, margin .1, alpha .05


def check_bounded_mean(pool_size: int, reference: float, runs: int) -> None:
    outcomes = pool_outcomes(np.random.default_rng(207), runs, pool_size, 0.1, 0.3, min(pool_size, 5_000))
    check_no_worse(pool_direction_labels(outcomes, pool_size, 0.05), reference)


def check_equivalence(pool_size: int, reference: float, runs: int, spread: float = 0.15) -> None:
    labels = []
    rng = np.random.default_rng(208)
    for chunk in chunks(runs, 1_000):
        outcomes = pool_outcomes(rng, chunk, pool_size, 0.0, 0.3)
        labels.append(equivalence_labels(outcomes, pool_size, 0.1, 0.05, spread))
    check_no_worse(np.concatenate(labels), reference)


def test_bounded_mean_on_a_pool() -> None:
    check_bounded_mean(*BOUNDED_MEAN[0], runs=POOL_SMALL_RUNS)


def test_equivalence_on_a_pool() -> None:
    check_equivalence(*EQUIVALENCE[1], runs=POOL_SMALL_RUNS)


@pytest.mark.full
@pytest.mark.parametrize(("pool_size", "reference"), BOUNDED_MEAN)
def test_bounded_mean_on_a_pool_in_full(pool_size: int, reference: float) -> None:
    check_bounded_mean(pool_size, reference, POOL_FULL_RUNS)


@pytest.mark.full
@pytest.mark.parametrize(("pool_size", "reference"), EQUIVALENCE)
def test_equivalence_on_a_pool_in_full(pool_size: int, reference: float) -> None:
    check_equivalence(pool_size, reference, POOL_FULL_RUNS)


# ---- the fast simulation decides as the kernels do -------------------------------------------------------------


@pytest.mark.parametrize("rule", ["default", "beta10", "log-uniform"])
def test_boundaries_decide_as_the_paths_of_the_kernel(rule: str) -> None:
    prior = {
        "default": bet_mixture.default_prior(),
        "beta10": bet_mixture.truncated_beta_prior(10.0),
        "log-uniform": bet_mixture.log_uniform_prior(),
    }[rule]
    outcomes = iid_outcomes(np.random.default_rng(209), 80, 400, 0.15, 0.3)
    expected = [first_at_least(bet_mixture.log_e_path(run, prior), math.log(20)) for run in outcomes]
    assert first_crossing(outcomes, boundary(rule, 0.05, 400)).tolist() == expected


def test_first_crossing_by_hand() -> None:
    # Needed: 2 wins of 2, 2 of 3, 3 of 4, 3 of 5. Ties in between do not count.
    needed = np.array([1, 2, 2, 2, 3, 3])
    outcomes = np.array([[1, 0, 1, -1, 1], [-1, 1, 0, 0, 1], [-1, -1, 1, 0, 1]], dtype=np.int8)
    assert first_crossing(outcomes, needed).tolist() == [3, 5, 0]
