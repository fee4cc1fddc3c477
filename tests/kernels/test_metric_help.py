"""Error rates and labels to a decision with a metric's help."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import (
    METRICS,
    NARROW,
    WIDE,
    Campaigns,
    MetricMaker,
    correlated,
    hedged_paths,
    inputs_campaigns,
    items_campaigns,
    labels_until,
    linear,
    mixture_paths,
    pool_of,
    regression,
)
from benchmarks.worlds.simulation import chunks, largest_rate
from numpy.typing import NDArray
from tests.kernels.crossings import crossings, standard_error

from tiebreak.kernels.bounded_mean import KappaPrior, kappa_prior

# ---- validity ----------------------------------------------------------------------------------------------------

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


# ---- power -------------------------------------------------------------------------------------------------------

RUNS, POOLS = 150, 5


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


@pytest.mark.parametrize(
    ("form", "prior", "rho", "bound", "reference"),
    [
        ("linear", NARROW, 0.5, 231, 244),
        ("linear", NARROW, 0.9, 77, 111),
        ("regression", WIDE, 0.7, 185, 181),
        ("regression", WIDE, 0.9, 77, 111),
    ],
)
def test_labels_to_a_direction(form: str, prior: KappaPrior, rho: float, bound: int, reference: int) -> None:
    """In pools of 1,000 items; without a budget the regression is no worse than the linear form."""
    check_no_worse(items_labels(form, 1_000, rho, bound, RUNS, POOLS, prior), reference)


def test_labels_to_an_equivalence() -> None:
    check_no_worse(equivalence_labels("linear", 500, 0.7, RUNS, POOLS), 211)
