from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from statsmodels.stats.proportion import proportion_confint
from tests.kernels.outcome_worlds import all_outcomes

from tiebreak.errors import UsageError
from tiebreak.kernels.score_interval import score_interval


def test_ties_only_by_hand() -> None:
    # No loss is likelier than some at every d > 0, so q = 0 and n d = c sqrt(n d (1 - d)): d = c^2 / (n + c^2).
    low, high = score_interval(0, 10, 0, 2.0)
    assert float(high) == pytest.approx(4 / 14)
    assert float(low) == pytest.approx(-4 / 14)


def test_without_ties_the_near_limit_is_wilsons() -> None:
    # At differences between 0 and the estimate the skew is negative, and the correction is nothing.
    for wins, losses in ((30, 10), (9, 1), (70, 41), (12, 0)):
        low, _ = score_interval(wins, 0, losses, 1.959963984540054)
        share, _ = proportion_confint(wins, wins + losses, 0.05, method="wilson")
        assert float(low) == pytest.approx(2 * share - 1, abs=1e-12)


@pytest.mark.parametrize(("wins", "ties", "losses"), [(30, 12, 8), (5, 40, 5), (3, 1, 14), (0, 30, 4), (90, 7, 3)])
@pytest.mark.parametrize("critical", [1.3, 1.96, 4.2])
def test_limits_solve_their_equation(wins: int, ties: int, losses: int, critical: float) -> None:
    # The oracle finds the likeliest q by search and the moments of one outcome by their definitions.
    n = wins + ties + losses
    for (w, l), d in zip(((wins, losses), (losses, wins)), limits(wins, ties, losses, critical), strict=True):  # noqa: E741

        def minus_log_likelihood(q: float, w: int = w, l: int = l, d: float = d) -> float:  # noqa: E741
            return -float(xlogy(w, max(q + d, 0)) + xlogy(ties, max(1 - d - 2 * q, 0)) + xlogy(l, max(q, 0)))

        bounds = (max(0.0, -d) + 1e-13, (1 - d) / 2 - 1e-13)
        q = minimize_scalar(minus_log_likelihood, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        p = np.array([q + d, 1 - 2 * q - d, q])
        variance, third = (float(p @ (np.array([1.0, 0.0, -1.0]) - d) ** k) for k in (2, 3))
        skew = max(third, 0.0) / variance**1.5 / np.sqrt(n)
        statistic = (w - l - n * d) / np.sqrt(n * variance)
        assert statistic == pytest.approx(critical + skew * (critical**2 - 1) / 6, abs=1e-4)


def limits(wins: int, ties: int, losses: int, critical: float) -> tuple[float, float]:
    low, high = score_interval(wins, ties, losses, critical)
    return float(low), -float(high)


def test_excludes_zero_exactly_where_the_statistic_exceeds_the_critical_value() -> None:
    wins, ties, losses = all_outcomes(30)
    z = (wins - losses) / np.sqrt(np.maximum(wins + losses, 1.0))
    for critical in (0.0, 1.0, 2.0, 3.3, 5.0):
        low, high = score_interval(wins, ties, losses, critical)
        np.testing.assert_array_equal(low > 0, z > critical)
        np.testing.assert_array_equal(high < 0, -z > critical)


def test_order_swap_and_nesting() -> None:
    wins, ties, losses = all_outcomes(25)
    before = None
    for critical in (0.0, 0.7, 1.96, 2.5, 4.5):
        low, high = score_interval(wins, ties, losses, critical)
        mirrored = score_interval(losses, ties, wins, critical)
        np.testing.assert_array_equal(low, -mirrored[1])
        estimate = (wins - losses) / 25
        assert ((low >= -1) & (low <= estimate) & (estimate <= high) & (high <= 1)).all()
        if before is not None:
            assert ((low <= before[0] + 1e-12) & (high >= before[1] - 1e-12)).all()
        before = low, high


def test_extremes_and_shapes() -> None:
    low, high = score_interval([0, 8, 0], [0, 0, 0], [0, 0, 8], [[1.0], [3.0]])
    assert low.shape == high.shape == (2, 3)
    np.testing.assert_array_equal((low[:, 0], high[:, 0]), [[-1, -1], [1, 1]])
    np.testing.assert_allclose((high[:, 1], low[:, 2]), [[1, 1], [-1, -1]])


def test_bad_input_raises() -> None:
    with pytest.raises(UsageError, match="losses must be whole numbers >= 0, but one of them is -1"):
        score_interval(1, 0, -1, 2.0)
    with pytest.raises(UsageError, match="critical values must be finite numbers >= 0, but one of them is -2"):
        score_interval(1, 0, 1, -2.0)
    with pytest.raises(UsageError, match="one of them is inf"):
        score_interval(1, 0, 1, np.inf)
