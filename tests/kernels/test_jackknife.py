"""Leave-one-out errors and intervals: derived by hand, against closed forms, and where there are none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import stdtrit
from scipy.stats import t as student

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.jackknife import correlation_interval, jackknife, jackknife_reach, log_interval

Floats = NDArray[np.float64]


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


def ratio(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]


def test_of_a_mean_it_is_the_standard_error() -> None:
    values = np.array([1.0, 2.0, 4.0, 9.0])
    found = jackknife(np.column_stack([values, np.ones(4)]), ratio)
    assert found.estimate == 4.0
    # The mean of all but one moves by (value - mean) / 3: the jackknife of a mean is sd / sqrt(n).
    assert found.error == pytest.approx(values.std(ddof=1) / 2)
    assert found.reach(0.05) == pytest.approx(float(stdtrit(found.freedom, 0.975)) * found.error)


def test_a_figure_by_hand() -> None:
    # Units with 1 of 1, 1 of 2, 0 of 1: 2/4. Without each: 1/3, 1/2, 2/3; mean 1/2; squares 2/36; error^2 2/3 * 2/36.
    found = jackknife(np.array([[1.0, 1.0], [1.0, 2.0], [0.0, 1.0]]), ratio)
    assert found.estimate == 0.5
    assert found.error == pytest.approx(math.sqrt(2 / 3 * 2 / 36))


def test_the_order_of_units_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    sums = np.column_stack([rng.integers(0, 4, 30), rng.integers(4, 9, 30)]).astype(float)
    one, other = jackknife(sums, ratio), jackknife(sums[::-1].copy(), ratio)
    assert one.error == pytest.approx(other.error, rel=1e-12)
    assert one.freedom == pytest.approx(other.freedom, rel=1e-12)


def test_nothing_moves_what_is_alike() -> None:
    assert jackknife(np.ones((5, 2)), ratio).error == 0


@pytest.mark.parametrize("sums", [[[1.0, 2.0]], [[1.0, 1.0], [0.0, 0.0]]])
def test_without_an_error_it_says_so(sums: list[list[float]]) -> None:
    with np.errstate(invalid="ignore"), pytest.raises(UnidentifiedError):
        jackknife(np.array(sums), ratio)
