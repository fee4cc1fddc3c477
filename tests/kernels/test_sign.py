from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from tiebreak.errors import UsageError
from tiebreak.kernels.sign_flips import sign_test


def test_hand_derived() -> None:
    # 4 wins, 1 loss: P(X >= 4) = (5 + 1)/32 = 6/32, P(X >= 1) = 31/32 for the other side, z = 3/sqrt(5).
    result = sign_test(4, 1)
    assert float(result.p_a) == pytest.approx(6 / 32)
    assert float(result.p_b) == pytest.approx(31 / 32)
    assert float(result.p_two_sided) == pytest.approx(12 / 32)
    assert float(result.z) == pytest.approx(3 / np.sqrt(5))


def test_against_scipy() -> None:
    wins, losses = (grid.ravel() for grid in np.meshgrid([0, 1, 2, 7, 30, 400], [0, 1, 3, 8, 25, 599]))
    result = sign_test(wins, losses)
    for k, (w, l) in enumerate(zip(wins.tolist(), losses.tolist(), strict=True)):  # noqa: E741
        if w + l == 0:
            continue
        for name, alternative in (("p_a", "greater"), ("p_b", "less"), ("p_two_sided", "two-sided")):
            expected = binomtest(w, w + l, 0.5, alternative=alternative).pvalue
            assert getattr(result, name)[k] == pytest.approx(expected, rel=1e-9, abs=1e-300), (w, l, name)


def test_no_untied_item_is_no_evidence() -> None:
    result = sign_test(0, 0)
    assert (result.p_two_sided, result.p_a, result.p_b, result.z) == (1, 1, 1, 0)


def test_thousands_of_items_are_exact_too() -> None:
    # z = 400/100 = 4, upper tail of the normal 3.167e-5: near, and not the same.
    assert float(sign_test(5200, 4800).p_a) == pytest.approx(3.167e-5, rel=0.05)
    for wins, losses in ((501, 500), (5200, 4800), (50_400, 49_600), (3_002_000, 2_998_000)):
        expected = binomtest(wins, wins + losses).pvalue
        assert float(sign_test(wins, losses).p_two_sided) == pytest.approx(expected, rel=1e-6), wins


def test_the_size_never_exceeds_the_level() -> None:
    # P(p <= .05) at every n from 1,001 to 1,400, summed over the binomial; the normal approximation had up to 5.4 %.
    for n in range(1_001, 1_401):
        wins = np.arange(n + 1)
        rejected = wins[sign_test(wins, n - wins).p_two_sided <= 0.05]
        assert binom.pmf(rejected, n, 0.5).sum() <= 0.05 + 1e-12


def test_swapping_the_systems_swaps_the_directions() -> None:
    wins, losses = np.array([3, 0, 900, 50]), np.array([9, 4, 800, 50])
    forward, backward = sign_test(wins, losses), sign_test(losses, wins)
    np.testing.assert_allclose(forward.p_a, backward.p_b)
    np.testing.assert_allclose(forward.p_two_sided, backward.p_two_sided)
    np.testing.assert_allclose(forward.z, -backward.z)


def test_broadcasts() -> None:
    result = sign_test(np.arange(3)[:, None], np.arange(4))
    assert result.p_a.shape == result.z.shape == (3, 4)
    assert result.p_a[2, 3] == sign_test(2, 3).p_a


@pytest.mark.parametrize("bad", [-1, 1.5, np.nan, np.inf])
def test_impossible_counts_raise(bad: float) -> None:
    with pytest.raises(UsageError, match=r"losses must be whole numbers >= 0, but one of them is"):
        sign_test(3, [1, bad])
