from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests
from tests.kernels.checks import refused

from tiebreak.kernels.multiplicity import (
    holm_directions,
    holm_p,
)

ALPHA = 0.05
Floats = NDArray[np.float64]


def logs(values: object) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(values, dtype=float))


# --- Holm ---------------------------------------------------------------------------------------------------------


def test_holm_by_hand() -> None:
    # K = 3, alpha .05: thresholds 120, 100, 80, 60, ... E = 150 passes 120; 100 passes 100 (only then); 79 fails 80.
    result = holm_directions(logs([[150, 0], [0.1, 100], [79, 0.5]]), ALPHA)
    np.testing.assert_array_equal(result.found, [[True, False], [False, True], [False, False]])
    np.testing.assert_allclose(result.log_threshold, np.log([120, 100, 80]))
    assert result.j == 2


def test_holm_both_directions_of_a_pair() -> None:
    # Maxima of a long run can pass in both directions; they count twice. K = 1: thresholds 40, then 20.
    result = holm_directions(logs([[41, 20]]), ALPHA)
    assert result.found.all()
    assert result.log_threshold[0] == pytest.approx(np.log(40))


def test_holm_infinite_and_zero_evidence() -> None:
    result = holm_directions([[np.inf, -np.inf], [-np.inf, 0.0]], ALPHA)
    np.testing.assert_array_equal(result.found, [[True, False], [False, False]])
    assert holm_directions(np.full((2, 2), np.inf), ALPHA).found.all()
    assert holm_directions(np.empty((0, 2)), ALPHA).j == 0


def test_holm_equals_statsmodels_on_p_values() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        pairs = int(rng.integers(1, 9))
        p = rng.random((pairs, 2)) ** rng.choice([1, 3, 8])
        expected = multipletests(p.ravel(), ALPHA, method="holm")[0].reshape(pairs, 2)
        np.testing.assert_array_equal(holm_p(p, ALPHA).found, expected)
        np.testing.assert_array_equal(holm_directions(-np.log(p), ALPHA).found, expected)


def test_holm_p_at_zero_and_at_the_boundary() -> None:
    result = holm_p([[0.0, 1.0], [0.05 / 3, 1.0]], ALPHA)
    np.testing.assert_array_equal(result.found, [[True, False], [True, False]])


def test_renaming_and_swapping() -> None:
    evidence = np.random.default_rng(3).normal(4, 2, size=(12, 2))
    result = holm_directions(evidence, ALPHA)
    assert 0 < result.j < 24
    order = np.random.default_rng(4).permutation(12)
    shuffled = holm_directions(evidence[order][:, ::-1], ALPHA)
    np.testing.assert_array_equal(shuffled.found, result.found[order][:, ::-1])
    np.testing.assert_array_equal(shuffled.log_threshold, result.log_threshold[order])


def too_low(pairs: int, j: int) -> int:
    """The tempting divisor: two directions for each pair that is still open."""
    return 2 * (pairs - j)


def holms(pairs: int, j: int) -> int:
    return 2 * pairs - j


def step_down(evidence: Floats, divisor: Callable[[int, int], int]) -> NDArray[np.bool_]:
    """A decided pair is closed; open pairs face divisor/alpha."""
    found = np.zeros(evidence.shape, dtype=bool)
    while True:
        open_pairs = ~found.any(axis=1)
        if not open_pairs.any():
            return found
        limit = math.log(divisor(len(evidence), int(found.sum())) / ALPHA)
        grown = found | ((evidence >= limit - 1e-12) & open_pairs[:, None])
        if (grown == found).all():
            return found
        found = grown


def test_two_per_open_pair_errs_more_often_than_alpha_by_hand() -> None:
    # K = 3, a truly better everywhere. With probability alpha/2 each, three disjoint events: the wrong direction of
    # pair k has E = 2/alpha (an e-value: its mean is 1) while the two others are found rightly. 2(K - j) has then
    # sunk to 2, and pair k is decided wrongly: the error is 3 alpha/2 > alpha. With 2K - j = 4 left it is not.
    error = {too_low: 0.0, holms: 0.0}
    for unlucky in range(3):
        e = np.array([[1e6, 0.0]] * 3)
        e[unlucky] = (0.0, 2 / ALPHA)
        for divisor in error:
            error[divisor] += ALPHA / 2 * bool(step_down(logs(e), divisor)[:, 1].any())
        assert not holm_directions(logs(e), ALPHA).found[:, 1].any()
    assert error[too_low] == pytest.approx(1.5 * ALPHA)
    assert error[holms] == 0.0
    # The worst that can be done to 2K - j in the same way, E = 4/alpha with probability alpha/4: 3 alpha/4.
    e = np.array([[1e6, 0.0], [1e6, 0.0], [0.0, 4 / ALPHA]])
    assert holm_directions(logs(e), ALPHA).found[2, 1]


def test_bad_input_raises() -> None:
    refused("NaN", holm_directions, [[np.nan, 0]], ALPHA)
    refused(r"shape \(K, 2\), but got \(2,\)", holm_directions, [1.0, 2.0], ALPHA)
    refused(r"must lie in \[0, 1\], but one of them is 1\.2", holm_p, [[0.1, 1.2]], ALPHA)
    refused("alpha must lie strictly between 0 and 1, but it is 5", holm_p, [[0.1, 0.1]], 5)
