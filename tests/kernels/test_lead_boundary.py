"""Boundaries against the kernels that give the verdict, hypergeometric tails, and estimates after stopping."""

from __future__ import annotations

import math
from math import comb

import numpy as np
import pytest
from benchmarks.worlds.simulation import iid_outcomes
from scipy.integrate import quad
from scipy.special import betainc
from scipy.stats import hypergeom

from tiebreak.kernels import lead_boundary
from tiebreak.kernels.lead_boundary import Hypergeometric, estimate_at_stop
from tiebreak.simulate.engines.stopping import SimulatedRule, stops

# ---- boundaries --------------------------------------------------------------------------------------------------

HORIZON = 60


def posterior(wins: int, losses: int) -> bool:
    return bool(betainc(losses + 1.0, wins + 1.0, 0.5) > 1 - 0.05 / 2)


def test_the_posterior_boundary_of_untied_counts() -> None:
    boundary, decides = lead_boundary.posterior_boundary(0.05, HORIZON), posterior
    assert boundary.by_untied
    assert boundary.horizon == HORIZON
    for count in range(HORIZON + 1):
        for wins in range(count + 1):
            lead = 2 * wins - count
            assert (lead >= boundary.for_a[count]) == decides(wins, count - wins), (count, wins)
            assert (lead <= boundary.for_b[count]) == decides(count - wins, wins), (count, wins)


@pytest.mark.parametrize("d", [0.3, 0.05, 0.001])
def test_the_hoeffding_boundary_with_ties(d: float) -> None:
    boundary = lead_boundary.hoeffding_boundary(d, HORIZON)
    assert not boundary.by_untied
    for count in range(1, HORIZON + 1):
        for lead in range(-count, count + 1):
            # A constant sequence of this mean crosses at its own n if it does at all; look at n alone.
            mean = (count + lead) / 2 / count
            bound = math.sqrt(-math.log(d) / (2 * count))
            assert (lead >= boundary.for_a[count]) == (mean - bound > 0.5), (count, lead)
            assert (lead <= boundary.for_b[count]) == (mean + bound < 0.5), (count, lead)


# ---- hypergeometric ----------------------------------------------------------------------------------------------


def tail(least: float, draws: float, marked: float, unmarked: float, size: int = 40) -> float:
    arrays = (np.array([float(value)]) for value in (least, draws, marked, unmarked))
    return float(Hypergeometric(size).upper_tail(*arrays)[0])


def test_by_hand() -> None:
    # 3 draws out of 4 marked and 2 unmarked: 3 marked in 4 of 20 ways, 2 marked in 6 * 2 = 12.
    assert tail(3, 3, 4, 2) == pytest.approx(4 / 20)
    assert tail(2, 3, 4, 2) == pytest.approx(16 / 20)
    assert tail(1, 3, 4, 2) == 1.0  # there are only 2 unmarked
    assert tail(4, 3, 4, 2) == 0.0


def test_nothing_drawn() -> None:
    assert tail(0, 0, 0, 0) == tail(0, 0, 5, 3) == tail(-1, 2, 5, 3) == 1.0
    assert tail(1, 0, 5, 3) == 0.0


def test_every_small_population() -> None:
    cells = [
        (x, n, k, r) for k in range(8) for r in range(8) for n in range(k + r + 1) for x in range(n + 2)
    ]  # fmt: skip
    expected = [sum(comb(k, y) * comb(r, n - y) for y in range(x, n + 1)) / comb(k + r, n) for x, n, k, r in cells]
    arrays = np.array(cells, dtype=float).T
    np.testing.assert_allclose(Hypergeometric(14).upper_tail(*arrays), expected, rtol=1e-12, atol=1e-15)


def test_large_populations_against_scipy() -> None:
    rng = np.random.default_rng(4)
    size = rng.integers(100, 20_000, 300)
    marked = (size * rng.uniform(0.01, 0.99, 300)).astype(int)
    draws = (size * rng.uniform(0.01, 1.0, 300)).astype(int)
    spread = np.sqrt(draws * marked / size * (1 - marked / size) * (1 - draws / size)) + 1
    least = np.rint(draws * marked / size + rng.uniform(-6, 6, 300) * spread)
    result = Hypergeometric(20_000).upper_tail(least, *(v.astype(float) for v in (draws, marked, size - marked)))
    np.testing.assert_allclose(result, hypergeom.sf(least - 1, size, marked, draws), rtol=1e-7, atol=1e-13)


# ---- estimate at stop --------------------------------------------------------------------------------------------


def by_integration(mean: float, spread: float) -> float:
    """E[d | mean] for mean ~ N(d, spread), prior density 1/max(|d|, .01) on [-1, 1], by adaptive quadrature."""

    def part(power: int, sign: int) -> float:
        def density(log_size: float) -> float:
            value = sign * math.exp(log_size)
            return value**power * math.exp(-((mean - value) ** 2) / (2 * spread))

        near = math.log(min(max(abs(mean), 0.011), 0.99))
        return float(quad(density, math.log(0.01), 0.0, points=[near], limit=400)[0])

    def middle(power: int) -> float:
        def density(value: float) -> float:
            return value**power * math.exp(-((mean - value) ** 2) / (2 * spread)) / 0.01

        return float(quad(density, -0.01, 0.01)[0])

    return (part(1, 1) + part(1, -1) + middle(1)) / (part(0, 1) + part(0, -1) + middle(0))


@pytest.mark.parametrize(
    ("mean", "labelled", "pool_size"),
    [(0.25, 100, None), (0.14, 300, None), (-0.3, 40, 80), (0.05, 500, 1_000), (0.0, 50, None)],
)
def test_against_quadrature(mean: float, labelled: int, pool_size: int | None) -> None:
    spread = 0.7 * (1 / labelled - (1 / pool_size if pool_size else 0))
    found = estimate_at_stop(mean, 0.7, labelled, pool_size)
    assert found == pytest.approx(by_integration(mean, spread), abs=1e-3)


@pytest.mark.parametrize(("mean", "labelled"), [(0.003, 990), (0.487, 999), (-0.02, 995)])
def test_a_pool_labelled_almost_whole_keeps_its_mean(mean: float, labelled: int) -> None:
    spread = math.sqrt(0.7 * (1 / labelled - 1 / 1_000))
    assert abs(estimate_at_stop(mean, 0.7, labelled, 1_000) - mean) < spread


def test_hand_derived_two_sizes() -> None:
    # So uncertain that the data say nothing: the prior is symmetric, the estimate nearly 0.
    assert abs(estimate_at_stop(0.5, 1e6, 1)) < 1e-3
    # So certain that the prior says nothing: n = 10^4 at variance .5, standard error .007.
    assert estimate_at_stop(0.5, 0.5, 10_000) == pytest.approx(0.5, abs=1e-3)


def test_shrinks_towards_zero_and_less_with_more_labels() -> None:
    estimates = [estimate_at_stop(0.3, 0.7, labelled) for labelled in (10, 30, 100, 300, 1_000)]
    assert estimates == sorted(estimates)
    assert 0 < estimates[0] < 0.2
    assert 0.28 < estimates[-1] < 0.3
    # The same labels say more about a small pool than about unlimited inputs.
    assert estimate_at_stop(0.3, 0.7, 100, 120) > estimate_at_stop(0.3, 0.7, 100)


def test_swapping_a_and_b() -> None:
    for mean in (0.0, 0.07, 0.4, 1.0):
        assert estimate_at_stop(-mean, 0.6, 70) == pytest.approx(-estimate_at_stop(mean, 0.6, 70), abs=1e-15)


def test_no_uncertainty_left() -> None:
    assert estimate_at_stop(0.123, 0.7, 250, 250) == 0.123
    assert estimate_at_stop(0.004, 0.0, 10) == 0.004


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="at least one labelled item, not 0"):
        estimate_at_stop(0.1, 0.7, 0)


def stopped_campaigns(difference: float, runs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Raw means and shrunk estimates at the stop: no ties, planned for 400 labels."""
    outcomes = iid_outcomes(np.random.default_rng(seed), runs, 400, difference, 0.0)
    found = stops(outcomes, SimulatedRule())
    raw = np.array([run[:stop].mean() for run, stop in zip(outcomes, found.items, strict=True)])
    shrunk = [
        estimate_at_stop(float(mean), 1 - float(mean) ** 2, int(stop))
        for mean, stop in zip(raw, found.items, strict=True)
    ]
    return raw, np.array(shrunk)


def check_stopped_campaigns(difference: float, raw_mean: float, runs: int, seed: int) -> None:
    raw, shrunk = stopped_campaigns(difference, runs, seed)
    error = 3 * raw.std() / math.sqrt(runs)
    assert raw.mean() == pytest.approx(raw_mean, abs=0.01 + error)
    assert abs(shrunk.mean() - difference) < 0.03 + error
    saved = 1 - math.sqrt(np.mean((shrunk - difference) ** 2) / np.mean((raw - difference) ** 2))
    assert saved > 0.05, (raw.mean(), shrunk.mean(), saved)


@pytest.mark.parametrize(("difference", "raw_mean"), [(0.2, 0.25), (0.1, 0.125)])
def test_bias_after_stopping(difference: float, raw_mean: float) -> None:
    check_stopped_campaigns(difference, raw_mean, runs=500, seed=31)


@pytest.mark.full
@pytest.mark.parametrize(("difference", "raw_mean"), [(0.2, 0.25), (0.1, 0.125)])
def test_bias_after_stopping_in_full(difference: float, raw_mean: float) -> None:
    check_stopped_campaigns(difference, raw_mean, runs=4_000, seed=32)
