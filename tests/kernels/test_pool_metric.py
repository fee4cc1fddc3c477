"""What a metric says of the next output of a pool, derived by hand."""

from __future__ import annotations

import numpy as np

from tiebreak.kernels.pool_metric import pool_metric


def test_hand_derived() -> None:
    # Scores 7, 3, 7, 3 have mean 5 and SD 2: x = 1, -1, 1, -1. After ratings 1 and 0 the mean of x drawn is 0, its sum
    # of squares 2, with the ridge 5, that of products 1: slope 1/5. Mean x of the two that are left is 0.
    metric = pool_metric(np.array([7.0, 3.0, 7.0, 3.0]))
    np.testing.assert_allclose(metric.x, [1, -1, 1, -1])
    np.testing.assert_allclose(metric.slopes(2, 1.0, 1.0, (0, 0.0)), 0.2)
    said = metric.ahead(2, (0.2, 0.2))
    np.testing.assert_allclose((said.low, said.high), 0.2)
    np.testing.assert_allclose((said.least_reach, said.most_reach), 0.2)
    # Were the second rating missing, it could be 1 (products 0, slope 0) or -1 (products 2, slope 2/5).
    least, most = metric.slopes(2, 1.0, 1.0, (1, 1.0))
    np.testing.assert_allclose((least, most), (0.0, 0.4), atol=1e-15)
    said = metric.ahead(2, (-0.1, 0.4))
    np.testing.assert_allclose((said.low, said.high), (-0.1, 0.4))
    np.testing.assert_allclose((said.least_reach, said.most_reach), ([0, 0], [0.4, 0.4]))


def test_values_far_off_are_cut_and_one_for_all_says_nothing() -> None:
    metric = pool_metric(np.array([*np.zeros(99), 1e6]))
    assert metric.x.max() == 2.5
    assert not pool_metric(np.full(9, 4.0)).x.any()
