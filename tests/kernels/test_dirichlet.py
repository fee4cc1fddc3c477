from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.kernels.reproduced import dirichlet_posterior

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


def test_hand_derived() -> None:
    # 1 win: q ~ Beta(2, 1), P(q > 1/2) = 1 - 1/4; means (2, 1, 1)/4.
    posterior = dirichlet_posterior(1, 0, 0)
    assert posterior.theta == pytest.approx(0.75)
    np.testing.assert_allclose(posterior.mean_p, [0.5, 0.25, 0.25])
    assert posterior.difference_mean == pytest.approx(0.25)


@pytest.mark.parametrize("counts", COUNTS)
def test_against_monte_carlo(counts: tuple[int, int, int]) -> None:
    draws = np.random.default_rng(11).dirichlet(np.array(counts) + 1.0, size=400_000)
    difference = draws[:, 0] - draws[:, 2]
    posterior = dirichlet_posterior(*counts, 0.9)
    spread = difference.std()
    assert posterior.theta == pytest.approx((difference > 0).mean(), abs=0.004)
    assert posterior.difference_mean == pytest.approx(difference.mean(), abs=0.01 * spread)
    # Standard error of a 5 % sample quantile: sqrt(.05 * .95 / n) / density, about .004 sd here.
    low, high = np.quantile(difference, [0.05, 0.95])
    assert posterior.difference_low == pytest.approx(low, abs=0.02 * spread)
    assert posterior.difference_high == pytest.approx(high, abs=0.02 * spread)


@pytest.mark.parametrize("counts", COUNTS)
def test_against_a_grid_over_both_shares(counts: tuple[int, int, int]) -> None:
    """P(s (2q - 1) <= x) at the reported ends, summed over a fine grid of the density of s; no quantiles of s."""
    from scipy.stats import beta

    wins, ties, losses = counts
    posterior = dirichlet_posterior(wins, ties, losses, 0.95)
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
    with pytest.raises(UsageError, match="ties must be a finite number >= 0, but it is -1"):
        dirichlet_posterior(1, -1, 0)
    with pytest.raises(UsageError, match="wins"):
        dirichlet_posterior(float("nan"), 0, 0)
    with pytest.raises(UsageError, match="credibility must lie strictly between 0 and 1"):
        dirichlet_posterior(1, 1, 1, 1.0)
    with pytest.raises(UsageError, match="gamma"):
        dirichlet_posterior(1, 1, 1).direction(0.0)
