from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.kernels.difference_interval import adjusted_wald


def test_hand_derived() -> None:
    # 50/30/20 of 100: centre 30/102 = .29412; (70 + 1)/102 - .29412^2 = .60957; sd sqrt(.60957/102) = .077306;
    # 1.959964 sd = .15152.
    estimate, low, high = adjusted_wald(50, 30, 20, 0.95)
    assert float(estimate) == pytest.approx(0.3)
    assert float(low) == pytest.approx(0.29412 - 0.15152, abs=1e-5)
    assert float(high) == pytest.approx(0.29412 + 0.15152, abs=1e-5)


@pytest.mark.parametrize("ties", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("n", [50, 150, 500])
@pytest.mark.parametrize("difference", [0.0, 0.2])
def test_coverage(n: int, ties: float, difference: float) -> None:
    untied = 1.0 - ties
    p = [(untied + difference) / 2, ties, (untied - difference) / 2]
    runs = 20_000
    wins, tied, losses = np.random.default_rng(n).multinomial(n, p, size=runs).T
    _, low, high = adjusted_wald(wins, tied, losses, 0.95)
    covered = np.mean((low <= difference) & (difference <= high))
    # One percentage point for the discreteness of the counts on top of 3 standard errors (.0046).
    assert 0.95 - 0.0146 < covered < 0.95 + 0.0146


def test_not_valid_under_repeated_looks() -> None:
    # Equal systems, a look after every 10 of 500 items: the interval excludes 0 at some look far more often than 5 %.
    outcomes = np.random.default_rng(8).choice([1, 0, -1], size=(1000, 500), p=[0.4, 0.2, 0.4])
    looks = np.arange(9, 500, 10)
    wins = np.cumsum(outcomes == 1, axis=1)[:, looks]
    losses = np.cumsum(outcomes == -1, axis=1)[:, looks]
    _, low, high = adjusted_wald(wins, looks + 1 - wins - losses, losses, 0.95)
    assert np.mean(((low > 0) | (high < 0)).any(axis=1)) > 0.2


def test_swapping_the_systems_and_extremes() -> None:
    wins, ties, losses = np.array([0, 5, 40, 1, 0]), np.array([10, 0, 3, 0, 0]), np.array([0, 0, 7, 0, 9])
    for confidence in (0.5, 0.95, 0.999):
        estimate, low, high = adjusted_wald(wins, ties, losses, confidence)
        mirrored = adjusted_wald(losses, ties, wins, confidence)
        np.testing.assert_allclose(estimate, -mirrored[0])
        np.testing.assert_allclose(low, -mirrored[2])
        assert ((low >= -1) & (low <= estimate) & (estimate <= high) & (high <= 1)).all()
        assert (high - low > 0).all()


def test_no_labels() -> None:
    estimate, low, high = adjusted_wald([0, 1], [0, 0], [0, 0], 0.95)
    assert np.isnan(estimate[0])
    assert (low[0], high[0]) == (-1.0, 1.0)
    assert estimate[1] == 1.0


def test_bad_input_raises() -> None:
    with pytest.raises(UsageError, match="wins must be whole numbers"):
        adjusted_wald(1.5, 0, 0, 0.95)
    with pytest.raises(UsageError, match="confidence must lie strictly between 0 and 1, but it is 95"):
        adjusted_wald(1, 0, 0, 95)
