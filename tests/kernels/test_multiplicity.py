from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests

from tiebreak.errors import UsageError
from tiebreak.kernels.multiplicity import (
    benjamini_yekutieli,
    e_bh,
    holm_directions,
    holm_p,
    p_from_sup,
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


# --- e-BH and Benjamini-Yekutieli ---------------------------------------------------------------------------------


def test_e_bh_by_hand() -> None:
    # M = 4, alpha .05: thresholds 80, 40, 26.7, 20 for k = 1..4. Sorted 50, 45, 21, 1: k = 1 fails, k = 2 passes.
    np.testing.assert_array_equal(e_bh(logs([1, 50, 21, 45]), ALPHA), [False, True, False, True])
    np.testing.assert_array_equal(e_bh(logs([20, 20, 20, 20]), ALPHA), [True] * 4)
    np.testing.assert_array_equal(e_bh(logs([79, 0, 0, 0]), ALPHA), [False] * 4)
    np.testing.assert_array_equal(e_bh([np.inf, -np.inf], ALPHA), [True, False])
    assert e_bh([], ALPHA).shape == (0,)


def test_e_bh_is_bh_on_reciprocals() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        p = rng.random(int(rng.integers(1, 20))) ** rng.choice([1, 3, 8])
        expected = multipletests(p, ALPHA, method="fdr_bh")[0]
        np.testing.assert_array_equal(e_bh(-np.log(p), ALPHA), expected)


def test_e_bh_on_running_maxima_is_not_valid() -> None:
    # Two true nulls. Each E goes 1 -> 1/alpha (probability alpha) -> 2/alpha (half of those), else to 0: a fair game.
    # Three disjoint events of probability alpha/2: pair 1 goes up twice while pair 2 falls; the reverse; both go up
    # once and then fall. Maxima: (2/alpha, 1), (1, 2/alpha), (1/alpha, 1/alpha). Threshold 2/alpha for one, 1/alpha
    # for two, so e-BH on maxima rejects in all three: false discovery rate 3 alpha/2 > alpha.
    paths = [
        ([1, 1 / ALPHA, 2 / ALPHA], [1, 0, 0]),
        ([1, 0, 0], [1, 1 / ALPHA, 2 / ALPHA]),
        ([1, 1 / ALPHA, 0], [1, 1 / ALPHA, 0]),
    ]
    for pair in (0, 1):  # each null e-process has mean 1 at every step
        for step in (1, 2):
            assert sum(ALPHA / 2 * path[pair][step] for path in paths) == pytest.approx(1.0)

    def rate(reject: Callable[[Floats], NDArray[np.bool_]], value: Callable[[list[float]], float]) -> float:
        return sum(ALPHA / 2 * reject(logs([value(e) for e in path])).any() for path in paths)

    assert rate(lambda e: e_bh(e, ALPHA), max) == pytest.approx(1.5 * ALPHA)
    # Frozen where each pair stopped (at its end, or after its first step) it holds, and so does BY on the maxima.
    for frozen in (lambda e: e[2], lambda e: e[1]):
        assert rate(lambda e: e_bh(e, ALPHA), frozen) <= ALPHA + 1e-12
    assert rate(lambda e: benjamini_yekutieli(p_from_sup(e), ALPHA), max) <= ALPHA + 1e-12


def test_benjamini_yekutieli_by_hand_and_against_statsmodels() -> None:
    # M = 2: factor 1.5, thresholds .05/3 and .05/1.5 = .0333: both of (.03, .03) pass, (.03, .04) fails.
    np.testing.assert_array_equal(benjamini_yekutieli([0.03, 0.03], ALPHA), [True, True])
    np.testing.assert_array_equal(benjamini_yekutieli([0.03, 0.04], ALPHA), [False, False])
    rng = np.random.default_rng(5)
    for _ in range(200):
        p = rng.random(int(rng.integers(1, 20))) ** rng.choice([1, 3, 8])
        np.testing.assert_array_equal(benjamini_yekutieli(p, ALPHA), multipletests(p, ALPHA, method="fdr_by")[0])
    assert benjamini_yekutieli([], ALPHA).shape == (0,)


def test_p_from_sup() -> None:
    np.testing.assert_allclose(p_from_sup(logs([20, 0.5, np.inf, 0])), [0.05, 1.0, 0.0, 1.0])


# --- bad input ----------------------------------------------------------------------------------------------------


def test_bad_input_raises() -> None:
    with pytest.raises(UsageError, match="NaN"):
        holm_directions([[np.nan, 0]], ALPHA)
    with pytest.raises(UsageError, match=r"shape \(K, 2\), but got \(2,\)"):
        holm_directions([1.0, 2.0], ALPHA)
    with pytest.raises(UsageError, match=r"must lie in \[0, 1\], but one of them is 1\.2"):
        holm_p([[0.1, 1.2]], ALPHA)
    with pytest.raises(UsageError, match=r"shape \(M,\)"):
        e_bh([[1.0]], ALPHA)
    with pytest.raises(UsageError, match="alpha must lie strictly between 0 and 1, but it is 5"):
        benjamini_yekutieli([0.1], 5)
