from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from tiebreak.errors import UsageError
from tiebreak.kernels.sign import sign_test


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
    for exact_up_to in (0, 1000):
        result = sign_test(0, 0, exact_up_to=exact_up_to)
        assert (result.p_two_sided, result.p_a, result.p_b, result.z) == (1, 1, 1, 0)


def test_normal_approximation_takes_over_and_is_close() -> None:
    exact = sign_test(5200, 4800, exact_up_to=10_000)
    normal = sign_test(5200, 4800)
    # z = 400/100 = 4, upper tail of the normal 3.167e-5.
    assert float(normal.p_a) == pytest.approx(3.167e-5, rel=1e-3)
    assert float(exact.p_a) != float(normal.p_a)
    assert float(exact.p_a) == pytest.approx(float(normal.p_a), rel=0.05)
    assert float(sign_test(501, 500).p_two_sided) < float(sign_test(501, 500, exact_up_to=1001).p_two_sided)


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
    with pytest.raises(UsageError, match="exact_up_to"):
        sign_test(3, 1, exact_up_to=-1)
