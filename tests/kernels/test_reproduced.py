"""Rules of the papers: the Hoeffding sequence and the Dirichlet posterior."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.kernels.checks import refused

from tiebreak.kernels.reproduced import dirichlet_posterior, hoeffding_crossings, hoeffding_threshold

# ---- hoeffding ---------------------------------------------------------------------------------------------------


def crossing(values: Sequence[float] | NDArray[np.float64], d: float, *, last: bool = False) -> tuple[int, int]:
    """Direction, and the values up to the crossing, of one run."""
    direction, place = hoeffding_crossings(np.array([values]), d, last=last)
    return int(direction[0]), int(place[0])


def test_hand_derived() -> None:
    # d = .01: -ln d / 2 = 2.3026, so t(9) = .5058 and t(10) = .4799: ten equal votes decide, nine do not.
    assert float(hoeffding_threshold(10, 0.01)) == pytest.approx(math.sqrt(2.302585 / 10), rel=1e-6)
    for value, direction in ((1.0, 1), (0.0, -1)):
        assert crossing([value] * 9, 0.01) == (0, 9)
        assert crossing([value] * 30, 0.01) == (direction, 10)


def test_last_crossing_looks_ahead() -> None:
    # d = .5: t(n) = .5887/sqrt(n), decided while |w - l| > 1.1774 sqrt(n). Votes a a a a b b b a*8:
    # |w - l|/sqrt(n) is 1, 1.41, 1.73, 2 (beyond from n = 2) then 3/2.24, 2/2.45 (inside at 6), 1/2.65, 2/2.83,
    # 3/3 = 1, 4/3.16 = 1.26 (beyond again at 10, and to the end).
    votes = [1.0] * 4 + [0.0] * 3 + [1.0] * 8
    assert crossing(votes, 0.5) == (1, 2)
    assert crossing(votes, 0.5, last=True) == (1, 10)
    # Cut off while it is inside, the retrospective rule decides nothing although the first crossing did.
    assert crossing(votes[:8], 0.5, last=True) == (0, 8)
    assert crossing(votes[:8], 0.5) == (1, 2)


def test_a_run_that_never_leaves_its_side_crossed_at_its_first_value_beyond() -> None:
    assert crossing([1.0] * 30, 0.01, last=True) == (1, 10)


def test_swapping_the_systems_flips_the_direction() -> None:
    votes = (np.random.default_rng(4).random((50, 200)) < 0.6).astype(float)
    for last in (False, True):
        forward, backward = hoeffding_crossings(votes, 0.05, last=last), hoeffding_crossings(1 - votes, 0.05, last=last)
        np.testing.assert_array_equal(forward[0], -backward[0])
        np.testing.assert_array_equal(forward[1], backward[1])


def exact_wrong_share(d: float, horizon: int) -> float:
    """Probability that a fair +-1 walk leaves the bound within the horizon, by dynamic programming."""
    alive = np.zeros(2 * horizon + 1)
    alive[horizon] = 1.0
    sums = np.abs(np.arange(-horizon, horizon + 1))
    left = 0.0
    for n in range(1, horizon + 1):
        alive = 0.5 * (np.roll(alive, 1) + np.roll(alive, -1))
        beyond = sums / (2 * n) > math.sqrt(-math.log(d) / (2 * n))
        left += alive[beyond].sum()
        alive[beyond] = 0.0
    return left


@pytest.mark.parametrize(("d", "published"), [(0.05, 0.18), (0.01, 0.036)])
def test_first_crossing_does_not_control_the_error(d: float, published: float) -> None:
    exact = exact_wrong_share(d, 500)
    assert exact == pytest.approx(published, rel=0.05)
    runs = 3000
    votes = np.random.default_rng(17).integers(2, size=(runs, 500)).astype(float)
    wrong = (hoeffding_crossings(votes, d)[0] != 0).mean()
    assert abs(wrong - exact) < 4 * math.sqrt(exact * (1 - exact) / runs)
    assert wrong > 2 * d


def test_degenerate_and_bad_input() -> None:
    assert [of.tolist() for of in hoeffding_crossings(np.empty((2, 0)), 0.05)] == [[0, 0], [0, 0]]
    refused(r"values in \[0, 1\], not 1\.5", hoeffding_crossings, [[1.0, 1.5]], 0.05)
    refused("not nan", hoeffding_crossings, [[np.nan]], 0.05)
    refused("d must lie strictly between 0 and 1", hoeffding_crossings, [[1.0]], 1.0)
    refused("at least 1", hoeffding_threshold, [3, 0], 0.05)


# ---- dirichlet ---------------------------------------------------------------------------------------------------

COUNTS = [(0, 0, 0), (1, 0, 0), (0, 30, 0), (7, 3, 2), (5, 40, 1), (120, 60, 90), (400, 0, 2), (3, 3000, 5)]


def test_no_labels_is_the_prior() -> None:
    # Dir(1, 1, 1): theta = 1/2; p_a - p_b has density 1 - |x| on [-1, 1] (uniform on the triangle), so the 2.5 %
    # quantile solves (1 + x)^2/2 = .025: x = sqrt(.05) - 1.
    posterior = dirichlet_posterior(0, 0, 0, 0.95)
    assert posterior.theta == 0.5
    np.testing.assert_allclose(posterior.mean_p, [1 / 3] * 3)
    assert posterior.difference_mean == 0.0
    assert posterior.difference_low == pytest.approx(np.sqrt(0.05) - 1, abs=1e-4)
    assert posterior.difference_high == pytest.approx(1 - np.sqrt(0.05), abs=1e-4)


def test_dirichlet_hand_derived() -> None:
    # 1 win: q ~ Beta(2, 1), P(q > 1/2) = 1 - 1/4; means (2, 1, 1)/4.
    posterior = dirichlet_posterior(1, 0, 0)
    assert posterior.theta == pytest.approx(0.75)
    np.testing.assert_allclose(posterior.mean_p, [0.5, 0.25, 0.25])
    assert posterior.difference_mean == pytest.approx(0.25)


@pytest.mark.parametrize("counts", COUNTS)
def test_against_a_grid_over_both_shares(counts: tuple[int, int, int]) -> None:
    """P(s (2q - 1) <= x) at the reported ends, summed over a fine grid of the density of s; no quantiles of s."""
    from scipy.stats import beta

    wins, ties, losses = counts
    posterior = dirichlet_posterior(wins, ties, losses, 0.95)
    assert posterior.theta == pytest.approx(beta(wins + 1, losses + 1).sf(0.5))
    assert posterior.difference_mean == pytest.approx((wins - losses) / (sum(counts) + 3))
    shares = beta(wins + losses + 2, ties + 1)
    edges = np.linspace(*shares.ppf([1e-9, 1 - 1e-9]), 20_001)
    middle = (edges[1:] + edges[:-1]) / 2
    mass = np.diff(shares.cdf(edges))

    def cdf(x: float) -> float:
        return float(mass @ beta(wins + 1, losses + 1).cdf((1 + x / middle) / 2))

    for end, level in ((posterior.difference_low, 0.025), (posterior.difference_high, 0.975)):
        assert cdf(end - 1e-4) - 1e-7 <= level <= cdf(end + 1e-4) + 1e-7


def test_swapping_the_systems() -> None:
    forward, backward = dirichlet_posterior(30, 12, 18), dirichlet_posterior(18, 12, 30)
    assert forward.theta == pytest.approx(1 - backward.theta)
    assert forward.difference_low == pytest.approx(-backward.difference_high, abs=1e-6)
    np.testing.assert_allclose(forward.mean_p, backward.mean_p[::-1])


def test_bad_input_raises() -> None:
    refused("ties must be a finite number >= 0, but it is -1", dirichlet_posterior, 1, -1, 0)
    refused("wins", dirichlet_posterior, float("nan"), 0, 0)
    refused("credibility must lie strictly between 0 and 1", dirichlet_posterior, 1, 1, 1, 1.0)
    refused("gamma", dirichlet_posterior(1, 1, 1).direction, 0.0)
