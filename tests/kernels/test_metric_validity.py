"""Error rates with a metric's help, a look at every label: whatever the metric is, alpha holds.

`items`: pools whose difference is exactly zero, drawn in random order. `inputs`: a fresh pool of independent inputs
in every run. Each direction stops at 2/alpha; rates may exceed alpha by three binomial standard errors. Two tests
show the opposite, as they should: the pool's mean taken for the population's, and a metric that has seen the label.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import (
    METRICS,
    NARROW,
    Campaigns,
    MetricMaker,
    hedged_paths,
    inputs_campaigns,
    items_campaigns,
    linear,
    mixture_paths,
    pool_of,
    regression,
)
from benchmarks.worlds.simulation import chunks, largest_rate
from numpy.typing import NDArray
from tests.kernels.crossings import crossings

Floats = NDArray[np.float64]
Sups = Callable[[Campaigns], Floats]

ALPHAS = (0.05, 0.01)
SMALL_RUNS, FULL_RUNS = 400, 4_000


def sup_regression(campaigns: Campaigns) -> Floats:
    of = regression(campaigns)
    return np.stack([mixture_paths(campaigns, of, side).max(axis=1) for side in (1, -1)], axis=1)


def sup_linear(campaigns: Campaigns) -> Floats:
    of = linear(campaigns)
    return np.stack([mixture_paths(campaigns, of, side, prior=NARROW).max(axis=1) for side in (1, -1)], axis=1)


def sup_hedge(campaigns: Campaigns) -> Floats:
    """Made for .025 a side, two thirds of the labels, and with a reserve for what comes after."""
    of, most = regression(campaigns), campaigns.outcomes.shape[1] * 2 // 3
    return np.stack(
        [hedged_paths(campaigns, of, side, most, 0.025, 0.2).max(axis=1) for side in (1, -1)],
        axis=1,
    )


FORMS: dict[str, Sups] = {"regression": sup_regression, "linear": sup_linear, "hedge": sup_hedge}

each_form = pytest.mark.parametrize("form", FORMS)
each_case = pytest.mark.parametrize(
    ("metric", "tie_share"),
    [
        (name, ties)
        for name in METRICS
        for ties in (0.0, 0.3, 0.6)
        if ties == 0.3 or name in ("useless", "rho .5", "rho .9")
    ],
)


def check_rates(sup_log_e: Floats) -> None:
    """No more runs with a verdict than alpha allows; and an e-process that never moved would be no test."""
    for alpha in ALPHAS:
        assert crossings(sup_log_e, alpha) <= largest_rate(alpha, len(sup_log_e)), alpha
    assert np.median(sup_log_e.max(axis=1)) > 0.1


def items_sups(form: str, make: MetricMaker, tie_share: float, size: int, runs: int, pools: int, seed: int) -> Floats:
    """Several pools without a difference, the first four fifths of each drawn, but at most 1,200 items."""
    rng = np.random.default_rng(seed)
    labels = min(size * 4 // 5, 1_200)
    outcomes = pool_of(size, 0.0, tie_share)
    sups = []
    for of_pool in chunks(runs, runs // pools):
        metric = make(rng, outcomes)
        sups += [
            FORMS[form](items_campaigns(rng, chunk, outcomes, metric, labels))
            for chunk in chunks(of_pool, max(1, 150_000 // size))
        ]
    return np.concatenate(sups)


def inputs_sups(form: str, make: MetricMaker, tie_share: float, labels: int, pool: int, runs: int, seed: int) -> Floats:
    """Fresh inputs without a difference in every run."""
    rng = np.random.default_rng(seed)
    sups = [
        FORMS[form](inputs_campaigns(rng, chunk, pool, labels, 0.0, tie_share, make))
        for chunk in chunks(runs, max(1, 150_000 // labels))
    ]
    return np.concatenate(sups)


@each_form
@pytest.mark.parametrize(("metric", "tie_share"), [("useless", 0.6), ("rho .9", 0.3), ("heavy-tailed", 0.0)])
def test_items(form: str, metric: str, tie_share: float) -> None:
    check_rates(items_sups(form, METRICS[metric], tie_share, 200, SMALL_RUNS, 5, 301))


@each_form
@pytest.mark.parametrize(("metric", "tie_share"), [("inverted", 0.3), ("rho .9", 0.0), ("two-valued", 0.6)])
def test_inputs(form: str, metric: str, tie_share: float) -> None:
    check_rates(inputs_sups(form, METRICS[metric], tie_share, 150, 800, SMALL_RUNS, 302))


@pytest.mark.full
@each_form
@each_case
@pytest.mark.parametrize("size", [300, 3_000])
def test_items_in_full(form: str, metric: str, tie_share: float, size: int) -> None:
    check_rates(items_sups(form, METRICS[metric], tie_share, size, FULL_RUNS, 10, 303))


@pytest.mark.full
@each_form
@each_case
@pytest.mark.parametrize(("labels", "pool"), [(300, 400), (300, 3_000)])
def test_inputs_in_full(form: str, metric: str, tie_share: float, labels: int, pool: int) -> None:
    check_rates(inputs_sups(form, METRICS[metric], tie_share, labels, pool, FULL_RUNS, 304))


# ---- metrics that were made to do harm -------------------------------------------------------------------------


def adversarial_metric(form: str, outcomes: Floats, seed: int) -> Floats:
    """Of many metrics, made with all outcomes known, the one that most often led to a wrong verdict on other orders."""
    rng = np.random.default_rng(seed)
    candidates = [maker(rng, outcomes) for maker in METRICS.values() for _ in range(4)]
    candidates += [outcomes**2 * rng.standard_normal(outcomes.size), outcomes * rng.exponential(size=outcomes.size)]
    harm = [
        np.exp(FORMS[form](items_campaigns(rng, 40, outcomes, metric, 160)).max(axis=1)).mean() for metric in candidates
    ]
    return candidates[int(np.argmax(harm))]


@each_form
def test_a_metric_chosen_for_harm_is_harmless_on_fresh_orders(form: str) -> None:
    outcomes = pool_of(200, 0.0, 0.3)
    metric = adversarial_metric(form, outcomes, 305)
    rng = np.random.default_rng(306)
    check_rates(FORMS[form](items_campaigns(rng, SMALL_RUNS, outcomes, metric, 160)))


# ---- what is not valid, and must be seen to fail ---------------------------------------------------------------


@pytest.mark.parametrize("form", ["regression", "linear"])
def test_the_mean_of_the_pool_is_not_that_of_the_population(form: str) -> None:
    """The items process for a claim about inputs, with a good metric and a small pool: far above alpha."""
    rng = np.random.default_rng(307)
    fresh = inputs_campaigns(rng, SMALL_RUNS, 300, 299, 0.0, 0.0, METRICS["rho .9"])
    as_if_known = Campaigns(fresh.outcomes[:, :240], fresh.drawn[:, :240], fresh.drawn[:, 240:])
    assert crossings(FORMS[form](as_if_known), 0.05) > 0.12 + 3 * math.sqrt(0.12 / SMALL_RUNS)


@pytest.mark.parametrize("form", ["regression", "linear"])
@pytest.mark.parametrize("target", ["items", "inputs"])
def test_a_metric_that_has_seen_the_label_of_its_item_is_not_valid(form: str, target: str) -> None:
    """Trained on the labelled items only, it remembers their outcomes and guesses elsewhere, a little low."""
    rng = np.random.default_rng(308)
    if target == "items":
        honest = items_campaigns(rng, SMALL_RUNS, pool_of(300, 0.0, 0.3), np.zeros(300), 150)
    else:
        honest = inputs_campaigns(rng, SMALL_RUNS, 800, 150, 0.0, 0.3, METRICS["constant"])
    noise = [0.3 * rng.standard_normal(part.shape) for part in (honest.drawn, honest.others)]
    memory = Campaigns(
        honest.outcomes,
        honest.outcomes * (honest.outcomes < 0) + noise[0],  # it remembers what spoke against a
        noise[1],
        None if honest.reserved is None else 0.3 * rng.standard_normal(honest.reserved.shape),
        honest.plan,
    )
    assert crossings(FORMS[form](memory), 0.05) > 0.12 + 3 * math.sqrt(0.12 / SMALL_RUNS)
