"""Error rates of bets towards a plan, with a metric's help and without; when help begins, and the labels it saves."""

from __future__ import annotations

import heapq
import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import (
    METRICS,
    Campaigns,
    MetricMaker,
    bet_path,
    correlated,
    gated_paths,
    inputs_campaigns,
    items_campaigns,
    labels_until,
    linear,
    pool_of,
    regression,
)
from benchmarks.worlds.simulation import Codes, chunks, iid_outcomes, largest_rate, mean_labels, pool_outcomes
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from tiebreak.kernels.metric_help import Gate, MetricHelp, gate_after, openings

Floats = NDArray[np.float64]

ALPHA = 0.05
RUNS, FULL_RUNS = 400, 1_000

each_tie_share = pytest.mark.parametrize("tie_share", [0.0, 0.3, 0.6])
each_size = pytest.mark.parametrize(
    ("size", "runs"),
    [(200, RUNS), *(pytest.param(size, FULL_RUNS, marks=pytest.mark.full) for size in (200, 1_000))],
)


def largest(values: NDArray[np.generic], null: float = 0.0, pool: int | None = None) -> Floats:
    """The largest log wealth (runs, 2) against "the mean is at most null" and "at least minus null"."""
    floats = values.astype(np.float64)
    sides = [bet_path(floats, None, side, null, level=ALPHA / 2, pool=pool).max(axis=1) for side in (1, -1)]
    return np.stack(sides, axis=1)


def wrong_rate(found: Floats) -> float:
    return float((found >= math.log(2 / ALPHA)).any(axis=1).mean())


def check_rates(found: Floats) -> None:
    """No more runs with a verdict than alpha allows; and bets that never moved would be no test."""
    assert wrong_rate(found) <= largest_rate(ALPHA, len(found))
    assert np.median(found.max(axis=1)) > 0.1


def clustered_outcomes(rng: np.random.Generator, runs: int, clusters: int, tie_share: float = 0.0) -> Codes:
    """Outcomes (runs, clusters, 10), true difference 0, whose non-ties correlate by .3 within a cluster.

    A cluster's chance of a win among its non-ties is Beta(s, s) with 1/(2s + 1) = .3.
    """
    shape = (1 / 0.3 - 1) / 2
    share = rng.beta(shape, shape, size=(runs, clusters, 1))
    signs = np.where(rng.random((runs, clusters, 10)) < share, 1, -1).astype(np.int8)
    return np.where(rng.random(signs.shape) < tie_share, np.int8(0), signs)


@each_size
@each_tie_share
def test_pools(tie_share: float, size: int, runs: int) -> None:
    check_rates(largest(pool_outcomes(np.random.default_rng(101), runs, size, 0.0, tie_share), pool=size))


@each_size
@each_tie_share
def test_outcomes(tie_share: float, size: int, runs: int) -> None:
    check_rates(largest(iid_outcomes(np.random.default_rng(104), runs, size, 0.0, tie_share)))


@each_size
def test_mean_labels_of_several_annotators(size: int, runs: int) -> None:
    check_rates(largest(mean_labels(np.random.default_rng(105), runs, size)))


@each_tie_share
@pytest.mark.parametrize(
    ("clusters", "runs"),
    [(30, RUNS), *(pytest.param(count, FULL_RUNS, marks=pytest.mark.full) for count in (30, 300))],
)
def test_one_bet_per_cluster(clusters: int, tie_share: float, runs: int) -> None:
    check_rates(largest(clustered_outcomes(np.random.default_rng(106), runs, clusters, tie_share).mean(axis=2)))


@each_size
@pytest.mark.parametrize("difference", [0.1, 0.3])
@pytest.mark.parametrize("pool", [False, True])
def test_the_truth_is_rejected_at_no_look(pool: bool, difference: float, size: int, runs: int) -> None:
    make = pool_outcomes if pool else iid_outcomes
    values = make(np.random.default_rng(107), runs, size, difference, 0.3).astype(np.float64)
    of_pool = size if pool else None
    sides = [
        bet_path(values, None, side, side * difference, level=ALPHA / 2, pool=of_pool).max(axis=1) for side in (1, -1)
    ]
    assert wrong_rate(np.stack(sides, axis=1)) <= largest_rate(ALPHA, runs)


@pytest.mark.parametrize("pool", [None, 300])
def test_abandoned_items_cannot_make_a_verdict_wrong(pool: int | None) -> None:
    """An item without a label counts as a loss for either side."""
    rng = np.random.default_rng(112)
    outcomes = (iid_outcomes if pool is None else pool_outcomes)(rng, RUNS, 300, 0.0, 0.3)
    # The worst case: of the losses a fifth is never labelled, of the wins and ties none.
    missing = (outcomes < 0) & (rng.random(outcomes.shape) < 0.2)
    sides = [largest(np.where(missing, -1, side * outcomes), pool=pool)[:, 0] for side in (1, -1)]
    assert wrong_rate(np.stack(sides, axis=1)) <= largest_rate(ALPHA, RUNS)
    if pool is not None:
        return
    # Leaving the same items out instead, as if there had never been more, invents a difference.
    shortest = int((~missing).sum(axis=1).min())
    kept = np.array([run[~gone][:shortest] for run, gone in zip(outcomes, missing, strict=True)])
    assert wrong_rate(largest(kept)) > 0.10


def test_the_process_of_a_pool_does_not_serve_inputs() -> None:
    # A fully labelled pool has almost never a difference of exactly zero.
    assert wrong_rate(largest(iid_outcomes(np.random.default_rng(114), 150, 300, 0.0, 0.3), pool=300)) > 0.8


def test_ignoring_clusters_errs() -> None:
    outcomes = clustered_outcomes(np.random.default_rng(115), RUNS, 100)
    shuffled = np.random.default_rng(116).permuted(outcomes.reshape(RUNS, -1), axis=1)
    assert wrong_rate(largest(shuffled)) > 0.09


def arrival_order(rng: np.random.Generator, outcomes: Codes) -> NDArray[np.int64]:
    """The order (n,) in which labels of one run arrive, 30 in flight, losses twice as slow as wins."""
    durations = rng.lognormal(sigma=0.5, size=outcomes.size) * np.where(outcomes < 0, 2.0, 1.0)
    waiting = [(float(durations[item]), item) for item in range(30)]
    heapq.heapify(waiting)
    order: list[int] = []
    while waiting:
        now, item = heapq.heappop(waiting)
        order.append(item)
        following = len(order) + len(waiting)
        if following < outcomes.size:
            heapq.heappush(waiting, (now + float(durations[following]), following))
    return np.array(order)


def test_betting_in_order_of_arrival_errs() -> None:
    rng = np.random.default_rng(117)
    outcomes = iid_outcomes(rng, RUNS, 200, 0.0, 0.0)
    arrived = np.array([run[arrival_order(rng, run)] for run in outcomes])
    assert wrong_rate(largest(arrived)) > 0.15


HELPED_RUNS = 250
FORMS = {"regression": regression, "linear": linear}

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

# ---- when it begins ----------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    """Labels 1, -1: surprises 1 and -1 - 1/2; variances 2.1/3 and (2.1 + 1)/4."""
    one = gate_after(Gate(), 1.0, 0.5)
    assert one.score == pytest.approx((1 - 0.25) / 1.4)
    two = gate_after(one, -1.0, -0.5)
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
            gate = gate_after(gate, float(value), float(of_metric))
        starts.append(start)
    assert_array_equal(openings(values, centred), starts)
    assert 10 < sum(start < 80 for start in starts) < 60
    assert min(starts) == 8
    assert openings(np.empty(0), np.empty(0)) == 0


def test_most_useless_metrics_never_begin_and_good_ones_soon_do() -> None:
    rng, outcomes = np.random.default_rng(2), pool_of(300, 0.1, 0.3)
    begin = {}
    for name in ("useless", "rho .9"):
        campaigns = items_campaigns(rng, 200, outcomes, METRICS[name](rng, outcomes), 120)
        begin[name] = openings(campaigns.outcomes, regression(campaigns).centred)
    assert (begin["useless"] < 120).mean() < 0.1
    assert np.median(begin["rho .9"]) < 25


def test_a_step_is_one_column() -> None:
    columns = [np.arange(6.0).reshape(2, 3) + k for k in range(6)]
    step = MetricHelp(*columns, pool_size=None).step(1)
    assert_array_equal(step.centred, [1.0, 4.0])
    assert_array_equal(step.variance, [6.0, 9.0])


# ---- validity with help --------------------------------------------------------------------------------------------


def sups(form: str, campaigns: Campaigns) -> Floats:
    """The largest log wealth (runs, 2) of either side."""
    paths = gated_paths(campaigns.outcomes, FORMS[form](campaigns), ALPHA / 2)
    return np.stack([path.max(axis=1) for path in paths], axis=1)


def items_sups(form: str, make: MetricMaker, tie_share: float, size: int, runs: int, pools: int, seed: int) -> Floats:
    """Several pools without a difference, the first three fifths of each drawn, but at most 600 items."""
    rng = np.random.default_rng(seed)
    labels, outcomes = min(size * 3 // 5, 600), pool_of(size, 0.0, tie_share)
    found = []
    for of_pool in chunks(runs, runs // pools):
        metric = make(rng, outcomes)
        found += [
            sups(form, items_campaigns(rng, chunk, outcomes, metric, labels))
            for chunk in chunks(of_pool, max(1, 150_000 // size))
        ]
    return np.concatenate(found)


def inputs_sups(form: str, make: MetricMaker, tie_share: float, labels: int, pool: int, runs: int, seed: int) -> Floats:
    """Fresh inputs without a difference in every run."""
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [
            sups(form, inputs_campaigns(rng, chunk, pool, labels, 0.0, tie_share, make))
            for chunk in chunks(runs, max(1, 150_000 // labels))
        ]
    )


@each_form
@pytest.mark.parametrize(("metric", "tie_share"), [("useless", 0.6), ("rho .9", 0.3), ("heavy-tailed", 0.0)])
def test_items(form: str, metric: str, tie_share: float) -> None:
    check_rates(items_sups(form, METRICS[metric], tie_share, 200, HELPED_RUNS, 5, 301))


@each_form
@pytest.mark.parametrize(("metric", "tie_share"), [("inverted", 0.3), ("rho .9", 0.0), ("two-valued", 0.6)])
def test_inputs(form: str, metric: str, tie_share: float) -> None:
    check_rates(inputs_sups(form, METRICS[metric], tie_share, 150, 800, HELPED_RUNS, 302))


@pytest.mark.full
@each_form
@each_case
@pytest.mark.parametrize("size", [300, 3_000])
def test_items_in_full(form: str, metric: str, tie_share: float, size: int) -> None:
    check_rates(items_sups(form, METRICS[metric], tie_share, size, FULL_RUNS, 10, 303))


@pytest.mark.full
@each_form
@each_case
@pytest.mark.parametrize(("labels", "pool"), [(150, 400), (300, 3_000)])
def test_inputs_in_full(form: str, metric: str, tie_share: float, labels: int, pool: int) -> None:
    check_rates(inputs_sups(form, METRICS[metric], tie_share, labels, pool, FULL_RUNS, 304))


@pytest.mark.full
@each_form
def test_a_metric_chosen_for_harm_is_harmless_on_fresh_orders(form: str) -> None:
    """Of many metrics, made with all outcomes known, the one that most often led to a wrong verdict on other orders."""
    outcomes, rng = pool_of(200, 0.0, 0.3), np.random.default_rng(305)
    candidates = [maker(rng, outcomes) for maker in METRICS.values() for _ in range(4)]
    candidates += [outcomes**2 * rng.standard_normal(outcomes.size), outcomes * rng.exponential(size=outcomes.size)]
    harm = [
        np.exp(sups(form, items_campaigns(rng, 40, outcomes, metric, 120)).max(axis=1)).mean() for metric in candidates
    ]
    worst = candidates[int(np.argmax(harm))]
    check_rates(sups(form, items_campaigns(np.random.default_rng(306), HELPED_RUNS, outcomes, worst, 120)))


# ---- what is not valid, and must be seen to fail -------------------------------------------------------------------


@each_form
def test_the_mean_of_the_pool_is_not_that_of_the_population(form: str) -> None:
    """The items process for a claim about inputs, with a good metric and a small pool: far above alpha."""
    rng = np.random.default_rng(307)
    fresh = inputs_campaigns(rng, HELPED_RUNS, 300, 299, 0.0, 0.0, METRICS["rho .9"])
    as_if_known = Campaigns(fresh.outcomes[:, :240], fresh.drawn[:, :240], fresh.drawn[:, 240:])
    assert wrong_rate(sups(form, as_if_known)) > 0.12 + 3 * math.sqrt(0.12 / HELPED_RUNS)


# ---- power -------------------------------------------------------------------------------------------------------


@each_form
def test_it_saves_labels(form: str) -> None:
    """Pools of 1,000 items, a difference of .1, planned for 400: with rho .7 well below what labels alone take."""
    rng, outcomes = np.random.default_rng(401), pool_of(1_000, 0.1, 0.3)
    until = {}
    for rho in (0.0, 0.7):
        labels = []
        for _ in range(4):
            campaigns = items_campaigns(rng, 50, outcomes, correlated(rho)(rng, outcomes), 400)
            path, _ = gated_paths(campaigns.outcomes, FORMS[form](campaigns), ALPHA / 2)
            labels.append(labels_until(path, math.log(2 / ALPHA)))
        until[rho] = float(np.concatenate(labels).mean())
    assert until[0.7] < 0.8 * until[0.0]
