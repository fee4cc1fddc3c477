"""Ratings by output: by hand, in any order, and what rounding must not do."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from tests.kernels.checks import refused

from tiebreak.kernels.rated_outputs import RatedOutputs


def test_by_hand() -> None:
    rated = RatedOutputs.of([7, 3, 7, 3, 5], [5.0, 1.0, 7.0, 3.0, 4.0])
    assert_array_equal(rated.codes, [3, 5, 7])
    assert_array_equal(rated.counts, [2, 1, 2])
    assert_array_equal(rated.means, [2.0, 4.0, 6.0])
    assert_array_equal(rated.variances, [2.0, 0.0, 2.0])
    assert_array_equal(rated.ratings, [1.0, 3.0, 4.0, 5.0, 7.0])
    assert_array_equal(rated.starts, [0, 2, 3])


def test_order_does_not_matter_to_the_last_bit() -> None:
    rng = np.random.default_rng(1)
    output, value = rng.integers(40, size=300), rng.normal(size=300)
    order = rng.permutation(300)
    one, other = RatedOutputs.of(output, value), RatedOutputs.of(output[order], value[order])
    assert_array_equal(one.means, other.means)
    assert_array_equal(one.variances, other.variances)
    for row, code in enumerate(one.codes):
        mine = value[output == code]
        assert_allclose(one.means[row], mine.mean(), atol=1e-14)
        assert_allclose(one.variances[row], mine.var(ddof=1) if mine.size > 1 else 0.0, atol=1e-14)


def test_equal_ratings_have_no_variance() -> None:
    rated = RatedOutputs.of([0] * 3 + [1] * 7, [0.1] * 3 + [1e9 + 0.1] * 7)
    assert_array_equal(rated.variances, [0.0, 0.0])
    assert_array_equal(rated.means, [0.1, 1e9 + 0.1])


def test_nothing_and_bad_input() -> None:
    assert RatedOutputs.of([], []).counts.size == 0
    refused("two rows of equal length", RatedOutputs.of, [1, 2], [1.0])
    refused("whole numbers, but they are float64", RatedOutputs.of, [1.5], [1.0])
    refused("must be finite, but one of them is nan", RatedOutputs.of, [1], [float("nan")])
