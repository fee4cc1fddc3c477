"""Seeded runs of e-processes for tests of error rates and power: outcomes, boundaries and first crossings.

The processes themselves are always the kernels': helpers here draw outcomes, turn a mixture into its boundary (the
fewest wins that reach a threshold at each count, computed by the kernel) and find first crossings.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable

import numpy as np
from benchmarks.worlds.simulation import Codes, Floats, Rng
from numpy.typing import NDArray

from tiebreak.kernels import bet_mixture, bounded_mean

Integers = NDArray[np.int64]


def clustered_outcomes(rng: Rng, runs: int, clusters: int, items: int, icc: float, tie_share: float = 0.0) -> Codes:
    """Outcomes (runs, clusters, items), true difference 0, correlated within a cluster.

    A cluster's chance of a win among its non-ties is Beta(s, s) with 1/(2s + 1) = icc, the correlation of two of
    its non-ties.
    """
    shape = (1 / icc - 1) / 2
    share = rng.beta(shape, shape, size=(runs, clusters, 1))
    signs = np.where(rng.random((runs, clusters, items)) < share, 1, -1).astype(np.int8)
    return np.where(rng.random(signs.shape) < tie_share, np.int8(0), signs)


def arrival_order(rng: Rng, outcomes: Codes, in_flight: int, loss_slowdown: float) -> tuple[Integers, Integers]:
    """The order (n,) in which labels of one run arrive, and the longest completed prefix after each arrival.

    `in_flight` items are out at any time; the next of the sealed order is sent when a label arrives. A label takes
    a log-normal time (sigma 0.5), `loss_slowdown` times as long where it is a loss.
    """
    durations = rng.lognormal(sigma=0.5, size=outcomes.size) * np.where(outcomes < 0, loss_slowdown, 1.0)
    waiting = [(float(durations[i]), i) for i in range(min(in_flight, outcomes.size))]
    heapq.heapify(waiting)
    arrived = np.zeros(outcomes.size + 1, dtype=bool)
    order, prefixes, prefix, following = [], [], 0, len(waiting)
    while waiting:
        now, item = heapq.heappop(waiting)
        order.append(item)
        arrived[item] = True
        while arrived[prefix]:  # the last entry stays False and ends the walk
            prefix += 1
        prefixes.append(prefix)
        if following < outcomes.size:
            heapq.heappush(waiting, (now + float(durations[following]), following))
            following += 1
    return np.array(order), np.array(prefixes)


def crossings(sup_log_e: Floats, alpha: float) -> float:
    """Share of runs with a verdict, from the running maxima (runs, directions); each direction stops at 2/alpha."""
    return float((sup_log_e >= math.log(2 / alpha)).any(axis=1).mean())


def sup_both_directions(path: Callable[[Floats], Floats], runs: NDArray[np.generic]) -> Floats:
    """Running maxima (runs, 2) of log E for "a is better" and "b is better", a look at every label."""
    return np.array([[path(run).max(), path(-run).max()] for run in runs])


def count_boundary(prior: bet_mixture.BetPrior, log_threshold: float, horizon: int) -> Integers:
    """Fewest wins (horizon + 1,) at which the mixture reaches the threshold at n non-ties; n + 1 where none does."""
    count = np.arange(horizon + 1)
    low, high = np.full(horizon + 1, -1), count + 1  # at `high` it has been reached, at `low` it has not
    while (high - low > 1).any():
        middle = np.clip((low + high) // 2, 0, count)
        log_e = bet_mixture.log_e_from_counts(
            (count - middle).astype(float), np.zeros(count.size), middle.astype(float), prior
        )
        open_ = high - low > 1
        reached = log_e >= log_threshold
        high = np.where(open_ & reached, middle, high)
        low = np.where(open_ & ~reached, middle, low)
    return high


def first_crossing(outcomes: Codes, boundary: Integers) -> Integers:
    """Labels until the wins reach the boundary of their count of non-ties (runs,); 0 where they never do."""
    wins = np.cumsum(outcomes > 0, axis=1, dtype=np.int32)
    count = np.cumsum(outcomes != 0, axis=1, dtype=np.int32)
    reached = wins >= boundary[count]
    reached &= count > 0
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0)


def first_at_least(path: Floats, log_threshold: float) -> int:
    """The number of labels at which a path (n,) first reaches the threshold; 0 where it never does."""
    reached = path >= log_threshold
    return int(reached.argmax()) + 1 if reached.any() else 0


def labels_or_horizon(stops: Integers, horizon: int) -> Floats:
    """Undecided runs count the horizon."""
    return np.where(stops == 0, horizon, stops).astype(float)


def pool_direction_labels(runs: Codes, pool_size: int, alpha: float) -> Floats:
    """Labels (runs,) until the bounded-mean process on a pool decides for a, one direction at 1/alpha."""
    prior = bounded_mean.kappa_prior()
    stops = [
        first_at_least(bounded_mean.log_e_path(run.astype(float), prior, 0.0, pool_size), math.log(1 / alpha))
        for run in runs
    ]
    return labels_or_horizon(np.array(stops), runs.shape[1])


def equivalence_labels(runs: Codes, pool_size: int | None, margin: float, alpha: float, spread: float = 0.15) -> Floats:
    """Labels (runs,) until both sides of the margin are rejected at 1/alpha; undecided runs count the horizon."""
    prior = bounded_mean.kappa_prior(spread)
    stops = []
    for run in runs:
        values = run.astype(float)
        sides = [
            first_at_least(bounded_mean.log_e_path(side, prior, -margin, pool_size), math.log(1 / alpha))
            for side in (values, -values)
        ]
        stops.append(max(sides) if min(sides) > 0 else 0)
    return labels_or_horizon(np.array(stops), runs.shape[1])


def standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / math.sqrt(values.size))
