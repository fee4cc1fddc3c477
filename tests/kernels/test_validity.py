"""Error rates of bets towards a plan, looked at after every label; and what must fail, fails."""

from __future__ import annotations

import heapq
import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import bet_path
from benchmarks.worlds.simulation import Codes, iid_outcomes, largest_rate, mean_labels, pool_outcomes
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ALPHA = 0.05
RUNS, FULL_RUNS = 400, 4_000

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
