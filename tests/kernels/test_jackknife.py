"""Leave-one-out errors: derived by hand, against closed forms, and where there are none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.jackknife import degrees_of_freedom, jackknife

Floats = NDArray[np.float64]


def ratio(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]


def test_of_a_mean_it_is_the_standard_error() -> None:
    values = np.array([1.0, 2.0, 4.0, 9.0])
    found = jackknife(np.column_stack([values, np.ones(4)]), ratio)
    assert found.estimate == 4.0
    # The mean of all but one moves by (value - mean) / 3: the jackknife of a mean is sd / sqrt(n).
    assert found.error == pytest.approx(values.std(ddof=1) / 2)
    assert found.reach(0.05) == pytest.approx(float(stdtrit(found.freedom, 0.975)) * found.error)


def test_by_hand() -> None:
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


def test_few_heavy_units_know_the_error_badly() -> None:
    even = np.resize([1.0, -1.0], 100)
    heavy = even.copy()
    heavy[0] = 30.0
    assert degrees_of_freedom(even - even.mean()) == 99
    assert degrees_of_freedom(heavy - heavy.mean()) == 4


def test_nothing_moves_what_is_alike() -> None:
    assert jackknife(np.ones((5, 2)), ratio).error == 0


@pytest.mark.parametrize("sums", [[[1.0, 2.0]], [[1.0, 1.0], [0.0, 0.0]]])
def test_without_an_error_it_says_so(sums: list[list[float]]) -> None:
    with np.errstate(invalid="ignore"), pytest.raises(UnidentifiedError):
        jackknife(np.array(sums), ratio)
