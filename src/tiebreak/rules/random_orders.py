"""When a campaign would have stopped: the anytime-valid evidence of finished labels in many random orders.

Information about labels that could have been spared, never a verdict: choosing the order that stops first would be
choosing the outcome.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import bounded_mean
from tiebreak.kernels.lead_boundary import LeadBoundary, anytime_boundary
from tiebreak.rules.anytime import Priors

Floats = NDArray[np.float64]

ORDERS: Final = 200
_AT_ONCE: Final = 4_000_000  # numbers of the evidence that are held in memory together
_AT_FIRST: Final = 8191  # outcomes of each order that are looked at before all of them


@dataclass(frozen=True, slots=True)
class StopInOrders:
    """Units after which the verdict was reached, over random orders: `median`, and `low` to `high` for 80% of them.

    None where so many orders do not reach it with all units. `reached` in [0, 1]: the share of orders that do.
    """

    median: int | None
    low: int | None
    high: int | None
    reached: float


def stop_in_orders(values: Floats, log_threshold: float, pool_size: int | None = None) -> StopInOrders:
    """When `values` (n,) in [-1, 1], positive for the better side, show it in `ORDERS` random orders.

    The orders are fixed by the values themselves, in whatever order they come: names and sides change nothing.
    `pool_size` >= n: for a claim about a pool, None for inputs like these. Without values no order reaches anything.
    """
    count = values.size
    if not count:
        return StopInOrders(None, None, None, 0.0)
    ordered = np.sort(np.round(values, 12) + 0.0)  # ties of the other side are -0.0, whose bytes differ
    rng = np.random.default_rng(int.from_bytes(hashlib.blake2b(ordered.tobytes(), digest_size=16).digest(), "little"))
    outcomes = pool_size is None and bool(np.isin(ordered, (-1.0, 0.0, 1.0)).all())
    given = ordered.astype(np.int8) if outcomes else ordered
    at_once = max(1, _AT_ONCE // (count * (4 if outcomes else 4 * Priors.default().bounded.kappas.size)))
    stops = np.empty(0, dtype=np.int64)
    while stops.size < ORDERS:
        orders = rng.permuted(np.tile(given, (min(at_once, ORDERS - stops.size), 1)), axis=1)
        found = _by_leads(orders, log_threshold) if outcomes else _first(_evidence(orders, log_threshold, pool_size))
        stops = np.concatenate([stops, found])
    low, median, high = np.quantile(stops, (0.1, 0.5, 0.9), method="inverted_cdf")

    def known(stop: int) -> int | None:
        return None if stop > count else int(stop)

    return StopInOrders(known(median), known(low), known(high), float((stops <= count).mean()))


def _by_leads(orders: NDArray[np.generic], log_threshold: float) -> NDArray[np.int64]:
    """After how many of the outcomes (orders, n) each order has shown it; n + 1 where it does not.

    Most orders show it early, so that the first outcomes of all are looked at, and then all of those that go on.
    """
    seen = min(_AT_FIRST, orders.shape[1])
    stops = _first(_leads(orders[:, :seen], log_threshold))
    late = np.flatnonzero(stops > seen)
    if late.size and seen < orders.shape[1]:
        stops[late] = _first(_leads(orders[late], log_threshold))
    return stops


def _first(reached: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The number of the first column that is true, from 1, in each row of (orders, n); n + 1 where none is."""
    return np.asarray(np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, reached.shape[1] + 1), dtype=np.int64)


def _leads(orders: NDArray[np.generic], log_threshold: float) -> NDArray[np.bool_]:
    """Whether outcomes (orders, n) have shown it after each of them: by the lead among those that are no ties."""
    boundary = _boundary(log_threshold, 2 ** int(np.ceil(np.log2(orders.shape[1] + 1))))
    untied = np.cumsum(orders != 0, axis=1, dtype=np.int32)
    return np.asarray(np.cumsum(orders, axis=1, dtype=np.int32) >= boundary.for_a[untied])


@lru_cache(maxsize=8)
def _boundary(log_threshold: float, horizon: int) -> LeadBoundary:
    return anytime_boundary(Priors.default().outcomes, log_threshold, horizon)


def _evidence(orders: NDArray[np.float64], log_threshold: float, pool_size: int | None) -> NDArray[np.bool_]:
    """Whether the evidence of values (orders, n) has reached the threshold after each of them."""
    return bounded_mean.log_e_path(orders, Priors.default().bounded, 0.0, pool_size) >= log_threshold
