"""The reach of a jackknife interval: by hand, and on a shifted log scale."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as student

from tiebreak.kernels.jackknife import correlation_interval, jackknife_reach, log_interval


def test_by_hand() -> None:
    """Moved by -1, 0, 1: squares 2, kurtosis 3 * 2/4 = 1.5, so 2 * 3/.5 = 12 degrees, at most U - 1 = 2."""
    error = math.sqrt(2 * 2 / 3)
    assert jackknife_reach(np.array([4.0, 5.0, 6.0])) == pytest.approx(student.ppf(0.975, 2) * error)
    # One of 101 units weighs all: kurtosis about 100, so that 4 degrees are left.
    lone = np.append(np.zeros(100), 1.0)
    squares = float(((lone - lone.mean()) ** 2).sum())
    assert jackknife_reach(lone) == pytest.approx(student.ppf(0.975, 4) * math.sqrt(squares * 100 / 101))
    assert jackknife_reach(np.full(9, 0.3)) == 0.0


def test_of_a_mean_it_is_the_t_interval() -> None:
    """Evenly spread values have so little kurtosis that all U - 1 degrees are left."""
    values = np.linspace(-1, 1, 30)
    left_out = (values.sum() - values) / 29
    expected = student.ppf(0.975, 29) * values.std(ddof=1) / math.sqrt(30)
    assert jackknife_reach(left_out) == pytest.approx(expected)


def test_on_a_log_scale() -> None:
    left_out = np.array([1.5, 2.0, 2.5, 2.1])
    found = log_interval(2.0, left_out, 1.0)
    assert found is not None
    reach = jackknife_reach(np.log(left_out + 1))
    assert found == pytest.approx((3 * math.exp(-reach) - 1, 3 * math.exp(reach) - 1))
    assert log_interval(-0.5, left_out - 2.2, 1.0) is not None  # near 0 and below
    assert log_interval(-1.0, left_out, 1.0) is None
    assert log_interval(2.0, np.append(left_out, -1.0), 1.0) is None
    assert log_interval(2.0, np.append(left_out, math.nan), 1.0) is None
    assert log_interval(2.0, np.empty(0), 1.0) is None


def test_of_a_correlation() -> None:
    left_out = np.array([0.5, 0.6, 0.55, 0.4])
    reach = jackknife_reach(np.arctanh(left_out))
    middle = math.atanh(0.52)
    found = correlation_interval(0.52, left_out)
    assert found == pytest.approx((math.tanh(middle - reach), math.tanh(middle + reach)))
    assert correlation_interval(1.0, left_out) is None
    assert correlation_interval(0.5, np.append(left_out, math.nan)) is None
    assert correlation_interval(0.5, left_out[:1]) is None
