"""Quantile bins: by hand, and mirrored exactly when the metric changes sign."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tiebreak.kernels.outcome_regression import bin_means, bin_numbers, cut_points

values = st.lists(st.integers(-4, 4).map(float) | st.floats(-1e6, 1e6), min_size=1, max_size=40).map(np.array)


def test_two_bins_by_hand() -> None:
    # Four values in two bins: the cut is halfway between the second and the third, and nothing lies on it.
    reference = np.array([4.0, 1.0, 2.0, 3.0])
    cuts = cut_points(reference, bins=2)
    assert cuts.tolist() == [2.5]
    assert bin_numbers(reference, cuts).tolist() == [2, 0, 0, 2]
    # Standard deviation sqrt(1.25): bin means (1.5 - 2.5)/1.118 and (3.5 - 2.5)/1.118; the empty slot lies between.
    assert_allclose(bin_means(reference, cuts), [-0.894427, 0.0, 0.894427], atol=1e-6)


def test_a_value_on_a_cut_point_has_its_own_slot() -> None:
    # Three values in two bins: the cut is the middle value itself.
    reference = np.array([1.0, 2.0, 3.0])
    assert bin_numbers(reference, cut_points(reference, bins=2)).tolist() == [0, 1, 2]


def test_few_values_are_not_cut_apart() -> None:
    reference = np.repeat([-1.0, 0.0, 1.0], [5, 40, 15])
    numbers = bin_numbers(reference, cut_points(reference))
    assert [np.unique(numbers[reference == value]).size for value in (-1.0, 0.0, 1.0)] == [1, 1, 1]
    assert np.unique(numbers).size == 3


def test_equal_shares_of_a_continuous_metric() -> None:
    metric = np.random.default_rng(1).standard_normal(1_000)
    counts = np.bincount(bin_numbers(metric, cut_points(metric)), minlength=19)
    assert counts[::2].tolist() == [100] * 10
    assert counts[1::2].sum() == 0


@given(values)
def test_negating_the_metric_mirrors_the_bins(metric: np.ndarray) -> None:
    numbers = bin_numbers(metric, cut_points(metric))
    assert_array_equal(bin_numbers(-metric, cut_points(-metric)), 18 - numbers)
    assert_allclose(bin_means(-metric, cut_points(-metric)), -bin_means(metric, cut_points(metric))[::-1], atol=1e-9)


@given(values)
def test_means_rise_with_the_bins_and_are_standardised(metric: np.ndarray) -> None:
    cuts = cut_points(metric)
    numbers, means = bin_numbers(metric, cuts), bin_means(metric, cuts)
    assert (np.diff(means) >= -1e-9).all()
    assert abs(means[numbers].mean()) < 1e-6
    assert means[numbers].var() <= 1 + 1e-6


@pytest.mark.parametrize("size", [1, 7])
def test_a_constant_metric_says_nothing(size: int) -> None:
    metric = np.full(size, 0.1)
    assert_array_equal(bin_means(metric, cut_points(metric)), np.zeros(19))


def test_huge_values_do_not_overflow() -> None:
    assert np.isfinite(bin_means(np.array([-1e308, 1.0, 1e308]), np.array([0.0, 2.0]))).all()


def test_leading_axes_are_independent() -> None:
    metric = np.random.default_rng(2).standard_normal((2, 3, 25))
    cuts = cut_points(metric)
    for place in np.ndindex(2, 3):
        assert_array_equal(cuts[place], cut_points(metric[place]))
        assert_array_equal(bin_numbers(metric, cuts)[place], bin_numbers(metric[place], cuts[place]))
        assert_array_equal(bin_means(metric, cuts)[place], bin_means(metric[place], cuts[place]))
