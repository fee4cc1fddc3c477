"""The hedge: its table against random walks, exact enumeration of the wealth, and intervals on a grid."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import WIDE, correlated, pool_of
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from tests.kernels.enumeration import largest_growth_over_orders

from tiebreak.kernels import hedge, metric_help
from tiebreak.kernels.hedge import lower_limit, upper_limit
from tiebreak.kernels.outcome_regression import regress_items

# ---- hedge -------------------------------------------------------------------------------------------------------

Floats = NDArray[np.float64]

TABLE = hedge.hedge_table(0.05)


# ---- the table -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_value_at_the_start_is_alpha(alpha: float) -> None:
    table = hedge.hedge_table(alpha)
    at_zero = np.interp(table.boundary[0], table.distances, table.log_values[0])
    assert_allclose(math.exp(at_zero), alpha, rtol=0.01)
    # Looks that end are worth something: the threshold is below 1/alpha, but not by much.
    assert 0.6 / alpha < table.threshold < 1 / alpha


def test_boundary_by_its_definition() -> None:
    drifts = np.geomspace(0.6, 6.0, 60) * math.sqrt(2 * math.log(20))
    for u, y in zip(TABLE.shares[::40], TABLE.boundary[::40], strict=True):
        assert_allclose(np.exp(drifts * y - drifts**2 * u / 2).mean(), TABLE.threshold, rtol=1e-6)


def test_values_against_random_walks() -> None:
    """V(u, y): the share of Brownian paths from (u, y) that cross; fine steps, and the usual correction for them."""
    rng = np.random.default_rng(1)
    for row, below in ((60, 0.5), (120, 0.3), (180, 0.2)):
        u, steps = float(TABLE.shares[row]), 800
        times = u + (1 - u) * np.arange(1, steps + 1) / steps
        step = (1 - u) / steps
        edge = np.interp(times, TABLE.shares, TABLE.boundary) - 0.5826 * math.sqrt(step)  # Siegmund's correction
        start = TABLE.boundary[row] - below
        crossed = 0
        for _ in range(4):
            paths = start + np.cumsum(math.sqrt(step) * rng.standard_normal((2_000, steps)), axis=1)
            crossed += int((paths >= edge).any(axis=1).sum())
        value = math.exp(float(np.interp(below, TABLE.distances, TABLE.log_values[row])))
        assert abs(crossed / 8_000 - value) < 4 * math.sqrt(value * (1 - value) / 8_000) + 0.005


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.2])
def test_impossible_levels_are_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha must be in"):
        hedge.hedge_table(alpha)


def test_information_by_hand() -> None:
    # A pool of 10 and a budget of 5: the total is 10 * 5/5 = 10 labels, the first half label 10 * .5/9.5.
    used, total = hedge.information(3, 5, 10)
    assert total == 10.0
    assert_allclose(used[0], 10 * 0.5 / 9.5 / 10)
    # At most 80 % of the pool: 10 * 8/2.
    assert hedge.information(1, 10, 10)[1] == 40.0
    used, total = hedge.information(2, 4, None)
    assert_array_equal(used, [0.125, 0.375])


# ---- the wealth ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("null", [0.0, 0.4])
@pytest.mark.parametrize("reserve", [None, hedge.Reserve(0.2, WIDE)])
@pytest.mark.parametrize("most_labels", [3, 6])
def test_all_orders_of_a_tiny_pool(null: float, reserve: hedge.Reserve | None, most_labels: int) -> None:
    outcomes = np.array([1.0, -1.0, 0.0, 1.0, -1.0, 0.0])
    metric = np.array([0.9, -8.0, 0.1, 1.2, -1.0, 0.0])

    def path(order: NDArray[np.intp]) -> Floats:
        regression = regress_items(outcomes[order], metric[order], np.empty(0))
        return hedge.log_e_path(outcomes[order], regression, TABLE, most_labels, 1, null, reserve)

    assert largest_growth_over_orders(path, 6) <= 1 + 1e-9


def campaign(difference: float, labels: int, seed: int = 2) -> tuple[Floats, metric_help.MetricHelp]:
    rng = np.random.default_rng(seed)
    outcomes = rng.permutation(pool_of(1_000, difference, 0.3))
    metric = correlated(0.7)(rng, outcomes)
    return outcomes[:labels], regress_items(outcomes[:labels], metric[:labels], metric[labels:])


def test_bad_input_is_refused() -> None:
    labels, of = campaign(0.1, 5)
    with pytest.raises(ValueError, match="at least one label"):
        hedge.log_e_path(labels, of, TABLE, 0, 1)
    with pytest.raises(ValueError, match="a share between 0 and 1"):
        hedge.log_e_path(labels, of, TABLE, 5, 1, 0.0, hedge.Reserve(1.0, WIDE))


# ---- grid --------------------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    # Grid -1, -.5, 0, .5, 1 with -.5 and .5 rejected but not 0: the first that is kept is 0, and differences
    # above -.5 count as tested by 0, so that the limit is -.5.
    evidence = {-0.5: 5.0, 0.0: 1.0, 0.5: 5.0}
    sup = lambda nulls: np.array([evidence[float(m)] for m in nulls])  # noqa: E731
    assert lower_limit(sup, 3.0, steps=4) == -0.5
    assert upper_limit(sup, 3.0, steps=4) == 0.5


def test_nothing_and_everything_rejected() -> None:
    assert lower_limit(lambda nulls: np.zeros(nulls.size), 3.0) == -1.0
    assert_allclose(lower_limit(lambda nulls: np.full(nulls.size, np.inf), 3.0), 0.99)
    with pytest.raises(ValueError, match="at least two steps"):
        lower_limit(lambda nulls: nulls, 3.0, steps=1)
