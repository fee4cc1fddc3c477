"""Labels to a decision with a metric's help, against reference figures of earlier prototypes.

One direction at 1/alpha, alpha .05, difference .1, 30 % ties; rho is the metric's correlation with the outcome. Each
figure may be worse than its reference by 5 % and three standard errors of the run.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import (
    NARROW,
    WIDE,
    Campaigns,
    correlated,
    items_campaigns,
    labels_until,
    linear,
    mixture_paths,
    pool_of,
    regression,
)
from benchmarks.worlds.simulation import chunks
from numpy.typing import NDArray
from tests.kernels.crossings import standard_error

from tiebreak.kernels.bounded_mean import KappaPrior, kappa_prior

Floats = NDArray[np.float64]

ITEMS = [  # pool size of the reference, rho, exact bound, labels with the linear form
    (100_000, 0.0, 417, 513),
    (100_000, 0.5, 314, 392),
    (100_000, 0.7, 205, 250),
    (100_000, 0.9, 79, 123),
    (1_000, 0.0, 292, 292),
    (1_000, 0.5, 231, 244),
    (1_000, 0.7, 185, 181),
    (1_000, 0.9, 77, 111),
]
EQUIVALENCE = [(0.7, 500, 211), (0.7, 1_000, 269), (0.7, 5_000, 363), (0.0, 1_000, 422)]  # margin .1, difference 0

SMALL_POOLS, SMALL_RUNS = 5, 150
FULL_POOLS, FULL_RUNS = 10, 2_000


def check_no_worse(labels: Floats, reference: float) -> None:
    assert labels.mean() <= 1.05 * reference + 3 * standard_error(labels), (labels.mean(), reference)
    assert labels.mean() >= 0.6 * reference, (labels.mean(), reference)


def items_labels(
    form: str, pool_size: int, rho: float, bound: int, runs: int, pools: int, prior: KappaPrior = NARROW
) -> Floats:
    """Labels (runs,) over several pools of difference .1."""
    rng = np.random.default_rng(401)
    outcomes = pool_of(pool_size, 0.1, 0.3)
    horizon = min(5 * bound, pool_size)
    labels = []
    for of_pool in chunks(runs, runs // pools):
        metric = correlated(rho)(rng, outcomes)
        for chunk in chunks(of_pool, max(1, 4_000_000 // pool_size)):
            campaigns = items_campaigns(rng, chunk, outcomes, metric, horizon)
            labels.append(labels_until(paths(form, campaigns, prior), math.log(20)))
    return np.concatenate(labels)


def paths(form: str, campaigns: Campaigns, prior: KappaPrior) -> Floats:
    if form == "linear":
        return mixture_paths(campaigns, linear(campaigns), 1, prior=prior)
    return mixture_paths(campaigns, regression(campaigns), 1, prior=prior)


def equivalence_labels(form: str, pool_size: int, rho: float, runs: int, pools: int) -> Floats:
    """Labels until both sides of a margin of .1 are rejected at 1/alpha; undecided runs count all labels."""
    rng = np.random.default_rng(403)
    outcomes = pool_of(pool_size, 0.0, 0.3)
    prior = kappa_prior(0.10)
    labels = []
    for of_pool in chunks(runs, runs // pools):
        metric = correlated(rho)(rng, outcomes)
        for chunk in chunks(of_pool, 100):
            campaigns = items_campaigns(rng, chunk, outcomes, metric, min(pool_size, 1_500))
            of = linear(campaigns) if form == "linear" else regression(campaigns)
            sides = [labels_until(mixture_paths(campaigns, of, s, -0.1, prior), math.log(20)) for s in (1, -1)]
            labels.append(np.maximum(*sides))
    return np.concatenate(labels)


@pytest.mark.parametrize(("pool_size", "rho", "bound", "reference"), [ITEMS[5], ITEMS[7]])
def test_items_linear(pool_size: int, rho: float, bound: int, reference: int) -> None:
    check_no_worse(items_labels("linear", pool_size, rho, bound, SMALL_RUNS, SMALL_POOLS), reference)


@pytest.mark.parametrize(("pool_size", "rho", "bound", "linear_labels"), [ITEMS[6], ITEMS[7]])
def test_items_regression(pool_size: int, rho: float, bound: int, linear_labels: int) -> None:
    """Without a budget, and with the wider prior: no worse than the linear form."""
    check_no_worse(items_labels("regression", pool_size, rho, bound, SMALL_RUNS, SMALL_POOLS, WIDE), linear_labels)


def test_equivalence() -> None:
    check_no_worse(equivalence_labels("linear", 500, 0.7, SMALL_RUNS, SMALL_POOLS), 211)


@pytest.mark.full
@pytest.mark.parametrize(("pool_size", "rho", "bound", "reference"), ITEMS)
def test_items_linear_in_full(pool_size: int, rho: float, bound: int, reference: int) -> None:
    check_no_worse(items_labels("linear", pool_size, rho, bound, FULL_RUNS, FULL_POOLS), reference)


@pytest.mark.full
@pytest.mark.parametrize(("rho", "pool_size", "reference"), EQUIVALENCE)
@pytest.mark.parametrize("form", ["linear", "regression"])
def test_equivalence_in_full(form: str, rho: float, pool_size: int, reference: int) -> None:
    check_no_worse(equivalence_labels(form, pool_size, rho, FULL_RUNS, FULL_POOLS), reference)
