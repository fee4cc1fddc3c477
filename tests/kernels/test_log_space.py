from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from tiebreak.kernels.bounded_bets import log_sum_exp


def test_hand_derived() -> None:
    # log(e^log2 + e^log3 + e^log5) = log 10.
    assert float(log_sum_exp(np.log([2.0, 3.0, 5.0]))) == pytest.approx(np.log(10))


def test_against_scipy_over_many_magnitudes() -> None:
    rng = np.random.default_rng(1)
    for scale in (1e-3, 1.0, 50.0, 1e4):
        terms = rng.normal(scale=scale, size=(4, 25, 7))
        np.testing.assert_allclose(log_sum_exp(terms), logsumexp(terms, axis=-1), rtol=1e-13, atol=1e-13)


def test_no_overflow_and_no_underflow() -> None:
    # Both numbers are far outside the range of exp; two equal terms add log 2.
    assert float(log_sum_exp(np.array([1e5, 1e5]))) == pytest.approx(1e5 + np.log(2))
    assert float(log_sum_exp(np.array([-1e5, -1e5]))) == pytest.approx(-1e5 + np.log(2))


def test_infinities() -> None:
    rows = np.array([[np.inf, 0.0, 800.0], [-np.inf, -np.inf, -np.inf], [-np.inf, 1.0, -np.inf]])
    assert log_sum_exp(rows).tolist() == [np.inf, -np.inf, 1.0]


def test_adding_a_constant_moves_the_result_by_it_and_order_does_not_matter() -> None:
    terms = np.random.default_rng(2).normal(size=(10, 6))
    np.testing.assert_allclose(log_sum_exp(terms + 3.25), log_sum_exp(terms) + 3.25)
    np.testing.assert_allclose(log_sum_exp(terms[:, ::-1]), log_sum_exp(terms))
    assert log_sum_exp(terms).shape == (10,)
