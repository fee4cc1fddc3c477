"""When a campaign would have stopped, over random orders: against the process of one order at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from tests.small_studies import only_pair, study_of, vote

from tiebreak.kernels import bounded_mean
from tiebreak.rules import random_orders
from tiebreak.rules.anytime import AnytimeProcess, Priors
from tiebreak.rules.random_orders import ORDERS, StopInOrders, stop_in_orders
from tiebreak.rules.sequence import ValueSequence

LOG_40 = math.log(40)


def test_many_sequences_at_once_are_each_by_itself() -> None:
    values = np.random.default_rng(1).choice([-1.0, -0.3, 0.0, 0.5, 1.0], size=(7, 60))
    prior = bounded_mean.kappa_prior()
    for pool in (None, 60, 200):
        together = bounded_mean.log_e_path(values, prior, 0.1, pool)
        for row, path in zip(values, together, strict=True):
            assert np.allclose(path, bounded_mean.log_e_path(row, prior, 0.1, pool), atol=1e-12)


@pytest.mark.parametrize(
    ("shape", "pool"), [("outcomes", None), ("outcomes", 150), ("means", None)], ids=["inputs", "items", "means"]
)
def test_stops_are_those_of_the_process(shape: str, pool: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    values = rng.choice([-1.0, 0.0, 1.0], p=[0.2, 0.3, 0.5], size=90) * (1 if shape == "outcomes" else 0.7)
    orders: list[np.ndarray] = []
    for name in ("_leads", "_evidence"):
        found = getattr(random_orders, name)

        def seen(given: np.ndarray, *rest: object, inner: Callable[..., object] = found) -> object:
            orders.append(given)
            return inner(given, *rest)

        monkeypatch.setattr(random_orders, name, seen)
    stop = stop_in_orders(values, LOG_40, pool)
    rows = np.concatenate(orders)
    assert len(rows) == ORDERS
    assert np.allclose(np.sort(rows[5]), np.sort(values))
    assert len({row.tobytes() for row in rows}) == ORDERS
    firsts = []
    for row in rows:
        process = AnytimeProcess(ValueSequence.complete(row.astype(float), pool), Priors.default())
        reached = process.log_e_path(1) >= LOG_40
        firsts.append(int(reached.argmax()) + 1 if reached.any() else values.size + 1)
    firsts.sort()
    assert stop.median == firsts[ORDERS // 2 - 1]
    assert stop.low == firsts[ORDERS // 10 - 1]
    assert stop.high == (firsts[9 * ORDERS // 10 - 1] if firsts[9 * ORDERS // 10 - 1] <= values.size else None)
    assert stop.reached == pytest.approx(np.mean(np.array(firsts) <= values.size))


def test_the_order_of_the_values_changes_nothing() -> None:
    values = np.random.default_rng(3).choice([-1.0, 0.0, 1.0], p=[0.2, 0.3, 0.5], size=90)
    for pool in (None, 100):
        found = stop_in_orders(values, LOG_40, pool)
        assert found.median is not None
        assert found == stop_in_orders(values[::-1].copy(), LOG_40, pool)
        assert found == stop_in_orders(np.random.default_rng(4).permutation(values), LOG_40, pool)


def test_what_no_order_reaches() -> None:
    assert stop_in_orders(np.empty(0), LOG_40) == StopInOrders(None, None, None, 0.0)
    assert stop_in_orders(np.ones(5), LOG_40) == StopInOrders(None, None, None, 0.0)
    assert stop_in_orders(np.ones(30), LOG_40) == StopInOrders(10, 10, 10, 1.0)  # ten wins, as everywhere


def test_looking_at_the_first_outcomes_first_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(6).choice([-1.0, 0.0, 1.0], 600, p=[0.38, 0.1, 0.52])
    whole = stop_in_orders(values, 3.7)
    assert whole.low is not None
    for first in (1, whole.low, 300):
        monkeypatch.setattr("tiebreak.rules.random_orders._AT_FIRST", first)
        assert stop_in_orders(values, 3.7) == whole


@pytest.mark.parametrize("several", [1, 3])
def test_renaming_and_row_order_do_not_move_the_orders(several: int) -> None:
    """The better side may come first or second by name: ties are 0 either way."""
    rng = np.random.default_rng(4)
    outcomes = rng.choice(["a", "b", "tie"], p=[0.5, 0.25, 0.25], size=(200, several))

    def stop(better: str, item: str, annotator: str, *, swapped: bool = False) -> StopInOrders | None:
        a, b = ("bee", better) if swapped else (better, "bee")
        flip = {"a": "b", "b": "a", "tie": "tie"} if swapped else {"a": "a", "b": "b", "tie": "tie"}
        rows = [
            vote(f"{item}{k * 7919 % 1009}", a, b, f"{annotator}{j}", flip[str(outcomes[k, j])])
            for k in range(200)
            for j in range(several)
        ]
        return only_pair(study_of(rows[::-1] if swapped else rows)).campaign_stop

    first = stop("ant", "i", "ann")
    assert first is not None
    assert stop("zebra", "i", "ann") == stop("ant", "z", "zoe") == stop("zebra", "q", "x", swapped=True) == first
